//! Models: what an object does when operations are done to it one after another.
//!
//! Linearizability, serializability and sequential consistency all ask the same thing: is there an order in
//! which the operations, done one after another, give the answers that clients got? A [`Model`] says what
//! "done one after another" gives; the three differ in which orders count.

use std::hash::Hash;

/// An object by what operations, done one at a time, do to it.
pub trait Model {
    /// What the object remembers.
    type State: Clone + Eq + Hash;
    /// What is asked of it.
    type Op;
    /// What it answers.
    type Answer;

    /// What it is like before the first operation.
    fn initial(&self) -> Self::State;

    /// What it is like after the operation, or nothing if the operation cannot give this answer here. No
    /// answer means that the client never got one: then whatever the operation does here is possible.
    fn step(&self, state: &Self::State, op: &Self::Op, answer: Option<&Self::Answer>) -> Option<Self::State>;

    /// Whether an operation that gives this answer never changes the object, whatever it is like: a read. A
    /// search takes such an operation as soon as it can, and tries nothing else instead, which is quicker by
    /// far.
    fn only_looks(&self, _op: &Self::Op, _answer: &Self::Answer) -> bool {
        false
    }

    /// The parts of the object that the operation sees or changes, so that operations with nothing in common
    /// are looked at apart, which is quicker by far. Two operations without a common key must not notice each
    /// other. Nothing: it may touch everything.
    fn keys(&self, _op: &Self::Op) -> Option<Vec<u64>> {
        None
    }
}
