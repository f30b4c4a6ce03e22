//! The log: a snapshot of its beginning, and the entries after it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::mix;
use super::{Entry, Machine, Servers};

/// What the beginning of a log has led to. One of index 0 stands for nothing but the first configuration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The index of the last entry that is in it.
    pub index: u64,
    /// The term of that entry.
    pub term: u64,
    /// The voters after that entry.
    pub voters: Servers,
    /// The state machine after that entry.
    pub machine: Machine,
}

/// Who votes, and which entry says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The voters.
    pub voters: Servers,
    /// The index of the entry, or of the snapshot.
    pub index: u64,
}

/// A log. It is shared by the server, its disk and whoever looks at it, and copied when it changes.
#[derive(Debug)]
pub struct Log {
    snapshot: Arc<Snapshot>,
    entries: Vec<Entry>,
    /// Changes whenever the log does.
    version: u64,
    /// The version in which entries were last lost or replaced.
    rewritten: u64,
    /// Stands for the whole log.
    digest: u64,
}

/// How many entries a copy has room for beyond those it holds: it is made to be appended to.
const ROOM: usize = 4;

impl Clone for Log {
    fn clone(&self) -> Log {
        let mut entries = Vec::with_capacity(self.entries.len() + ROOM);
        entries.extend_from_slice(&self.entries);
        Log { snapshot: Arc::clone(&self.snapshot), entries, ..*self }
    }
}

impl Log {
    /// The log that begins after this snapshot.
    pub fn after(snapshot: Snapshot) -> Log {
        let mut log =
            Log { snapshot: Arc::new(snapshot), entries: Vec::new(), version: 0, rewritten: 0, digest: 0 };
        log.refresh();
        log
    }

    /// The snapshot.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The entries after the snapshot.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
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

    /// Stands for the whole log.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The index of the last entry.
    pub fn last(&self) -> u64 {
        self.snapshot.index + self.entries.len() as u64
    }

    /// The term of the last entry.
    pub fn last_term(&self) -> u64 {
        self.entries.last().map_or(self.snapshot.term, |entry| entry.term)
    }

    /// The entry of this index, unless it is in the snapshot or not there.
    pub fn entry(&self, index: u64) -> Option<Entry> {
        self.entries.get(self.place(index)?).copied()
    }

    /// The term of this entry, if it is known: also that of the last one in the snapshot.
    pub fn term_at(&self, index: u64) -> Option<u64> {
        if index == self.snapshot.index {
            Some(self.snapshot.term)
        } else {
            self.entry(index).map(|entry| entry.term)
        }
    }

    /// At most so many entries from this index on.
    pub fn from(&self, index: u64, most: usize) -> &[Entry] {
        let entries = self.place(index).and_then(|place| self.entries.get(place..)).unwrap_or_default();
        &entries[..entries.len().min(most)]
    }

    /// The latest configuration among the entries up to this index.
    pub fn configuration(&self, upto: u64) -> Configuration {
        let first = Configuration { voters: self.snapshot.voters, index: self.snapshot.index };
        (self.snapshot.index + 1..=upto).zip(&self.entries).fold(first, |known, (index, entry)| {
            if entry.command.is_change() {
                Configuration { voters: entry.command.change(known.voters), index }
            } else {
                known
            }
        })
    }

    /// The place of an entry among those after the snapshot.
    fn place(&self, index: u64) -> Option<usize> {
        Some(index.checked_sub(self.snapshot.index + 1)? as usize)
    }

    pub(super) fn append(&mut self, entry: Entry) {
        self.entries.push(entry);
        self.version += 1;
        self.digest = digest_with(self.digest, &entry);
    }

    /// Takes the entries from this index on away.
    pub(super) fn truncate(&mut self, index: u64) {
        if let Some(place) = self.place(index) {
            self.entries.truncate(place);
        }
        self.rewrite();
    }

    /// Puts an entry in the place of another; those after it stay.
    pub(super) fn overwrite(&mut self, index: u64, entry: Entry) {
        if let Some(place) = self.place(index) {
            self.entries[place] = entry;
        }
        self.rewrite();
    }

    /// Puts a snapshot in the place of the entries that are in it; those after it stay.
    pub(super) fn compact(&mut self, snapshot: Snapshot) {
        let gone = (snapshot.index - self.snapshot.index) as usize;
        self.entries.drain(..gone);
        self.snapshot = Arc::new(snapshot);
        self.refresh();
    }

    /// Puts a snapshot in the place of everything.
    pub(super) fn restore(&mut self, snapshot: Snapshot) {
        self.entries.clear();
        self.snapshot = Arc::new(snapshot);
        self.rewrite();
    }

    fn rewrite(&mut self) {
        self.refresh();
        self.rewritten = self.version;
    }

    fn refresh(&mut self) {
        self.version += 1;
        let Snapshot { index, term, .. } = *self.snapshot;
        self.digest = self.entries.iter().fold(mix(index, term), digest_with);
    }
}

fn digest_with(digest: u64, entry: &Entry) -> u64 {
    mix(mix(digest, entry.term), entry.command.digest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Command, Server};

    fn log(terms: &[u64]) -> Log {
        let mut log = Log::after(Snapshot { voters: Servers::first(3), ..Snapshot::default() });
        terms.iter().for_each(|&term| log.append(Entry { term, command: Command::Noop }));
        log
    }

    fn terms(log: &Log) -> (u64, Vec<u64>) {
        (log.snapshot().index, log.entries().iter().map(|entry| entry.term).collect())
    }

    #[test]
    fn a_log_that_is_compacted_keeps_its_indexes() {
        let mut log = log(&[1, 1, 2, 2]);
        log.compact(Snapshot { index: 3, term: 2, ..Snapshot::default() });
        assert_eq!(terms(&log), (3, vec![2]));
        assert_eq!([2, 3, 4, 5].map(|index| log.term_at(index)), [None, Some(2), Some(2), None]);
        assert_eq!((log.last(), log.last_term()), (4, 2));
        assert_eq!((log.from(4, 9).len(), log.from(5, 9).len(), log.from(3, 9).len()), (1, 0, 0));
        log.truncate(4);
        assert_eq!((log.last(), log.last_term()), (3, 2));
        log.restore(Snapshot { index: 9, term: 4, ..Snapshot::default() });
        assert_eq!((log.last(), log.last_term()), (9, 4));
    }

    #[test]
    fn the_digest_follows_from_the_entries_and_not_from_how_they_came() {
        let mut detour = log(&[1, 3, 3]);
        detour.truncate(2);
        detour.append(Entry { term: 2, command: Command::Noop });
        assert_eq!(detour.digest(), log(&[1, 2]).digest());
        assert_ne!(detour.version(), log(&[1, 2]).version());
        let mut other = log(&[1, 3]);
        other.overwrite(2, Entry { term: 2, command: Command::Noop });
        assert_eq!(other.digest(), log(&[1, 2]).digest());
    }

    #[test]
    fn the_latest_change_of_membership_counts() {
        let mut log = log(&[1]);
        let third = Server::from_index(2);
        log.append(Entry { term: 1, command: Command::Remove(third) });
        log.append(Entry { term: 1, command: Command::Put(1, 2) });
        log.append(Entry { term: 1, command: Command::Add(third) });
        let voters = |upto| (log.configuration(upto).voters.count(), log.configuration(upto).index);
        assert_eq!([1, 2, 3, 4].map(voters), [(3, 0), (2, 2), (2, 2), (3, 4)]);
    }
}
