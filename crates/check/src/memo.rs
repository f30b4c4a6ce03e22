//! What a search for an order has tried already: Lowe's memo of (operations done, state that they led to).
//!
//! Two orders of the same operations that lead to the same state have the same futures, so the second need
//! not be gone into. States are kept once and numbered, so that an entry of the memo is a handful of words.
//! Nothing depends on the order of the hash maps: they are only asked what they hold.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash};

use shakedown_cluster::Fingerprinter;

type Hashed = BuildHasherDefault<Fingerprinter>;

/// About what an entry of a hash map and an allocation cost besides what is in them.
const OVERHEAD_BYTES: usize = 48;

/// The number of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StateId(u32);

pub(crate) struct Memo<S> {
    states: Vec<S>,
    numbers: HashMap<S, StateId, Hashed>,
    tried: HashSet<Box<[u64]>, Hashed>,
    bytes: usize,
}

impl<S: Clone + Eq + Hash> Memo<S> {
    pub fn new() -> Memo<S> {
        Memo { states: Vec::new(), numbers: HashMap::default(), tried: HashSet::default(), bytes: 0 }
    }

    /// The number of this state.
    pub fn number(&mut self, state: S) -> StateId {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = StateId(self.states.len() as u32);
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        self.bytes += 2 * size_of::<S>() + OVERHEAD_BYTES;
        number
    }

    pub fn state(&self, number: StateId) -> &S {
        &self.states[number.0 as usize]
    }

    /// Whether these operations have not led to this state before. `done` stands for the operations; it is
    /// left as it was.
    pub fn is_new(&mut self, done: &mut Vec<u64>, state: StateId) -> bool {
        done.push(state.0.into());
        let is_new = !self.tried.contains(done.as_slice());
        if is_new {
            self.tried.insert(done.as_slice().into());
            self.bytes += size_of_val(done.as_slice()) + OVERHEAD_BYTES;
        }
        done.pop();
        is_new
    }

    /// About how much memory is in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
