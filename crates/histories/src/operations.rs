//! Histories of single operations on an object: a register, a queue, a set, a bank.
//!
//! Which operations there are is the matter of what is checked; here they have a name, what was asked and
//! what was answered.

use crate::record::{Done, Item, ReadError, Sink};
use crate::{Outcome, edn, json};

/// An operation of a client.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// The client, as it was recorded; it does one thing at a time.
    pub process: i64,
    /// What it is called, such as `read`.
    pub f: String,
    /// What was asked.
    pub asked: Item,
    /// What the answer holds; nothing if there was none.
    pub answered: Item,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began: a position in the recorded history.
    pub began: u32,
    /// When it ended; nothing if that is not known.
    pub ended: Option<u32>,
    /// The clock when it began and when it ended, as far as it was recorded.
    pub times: (Option<i64>, Option<i64>),
    /// The line of its last record.
    pub line: usize,
}

impl Operation {
    /// What it was about: the answer of one that succeeded, if there is one; otherwise what was asked.
    pub fn value(&self) -> &Item {
        match self.outcome == Outcome::Ok && self.answered != Item::Nil {
            true => &self.answered,
            false => &self.asked,
        }
    }

    /// An error about this operation.
    pub fn wrong(&self, message: impl Into<String>) -> ReadError {
        ReadError { line: self.line, message: message.into() }
    }
}

/// Reads a history of operations in Jepsen's notation. They are in the order in which they began.
pub fn read_edn(text: &str) -> Result<Vec<Operation>, ReadError> {
    edn::read_into::<Operations>(text)
}

/// Reads a history of operations as JSON lines.
pub fn read_json(text: &str) -> Result<Vec<Operation>, ReadError> {
    json::read_into::<Operations>(text)
}

#[derive(Default)]
pub(crate) struct Operations(Vec<Operation>);

impl Sink for Operations {
    type History = Vec<Operation>;

    fn knows(&self, _f: &str) -> Result<(), String> {
        Ok(())
    }

    fn push(&mut self, done: Done) -> Result<(), String> {
        let Done { client, f, outcome, began, ended, times, asked, answered, line, .. } = done;
        let f = f.unwrap_or_else(|| "txn".to_owned());
        self.0.push(Operation { process: client, f, asked, answered, outcome, began, ended, times, line });
        Ok(())
    }

    fn finish(mut self) -> Vec<Operation> {
        self.0.sort_by_key(|operation| operation.began);
        self.0
    }
}
