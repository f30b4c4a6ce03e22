//! The log as the invariants see it: a copy without contents that is changed where the log is.

use std::fmt;
use std::hash::{Hash, Hasher};

use raft::eraftpb::Entry;
use serde::{Serialize, Serializer};
use shakedown_cluster::derive_seed;
use shakedown_rafts::LogEntry;

use crate::{LogStore, Write};

/// The log of a node without the contents of its entries.
#[derive(Clone, Default, Serialize)]
pub struct LogView {
    first: u64,
    #[serde(serialize_with = "as_entries")]
    lines: Vec<Line>,
    #[serde(skip)]
    version: u64,
    /// The version in which entries were last lost or replaced.
    #[serde(skip)]
    rewritten: u64,
}

/// An entry, and what stands for the log up to it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Line {
    entry: LogEntry,
    digest: u64,
}

impl LogView {
    pub(crate) fn of(store: &LogStore) -> LogView {
        let mut view = LogView { first: store.first(), lines: Vec::new(), version: 1, rewritten: 1 };
        view.extend(store.entries().iter().map(entry_view));
        view
    }

    /// Follows a write to the store. Raft's own unstable entries are in the store whenever a node can be
    /// seen, for every `Ready` is handled before an activation ends.
    pub(crate) fn follow(&mut self, write: &Write) {
        match write {
            Write::Batch { snapshot, entries, .. } => {
                if snapshot.is_none() && entries.is_empty() {
                    return;
                }
                if let Some(snapshot) = snapshot {
                    self.first = snapshot.get_metadata().index + 1;
                    self.lines.clear();
                    self.rewritten = self.version + 1;
                }
                if let Some(entry) = entries.first() {
                    let place = (entry.index - self.first) as usize;
                    if place < self.lines.len() {
                        self.lines.truncate(place);
                        self.rewritten = self.version + 1;
                    }
                    self.extend(entries.iter().map(entry_view));
                }
            }
            Write::Commit(_) => return,
            Write::Compact(snapshot) => {
                let first = snapshot.get_metadata().index + 1;
                let rest = self.lines.split_off((first - self.first) as usize);
                self.first = first;
                self.lines.clear();
                self.extend(rest.into_iter().map(|line| line.entry));
            }
        }
        self.version += 1;
    }

    /// Becomes the log that begins at `first` and has these entries from `from` on; what is before `from`
    /// stays as it was. For nodes that report how their logs change.
    pub fn rewrite(&mut self, first: u64, from: u64, entries: &[Entry]) -> Result<(), String> {
        let end = self.first + self.lines.len() as u64;
        let is_fresh = first == from;
        if first == 0 || !is_fresh && (first < self.first || first > from || from > end) {
            let known = self.first;
            return Err(format!("a log of {known}..{end} cannot begin at {first} and change from {from} on"));
        }
        if (from..).zip(entries).any(|(index, entry)| entry.index != index) {
            return Err(format!("the entries from {from} on have other indexes"));
        }
        self.version += 1;
        if is_fresh || from < end {
            self.rewritten = self.version;
        }
        let kept = if is_fresh { first..first } else { first..from };
        let kept: Vec<_> = kept.filter_map(|index| self.entry(index)).collect();
        if first == self.first {
            self.lines.truncate(kept.len());
        } else {
            // What stands for a log depends on where it begins.
            (self.first, self.lines) = (first, Vec::new());
            self.extend(kept.into_iter());
        }
        self.extend(entries.iter().map(entry_view));
        Ok(())
    }

    fn extend(&mut self, entries: impl Iterator<Item = LogEntry>) {
        for entry in entries {
            let digest = derive_seed(derive_seed(self.digest(), entry.term), entry.digest);
            self.lines.push(Line { entry, digest });
        }
    }

    /// Stands for the whole log.
    fn digest(&self) -> u64 {
        self.lines.last().map_or(self.first, |line| line.digest)
    }

    /// Becomes a copy of the other view of the same node. Logs change at their ends, so only what comes after
    /// the last common line is copied.
    pub(crate) fn update(&mut self, other: &LogView) {
        if self.version == other.version {
            return;
        }
        let is_common = |line: &Line, place: usize| line.digest == other.lines[place].digest;
        let mut common = self.lines.len().min(other.lines.len());
        while common > 0 && !is_common(&self.lines[common - 1], common - 1) {
            common -= 1;
        }
        self.lines.truncate(common);
        self.lines.extend_from_slice(&other.lines[common..]);
        (self.first, self.version, self.rewritten) = (other.first, other.version, other.rewritten);
    }

    /// The index of the first entry.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The index of the last entry.
    pub fn last(&self) -> u64 {
        self.first + self.lines.len() as u64 - 1
    }

    /// The entry of this index.
    pub fn entry(&self, index: u64) -> Option<LogEntry> {
        let place = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.lines.get(place).map(|line| line.entry)
    }

    /// A number that changes whenever the log does.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The version in which entries were last lost or replaced; since then the log has only grown or was
    /// compacted.
    pub fn rewritten(&self) -> u64 {
        self.rewritten
    }
}

/// The digest stands for the entries: hashing a view costs the same however long the log is.
impl Hash for LogView {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest());
    }
}

impl fmt::Debug for LogView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} of terms", self.first, self.last())?;
        self.lines.iter().try_for_each(|line| write!(f, " {}", line.entry.term))
    }
}

fn as_entries<S: Serializer>(lines: &[Line], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| line.entry))
}

fn entry_view(entry: &Entry) -> LogEntry {
    LogEntry { term: entry.term, digest: digest_of(entry) }
}

pub(crate) fn digest_of(entry: &Entry) -> u64 {
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
    fn a_log_that_reports_its_changes_is_the_log_that_they_lead_to() {
        let entries = |first: u64, terms: &[u64]| {
            let entry = |(index, term): (u64, &u64)| Entry { index, term: *term, ..Entry::default() };
            (first..).zip(terms).map(entry).collect::<Vec<_>>()
        };
        let mut log = LogView::default();
        for (first, from, terms, expected) in [
            (1, 1, &[1, 1, 1][..], Ok("1..3 of terms 1 1 1")),
            (1, 3, &[2, 2], Ok("1..4 of terms 1 1 2 2")),
            (1, 5, &[2], Ok("1..5 of terms 1 1 2 2 2")),
            (3, 6, &[], Ok("3..5 of terms 2 2 2")),
            (4, 5, &[3], Ok("4..5 of terms 2 3")),
            (4, 7, &[3], Err("a log of 4..6 cannot begin at 4 and change from 7 on")),
            (3, 5, &[3], Err("a log of 4..6 cannot begin at 3 and change from 5 on")),
            (10, 10, &[4], Ok("10..10 of terms 4")),
        ] {
            let result = log.rewrite(first, from, &entries(from, terms));
            assert_eq!(
                result.map(|()| format!("{log:?}")),
                expected.map(str::to_owned).map_err(str::to_owned)
            );
            if expected.is_ok() {
                let mut whole = LogView::default();
                let terms: Vec<_> = log.lines.iter().map(|line| line.entry.term).collect();
                whole.rewrite(log.first, log.first, &entries(log.first, &terms)).expect("it is whole");
                assert_eq!(whole.digest(), log.digest());
            }
        }
        assert!(log.rewrite(10, 11, &entries(12, &[4])).is_err());
    }

    #[test]
    fn a_view_that_follows_every_write_is_the_view_of_the_store() {
        let mut store = LogStore::default();
        let mut view = LogView::of(&store);
        let mut copy = view.clone();
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
            assert_eq!((view.first, &view.lines), (whole.first, &whole.lines));
            copy.update(&view);
            assert_eq!((copy.first, &copy.lines), (whole.first, &whole.lines));
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
