//! One cycle of a kind among thousands of others is found.

use shakedown_histories::{Check, Element, History, HistoryBuilder, Outcome, list_append};

/// A ring of transactions that overwrite each other, the last of which misses the first: one overwritten
/// read. Off each of them hangs a chain that comes back over two overwritten reads in a row. Elle's test
/// `unfindable-g-single` (version 0.2.8) describes it; Elle reports there that a cycle exists and that the
/// search for it timed out.
fn ring_with_noise(ring: u32, noise: u32) -> History {
    let mut builder = HistoryBuilder::default();
    let mut at = 0;
    let mut transaction = |builder: &mut HistoryBuilder, process: u32| {
        at += 2;
        builder.transaction(process, Outcome::Ok, at - 1, Some(at));
    };
    let (round, anti) = (builder.key("ring"), builder.key("anti"));
    let elements = |count: u32| -> Vec<Element> { (0..count).map(Element).collect() };
    for place in 0..ring {
        transaction(&mut builder, 0);
        builder.append(round, Element(place));
        match place {
            0 => builder.append(anti, Element(0)),
            last if last + 1 == ring => builder.read(anti, Some(&[])),
            place => {
                let key = builder.key(&place.to_string());
                builder.append(key, Element(0));
            }
        }
    }
    transaction(&mut builder, 1);
    builder.read(round, Some(&elements(ring)));
    for place in 1..ring - 1 {
        let (key, anti) = (builder.key(&place.to_string()), builder.key(&format!("anti {place}")));
        for step in 1..noise {
            transaction(&mut builder, 2);
            if step == noise - 2 {
                builder.read(key, Some(&elements(noise - 2)));
                builder.read(anti, Some(&[]));
            } else if step == noise - 1 {
                builder.append(anti, Element(0));
                builder.read(round, Some(&[]));
            } else {
                builder.append(key, Element(step));
            }
        }
    }
    builder.finish()
}

#[test]
fn the_one_cycle_with_one_overwritten_read_is_found() {
    let history = ring_with_noise(1_000, 30);
    let data = Check { process_order: false, real_time: false, ..Check::default() };
    let report = list_append::check(&history, data);
    assert_eq!(report.kinds(), ["G-single"]);
    assert_eq!(report.anomalies[0].links.len(), 1_000);
    assert!(!report.allows("snapshot-isolation") && !report.allows("repeatable-read"));
}
