//! Sets: `add` an element, `read` all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problems, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// What is known of an element.
#[derive(Default)]
struct Element {
    /// Whether an add of it may have happened.
    is_possible: bool,
    /// From when on it must be there: an add of it, or a read with it, had ended.
    known: Option<(u32, usize)>,
    /// The beginning of the last read that has it.
    last_read: u32,
}

struct Read<'h> {
    operation: &'h Operation,
    elements: BTreeSet<&'h Item>,
}

/// Finds elements that are lost, come from nowhere, or come twice.
pub(super) fn check(history: &[Operation], most: usize) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(most);
    let mut elements = BTreeMap::<&Item, Element>::new();
    let mut reads = Vec::new();
    for operation in history {
        match operation.f.as_str() {
            "add" => add(operation, &mut elements),
            "read" if operation.outcome == Outcome::Ok => {
                let Item::List(items) = &operation.answered else {
                    return Err(operation.wrong(format!("{} is no set", operation.answered.shown())));
                };
                reads.push(read(operation, items, &mut problems));
            }
            "read" => {}
            _ => return Err(unknown_f(operation, "a set has add, read")),
        }
    }
    for read in &reads {
        for item in &read.elements {
            let element = elements.entry(item).or_default();
            if !element.is_possible {
                problems.add("unexpected", &[read.operation.line], || {
                    format!("{} is read, but no add of it can have happened", item.shown())
                });
            }
            let ended = read.operation.ended.unwrap_or(u32::MAX);
            if element.known.is_none_or(|(known, _)| ended < known) {
                element.known = Some((ended, read.operation.line));
            }
            element.last_read = element.last_read.max(read.operation.began);
        }
    }
    let mut by_known: Vec<(u32, usize, &Item)> = elements
        .iter()
        .filter_map(|(item, element)| element.known.map(|(at, line)| (at, line, *item)))
        .collect();
    by_known.sort_unstable_by_key(|(at, ..)| *at);
    for read in &reads {
        for (_, line, item) in by_known.iter().take_while(|(at, ..)| *at < read.operation.began) {
            if !read.elements.contains(item) {
                let is_back = elements[item].last_read > read.operation.began;
                problems.add(if is_back { "stale" } else { "lost" }, &[*line, read.operation.line], || {
                    let end = if is_back { "; a later read has it" } else { "" };
                    format!("{} is missing, though it was there before the read began{end}", item.shown())
                });
            }
        }
    }
    Ok(problems)
}

fn add<'h>(operation: &'h Operation, elements: &mut BTreeMap<&'h Item, Element>) {
    let item = if operation.asked == Item::Nil { &operation.answered } else { &operation.asked };
    let element = elements.entry(item).or_default();
    element.is_possible |= operation.outcome != Outcome::Fail;
    if let (Outcome::Ok, Some(ended)) = (operation.outcome, operation.ended)
        && element.known.is_none_or(|(known, _)| ended < known)
    {
        element.known = Some((ended, operation.line));
    }
}

fn read<'h>(operation: &'h Operation, items: &'h [Item], problems: &mut Problems) -> Read<'h> {
    let mut elements = BTreeSet::new();
    for item in items {
        if !elements.insert(item) {
            problems.add("duplicate", &[operation.line], || format!("{} is read twice", item.shown()));
        }
    }
    Read { operation, elements }
}
