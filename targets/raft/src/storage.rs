//! What raft keeps: hard state, the last snapshot, and the entries after it.
//!
//! The library's own `MemStorage` makes snapshots without data and of the *latest* configuration, so it
//! cannot bring a lagging node up to date; this one hands out the snapshot it was given. The same type serves
//! twice: as the storage that a running node reads, and as what its disk holds.

use protobuf::Message as _;
use raft::eraftpb::{ConfState, Entry, HardState, Snapshot};
use raft::{Error, GetEntriesContext, NO_LIMIT, RaftState, Result, Storage, StorageError};

/// Hard state, snapshot and log. Empty by default; its configuration is that of its snapshot.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct LogStore {
    hard_state: HardState,
    snapshot: Snapshot,
    /// Entry i has the index `snapshot.index + 1 + i`.
    entries: Vec<Entry>,
}

impl LogStore {
    /// The same store, for a node whose log has been there from the first entry on: it began with these
    /// voters.
    #[must_use]
    pub fn with_voters(&self, voters: impl IntoIterator<Item = u64>) -> LogStore {
        let mut store = self.clone();
        let conf_state = ConfState { voters: voters.into_iter().collect(), ..ConfState::default() };
        store.snapshot.mut_metadata().set_conf_state(conf_state);
        store
    }

    /// The last snapshot; its index is 0 if there was none.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The entries after the snapshot.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The index of the first entry that is not compacted away.
    pub fn first(&self) -> u64 {
        self.snapshot.get_metadata().index + 1
    }

    /// The index of the last entry.
    pub fn last(&self) -> u64 {
        self.snapshot.get_metadata().index + self.entries.len() as u64
    }

    /// Replaces everything by the snapshot of another node.
    pub(crate) fn install(&mut self, snapshot: Snapshot) {
        self.entries.clear();
        self.snapshot = snapshot;
    }

    /// Makes room for entries from this index on: what was there is replaced.
    fn make_room(&mut self, first: u64) {
        assert!(first >= self.first(), "entry {first} is compacted away");
        assert!(first <= self.last() + 1, "entry {first} does not follow entry {}", self.last());
        self.entries.truncate((first - self.first()) as usize);
    }

    /// Puts entries into the log, in place of everything from the first of them on.
    pub(crate) fn append(&mut self, entries: Vec<Entry>) {
        if let Some(entry) = entries.first() {
            self.make_room(entry.index);
            self.entries.extend(entries);
        }
    }

    /// The same with copies of the entries.
    pub(crate) fn append_copies(&mut self, entries: &[Entry]) {
        if let Some(entry) = entries.first() {
            self.make_room(entry.index);
            self.entries.extend_from_slice(entries);
        }
    }

    /// Drops the entries that this snapshot of the node's own state stands for.
    pub(crate) fn compact(&mut self, snapshot: Snapshot) {
        let index = snapshot.get_metadata().index;
        assert!(index >= self.first() && index <= self.last(), "entry {index} is not in the log");
        self.entries.drain(..=(index - self.first()) as usize);
        self.snapshot = snapshot;
    }

    pub(crate) fn set_hard_state(&mut self, hard_state: HardState) {
        self.hard_state = hard_state;
    }

    pub(crate) fn set_commit(&mut self, commit: u64) {
        self.hard_state.commit = commit;
    }
}

impl Storage for LogStore {
    /// The configuration is that of the snapshot, because a booting node has applied that much and no more.
    fn initial_state(&self) -> Result<RaftState> {
        let conf_state = self.snapshot.get_metadata().get_conf_state().clone();
        Ok(RaftState::new(self.hard_state.clone(), conf_state))
    }

    fn entries(
        &self,
        low: u64,
        high: u64,
        max_size: impl Into<Option<u64>>,
        _context: GetEntriesContext,
    ) -> Result<Vec<Entry>> {
        if low < self.first() {
            return Err(Error::Store(StorageError::Compacted));
        }
        assert!(high <= self.last() + 1, "entries up to {high} are wanted, the last one is {}", self.last());
        let entries = &self.entries[(low - self.first()) as usize..(high - self.first()) as usize];
        let count = match max_size.into() {
            None | Some(NO_LIMIT) => entries.len(),
            Some(max) => count_within(entries, max),
        };
        Ok(entries[..count].to_vec())
    }

    fn term(&self, index: u64) -> Result<u64> {
        let metadata = self.snapshot.get_metadata();
        if index == metadata.index {
            Ok(metadata.term)
        } else if index < metadata.index {
            Err(Error::Store(StorageError::Compacted))
        } else {
            let entry = self.entries.get((index - self.first()) as usize);
            entry.map(|entry| entry.term).ok_or(Error::Store(StorageError::Unavailable))
        }
    }

    fn first_index(&self) -> Result<u64> {
        Ok(self.first())
    }

    fn last_index(&self) -> Result<u64> {
        Ok(self.last())
    }

    fn snapshot(&self, request_index: u64, _to: u64) -> Result<Snapshot> {
        if self.snapshot.get_metadata().index < request_index {
            return Err(Error::Store(StorageError::SnapshotTemporarilyUnavailable));
        }
        Ok(self.snapshot.clone())
    }
}

/// How many of the first entries have together at most this size; one at least.
fn count_within(entries: &[Entry], size_max: u64) -> usize {
    let mut size = 0;
    let fits = |entry: &&Entry| {
        let is_first = size == 0;
        size += u64::from(entry.compute_size());
        is_first || size <= size_max
    };
    entries.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(index: u64, term: u64) -> Entry {
        Entry { index, term, ..Entry::default() }
    }

    fn snapshot(index: u64, term: u64) -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.mut_metadata().index = index;
        snapshot.mut_metadata().term = term;
        snapshot
    }

    fn store_of(terms: &[u64]) -> LogStore {
        let mut store = LogStore::default().with_voters([1, 2, 3]);
        store.append((1..).zip(terms).map(|(index, term)| entry(index, *term)).collect());
        store
    }

    fn range(store: &LogStore, low: u64, high: u64, max: Option<u64>) -> Result<Vec<u64>> {
        let entries = Storage::entries(store, low, high, max, GetEntriesContext::empty(false))?;
        Ok(entries.iter().map(|entry| entry.index).collect())
    }

    #[test]
    fn a_fresh_store_holds_the_voters_and_an_empty_log() {
        let store = LogStore::default().with_voters([1, 2, 3]);
        let state = store.initial_state().expect("it is in memory");
        assert_eq!(state.conf_state.voters, [1, 2, 3]);
        assert_eq!(state.hard_state, HardState::default());
        assert_eq!((store.first(), store.last(), store.term(0)), (1, 0, Ok(0)));
        assert_eq!(store.term(1), Err(Error::Store(StorageError::Unavailable)));
    }

    #[test]
    fn appending_replaces_everything_from_the_first_new_entry_on() {
        let mut store = store_of(&[1, 1, 1, 1]);
        store.append(vec![entry(3, 2)]);
        assert_eq!(store.last(), 3);
        assert_eq!((store.term(2), store.term(3)), (Ok(1), Ok(2)));
    }

    #[test]
    fn compaction_keeps_the_term_before_the_first_entry_and_no_more() {
        let mut store = store_of(&[1, 1, 2, 3]);
        store.compact(snapshot(3, 2));
        assert_eq!((store.first(), store.last()), (4, 4));
        assert_eq!((store.term(3), store.term(4)), (Ok(2), Ok(3)));
        assert_eq!(store.term(2), Err(Error::Store(StorageError::Compacted)));
        assert_eq!(range(&store, 3, 5, None), Err(Error::Store(StorageError::Compacted)));
        assert_eq!(range(&store, 4, 5, None), Ok(vec![4]));
    }

    #[test]
    fn an_installed_snapshot_replaces_the_log() {
        let mut store = store_of(&[1, 1]);
        store.install(snapshot(7, 4));
        assert_eq!((store.first(), store.last(), store.term(7)), (8, 7, Ok(4)));
        assert_eq!(Storage::snapshot(&store, 7, 2).map(|s| s.get_metadata().index), Ok(7));
        assert_eq!(
            Storage::snapshot(&store, 8, 2),
            Err(Error::Store(StorageError::SnapshotTemporarilyUnavailable))
        );
    }

    #[test]
    fn a_size_limit_cuts_the_entries_but_leaves_one() {
        let store = store_of(&[1, 1, 1]);
        let size = u64::from(entry(1, 1).compute_size());
        assert_eq!(range(&store, 1, 4, Some(0)), Ok(vec![1]));
        assert_eq!(range(&store, 1, 4, Some(2 * size)), Ok(vec![1, 2]));
        assert_eq!(range(&store, 1, 4, Some(NO_LIMIT)), Ok(vec![1, 2, 3]));
    }
}
