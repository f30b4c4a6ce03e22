//! What survives a crash, and what one server hands another of it.

use std::fmt;
use std::sync::Arc;

use shakedown_check::RegisterValues;

use crate::{Transaction, Zxid};

/// The state after a transaction.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Snapshot {
    /// The transaction.
    pub zxid: Zxid,
    /// What every key holds after it.
    pub values: Arc<RegisterValues>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.zxid, self.values)
    }
}

/// What survives a crash.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Durable {
    /// The last epoch that was accepted: no lower one is.
    pub accepted: u64,
    /// The epoch of the last leader whose history was taken over.
    pub current: u64,
    /// The snapshot.
    pub snapshot: Snapshot,
    /// Transactions that were logged, those after the snapshot.
    pub log: Arc<Vec<Transaction>>,
}

/// What a leader sends a follower, so that it has the leader's history.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum History {
    /// What follows a transaction that the follower has; whatever else it has after that one goes.
    Log {
        /// The transaction that both have.
        after: Zxid,
        /// What follows it.
        rest: Vec<Transaction>,
    },
    /// A snapshot, and what follows it.
    Snapshot {
        /// The snapshot.
        snapshot: Snapshot,
        /// What follows it.
        rest: Vec<Transaction>,
    },
}

impl History {
    /// What follows the transaction or the snapshot.
    pub fn rest(&self) -> &[Transaction] {
        match self {
            History::Log { rest, .. } | History::Snapshot { rest, .. } => rest,
        }
    }
}

impl Durable {
    /// The last transaction.
    pub fn last(&self) -> Zxid {
        self.log.last().map_or(self.snapshot.zxid, |transaction| transaction.zxid)
    }

    /// The state after this transaction.
    pub fn values_at(&self, zxid: Zxid) -> RegisterValues {
        let mut values = RegisterValues::clone(&self.snapshot.values);
        self.log.iter().filter(|known| known.zxid <= zxid).for_each(|known| perform(known, &mut values));
        values
    }

    /// Logs a transaction.
    pub fn append(&mut self, transaction: Transaction) {
        Arc::make_mut(&mut self.log).push(transaction);
    }

    /// Takes a snapshot of the state after a transaction. What was logged until then is not needed any more.
    pub fn take_snapshot(&mut self, zxid: Zxid, values: &RegisterValues) {
        self.snapshot = Snapshot { zxid, values: values.clone().into() };
        Arc::make_mut(&mut self.log).retain(|known| known.zxid > zxid);
    }

    /// What a follower lacks whose last transaction is this one. If it is in the log, what follows. If it is
    /// not, but could be, the follower has too much: what follows the last one before it. Else there is
    /// nothing to compare with.
    pub fn history_after(&self, last: Zxid) -> History {
        if last == self.snapshot.zxid {
            return History::Log { after: last, rest: self.log.to_vec() };
        }
        match self.log.iter().rposition(|transaction| transaction.zxid <= last) {
            Some(place) => History::Log { after: self.log[place].zxid, rest: self.log[place + 1..].to_vec() },
            None => self.whole(),
        }
    }

    /// The whole history, for who has nothing of it.
    pub fn whole(&self) -> History {
        History::Snapshot { snapshot: self.snapshot.clone(), rest: self.log.to_vec() }
    }

    /// Whether the history that is sent begins with something that is here.
    pub fn can_take(&self, history: &History) -> bool {
        match history {
            History::Snapshot { .. } => true,
            History::Log { after, .. } => {
                *after == self.snapshot.zxid || self.log.iter().any(|known| known.zxid == *after)
            }
        }
    }

    /// Takes over the history of a leader. With a snapshot the log that is here has nothing to do any more,
    /// unless it is not truncated: then what is after the snapshot stays, and is read back at the next start.
    pub fn take(&mut self, history: &History, truncate: bool) {
        let log = Arc::make_mut(&mut self.log);
        match history {
            History::Log { after, .. } => log.retain(|known| known.zxid <= *after),
            History::Snapshot { .. } if truncate => log.clear(),
            History::Snapshot { snapshot, .. } => log.retain(|known| known.zxid > snapshot.zxid),
        }
        if let History::Snapshot { snapshot, .. } = history {
            self.snapshot = snapshot.clone();
        }
        log.extend(history.rest());
    }
}

/// Changes what the transaction changes.
pub(crate) fn perform(transaction: &Transaction, values: &mut RegisterValues) {
    if let Some((key, value)) = transaction.write {
        values.set(key, value);
    }
}
