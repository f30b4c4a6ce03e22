//! Workloads with rules of their own: sets, counters, banks, long forks, queues and logs like Kafka's.
//!
//! Rules take time that grows with the length of the history and what reads return, up to a logarithm, and
//! report what no correct system could have answered. Where they do not decide a history, an order of its
//! operations is searched for; where that takes too long, what was found says so ([`Problems::undecided`]).

mod bank;
mod counter;
mod kafka;
mod long_fork;
mod order;
mod queue;
mod search;
mod set;
mod transfers;

use std::collections::BTreeMap;

use crate::{Operation, ReadError};

/// Something that is wrong with a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What kind it is: `lost`.
    pub kind: &'static str,
    /// In words.
    pub text: String,
    /// The lines of the operations that show it.
    pub lines: Vec<usize>,
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems {
    /// What is wrong; of each kind at most as many as were asked for.
    pub problems: Vec<Problem>,
    /// How many there are of each kind.
    pub counts: BTreeMap<&'static str, usize>,
    /// What was not decided, if nothing is wrong as far as it was.
    pub undecided: Option<String>,
    most: usize,
}

impl Problems {
    /// None yet; of each kind at most this many are kept.
    pub fn new(most: usize) -> Problems {
        Problems { most, ..Problems::default() }
    }

    /// Whether nothing is wrong.
    pub fn is_valid(&self) -> bool {
        self.counts.is_empty()
    }

    /// Something is not decided.
    fn leave_open(&mut self, what: String) {
        self.undecided = Some(what);
    }

    /// The kinds that were found.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.counts.keys().copied().collect()
    }

    pub(crate) fn add(&mut self, kind: &'static str, lines: &[usize], text: impl FnOnce() -> String) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= self.most {
            self.problems.push(Problem { kind, text: text(), lines: lines.to_vec() });
        }
    }
}

/// What a check of a workload takes into account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The most problems of one kind that are reported; the others are counted.
    pub most_of_a_kind: usize,
    /// Banks: what all balances add up to; nothing for what they add up to in most reads.
    pub total: Option<i64>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { most_of_a_kind: 8, total: None }
    }
}

/// A workload and the check of its histories.
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// What clients do.
    pub about: &'static str,
    /// Finds what is wrong with a history.
    pub check: fn(&[Operation], Rules) -> Result<Problems, ReadError>,
}

/// Every workload.
pub const WORKLOADS: [Workload; 6] = [
    Workload {
        name: "set",
        about: "add elements, and read all of them: nothing is lost, and nothing comes from nowhere",
        check: set::check,
    },
    Workload {
        name: "counter",
        about: "add to a counter, and read it: what is read is a sum of what was added",
        check: counter::check,
    },
    Workload {
        name: "bank",
        about: "transfer between accounts, and read all of them: the total stays, and no account is overdrawn",
        check: bank::check,
    },
    Workload {
        name: "long-fork",
        about: "write each key once, and read several: readers agree on the order of writes",
        check: long_fork::check,
    },
    Workload {
        name: "queue",
        about: "enqueue and dequeue in any order: nothing is lost, and nothing comes twice",
        check: queue::check,
    },
    Workload {
        name: "kafka",
        about: "send to logs, and poll them: nothing is lost, doubled, reordered or unseen",
        check: kafka::check,
    },
];

/// The workload of this name.
pub fn workload(name: &str) -> Option<&'static Workload> {
    WORKLOADS.iter().find(|workload| workload.name == name)
}

/// An error about an operation whose name the workload does not have.
fn unknown_f(operation: &Operation, known: &str) -> ReadError {
    operation.wrong(format!("the operation `{}` is unknown: {known}", operation.f))
}
