//! Queues without an order: `enqueue`, `dequeue` (nothing if it was empty), `drain` (all that is left).
//!
//! If each value is enqueued once and the outcome of every dequeue is known, what rules find is exactly what
//! linearizability forbids: a value is in the queue for certain from the end of its enqueue to the beginning
//! of its dequeue, and a queue that is found empty was so at some moment. Otherwise an order is searched for.

mod bag;

use std::collections::BTreeMap;

use self::bag::Bag;
use super::search::decide;
use super::{Problems, Rules, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// How often a value was put in and taken out.
#[derive(Default)]
struct Counts {
    /// Enqueues that may have happened.
    possible: usize,
    /// When the first one that did had ended, and its line.
    ended: Option<(u32, usize)>,
    taken: usize,
    last_line: usize,
    /// The earliest beginning of an enqueue, and the first beginning and end of what took it.
    enqueued: u32,
    dequeued: Option<(u32, u32)>,
}

/// Finds values that are lost, come from nowhere, or come out more often than they went in.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut values = BTreeMap::<&Item, Counts>::new();
    // The beginning of the last operation that found nothing, or left nothing; and how many may have taken
    // what nobody saw.
    let (mut empty, mut unknown) = (None, 0_usize);
    let mut found_empty = Vec::new();
    for operation in history {
        match (operation.f.as_str(), operation.outcome) {
            ("enqueue", outcome) => enqueue(operation, outcome, &mut values)?,
            ("dequeue", Outcome::Ok) if operation.answered == Item::Nil => {
                empty = empty.max(Some(operation.began));
                found_empty.push(operation);
            }
            ("dequeue", Outcome::Ok) => take(operation, &operation.answered, &mut values),
            ("drain", Outcome::Ok) => {
                let Item::List(items) = &operation.answered else {
                    return Err(operation.wrong(format!("{} is no list", operation.answered.shown())));
                };
                items.iter().for_each(|item| take(operation, item, &mut values));
                empty = empty.max(Some(operation.began));
                found_empty.push(operation);
            }
            ("dequeue", Outcome::Info) => unknown = unknown.saturating_add(1),
            ("drain", Outcome::Info) => unknown = usize::MAX,
            ("dequeue" | "drain", Outcome::Fail) => {}
            _ => return Err(unknown_f(operation, "a queue has enqueue, dequeue, drain")),
        }
    }
    let mut missing = Vec::new();
    for (value, counts) in &values {
        if counts.taken > 0 && counts.possible == 0 {
            problems.add("unexpected", &[counts.last_line], || {
                format!("{} is dequeued, but no enqueue of it can have happened", value.shown())
            });
        } else if counts.taken > counts.possible {
            problems.add("duplicate", &[counts.last_line], || {
                format!(
                    "{} is dequeued {} times, and enqueued {}",
                    value.shown(),
                    counts.taken,
                    counts.possible
                )
            });
        }
        if let Some((began, ended)) = counts.dequeued
            && counts.possible > 0
            && ended < counts.enqueued
        {
            problems.add("early", &[counts.last_line], || {
                format!("{} was dequeued at {began}, before its enqueue began", value.shown())
            });
        }
        if let Some((ended, line)) = counts.ended
            && counts.taken == 0
            && empty.is_some_and(|empty| ended < empty)
        {
            missing.push((value, line));
        }
    }
    if missing.len() > unknown {
        for (value, line) in missing {
            problems.add("lost", &[line], || {
                format!(
                    "{} was enqueued and never dequeued, though the queue was found empty later",
                    value.shown()
                )
            });
        }
    }
    if problems.is_valid() {
        find_never_empty(&values, unknown, &found_empty, &mut problems);
    }
    if problems.is_valid() && (unknown > 0 || values.values().any(|counts| counts.possible > 1)) {
        let (bag, known) = (Bag::of(history), "each value alone comes and goes as it should");
        decide(history, &bag.parts, &bag, known, &mut problems);
    }
    Ok(problems)
}

/// Finds operations that found the queue empty, though at each moment of theirs something was in it.
fn find_never_empty(
    values: &BTreeMap<&Item, Counts>,
    unknown: usize,
    found_empty: &[&Operation],
    problems: &mut Problems,
) {
    let certain = values.values().filter(|counts| counts.possible == 1).filter_map(|counts| {
        let (enqueued, _) = counts.ended?;
        match counts.dequeued {
            Some((began, _)) => Some((enqueued, began)),
            // What nobody is known to have taken, one of those may have whose outcome is unknown.
            None => (unknown == 0).then_some((enqueued, u32::MAX)),
        }
    });
    let mut certain: Vec<(u32, u32)> = certain.filter(|(from, to)| from < to).collect();
    certain.sort_unstable();
    // Times in which there was something, without a gap.
    let mut filled: Vec<(u32, u32)> = Vec::new();
    for (from, to) in certain {
        match filled.last_mut() {
            Some((_, end)) if from < *end => *end = to.max(*end),
            _ => filled.push((from, to)),
        }
    }
    for operation in found_empty {
        // A drain found nothing after it had taken what it returned, which was not there before its enqueue
        // began.
        let taken = operation.answered.list().unwrap_or_default();
        let enqueued = taken.iter().filter_map(|item| values.get(item)).map(|counts| counts.enqueued).max();
        let began = operation.began.max(enqueued.unwrap_or(0));
        let next = filled.partition_point(|(from, _)| *from < began);
        let covered = next.checked_sub(1).map(|place| filled[place]);
        if covered.is_some_and(|(_, to)| operation.ended.unwrap_or(u32::MAX) < to) {
            problems.add("never-empty", &[operation.line], || {
                "the queue was found empty, though something was in it at each moment of that".to_owned()
            });
        }
    }
}

fn enqueue<'h>(
    operation: &'h Operation,
    outcome: Outcome,
    values: &mut BTreeMap<&'h Item, Counts>,
) -> Result<(), ReadError> {
    let value = enqueued(operation);
    if *value == Item::Nil {
        return Err(operation.wrong("the operation has no value"));
    }
    let counts = values.entry(value).or_default();
    if outcome != Outcome::Fail {
        counts.enqueued = match counts.possible {
            0 => operation.began,
            _ => counts.enqueued.min(operation.began),
        };
        counts.possible += 1;
    }
    if let (Outcome::Ok, Some(ended)) = (outcome, operation.ended)
        && counts.ended.is_none_or(|(known, _)| ended < known)
    {
        counts.ended = Some((ended, operation.line));
    }
    Ok(())
}

/// What an enqueue puts into the queue.
fn enqueued(operation: &Operation) -> &Item {
    if operation.asked == Item::Nil { &operation.answered } else { &operation.asked }
}

fn take<'h>(operation: &Operation, value: &'h Item, values: &mut BTreeMap<&'h Item, Counts>) {
    let counts = values.entry(value).or_default();
    counts.taken += 1;
    counts.dequeued = counts.dequeued.or(Some((operation.began, operation.ended.unwrap_or(u32::MAX))));
    counts.last_line = operation.line;
}
