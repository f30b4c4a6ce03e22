//! What the replicated log holds: numbers, so that entries are cheap to compare, hash and read.

use std::fmt;

use omnipaxos::storage::NoSnapshot;

/// An entry of the log: the number that a client asked to append.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry(pub u64);

impl omnipaxos::storage::Entry for Entry {
    type Snapshot = NoSnapshot;
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
