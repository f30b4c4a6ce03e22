//! How many transactions a second are checked, and how memory and time grow with the history.
//!
//!     cargo bench -p shakedown-histories [-- TRANSACTIONS …]
//!
//! Transactions have four operations on 10, 100 or 1 000 active keys; a key is retired after 100 appends.
//! Times are processor time of one core, from a history in memory.
#![allow(missing_docs)]

use std::fmt::Write;

use shakedown_histories::{Check, Element, History, HistoryBuilder, Key, Outcome, edn, list_append};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }
}

const OPS: usize = 4;
const APPENDS_OF_A_KEY: usize = 100;
const PROCESSES: u32 = 16;

/// A strictly serializable history of transactions that overlap, with a number of write skews in it.
fn history(transactions: usize, active: usize, skews: usize) -> History {
    let mut random = Random(1);
    let mut builder = HistoryBuilder::default();
    let mut keys: Vec<(Key, Vec<Element>)> = Vec::new();
    let mut names = 0;
    let mut fresh = |builder: &mut HistoryBuilder| {
        names += 1;
        (builder.key(&names.to_string()), Vec::new())
    };
    (0..active).for_each(|_| keys.push(fresh(&mut builder)));
    for number in 0..transactions {
        // It begins while the fifteen before it are under way.
        let ended = (number as u32 + PROCESSES) * 2 + 1;
        builder.transaction(number as u32 % PROCESSES, Outcome::Ok, number as u32 * 2 + 2, Some(ended));
        if skews > 0 && number % (transactions / skews) == 1 {
            skew(&mut builder, &keys);
            continue;
        }
        for _ in 0..OPS {
            let place = random.below(active as u64) as usize;
            if random.below(2) == 0 {
                let (key, list) = &mut keys[place];
                let element = Element(list.len() as u32 + 1);
                builder.append(*key, element);
                list.push(element);
                if list.len() == APPENDS_OF_A_KEY {
                    keys[place] = fresh(&mut builder);
                }
            } else {
                builder.read(keys[place].0, Some(&keys[place].1));
            }
        }
    }
    builder.finish()
}

/// Reads one key as it was an element ago: what was appended since was missed.
fn skew(builder: &mut HistoryBuilder, keys: &[(Key, Vec<Element>)]) {
    let Some((key, list)) = keys.iter().find(|(_, list)| list.len() > 1) else { return };
    builder.read(*key, Some(&list[..list.len() - 1]));
    let Some((other, list)) = keys.iter().rfind(|(_, list)| list.len() > 1) else { return };
    builder.read(*other, Some(list));
}

/// The processor time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// The most memory that this process had resident since it was asked last, in bytes. Linux counts it.
fn peak_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kibibytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap_or(0);
    // Counting begins anew; where it cannot, peaks are those of all rows so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    kibibytes * 1024
}

/// The history in Jepsen's notation.
fn as_edn(history: &History) -> String {
    use shakedown_histories::Op;
    let mut text = String::new();
    for id in history.ids() {
        let process = history.transaction(id).process;
        let _ = write!(text, "{{:type :ok, :f :txn, :process {process}, :value [");
        for op in history.ops(id) {
            let _ = match op {
                Op::Append(key, element) => {
                    write!(text, "[:append {} {}] ", history.key_name(key), history.element_name(element))
                }
                Op::Read(key, list) => {
                    let _ = write!(text, "[:r {} [", history.key_name(key));
                    for element in list.unwrap_or_default() {
                        let _ = write!(text, "{} ", history.element_name(*element));
                    }
                    write!(text, "]] ")
                }
                _ => Ok(()),
            };
        }
        text.push_str("]}\n");
    }
    text
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![10_000, 100_000, 1_000_000] } else { sizes };
    println!(
        "| transactions | active keys | faults | data | with orders | anomalies | bytes each | at the peak |"
    );
    println!("|--:|--:|--:|--:|--:|---|--:|--:|");
    for &size in &sizes {
        for active in [10, 100, 1_000] {
            for skews in [0, 100] {
                let history = history(size, active, skews);
                peak_bytes();
                let data = Check { process_order: false, real_time: false, ..Check::default() };
                let rate = |check: Check| {
                    let began = cpu_seconds();
                    let report = list_append::check(&history, check);
                    (size as f64 / (cpu_seconds() - began), report)
                };
                let (data_rate, _) = rate(data);
                let (all_rate, report) = rate(Check::default());
                let (bytes, peak) = (history.bytes() / size, peak_bytes() / size);
                let kinds: Vec<String> =
                    report.counts.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
                let kinds = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
                println!(
                    "| {size} | {active} | {skews} | {data_rate:.0}/s | {all_rate:.0}/s | {kinds} | {bytes} | {peak} |"
                );
            }
        }
    }
    let text = as_edn(&history(sizes[0].min(100_000), 100, 0));
    let began = cpu_seconds();
    let read = edn::read(&text).expect("the history is well-formed");
    let seconds = cpu_seconds() - began;
    println!(
        "\nreading: {:.0} transactions a second, {:.0} MB a second",
        read.len() as f64 / seconds,
        text.len() as f64 / seconds / 1e6
    );
}
