//! Registers: the vocabulary of small key-value tests, and what registers do.
//!
//! A target that stores values under keys takes these requests and gives these answers, and every oracle
//! about orders of operations works for it. Keys are small numbers, values are numbers; a key that was never
//! written holds 0.
//!
//! | request | as JSON | answer | as JSON |
//! |---|---|---|---|
//! | read key 1 | `{"read":1}` | the value is 101 | `{"value":101}` |
//! | write 101 under key 1 | `{"write":[1,101]}` | it is done | `"done"` |
//! | if key 1 holds 0, write 101 under key 0 | `{"when":{"key":1,"is":0,"write":[0,101]}}` | whether it was written | `{"applied":true}` |

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Model;

/// What clients ask of registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum RegisterOp {
    /// What does this key hold?
    Read(u8),
    /// This key is to hold this value.
    Write(u8, u64),
    /// If a key holds a value, another one, or the same, is to hold another value.
    When {
        /// The key that is looked at.
        key: u8,
        /// The value that it has to hold.
        is: u64,
        /// What is written then: a key and its value.
        write: (u8, u64),
    },
}

impl RegisterOp {
    /// The key and the value that the request writes, or would write.
    pub fn written(&self) -> Option<(u8, u64)> {
        match *self {
            RegisterOp::Read(_) => None,
            RegisterOp::Write(key, value) => Some((key, value)),
            RegisterOp::When { write, .. } => Some(write),
        }
    }

    /// Does the request to registers that hold these values, and gives its answer.
    pub fn apply(&self, values: &mut RegisterValues) -> RegisterAnswer {
        match *self {
            RegisterOp::Read(key) => RegisterAnswer::Value(values.get(key)),
            RegisterOp::Write(key, value) => {
                values.set(key, value);
                RegisterAnswer::Done
            }
            RegisterOp::When { key, is, write } => {
                let holds = values.get(key) == is;
                if holds {
                    values.set(write.0, write.1);
                }
                RegisterAnswer::Applied(holds)
            }
        }
    }

    /// Whether this is an answer to such a request at all.
    pub fn fits(&self, answer: &RegisterAnswer) -> bool {
        matches!(
            (self, answer),
            (RegisterOp::Read(_), RegisterAnswer::Value(_))
                | (RegisterOp::Write(..), RegisterAnswer::Done)
                | (RegisterOp::When { .. }, RegisterAnswer::Applied(_))
        )
    }
}

impl fmt::Display for RegisterOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterOp::Read(key) => write!(f, "read k{key}"),
            RegisterOp::Write(key, value) => write!(f, "write k{key}={value}"),
            RegisterOp::When { key, is, write: (to, value) } => {
                write!(f, "when k{key}={is} write k{to}={value}")
            }
        }
    }
}

/// What registers answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegisterAnswer {
    /// To a read: the value.
    Value(u64),
    /// To a write.
    Done,
    /// To a conditional write: whether the condition held, so that it was written.
    Applied(bool),
}

impl fmt::Display for RegisterAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterAnswer::Value(value) => write!(f, "{value}"),
            RegisterAnswer::Done => f.write_str("done"),
            RegisterAnswer::Applied(true) => f.write_str("applied"),
            RegisterAnswer::Applied(false) => f.write_str("not applied"),
        }
    }
}

/// What every key holds. Keys that hold 0 are as good as absent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RegisterValues(Vec<(u8, u64)>);

impl RegisterValues {
    /// What this key holds.
    pub fn get(&self, key: u8) -> u64 {
        self.place(key).map_or(0, |at| self.0[at].1)
    }

    /// Lets this key hold this value.
    pub fn set(&mut self, key: u8, value: u64) {
        match (self.place(key), value) {
            (Ok(at), 0) => drop(self.0.remove(at)),
            (Ok(at), value) => self.0[at].1 = value,
            (Err(_), 0) => {}
            (Err(at), value) => self.0.insert(at, (key, value)),
        }
    }

    /// Every key that does not hold 0, in order, with its value.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u64)> + '_ {
        self.0.iter().copied()
    }

    fn place(&self, key: u8) -> Result<usize, usize> {
        self.0.binary_search_by_key(&key, |(key, _)| *key)
    }
}

impl FromIterator<(u8, u64)> for RegisterValues {
    /// Of several values of one key the last one counts.
    fn from_iter<I: IntoIterator<Item = (u8, u64)>>(pairs: I) -> RegisterValues {
        let mut values = RegisterValues::default();
        for (key, value) in pairs {
            values.set(key, value);
        }
        values
    }
}

impl fmt::Display for RegisterValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("all keys 0");
        }
        for (number, (key, value)) in self.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}k{key}={value}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for RegisterValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Registers as a [`Model`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers;

impl Model for Registers {
    type State = RegisterValues;
    type Op = RegisterOp;
    type Answer = RegisterAnswer;

    fn initial(&self) -> RegisterValues {
        RegisterValues::default()
    }

    fn step(
        &self,
        values: &RegisterValues,
        op: &RegisterOp,
        answer: Option<&RegisterAnswer>,
    ) -> Option<RegisterValues> {
        let mut after = values.clone();
        let given = op.apply(&mut after);
        answer.is_none_or(|answer| *answer == given).then_some(after)
    }

    fn only_looks(&self, op: &RegisterOp, answer: &RegisterAnswer) -> bool {
        matches!(op, RegisterOp::Read(_)) || *answer == RegisterAnswer::Applied(false)
    }

    fn keys(&self, op: &RegisterOp) -> Option<Vec<u64>> {
        Some(match *op {
            RegisterOp::Read(key) | RegisterOp::Write(key, _) => vec![key.into()],
            RegisterOp::When { key, write, .. } => vec![key.into(), write.0.into()],
        })
    }
}
