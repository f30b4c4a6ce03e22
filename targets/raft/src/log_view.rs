//! The log as the invariants see it: a copy that is shared between views and changes only when the log does.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use raft::eraftpb::Entry;
use serde::{Serialize, Serializer};
use shakedown_check::LogEntry;
use shakedown_cluster::derive_seed;

use crate::{LogStore, Write};

/// The log of a node without the contents of its entries.
#[derive(Clone, Serialize)]
pub struct LogView {
    first: u64,
    #[serde(serialize_with = "as_slice")]
    entries: Arc<Vec<LogEntry>>,
    #[serde(skip)]
    version: u64,
    #[serde(skip)]
    digest: u64,
}

impl LogView {
    pub(crate) fn of(store: &LogStore) -> LogView {
        let entries = Arc::new(store.entries().iter().map(entry_view).collect());
        let mut view = LogView { first: store.first(), entries, version: 0, digest: 0 };
        view.refresh();
        view
    }

    /// Follows a write to the store. Raft's own unstable entries are in the store whenever a node can be seen, for
    /// every `Ready` is handled before an activation ends.
    pub(crate) fn follow(&mut self, write: &Write) {
        match write {
            Write::Batch { snapshot, entries, .. } => {
                if snapshot.is_none() && entries.is_empty() {
                    return;
                }
                let log = Arc::make_mut(&mut self.entries);
                if let Some(snapshot) = snapshot {
                    self.first = snapshot.get_metadata().index + 1;
                    log.clear();
                }
                if let Some(entry) = entries.first() {
                    log.truncate((entry.index - self.first) as usize);
                    log.extend(entries.iter().map(entry_view));
                }
            }
            Write::Commit(_) => return,
            Write::Compact(snapshot) => {
                let first = snapshot.get_metadata().index + 1;
                Arc::make_mut(&mut self.entries).drain(..(first - self.first) as usize);
                self.first = first;
            }
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        self.version += 1;
        self.digest = self
            .entries
            .iter()
            .fold(self.first, |digest, entry| derive_seed(derive_seed(digest, entry.term), entry.digest));
    }

    /// Becomes a copy of the other view, unless it is one already; whether it was not.
    pub(crate) fn update(&mut self, other: &LogView) -> bool {
        let is_changed = self.version != other.version || !Arc::ptr_eq(&self.entries, &other.entries);
        if is_changed {
            *self = other.clone();
        }
        is_changed
    }

    /// The index of the first entry.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The index of the last entry.
    pub fn last(&self) -> u64 {
        self.first + self.entries.len() as u64 - 1
    }

    /// The entry of this index.
    pub fn entry(&self, index: u64) -> Option<LogEntry> {
        self.entries.get(usize::try_from(index.checked_sub(self.first)?).ok()?).copied()
    }

    /// A number that changes whenever the log does.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// The digest stands for the entries: hashing a view costs the same however long the log is.
impl Hash for LogView {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

impl fmt::Debug for LogView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} of terms", self.first, self.last())?;
        self.entries.iter().try_for_each(|entry| write!(f, " {}", entry.term))
    }
}

fn as_slice<S: Serializer>(entries: &Arc<Vec<LogEntry>>, serializer: S) -> Result<S::Ok, S::Error> {
    entries.as_slice().serialize(serializer)
}

fn entry_view(entry: &Entry) -> LogEntry {
    LogEntry { term: entry.term, digest: digest_of(entry) }
}

fn digest_of(entry: &Entry) -> u64 {
    [&entry.data[..], &entry.context[..]].iter().fold(entry.get_entry_type() as u64, |digest, bytes| {
        let digest = derive_seed(digest, bytes.len() as u64);
        bytes.chunks(8).fold(digest, |digest, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            derive_seed(digest, u64::from_le_bytes(word))
        })
    })
}

#[cfg(test)]
mod tests {
    use raft::eraftpb::Snapshot;
    use shakedown_cluster::Disk;

    use super::*;

    fn batch(snapshot: Option<Box<Snapshot>>, first: u64, terms: &[u64]) -> Write {
        let entry = |(index, term): (u64, &u64)| Entry { index, term: *term, ..Entry::default() };
        let entries = (first..).zip(terms).map(entry).collect();
        Write::Batch { snapshot, entries, hard_state: None }
    }

    fn snapshot(index: u64) -> Box<Snapshot> {
        let mut snapshot = Snapshot::default();
        snapshot.mut_metadata().index = index;
        Box::new(snapshot)
    }

    #[test]
    fn a_view_that_follows_every_write_is_the_view_of_the_store() {
        let mut store = LogStore::default();
        let mut view = LogView::of(&store);
        let writes = [
            batch(None, 1, &[1, 1, 1]),
            batch(None, 3, &[2, 2]),
            Write::Commit(3),
            Write::Compact(snapshot(3)),
            batch(None, 4, &[3, 3]),
            batch(Some(snapshot(9)), 10, &[4]),
        ];
        let mut seen = Vec::new();
        for write in writes {
            view.follow(&write);
            store.apply(write);
            let whole = LogView::of(&store);
            assert_eq!((view.first, &view.entries, view.digest), (whole.first, &whole.entries, whole.digest));
            seen.push((format!("{view:?}"), view.version));
        }
        let logs: Vec<_> = seen.iter().map(|(log, version)| (log.as_str(), *version)).collect();
        assert_eq!(
            logs,
            [
                ("1..3 of terms 1 1 1", 2),
                ("1..4 of terms 1 1 2 2", 3),
                ("1..4 of terms 1 1 2 2", 3),
                ("4..4 of terms 2", 4),
                ("4..5 of terms 3 3", 5),
                ("10..10 of terms 4", 6),
            ]
        );
    }
}
