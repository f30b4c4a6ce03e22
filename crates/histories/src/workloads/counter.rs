//! Counters: `add` a number, `read` the sum.
//!
//! A read holds all that was added before it began, and any part of what was under way while it was. If each
//! read alone can be explained, an order that explains all of them is searched for.

use std::collections::BTreeSet;

use super::search::{Object, Part, decide};
use super::{Problems, Rules, unknown_f};
use crate::{Item, Operation, Outcome, ReadError};

/// The most sums that are looked at one by one; beyond, any number between the smallest and the largest will
/// do.
const SUMS_MAX: usize = 10_000;

/// Finds reads that no sum explains.
pub(super) fn check(history: &[Operation], rules: Rules) -> Result<Problems, ReadError> {
    let mut problems = Problems::new(rules.most_of_a_kind);
    let mut adds: Vec<(&Operation, i64)> = Vec::new();
    let mut reads: Vec<(&Operation, i64)> = Vec::new();
    for operation in history {
        let number = |item: &Item| {
            item.number().ok_or_else(|| operation.wrong(format!("{} is no number", item.shown())))
        };
        match operation.f.as_str() {
            "add" => {
                let asked = if operation.asked == Item::Nil { &operation.answered } else { &operation.asked };
                let amount = number(asked)?;
                if operation.outcome != Outcome::Fail {
                    adds.push((operation, amount));
                }
            }
            "read" if operation.outcome == Outcome::Ok => {
                reads.push((operation, number(&operation.answered)?))
            }
            "read" => {}
            _ => return Err(unknown_f(operation, "a counter has add, read")),
        }
    }
    find_impossible(&adds, &mut reads, &mut problems);
    if problems.is_valid() {
        let counter = Counter::of(history);
        decide(
            history,
            &counter.parts,
            &counter,
            "each read alone is a sum of what was added",
            &mut problems,
        );
    }
    Ok(problems)
}

/// Finds reads that are no sum of what was added, each read alone.
fn find_impossible<'h>(
    adds: &[(&'h Operation, i64)],
    reads: &mut [(&'h Operation, i64)],
    problems: &mut Problems,
) {
    reads.sort_by_key(|(read, _)| read.began);
    let mut by_end: Vec<&(&Operation, i64)> =
        adds.iter().filter(|(add, _)| add.outcome == Outcome::Ok && add.ended.is_some()).collect();
    by_end.sort_by_key(|(add, _)| add.ended);
    let mut by_end = by_end.into_iter().peekable();
    // Adds are in the order of their beginnings; those before `next` began before the read, and of these the
    // open ones had not ended.
    let (mut sum, mut open, mut next) = (0_i64, Vec::<&(&Operation, i64)>::new(), 0);
    for &mut (read, value) in reads {
        while let Some((_, amount)) = by_end.next_if(|(add, _)| add.ended < Some(read.began)) {
            sum = sum.wrapping_add(*amount);
        }
        let end = read.ended.unwrap_or(u32::MAX);
        open.retain(|(add, _)| !has_ended(add, read.began));
        while next < adds.len() && adds[next].0.began < read.began {
            if !has_ended(adds[next].0, read.began) {
                open.push(&adds[next]);
            }
            next += 1;
        }
        let during = adds[next..].iter().take_while(|(add, _)| add.began <= end);
        let possible: Vec<i64> = open.iter().copied().chain(during).map(|(_, amount)| *amount).collect();
        if !is_sum(value.wrapping_sub(sum), &possible) {
            problems.add("impossible-sum", &[read.line], || {
                format!(
                    "{value} is read; {sum} had been added before, and {} while it was under way",
                    possible.len()
                )
            });
        }
    }
}

/// What a part of the history does to the sum.
enum Effect {
    Add(i64),
    Read(i64),
}

/// The sum, and what operations do to it.
struct Counter {
    parts: Vec<Part>,
    effects: Vec<Effect>,
}

impl Counter {
    /// What happened, or may have; all numbers have been read before.
    fn of(history: &[Operation]) -> Counter {
        let mut counter = Counter { parts: Vec::new(), effects: Vec::new() };
        for (place, operation) in history.iter().enumerate() {
            let effect = match (operation.f.as_str(), operation.outcome) {
                (_, Outcome::Fail) | ("read", Outcome::Info) => None,
                ("read", Outcome::Ok) => operation.answered.number().map(Effect::Read),
                _ => operation.asked.number().or(operation.answered.number()).map(Effect::Add),
            };
            if let Some(effect) = effect {
                counter.parts.push(Part::of(place, operation));
                counter.effects.push(effect);
            }
        }
        counter
    }
}

impl Object for Counter {
    type State = i64;

    fn start(&self) -> i64 {
        0
    }

    fn after(&self, sum: &i64, part: usize, sums: &mut Vec<i64>) {
        match self.effects[part] {
            Effect::Add(amount) => sums.push(sum.wrapping_add(amount)),
            Effect::Read(value) => sums.extend((value == *sum).then_some(value)),
        }
    }

    fn size(&self, _sum: &i64) -> usize {
        0
    }
}

fn has_ended(add: &Operation, before: u32) -> bool {
    add.outcome == Outcome::Ok && add.ended.is_some_and(|ended| ended < before)
}

/// Whether some of the numbers have this sum.
fn is_sum(wanted: i64, numbers: &[i64]) -> bool {
    let of = |sign: fn(&&i64) -> bool| {
        numbers.iter().filter(sign).fold(0_i64, |sum, number| sum.saturating_add(*number))
    };
    if wanted < of(|number| **number < 0) || wanted > of(|number| **number > 0) {
        return false;
    }
    let mut sums = BTreeSet::from([0_i64]);
    for number in numbers {
        let more: Vec<i64> = sums.iter().map(|sum| sum.wrapping_add(*number)).collect();
        sums.extend(more);
        if sums.contains(&wanted) || sums.len() > SUMS_MAX {
            return true;
        }
    }
    sums.contains(&wanted)
}
