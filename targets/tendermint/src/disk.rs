//! What survives a crash of a validator: what it has decided, and the write-ahead log of the height that it
//! works on.

use std::sync::Arc;

use malachitebft_core_consensus::{ProposedValue, WalEntry};

use crate::DecidedValue;
use crate::context::Tendermint;

/// An entry of the write-ahead log: a vote, a proposal, a value or a time-out, as the library gave it.
#[derive(Clone, Debug)]
pub struct LogEntry(pub(crate) WalEntry<Tendermint>);

/// A value that the application was sent, with its height, round and proposer.
#[derive(Clone, Debug)]
pub struct ReceivedValue(pub(crate) ProposedValue<Tendermint>);

/// The durable state of one validator.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// What was decided, height by height, from height 1 on; shared with the running node.
    pub decided: Arc<Vec<DecidedValue>>,
    /// What happened at the present height, in order.
    pub log: Vec<LogEntry>,
    /// What the application was sent for the present height and those above, as it keeps it.
    pub values: Vec<ReceivedValue>,
}

/// One write.
#[derive(Clone, Debug)]
pub enum Write {
    /// The log goes on with this entry.
    Append(LogEntry),
    /// A height is decided.
    Decide(DecidedValue),
    /// The application keeps a value.
    Keep(ReceivedValue),
    /// This height begins, with an empty log.
    BeginHeight(u64),
}

impl shakedown_cluster::Disk for Disk {
    type Write = Write;

    fn apply(&mut self, write: Write) {
        match write {
            Write::Append(entry) => self.log.push(entry),
            Write::Decide(decided) => put(&mut self.decided, decided),
            Write::Keep(value) => self.values.push(value),
            Write::BeginHeight(height) => {
                self.log.clear();
                self.values.retain(|ReceivedValue(value)| value.height.0 >= height);
            }
        }
    }
}

/// Enters a decision at its height; one that contradicts an earlier one takes its place, so that it is seen.
pub(crate) fn put(decisions: &mut Arc<Vec<DecidedValue>>, decided: DecidedValue) {
    let decisions = Arc::make_mut(decisions);
    match decisions.iter_mut().find(|known| known.height == decided.height) {
        Some(known) => *known = decided,
        None => decisions.push(decided),
    }
}
