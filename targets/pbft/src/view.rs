//! What can be seen of a replica.

use std::fmt;

use serde::Serialize;
use shakedown_check::LogState;

use crate::Value;

/// A value that was prepared or decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Settled {
    /// The instance.
    pub instance: u64,
    /// The epoch.
    pub epoch: u64,
    /// The value.
    pub value: Value,
}

impl fmt::Debug for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?} in epoch {}", self.instance, self.value, self.epoch)
    }
}

/// A replica as it is seen from outside.
#[derive(Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct View {
    /// The epoch that it is in.
    pub epoch: u64,
    /// Whether it has heard of that epoch's leader, and takes part; else it waits for a Sync.
    pub is_active: bool,
    /// The highest epoch that it has sent a Stop for.
    pub asked: u64,
    /// How many instances it has executed, from the first on.
    pub executed: u64,
    /// How many commands it waits for.
    pub pending: usize,
    /// What it has prepared, each in the last epoch in which it did, by instance.
    pub prepared: Vec<Settled>,
    /// What it has decided, by instance. There may be gaps.
    pub decided: Vec<Settled>,
}

/// Entries are instances.
impl LogState for View {
    type Entry = Value;

    fn decided(&self) -> u64 {
        self.decided.last().map_or(0, |last| last.instance)
    }

    fn decided_entry(&self, number: u64) -> Option<Value> {
        let at = self.decided.binary_search_by_key(&number, |settled| settled.instance).ok()?;
        Some(self.decided[at].value)
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waits = if self.is_active { "" } else { " waits for its leader" };
        write!(f, "epoch {}{waits}", self.epoch)?;
        if self.asked > self.epoch {
            write!(f, " wants {}", self.asked)?;
        }
        if self.pending > 0 {
            write!(f, " pending {}", self.pending)?;
        }
        write!(f, " prepared {:?} decided {:?}", self.prepared, self.decided)
    }
}
