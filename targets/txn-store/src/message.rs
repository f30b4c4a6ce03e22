//! What clients ask, and what nodes and the store send each other.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Message, NodeId, RequestId};

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Append an element to a list.
    Append,
    /// Read a list.
    R,
}

/// An operation: what it does, the key, and the element that it appends.
pub type Op = (Action, u64, Option<u64>);

/// A transaction: `[["append", 1, 5], ["r", 2, null]]`.
pub type Request = Vec<Op>;

/// What an operation returned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Returned {
    /// A read: the list.
    List(Vec<u64>),
    /// An append: the element.
    Element(u64),
}

/// What a transaction returned: nothing if it was aborted.
pub type Answer = Option<Vec<(Action, u64, Returned)>>;

/// A transaction: the node that runs it, and the request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TxnId {
    /// The node that runs it.
    pub node: NodeId,
    /// The client's request.
    pub request: RequestId,
}

/// A message to the store or from it. `op` counts the operations of a transaction, so that a copy of an
/// earlier message is recognised. `Announce` begins a transaction that says what it will append.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the fields are what their names say")]
pub enum Wire {
    Begin { txn: TxnId },
    Begun { txn: TxnId, at: u64 },
    Read { txn: TxnId, op: usize, key: u64, at: u64 },
    List { txn: TxnId, op: usize, list: Vec<u64> },
    Append { txn: TxnId, op: usize, key: u64, element: u64 },
    Appended { txn: TxnId, op: usize },
    Commit { txn: TxnId, at: u64, reads: Vec<u64>, writes: Vec<(u64, u64)> },
    Ended { txn: TxnId, is_committed: bool },
    Announce { txn: TxnId, writes: Vec<(u64, u64)> },
}

impl Message for Wire {
    fn kind(&self) -> &'static str {
        match self {
            Wire::Begin { .. } => "Begin",
            Wire::Begun { .. } => "Begun",
            Wire::Read { .. } => "Read",
            Wire::List { .. } => "List",
            Wire::Append { .. } => "Append",
            Wire::Appended { .. } => "Appended",
            Wire::Commit { .. } => "Commit",
            Wire::Ended { .. } => "Ended",
            Wire::Announce { .. } => "Announce",
        }
    }

    fn describe(&self) -> String {
        let of = |txn: &TxnId| format!("T{}", txn.request.0);
        match self {
            Wire::Begin { txn } | Wire::Appended { txn, .. } => of(txn),
            Wire::Begun { txn, at } => format!("{} at {at}", of(txn)),
            Wire::Read { txn, key, at, .. } => format!("{} key {key} at {at}", of(txn)),
            Wire::List { txn, list, .. } => format!("{} {list:?}", of(txn)),
            Wire::Append { txn, key, element, .. } => format!("{} key {key} element {element}", of(txn)),
            Wire::Commit { txn, at, reads, writes } => {
                format!("{} begun at {at}, read {reads:?}, writes {writes:?}", of(txn))
            }
            Wire::Announce { txn, writes } => format!("{} will write {writes:?}", of(txn)),
            Wire::Ended { txn, is_committed: true } => format!("{} committed", of(txn)),
            Wire::Ended { txn, is_committed: false } => format!("{} aborted", of(txn)),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }
}
