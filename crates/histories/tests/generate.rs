//! Generators of requests: the same numbers make the same requests, keys are retired, and values are unique.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shakedown_histories::generate::{Generator, Shape, record};
use shakedown_histories::{Item, operations};

/// Numbers that follow from a seed.
fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    }
}

fn requests(name: &str, shape: Shape, count: usize) -> Vec<(&'static str, Value)> {
    let mut generator = Generator::of(name, shape).expect("it is known");
    let mut below = numbers(24);
    (0..count).map(|_| generator.next(&mut below)).collect()
}

#[test]
fn the_same_numbers_make_the_same_requests() {
    for name in Generator::NAMES {
        let shape = Shape::default();
        assert_eq!(requests(name, shape, 100), requests(name, shape, 100), "{name}");
        let names: BTreeSet<&str> = requests(name, shape, 100).iter().map(|(f, _)| *f).collect();
        assert!(names.len() > 1 || names.contains("txn"), "{name}: {names:?}");
    }
    assert!(Generator::of("stack", Shape::default()).is_none());
}

#[test]
fn keys_are_retired_and_values_are_unique() {
    for (name, write) in [("list-append", "append"), ("rw-register", "w")] {
        let shape = Shape { keys: 3, writes_per_key: 10, ops: 4, skew: 0 };
        let mut writes = BTreeMap::<u64, u64>::new();
        let mut values = BTreeSet::new();
        for (_, value) in requests(name, shape, 1_000) {
            let ops = value.as_array().expect("a list");
            assert!((1..=4).contains(&ops.len()));
            for op in ops.iter().filter(|op| op[0] == write) {
                *writes.entry(op[1].as_u64().expect("a number")).or_default() += 1;
                assert!(values.insert(op[2].as_u64()), "{op} is new");
            }
        }
        assert!(writes.len() > 50, "{}", writes.len());
        assert!(writes.values().all(|count| *count <= 10));
        assert_eq!(writes.values().filter(|count| **count < 10).count(), 3, "those that are in use");
    }
}

#[test]
fn skew_makes_some_keys_more_contended() {
    let of_first = |skew| {
        let shape = Shape { keys: 10, writes_per_key: u64::MAX, ops: 1, skew };
        requests("list-append", shape, 2_000).iter().filter(|(_, value)| value[0][1] == 0).count()
    };
    assert!((100..300).contains(&of_first(0)), "{}", of_first(0));
    assert!(of_first(4) > 600, "{}", of_first(4));
}

#[test]
fn keys_of_a_long_fork_are_written_once() {
    let shape = Shape { keys: 3, ..Shape::default() };
    let mut written = BTreeSet::new();
    for (_, value) in requests("long-fork", shape, 500) {
        for op in value.as_array().expect("a list").iter().filter(|op| op[0] == "w") {
            assert!(written.insert(op[1].as_u64()));
        }
    }
    assert!(written.len() > 20);
}

#[test]
fn a_record_can_be_read_again() {
    let (f, value) =
        requests("bank", Shape::default(), 10).into_iter().find(|(f, _)| *f == "transfer").expect("one");
    let text = format!("{}\n{}", record(3, "invoke", f, &value), record(3, "ok", f, &value));
    let history = operations::read_json(&text).expect("it can be read");
    assert_eq!((history.len(), history[0].process, history[0].f.as_str()), (1, 3, "transfer"));
    assert!(history[0].asked.field("amount").and_then(Item::number).is_some());
}
