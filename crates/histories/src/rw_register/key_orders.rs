//! Orders of versions that hold if each key alone is linearizable or sequentially consistent, whatever
//! transactions do across keys.
//!
//! If a transaction that touched a version of a key had ended before another one that touched another version
//! began, the first version is older; or, with sequential keys, if one process ran both.

use rustc_hash::FxHashMap;

use super::Version;
use crate::{Check, History, Key, Op, Outcome, TransactionId};

/// What a transaction did to a key: the versions that it touched first and last.
#[derive(Clone, Copy)]
struct Touch {
    began: u32,
    ended: u32,
    process: u32,
    first: Version,
    last: Version,
}

/// Pairs of versions, the first older than the second, without those that follow from others.
pub(super) fn older_and_newer(history: &History, check: Check) -> Vec<(Version, Version)> {
    let mut pairs = Vec::new();
    if !check.linearizable_keys && !check.sequential_keys {
        return pairs;
    }
    for touches in touches(history).into_values() {
        if check.linearizable_keys {
            add_real_time(&touches, &mut pairs);
        }
        if check.sequential_keys {
            add_process_order(&touches, &mut pairs);
        }
    }
    pairs.retain(|(older, newer)| older != newer);
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// What committed transactions did to each key, in the order in which they began.
fn touches(history: &History) -> FxHashMap<Key, Vec<Touch>> {
    let mut touches = FxHashMap::<Key, Vec<Touch>>::default();
    for id in history.ids().filter(|id| history.transaction(*id).outcome == Outcome::Ok) {
        let transaction = history.transaction(id);
        for (key, first, last) in versions(history, id) {
            let touch = Touch {
                began: transaction.began,
                ended: transaction.ended,
                process: transaction.process,
                first: (key, first),
                last: (key, last),
            };
            touches.entry(key).or_default().push(touch);
        }
    }
    touches
}

type Versions = Vec<(Key, Option<crate::Element>, Option<crate::Element>)>;

fn versions(history: &History, id: TransactionId) -> Versions {
    let mut versions = Versions::new();
    for op in history.ops(id) {
        let (key, value) = match op {
            Op::Write(key, value) | Op::ReadValue(key, value) => (key, Some(value)),
            Op::Read(key, None) => (key, None),
            Op::Read(..) | Op::Append(..) => continue,
        };
        match versions.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, _, last)) => *last = value,
            None => versions.push((key, value, value)),
        }
    }
    versions
}

/// Those that began after one had ended, and before any of these had.
fn add_real_time(touches: &[Touch], pairs: &mut Vec<(Version, Version)>) {
    // The earliest end of those that began as late or later.
    let mut earliest = vec![u32::MAX; touches.len() + 1];
    for (place, touch) in touches.iter().enumerate().rev() {
        earliest[place] = earliest[place + 1].min(touch.ended);
    }
    for touch in touches.iter().filter(|touch| touch.ended != u32::MAX) {
        let from = touches.partition_point(|later| later.began <= touch.ended);
        let next = touches[from..].iter().take_while(|later| later.began <= earliest[from]);
        pairs.extend(next.map(|later| (touch.last, later.first)));
    }
}

fn add_process_order(touches: &[Touch], pairs: &mut Vec<(Version, Version)>) {
    let mut last = FxHashMap::<u32, Version>::default();
    for touch in touches {
        if let Some(before) = last.insert(touch.process, touch.last) {
            pairs.push((before, touch.first));
        }
    }
}
