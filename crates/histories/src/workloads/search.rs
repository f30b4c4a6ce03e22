//! Whether one order of all operations explains their answers, where no rule decides that.
//!
//! Each operation takes effect at a moment between its beginning and its end. The history is followed from
//! beginning to end with all states that are possible (Lowe 2017, just-in-time linearization): when an
//! operation ends, it must have taken effect, and any that had begun may have done so before it. The time
//! grows with the length of the history, and doubles with each operation that is under way at once. A search
//! that needs more than its limits gives up, and says where.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use super::Problems;
use crate::Operation;

/// The most that is looked at: states, each by its size.
const WORK_MAX: usize = 1_000_000;

/// The most operations that are under way at once: sets of them are bits of a number.
const OPEN_MAX: usize = 64;

/// Something that happens at one moment.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The operation that it belongs to: its place in the history.
    pub operation: usize,
    pub began: u32,
    /// When it must have happened; nothing for what may never have.
    pub ended: Option<u32>,
    /// Parts of the same operation that come before it.
    pub needs: Vec<usize>,
}

impl Part {
    /// The one part of an operation. What nobody knows of may never have happened.
    pub fn of(place: usize, operation: &Operation) -> Part {
        let ended = match operation.outcome {
            crate::Outcome::Ok => Some(operation.ended.unwrap_or(u32::MAX)),
            _ => None,
        };
        Part { operation: place, began: operation.began, ended, needs: Vec::new() }
    }
}

/// What is searched: the states of an object, and what its operations do.
pub(super) trait Object {
    type State: Clone + Eq + Hash;

    /// The state before everything.
    fn start(&self) -> Self::State;

    /// Adds the states that a part may lead to: none if it cannot happen in this one.
    fn after(&self, state: &Self::State, part: usize, states: &mut Vec<Self::State>);

    /// How large a state is.
    fn size(&self, state: &Self::State) -> usize;
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    Order,
    /// No order explains the history up to the end of this operation.
    NoOrder(usize),
    /// It was too much when this operation ended.
    GaveUp(usize),
}

/// Adds to what was found by rules what a search finds: that no order explains the history, or that this is
/// not decided.
pub(super) fn decide(
    history: &[Operation],
    parts: &[Part],
    object: &impl Object,
    known: &str,
    problems: &mut Problems,
) {
    match search(parts, object) {
        Found::Order => {}
        Found::NoOrder(place) => problems.add("no-order", &[history[place].line], || {
            "no order of the operations explains this answer and all before it".to_owned()
        }),
        Found::GaveUp(place) => {
            let line = history[place].line;
            problems.leave_open(format!(
                "whether one order explains all answers: the search was given up at line {line}; {known}"
            ));
        }
    }
}

/// Parts that took effect before they had ended, as bits, and the state.
type Config<S> = (u64, S);

struct Search<'s, O: Object> {
    object: &'s O,
    parts: &'s [Part],
    /// The parts that are under way, by their bits.
    open: [Option<usize>; OPEN_MAX],
    configs: FxHashSet<Config<O::State>>,
    work: usize,
}

/// Whether some order explains what happened.
pub(super) fn search<O: Object>(parts: &[Part], object: &O) -> Found {
    // What begins when something else ends overlaps it.
    let mut events: Vec<(u32, bool, usize)> = Vec::with_capacity(parts.len() * 2);
    for (part, of) in parts.iter().enumerate() {
        events.push((of.began, false, part));
        events.extend(of.ended.map(|ended| (ended, true, part)));
    }
    events.sort_unstable();
    let configs = FxHashSet::from_iter([(0, object.start())]);
    let mut search = Search { object, parts, open: [None; OPEN_MAX], configs, work: 0 };
    for (_, is_end, part) in events {
        let place = parts[part].operation;
        if is_end {
            if !search.end(part) {
                return Found::GaveUp(place);
            }
            if search.configs.is_empty() {
                return Found::NoOrder(place);
            }
        } else {
            let Some(free) = search.open.iter().position(Option::is_none) else {
                return Found::GaveUp(place);
            };
            search.open[free] = Some(part);
        }
    }
    Found::Order
}

impl<O: Object> Search<'_, O> {
    /// A part ends: only what it took effect in is left. False if that is too much work.
    fn end(&mut self, part: usize) -> bool {
        let bit = self.open.iter().position(|open| *open == Some(part)).expect("what ends had begun");
        let mut left: Vec<Config<O::State>> = self.configs.drain().collect();
        let mut seen: FxHashSet<Config<O::State>> = left.iter().cloned().collect();
        let mut states = Vec::new();
        while let Some((happened, state)) = left.pop() {
            if happened >> bit & 1 == 1 {
                self.configs.insert((happened & !(1 << bit), state));
                continue;
            }
            for next in 0..OPEN_MAX {
                let Some(other) = self.open[next].filter(|_| happened >> next & 1 == 0) else { continue };
                if !self.has_what_it_needs(other, happened) {
                    continue;
                }
                self.object.after(&state, other, &mut states);
                for after in states.drain(..) {
                    self.work += 1 + self.object.size(&after);
                    let config = (happened | 1 << next, after);
                    if seen.insert(config.clone()) {
                        left.push(config);
                    }
                }
            }
            if self.work > WORK_MAX {
                return false;
            }
        }
        self.open[bit] = None;
        true
    }

    fn has_what_it_needs(&self, part: usize, happened: u64) -> bool {
        let is_missing = |needed: &usize| {
            let mut open = self.open.iter().enumerate();
            open.any(|(bit, open)| *open == Some(*needed) && happened >> bit & 1 == 0)
        };
        !self.parts[part].needs.iter().any(is_missing)
    }
}
