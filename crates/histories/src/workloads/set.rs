//! Sets: `add` an element, `read` all of them.
//!
//! If each element is added once, what rules find is exactly what linearizability forbids: one of two reads
//! has everything that the other has, and each add lies between the last read without it and the first with
//! it. Otherwise an order is searched for.

mod object;

use std::collections::{BTreeMap, BTreeSet};

use self::object::Elements;
use super::order::Order;
use super::search::decide;
use super::{Problems, Rules, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// What is known of an element.
#[derive(Default)]
struct Element {
    /// How many adds of it may have happened.
    possible: usize,
    /// From when on it must be there: an add of it, or a read with it, had ended.
    known: Option<(u32, usize)>,
    /// The beginning of the last read that has it.
    last_read: u32,
}

struct Read<'h> {
    /// Its place in the history.
    place: u32,
    operation: &'h Operation,
    elements: BTreeSet<&'h Item>,
}

/// Finds elements that are lost, come from nowhere, or come twice.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut elements = BTreeMap::<&Item, Element>::new();
    let mut reads = Vec::new();
    for (place, operation) in (0..).zip(history) {
        match operation.f.as_str() {
            "add" => add(operation, &mut elements),
            "read" if operation.outcome == Outcome::Ok => {
                let Item::List(items) = &operation.answered else {
                    return Err(operation.wrong(format!("{} is no set", operation.answered.shown())));
                };
                reads.push(read(place, operation, items, &mut problems));
            }
            "read" => {}
            _ => return Err(unknown_f(operation, "a set has add, read")),
        }
    }
    for read in &reads {
        for item in &read.elements {
            let element = elements.entry(item).or_default();
            if element.possible == 0 {
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
    // Other kinds say more of the same.
    if problems.is_valid() {
        find_reordered(history, &reads, &mut problems);
    }
    if problems.is_valid() && elements.values().any(|element| element.possible > 1) {
        let (set, known) = (Elements::of(history), "each element alone is there as it should be");
        decide(history, &set.parts, &set, known, &mut problems);
    }
    Ok(problems)
}

/// Finds operations that no order explains, though nothing is lost.
fn find_reordered(history: &[Operation], reads: &[Read<'_>], problems: &mut Problems) {
    let mut by_size: Vec<&Read<'_>> = reads.iter().collect();
    by_size.sort_by_key(|read| read.elements.len());
    for pair in by_size.windows(2) {
        if let Some(missing) = pair[0].elements.difference(&pair[1].elements).next() {
            let lines = [pair[0].operation.line, pair[1].operation.line];
            problems.add("reordered", &lines, || {
                format!("one read has {}, and another one has more without it", missing.shown())
            });
        }
    }
    if !problems.is_valid() {
        return;
    }
    let mut adds = BTreeMap::<&Item, Vec<u32>>::new();
    for (place, operation) in (0..).zip(history).filter(|(_, operation)| operation.f == "add") {
        if operation.outcome != Outcome::Fail {
            adds.entry(item_of(operation)).or_default().push(place);
        }
    }
    let mut order = Order::new(history.len());
    let mut seen = BTreeSet::<&Item>::new();
    // The moment behind the reads of all smaller sets.
    let mut before = order.moment();
    for group in by_size.chunk_by(|a, b| a.elements.len() == b.elements.len()) {
        let (first, after) = (order.moment(), order.moment());
        for item in group[0].elements.iter().filter(|item| seen.insert(item)) {
            let places = adds.get(item).map_or(&[][..], Vec::as_slice);
            places.iter().for_each(|place| order.add(before, *place));
            // Of several adds of one element, any may have been the first.
            if let [only] = places {
                order.add(*only, first);
            }
        }
        for read in group {
            order.add(first, read.place);
            order.add(read.place, after);
        }
        order.add(before, after);
        before = after;
    }
    for (_, places) in adds.iter().filter(|(item, _)| !seen.contains(*item)) {
        let happened = places.iter().filter(|place| history[**place as usize].outcome == Outcome::Ok);
        happened.for_each(|place| order.add(before, *place));
    }
    let is_in = |place: u32| {
        let operation = &history[place as usize];
        match operation.f.as_str() {
            "add" => operation.outcome == Outcome::Ok || seen.contains(item_of(operation)),
            _ => operation.outcome == Outcome::Ok,
        }
    };
    order.add_real_time(history, is_in);
    for circle in order.circles() {
        let mut lines: Vec<usize> = circle.iter().map(|place| history[*place].line).collect();
        lines.sort_unstable();
        problems.add("reordered", &lines, || {
            "no order of these adds and reads explains what was read".to_owned()
        });
    }
}

fn item_of(operation: &Operation) -> &Item {
    if operation.asked == Item::Nil { &operation.answered } else { &operation.asked }
}

fn add<'h>(operation: &'h Operation, elements: &mut BTreeMap<&'h Item, Element>) {
    let element = elements.entry(item_of(operation)).or_default();
    element.possible += usize::from(operation.outcome != Outcome::Fail);
    if let (Outcome::Ok, Some(ended)) = (operation.outcome, operation.ended)
        && element.known.is_none_or(|(known, _)| ended < known)
    {
        element.known = Some((ended, operation.line));
    }
}

fn read<'h>(place: u32, operation: &'h Operation, items: &'h [Item], problems: &mut Problems) -> Read<'h> {
    let mut elements = BTreeSet::new();
    for item in items {
        if !elements.insert(item) {
            problems.add("duplicate", &[operation.line], || format!("{} is read twice", item.shown()));
        }
    }
    Read { place, operation, elements }
}
