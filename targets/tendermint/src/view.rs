//! What can be seen of a validator from outside.

use malachitebft_core_state_machine::state as library;
use serde::{Deserialize, Serialize};
use shakedown_check::LogState;

use crate::{DecidedValue, Value};

/// The state of one validator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize)]
pub struct View {
    /// The height that it works on.
    pub height: u64,
    /// The round.
    pub round: u32,
    /// How far it is in the round.
    pub step: Step,
    /// The value that it is locked on, and since which round.
    pub locked: Option<RoundValue>,
    /// The last value that it has seen a polka for, and in which round.
    pub valid: Option<RoundValue>,
    /// What it has decided, height by height, from height 1 on.
    pub decisions: Vec<Decision>,
}

/// How far a validator is in its round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are the library's own")]
pub enum Step {
    #[default]
    Unstarted,
    Propose,
    Prevote,
    Precommit,
    Commit,
}

/// A value and a round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct RoundValue {
    /// The value.
    pub value: Value,
    /// The round.
    pub round: u32,
}

/// What was decided at a height.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// The height.
    pub height: u64,
    /// The value.
    pub value: Value,
    /// The round whose precommits decided it.
    pub round: u32,
}

impl View {
    /// The first value decided at a height.
    pub fn decided_at(&self, height: u64) -> Option<Value> {
        self.decisions.iter().find(|decision| decision.height == height).map(|decision| decision.value)
    }
}

impl Step {
    /// The step in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Step::Unstarted => "unstarted",
            Step::Propose => "propose",
            Step::Prevote => "prevote",
            Step::Precommit => "precommit",
            Step::Commit => "commit",
        }
    }
}

impl From<library::Step> for Step {
    fn from(step: library::Step) -> Step {
        match step {
            library::Step::Unstarted => Step::Unstarted,
            library::Step::Propose => Step::Propose,
            library::Step::Prevote => Step::Prevote,
            library::Step::Precommit => Step::Precommit,
            library::Step::Commit => Step::Commit,
        }
    }
}

impl From<&library::RoundValue<Value>> for RoundValue {
    fn from(of: &library::RoundValue<Value>) -> RoundValue {
        RoundValue { value: of.value, round: crate::wire::number(of.round) }
    }
}

impl From<&DecidedValue> for Decision {
    fn from(decided: &DecidedValue) -> Decision {
        Decision { height: decided.height, value: decided.value, round: decided.round }
    }
}

/// Heights are the places of the log.
impl LogState for View {
    type Entry = Value;

    fn decided(&self) -> u64 {
        self.decisions.len() as u64
    }

    fn decided_entry(&self, number: u64) -> Option<Value> {
        self.decided_at(number)
    }
}
