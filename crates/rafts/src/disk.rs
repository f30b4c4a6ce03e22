//! What a Raft node keeps on its disk: vote, log, snapshot.

use std::hash::Hash;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use serde::Serialize;
use shakedown_cluster::{Disk, derive_seed};

use crate::{LogEntry, LogView, Membership, RaftView, Role, Term};

/// What an implementation of Raft stores, in its own types. Entries are numbered from 1.
pub trait Stored: 'static {
    /// What a term is.
    type Term: Term + Eq + Hash + Serialize;
    /// The vote that is stored.
    type Vote: Clone;
    /// An entry of the log.
    type Entry: Clone;
    /// What is known of an entry that was purged.
    type Purged: Copy;
    /// A snapshot.
    type Snapshot: Clone;

    /// The number of an entry, and the entry as the oracles see it.
    fn shown(entry: &Self::Entry) -> (u64, LogEntry<Self::Term>);
    /// The membership that an entry makes.
    fn membership(_entry: &Self::Entry) -> Option<Membership> {
        None
    }
    /// The term of a vote.
    fn term(vote: &Self::Vote) -> Self::Term;
    /// What a snapshot stands for.
    fn snapshot(snapshot: &Self::Snapshot) -> SnapshotView<Self::Term>;
}

/// A snapshot as the oracles see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotView<T> {
    /// The number of the last entry that it stands for.
    pub applied: u64,
    /// A digest of what applying all of them led to.
    pub digest: u64,
    /// Its membership, and the term of the entry that made it.
    pub membership: Option<(Membership, T)>,
}

/// One write to a [`RaftDisk`].
pub enum RaftWrite<S: Stored> {
    /// The vote.
    Vote(S::Vote),
    /// Entries, one after the other. What the log had from the first of them on is replaced.
    Append(Vec<S::Entry>),
    /// The log ends before the entry of this number.
    Truncate(u64),
    /// The log begins after the entry of this number.
    Purge(u64, S::Purged),
    /// A snapshot.
    Snapshot(S::Snapshot),
}

impl<S: Stored> Clone for RaftWrite<S> {
    fn clone(&self) -> RaftWrite<S> {
        match self {
            RaftWrite::Vote(vote) => RaftWrite::Vote(vote.clone()),
            RaftWrite::Append(entries) => RaftWrite::Append(entries.clone()),
            RaftWrite::Truncate(from) => RaftWrite::Truncate(*from),
            RaftWrite::Purge(upto, purged) => RaftWrite::Purge(*upto, *purged),
            RaftWrite::Snapshot(snapshot) => RaftWrite::Snapshot(snapshot.clone()),
        }
    }
}

/// The disk of a Raft node; a copy of it in memory serves as the node's log.
pub struct RaftDisk<S: Stored> {
    /// The vote.
    pub vote: Option<S::Vote>,
    /// The last entry that was purged.
    pub purged: Option<S::Purged>,
    /// The entries after it.
    pub entries: Vec<S::Entry>,
    /// The snapshot.
    pub snapshot: Option<S::Snapshot>,
    /// How many entries were purged.
    purged_count: u64,
    /// The log as the oracles see it.
    shown: Arc<LogView<S::Term>>,
}

impl<S: Stored> Default for RaftDisk<S> {
    fn default() -> RaftDisk<S> {
        let (entries, shown) = (Vec::new(), Arc::default());
        RaftDisk { vote: None, purged: None, entries, snapshot: None, purged_count: 0, shown }
    }
}

impl<S: Stored> Clone for RaftDisk<S> {
    fn clone(&self) -> RaftDisk<S> {
        RaftDisk {
            vote: self.vote.clone(),
            purged: self.purged,
            entries: self.entries.clone(),
            snapshot: self.snapshot.clone(),
            purged_count: self.purged_count,
            shown: Arc::clone(&self.shown),
        }
    }
}

impl<S: Stored> RaftDisk<S> {
    /// The number of the last entry.
    pub fn last(&self) -> u64 {
        self.purged_count + self.entries.len() as u64
    }

    /// How many of the entries that are there come before the one of this number.
    fn place(&self, number: u64) -> usize {
        let before = number.saturating_sub(self.purged_count + 1);
        usize::try_from(before).map_or(self.entries.len(), |place| place.min(self.entries.len()))
    }

    /// The entries of these numbers, as far as they are there.
    pub fn range(&self, numbers: impl RangeBounds<u64>) -> &[S::Entry] {
        let from = match numbers.start_bound() {
            Bound::Included(number) => self.place(*number),
            Bound::Excluded(number) => self.place(number.saturating_add(1)),
            Bound::Unbounded => 0,
        };
        let to = match numbers.end_bound() {
            Bound::Included(number) => self.place(number.saturating_add(1)),
            Bound::Excluded(number) => self.place(*number),
            Bound::Unbounded => self.entries.len(),
        };
        self.entries.get(from..to).unwrap_or_default()
    }

    /// Carries out a write.
    pub fn put(&mut self, write: RaftWrite<S>) {
        match write {
            RaftWrite::Vote(vote) => {
                self.vote = Some(vote);
                return;
            }
            RaftWrite::Snapshot(snapshot) => self.snapshot = Some(snapshot),
            RaftWrite::Append(entries) => {
                let first = entries.first().map_or(u64::MAX, |entry| S::shown(entry).0);
                self.entries.truncate(self.place(first));
                self.entries.extend(entries);
            }
            RaftWrite::Truncate(from) => self.entries.truncate(self.place(from)),
            RaftWrite::Purge(upto, purged) => {
                self.entries.drain(..self.place(upto.saturating_add(1)));
                self.purged = Some(purged);
                self.purged_count = self.purged_count.max(upto);
            }
        }
        self.show();
    }

    fn show(&mut self) {
        let entries: Vec<_> = self.entries.iter().map(|entry| S::shown(entry).1).collect();
        let mix = |mixed, entry: &LogEntry<S::Term>| {
            derive_seed(derive_seed(mixed, entry.digest), entry.term.number())
        };
        let of_snapshot = self.snapshot.as_ref().and_then(|snapshot| S::snapshot(snapshot).membership);
        let of_log = self.entries.iter().rev().find_map(S::membership);
        self.shown = Arc::new(LogView {
            purged: self.purged_count,
            digest: entries.iter().fold(self.purged_count, mix),
            entries,
            version: self.shown.version + 1,
            membership: of_log.or(of_snapshot.map(|(membership, _)| membership)),
            snapshot_made_by: of_snapshot.and_then(|(membership, term)| Some((membership.entry?, term))),
        });
    }

    /// What is seen of a node that has this disk, and has done nothing yet. `none` is the term before all
    /// others.
    pub fn view(&self, none: S::Term) -> RaftView<S::Term> {
        let snapshot = self.snapshot.as_ref().map(S::snapshot);
        let (applied, digest) = snapshot.map_or((0, 0), |snapshot| (snapshot.applied, snapshot.digest));
        RaftView {
            term: self.vote.as_ref().map_or(none, S::term),
            role: Role::Follower,
            applied,
            digest,
            log: Arc::clone(&self.shown),
            durable: self.last(),
            made_by: None,
            stopped: None,
        }
    }
}

impl<S: Stored> Disk for RaftDisk<S> {
    type Write = RaftWrite<S>;

    fn apply(&mut self, write: RaftWrite<S>) {
        self.put(write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Stored for Plain {
        type Term = u64;
        type Vote = u64;
        type Entry = (u64, u64);
        type Purged = ();
        type Snapshot = (u64, u64);

        fn shown(entry: &(u64, u64)) -> (u64, LogEntry) {
            (entry.0, LogEntry { term: entry.1, digest: entry.0 })
        }

        fn term(vote: &u64) -> u64 {
            *vote
        }

        fn snapshot(&(applied, digest): &(u64, u64)) -> SnapshotView<u64> {
            SnapshotView { applied, digest, membership: None }
        }
    }

    fn disk(writes: Vec<RaftWrite<Plain>>) -> RaftDisk<Plain> {
        let mut disk = RaftDisk::default();
        writes.into_iter().for_each(|write| disk.apply(write));
        disk
    }

    #[test]
    fn entries_replace_what_was_there_from_the_first_of_them_on() {
        let first = RaftWrite::Append(vec![(1, 1), (2, 1), (3, 1)]);
        let disk = disk(vec![first, RaftWrite::Append(vec![(2, 2)])]);
        assert_eq!((disk.last(), disk.range(..)), (2, &[(1, 1), (2, 2)][..]));
    }

    #[test]
    fn a_purged_log_begins_later_and_may_end_before_it_begins() {
        let entries = || RaftWrite::Append(vec![(1, 1), (2, 1), (3, 1)]);
        let part = disk(vec![entries(), RaftWrite::Purge(2, ())]);
        assert_eq!((part.last(), part.range(..), part.range(1..3)), (3, &[(3, 1)][..], &[][..]));
        assert_eq!(part.range(3..=9), [(3, 1)]);
        // A snapshot may stand for more than the log had.
        let all = disk(vec![entries(), RaftWrite::Purge(7, ()), RaftWrite::Append(vec![(8, 2)])]);
        assert_eq!((all.last(), all.range(..)), (8, &[(8, 2)][..]));
        let view = all.view(0);
        assert_eq!((view.log.purged, view.log.entries.len(), view.durable), (7, 1, 8));
    }

    #[test]
    fn a_truncated_log_ends_before_the_entry() {
        let disk =
            disk(vec![RaftWrite::Append(vec![(1, 1), (2, 1)]), RaftWrite::Truncate(2), RaftWrite::Vote(4)]);
        assert_eq!((disk.last(), disk.view(0).term), (1, 4));
    }
}
