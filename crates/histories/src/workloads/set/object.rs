//! A set as an object whose operations take effect at one moment each.

use std::collections::{BTreeMap, BTreeSet};

use super::super::search::{Object, Part};
use crate::{Item, Operation, Outcome};

enum Effect {
    Add(u32),
    Read(BTreeSet<u32>),
}

/// What operations do to a set; elements by their numbers.
#[derive(Default)]
pub(super) struct Elements {
    pub parts: Vec<Part>,
    effects: Vec<Effect>,
}

impl Elements {
    /// What happened, or may have.
    pub fn of(history: &[Operation]) -> Elements {
        let mut elements = Elements::default();
        let mut numbers = BTreeMap::<&Item, u32>::new();
        let mut number = |item| {
            let next = numbers.len() as u32;
            *numbers.entry(item).or_insert(next)
        };
        for (place, operation) in history.iter().enumerate() {
            let effect = match (operation.f.as_str(), operation.outcome) {
                (_, Outcome::Fail) | ("read", Outcome::Info) => continue,
                ("add", _) => Effect::Add(number(super::item_of(operation))),
                _ => {
                    let items = operation.answered.list().unwrap_or_default();
                    Effect::Read(items.iter().map(&mut number).collect())
                }
            };
            elements.parts.push(Part::of(place, operation));
            elements.effects.push(effect);
        }
        elements
    }
}

impl Object for Elements {
    type State = BTreeSet<u32>;

    fn start(&self) -> BTreeSet<u32> {
        BTreeSet::new()
    }

    fn after(&self, held: &BTreeSet<u32>, part: usize, states: &mut Vec<BTreeSet<u32>>) {
        match &self.effects[part] {
            Effect::Add(element) => {
                let mut after = held.clone();
                after.insert(*element);
                states.push(after);
            }
            Effect::Read(read) => states.extend((read == held).then(|| held.clone())),
        }
    }

    fn size(&self, held: &BTreeSet<u32>) -> usize {
        held.len()
    }
}
