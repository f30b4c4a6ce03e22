//! Transactions, and their numbers.

use std::fmt;

use serde::{Serialize, Serializer};
use shakedown_check::RegisterAnswer;
use shakedown_cluster::RequestId;

/// The number of a transaction, shown as `2:1`: the epoch of its leader, and its place in that epoch. 0:0 is
/// before the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Zxid {
    /// The epoch.
    pub epoch: u64,
    /// The place in it, from 1.
    pub counter: u64,
}

impl Zxid {
    /// Whether a transaction of this number follows one of the other at once, in a log to which an epoch adds
    /// at the end.
    pub fn follows(self, last: Zxid) -> bool {
        match self.epoch == last.epoch {
            true => self.counter == last.counter + 1,
            false => self.epoch > last.epoch && self.counter == 1,
        }
    }
}

impl fmt::Debug for Zxid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.epoch, self.counter)
    }
}

impl Serialize for Zxid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
    }
}

/// What a request changed at the leader, for everybody to change too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Transaction {
    /// Its number.
    pub zxid: Zxid,
    /// The request.
    pub request: RequestId,
    /// The key and its value; nothing if the condition of the request did not hold.
    pub write: Option<(u8, u64)>,
    /// What the client is answered.
    pub answer: RegisterAnswer,
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.write {
            Some((key, value)) => write!(f, "{:?} k{key}={value}", self.zxid),
            None => write!(f, "{:?} nothing", self.zxid),
        }
    }
}
