//! Long forks: each key is written once (`[[:w k v]]`), and reads return several keys (`[[:r k v] [:r j nil]]`).
//!
//! Of two reads of the same keys, one must have everything that the other has: otherwise they disagree about what was written
//! first. Snapshot isolation rules that out, parallel snapshot isolation does not.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problems, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// Finds pairs of reads that disagree about the order of writes.
pub(super) fn check(history: &[Operation], most: usize) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(most);
    let mut written = BTreeMap::<&Item, (&Item, usize)>::new();
    let mut groups = BTreeMap::<BTreeSet<&Item>, Vec<(BTreeSet<&Item>, usize)>>::new();
    for operation in history {
        if !matches!(operation.f.as_str(), "txn" | "read" | "write") {
            return Err(unknown_f(operation, "a long fork has txn, read, write"));
        }
        let (mut keys, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for op in ops(operation)? {
            match op {
                ("w", key, value) => {
                    if let Some((_, line)) = written.insert(key, (value, operation.line)) {
                        let key = key.shown();
                        return Err(operation.wrong(format!("{key} was written before, in line {line}")));
                    }
                }
                (_, key, value) => {
                    keys.insert(key);
                    if *value != Item::Nil {
                        seen.insert(key);
                    }
                }
            }
        }
        if operation.outcome == Outcome::Ok && !keys.is_empty() {
            groups.entry(keys).or_default().push((seen, operation.line));
        }
    }
    for reads in groups.values_mut() {
        reads.sort_by_key(|(seen, line)| (seen.len(), *line));
        for pair in reads.windows(2) {
            let [(fewer, first), (more, second)] = pair else { continue };
            if let Some(missing) = fewer.difference(more).next() {
                let extra = more.difference(fewer).next().map_or_else(String::new, |item| item.shown());
                problems.add("long-fork", &[*first, *second], || {
                    format!(
                        "one read has {} and not {extra}, the other {extra} and not {}",
                        missing.shown(),
                        missing.shown()
                    )
                });
            }
        }
    }
    Ok(problems)
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
