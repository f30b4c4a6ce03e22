//! The calls and answers of a history in the order of time, from which operations are taken and to which they
//! are put back: a doubly linked list in arrays, so that both take constant time (Wing and Gong's "lift" and
//! "unlift").

use super::Operation;

/// An entry of the list. Operations are numbered in the order of their calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Entry {
    Call(usize),
    Answer(usize),
    /// There is nothing behind it.
    End,
}

pub(super) struct Entries {
    /// `entries[0]` is the end; it also stands before the first one.
    entries: Vec<Entry>,
    next: Vec<usize>,
    before: Vec<usize>,
    /// Where the call and the answer of each operation are.
    places: Vec<(usize, usize)>,
}

impl Entries {
    /// The list of these operations of the history, all of them answered, in the order of their calls.
    pub fn new<Op, Answer>(history: &[Operation<Op, Answer>], operations: &[usize]) -> Entries {
        let mut timed = Vec::with_capacity(2 * operations.len());
        for (number, &place) in operations.iter().enumerate() {
            let operation = &history[place];
            // Calls sort before answers of the same time.
            timed.push((operation.called, Entry::Call(number)));
            timed.push((operation.returned().unwrap_or(u32::MAX), Entry::Answer(number)));
        }
        timed.sort_unstable();
        let entries: Vec<Entry> =
            std::iter::once(Entry::End).chain(timed.into_iter().map(|(_, entry)| entry)).collect();
        let mut places = vec![(0, 0); operations.len()];
        for (at, entry) in entries.iter().enumerate() {
            match *entry {
                Entry::Call(number) => places[number].0 = at,
                Entry::Answer(number) => places[number].1 = at,
                Entry::End => {}
            }
        }
        let count = entries.len();
        let next = (0..count).map(|at| (at + 1) % count).collect();
        let before = (0..count).map(|at| (at + count - 1) % count).collect();
        Entries { entries, next, before, places }
    }

    pub fn entry(&self, at: usize) -> Entry {
        self.entries[at]
    }

    pub fn first(&self) -> usize {
        self.next[0]
    }

    pub fn next(&self, at: usize) -> usize {
        self.next[at]
    }

    /// Takes an operation out.
    pub fn take(&mut self, number: usize) {
        let (call, answer) = self.places[number];
        for at in [call, answer] {
            self.next[self.before[at]] = self.next[at];
            self.before[self.next[at]] = self.before[at];
        }
    }

    /// Puts the operation that was taken out last back in.
    pub fn put_back(&mut self, number: usize) {
        let (call, answer) = self.places[number];
        for at in [answer, call] {
            self.next[self.before[at]] = at;
            self.before[self.next[at]] = at;
        }
    }
}
