//! Queues without an order: `enqueue`, `dequeue` (nothing if it was empty), `drain` (all that is left).

use std::collections::BTreeMap;

use super::{Problems, unknown_f};
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
}

/// Finds values that are lost, come from nowhere, or come out more often than they went in.
pub(super) fn check(history: &[Operation], most: usize) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(most);
    let mut values = BTreeMap::<&Item, Counts>::new();
    // The beginning of the last operation that found nothing, or left nothing; and how many may have taken what nobody saw.
    let (mut empty, mut unknown) = (None, 0);
    for operation in history {
        match (operation.f.as_str(), operation.outcome) {
            ("enqueue", outcome) => enqueue(operation, outcome, &mut values)?,
            ("dequeue", Outcome::Ok) if operation.answered == Item::Nil => {
                empty = empty.max(Some(operation.began));
            }
            ("dequeue", Outcome::Ok) => take(operation, &operation.answered, &mut values),
            ("drain", Outcome::Ok) => {
                let Item::List(items) = &operation.answered else {
                    return Err(operation.wrong(format!("{} is no list", operation.answered.shown())));
                };
                items.iter().for_each(|item| take(operation, item, &mut values));
                empty = empty.max(Some(operation.began));
            }
            ("dequeue", Outcome::Info) => unknown += 1,
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
    Ok(problems)
}

fn enqueue<'h>(
    operation: &'h Operation,
    outcome: Outcome,
    values: &mut BTreeMap<&'h Item, Counts>,
) -> Result<(), ReadError> {
    let value = if operation.asked == Item::Nil { &operation.answered } else { &operation.asked };
    if *value == Item::Nil {
        return Err(operation.wrong("the operation has no value"));
    }
    let counts = values.entry(value).or_default();
    counts.possible += usize::from(outcome != Outcome::Fail);
    if let (Outcome::Ok, Some(ended)) = (outcome, operation.ended)
        && counts.ended.is_none_or(|(known, _)| ended < known)
    {
        counts.ended = Some((ended, operation.line));
    }
    Ok(())
}

fn take<'h>(operation: &Operation, value: &'h Item, values: &mut BTreeMap<&'h Item, Counts>) {
    let counts = values.entry(value).or_default();
    counts.taken += 1;
    counts.last_line = operation.line;
}
