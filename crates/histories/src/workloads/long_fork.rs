//! Long forks: each key is written once (`[[:w k v]]`), and reads return several keys
//! (`[[:r k v] [:r j nil]]`).
//!
//! Readers must agree on the order of writes: one that saw a write and missed another one puts the first
//! before the second. Snapshot isolation asks for that, parallel snapshot isolation does not. Reads need not
//! be of the same keys, and more than two may contradict each other. Real time plays no part.

use std::collections::{BTreeMap, BTreeSet};

use super::order::Order;
use super::{Problems, Rules, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// A write: its place in the history, and what was written.
struct Write<'h> {
    place: u32,
    value: &'h Item,
}

/// Finds reads that disagree about the order of writes, and values that were never written.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut written = BTreeMap::<&Item, Write<'_>>::new();
    let mut reads = Vec::<(u32, &Item, &Item)>::new();
    for (place, operation) in (0..).zip(history) {
        if !matches!(operation.f.as_str(), "txn" | "read" | "write") {
            return Err(unknown_f(operation, "a long fork has txn, read, write"));
        }
        for op in ops(operation)? {
            match op {
                ("w", key, value) => {
                    if let Some(before) = written.insert(key, Write { place, value }) {
                        let (key, line) = (key.shown(), history[before.place as usize].line);
                        return Err(operation.wrong(format!("{key} was written before, in line {line}")));
                    }
                }
                (_, key, value) if operation.outcome == Outcome::Ok => reads.push((place, key, value)),
                _ => {}
            }
        }
    }
    let mut order = Order::new(history.len());
    let seen = seen(history, &written, &reads, &mut problems);
    for (reader, key, value) in reads {
        let Some(write) = written.get(key) else { continue };
        let happened = history[write.place as usize].outcome == Outcome::Ok || seen.contains(key);
        match value {
            Item::Nil if happened && write.place != reader => order.add(reader, write.place),
            Item::Nil => {}
            _ => order.add(write.place, reader),
        }
    }
    for circle in order.circles() {
        let is_read = |place: &usize| !written.values().any(|write| write.place as usize == *place);
        let mut lines: Vec<usize> =
            circle.iter().filter(|place| is_read(place)).map(|place| history[*place].line).collect();
        lines.sort_unstable();
        let keys: Vec<String> = written
            .iter()
            .filter(|(_, write)| circle.contains(&(write.place as usize)))
            .map(|(key, _)| key.shown())
            .collect();
        problems.add("long-fork", &lines, || {
            format!("each of {} was there when another one was missing", keys.join(", "))
        });
    }
    Ok(problems)
}

/// The keys whose write some read returned. What nobody wrote, or what failed, is a problem.
fn seen<'h>(
    history: &[Operation],
    written: &BTreeMap<&'h Item, Write<'h>>,
    reads: &[(u32, &'h Item, &'h Item)],
    problems: &mut Problems,
) -> BTreeSet<&'h Item> {
    let mut seen = BTreeSet::new();
    for (reader, key, value) in reads.iter().filter(|(_, _, value)| **value != Item::Nil) {
        let line = history[*reader as usize].line;
        match written.get(key).filter(|write| write.value == *value) {
            None => problems.add("unexpected", &[line], || {
                format!("{} of {} is read, but nobody wrote it", value.shown(), key.shown())
            }),
            Some(write) if history[write.place as usize].outcome == Outcome::Fail => {
                let writer = history[write.place as usize].line;
                problems.add("aborted-read", &[writer, line], || {
                    format!("{} of {} is read, but its write failed", value.shown(), key.shown())
                });
            }
            Some(_) => drop(seen.insert(*key)),
        }
    }
    seen
}

type Op<'h> = (&'h str, &'h Item, &'h Item);

fn ops(operation: &Operation) -> Result<Vec<Op<'_>>, ReadError> {
    let value = operation.value();
    let wrong = || operation.wrong(format!("{} is no list of operations", value.shown()));
    value.list().ok_or_else(wrong)?.iter().map(|item| one(item).ok_or_else(wrong)).collect()
}

fn one(item: &Item) -> Option<Op<'_>> {
    match item.list()? {
        [f, key, value] if matches!(f.text(), Some("r" | "w")) => Some((f.text()?, key, value)),
        _ => None,
    }
}
