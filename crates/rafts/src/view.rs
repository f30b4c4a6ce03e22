//! What is seen of a Raft node, with a log that is shared and not copied.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;

use crate::{LogEntry, Membership, RaftState, Role, Term};

/// A log as the oracles see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogView<T> {
    /// How many entries were purged.
    pub purged: u64,
    /// The others.
    pub entries: Vec<LogEntry<T>>,
    /// Stands for all of them.
    pub digest: u64,
    /// How often the log has changed.
    pub version: u64,
    /// The membership of the last entry that makes one, or else of the snapshot.
    pub membership: Option<Membership>,
    /// The number and the term of the entry that made the membership of the snapshot.
    pub snapshot_made_by: Option<(u64, T)>,
}

impl<T> Default for LogView<T> {
    fn default() -> LogView<T> {
        let (membership, snapshot_made_by) = (None, None);
        LogView { purged: 0, entries: Vec::new(), digest: 0, version: 0, membership, snapshot_made_by }
    }
}

/// What is seen of a Raft node: a [`RaftState`] that costs little to copy. Entries are numbered from 1, and
/// the log that is applied counts as committed. [`RaftDisk::view`](crate::RaftDisk::view) makes one.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct RaftView<T: Term + Eq + Hash + Serialize> {
    /// Its term.
    pub term: T,
    /// What it is in that term.
    pub role: Role,
    /// Up to which entry it has applied the log.
    pub applied: u64,
    /// Stands for what that led to.
    pub digest: u64,
    /// Its log.
    #[serde(skip)]
    pub log: Arc<LogView<T>>,
    /// Up to which entry the log is durable.
    pub durable: u64,
    /// The number and the term of the entry that made the membership that it goes by, where it shows that.
    pub made_by: Option<(u64, T)>,
    /// Why it has stopped for good, if it has.
    pub stopped: Option<String>,
}

impl<T: Term + Eq + Hash + Serialize> Hash for RaftView<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.term, self.role, self.applied, self.digest, self.log.digest, self.durable).hash(state);
        (self.log.membership, self.made_by, self.log.snapshot_made_by, self.stopped.is_some()).hash(state);
    }
}

impl<T: Term + Eq + Hash + Serialize> fmt::Debug for RaftView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<_> = self.log.entries.iter().map(|entry| format!("{:?}", entry.term)).collect();
        let (role, term, applied, purged) = (self.role.name(), self.term, self.applied, self.log.purged);
        write!(
            f,
            "{role} of {term:?}, applied {applied}, log {purged}+[{}], durable {}",
            terms.join(" "),
            self.durable
        )?;
        if let Some(membership) = self.log.membership {
            write!(f, ", voters {}", membership.voters)?;
            if !membership.outgoing.is_empty() {
                write!(f, " and {}", membership.outgoing)?;
            }
        }
        self.stopped.as_ref().map_or(Ok(()), |why| write!(f, ", stopped: {why}"))
    }
}

impl<T: Term + Eq + Hash + Serialize> RaftState for RaftView<T> {
    type Term = T;

    fn term(&self) -> T {
        self.term
    }

    fn role(&self) -> Role {
        self.role
    }

    fn commit(&self) -> u64 {
        self.applied
    }

    fn first_index(&self) -> u64 {
        self.log.purged + 1
    }

    fn last_index(&self) -> u64 {
        self.log.purged + self.log.entries.len() as u64
    }

    fn entry(&self, number: u64) -> Option<LogEntry<T>> {
        let place = usize::try_from(number.checked_sub(self.first_index())?).ok()?;
        self.log.entries.get(place).copied()
    }

    fn membership(&self) -> Option<Membership> {
        self.log.membership
    }

    fn membership_entry(&self) -> Option<(u64, T)> {
        self.made_by
    }

    fn snapshot_membership_entry(&self) -> Option<(u64, T)> {
        self.log.snapshot_made_by
    }

    fn durable(&self) -> Option<u64> {
        Some(self.durable)
    }

    fn applied(&self) -> Option<(u64, u64)> {
        Some((self.applied, self.digest))
    }

    fn log_version(&self) -> Option<u64> {
        Some(self.log.version)
    }
}
