//! A queue without an order as an object whose operations take effect at one moment each.

use std::collections::BTreeMap;

use super::super::search::{Object, Part};
use crate::{Item, Operation, Outcome};

/// What a part of an operation does; values by their numbers.
enum Effect {
    Enqueue(u32),
    Take(u32),
    /// It takes something, but nobody knows what.
    TakeAny,
    FindEmpty,
}

/// What is in the queue, and what operations do to it.
#[derive(Default)]
pub(super) struct Bag {
    pub parts: Vec<Part>,
    effects: Vec<Effect>,
}

impl Bag {
    /// What happened, or may have. A drain takes one value after the other, and finds nothing then; one of
    /// which nobody knows may take everything.
    pub fn of(history: &[Operation]) -> Bag {
        let mut bag = Bag::default();
        let mut numbers = BTreeMap::<&Item, u32>::new();
        let mut number = |item| {
            let next = numbers.len() as u32;
            *numbers.entry(item).or_insert(next)
        };
        let enqueues = history.iter().filter(|op| op.f == "enqueue" && op.outcome != Outcome::Fail).count();
        for (place, operation) in history.iter().enumerate() {
            let whole = Part::of(place, operation);
            match (operation.f.as_str(), operation.outcome) {
                (_, Outcome::Fail) => {}
                ("enqueue", _) => bag.push(whole, Effect::Enqueue(number(super::enqueued(operation)))),
                ("dequeue", Outcome::Info) => bag.push(whole, Effect::TakeAny),
                ("dequeue", _) => match &operation.answered {
                    Item::Nil => bag.push(whole, Effect::FindEmpty),
                    value => bag.push(whole, Effect::Take(number(value))),
                },
                (_, Outcome::Info) => {
                    (0..enqueues).for_each(|_| bag.push(whole.clone(), Effect::TakeAny));
                }
                _ => {
                    let first = bag.parts.len();
                    for value in operation.answered.list().unwrap_or_default() {
                        bag.push(whole.clone(), Effect::Take(number(value)));
                    }
                    let needs = (first..bag.parts.len()).collect();
                    bag.push(Part { needs, ..whole }, Effect::FindEmpty);
                }
            }
        }
        bag
    }

    fn push(&mut self, part: Part, effect: Effect) {
        self.parts.push(part);
        self.effects.push(effect);
    }
}

impl Object for Bag {
    /// Values in order; one that is in it twice is there twice.
    type State = Vec<u32>;

    fn start(&self) -> Vec<u32> {
        Vec::new()
    }

    fn after(&self, held: &Vec<u32>, part: usize, states: &mut Vec<Vec<u32>>) {
        let without = |place: usize| {
            let mut after = held.clone();
            after.remove(place);
            after
        };
        match self.effects[part] {
            Effect::Enqueue(value) => {
                let mut after = held.clone();
                after.insert(held.partition_point(|other| *other < value), value);
                states.push(after);
            }
            Effect::Take(value) => states.extend(held.binary_search(&value).ok().map(without)),
            Effect::TakeAny => {
                let is_first = |place: &usize| *place == 0 || held[place - 1] != held[*place];
                states.extend((0..held.len()).filter(is_first).map(without));
            }
            Effect::FindEmpty => states.extend(held.is_empty().then(Vec::new)),
        }
    }

    fn size(&self, held: &Vec<u32>) -> usize {
        held.len()
    }
}
