//! What can be seen of a process: all its variables but its mailbox.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::Serialize;
use shakedown_cluster::NodeId;

use crate::{Log, ROUNDS_PER_PHASE};

/// How far a process has come in its phase: the variable `step` of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// It has not joined the phase.
    #[default]
    Apart,
    /// It has joined, and will acknowledge.
    Ack,
    /// It waits for the leader's log or, as the leader, has one to propose.
    Propose,
    /// It has taken the leader's log over.
    Promise,
}

/// A log that a process has output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Output {
    /// The phase in which it did.
    pub phase: u32,
    /// The log.
    pub log: Log,
}

/// A process as it is seen from outside.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct View {
    /// The round that it is in, counted from 1 over all phases; 0 before its first.
    pub round: u32,
    /// The phase that it joined last; 0 if none.
    pub phase: u32,
    /// Dates its log.
    pub last: u32,
    /// How far it has come in the phase of its round.
    pub step: Progress,
    /// The leader of the phase that it joined last.
    pub leader: Option<NodeId>,
    /// Its log.
    pub log: Log,
    /// What it output last.
    pub output: Option<Output>,
}

impl View {
    /// The phase that the process's round belongs to, whether it joined it or not; 0 before its first round.
    pub fn clock_phase(&self) -> u32 {
        self.round.div_ceil(ROUNDS_PER_PHASE)
    }
}

/// A view is hashed after every round, so its small fields share words.
impl Hash for View {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let leader = self.leader.map_or(0, NodeId::number) as u64;
        state.write_u64(u64::from(self.round) << 32 | leader << 8 | self.step as u64);
        state.write_u64(u64::from(self.phase) << 32 | u64::from(self.last));
        self.log.hash(state);
        if let Some(Output { phase, log }) = &self.output {
            state.write_u64(u64::from(*phase));
            log.hash(state);
        }
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {} phase {} last {} ", self.round, self.phase, self.last)?;
        write!(f, "{}", format!("{:?}", self.step).to_lowercase())?;
        if let Some(leader) = self.leader {
            write!(f, " leader {leader}")?;
        }
        write!(f, " log {:?}", self.log)?;
        if let Some(Output { phase, log }) = &self.output {
            write!(f, " output {log:?} in phase {phase}")?;
        }
        Ok(())
    }
}
