//! What processes send each other.

use std::hash::{Hash, Hasher};

use shakedown_cluster::Message;

use crate::Log;

/// How many rounds a phase has.
pub const ROUNDS_PER_PHASE: u32 = 4;

/// A message. It belongs to one round of one phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mail {
    /// From the leader of a phase to all: join it.
    Prepare {
        /// The phase.
        phase: u32,
    },
    /// From who joined a phase to its leader.
    Ack {
        /// The phase.
        phase: u32,
        /// Dates the log.
        last: u32,
        /// The sender's log.
        log: Log,
    },
    /// From the leader of a phase to all: take this log over.
    Propose {
        /// The phase.
        phase: u32,
        /// The log.
        log: Log,
    },
    /// From who took the leader's log over to all.
    Promise {
        /// The phase.
        phase: u32,
        /// The log.
        log: Log,
    },
}

impl Mail {
    /// The phase that the message belongs to, counted from 1.
    pub fn phase(&self) -> u32 {
        match *self {
            Mail::Prepare { phase }
            | Mail::Ack { phase, .. }
            | Mail::Propose { phase, .. }
            | Mail::Promise { phase, .. } => phase,
        }
    }

    /// The round that the message belongs to, counted from 1 over all phases.
    pub fn round(&self) -> u32 {
        (self.phase() - 1) * ROUNDS_PER_PHASE + 1 + self.place()
    }

    /// The place of the message's round in its phase, counted from 0.
    pub(crate) fn place(&self) -> u32 {
        match self {
            Mail::Prepare { .. } => 0,
            Mail::Ack { .. } => 1,
            Mail::Propose { .. } => 2,
            Mail::Promise { .. } => 3,
        }
    }
}

impl Message for Mail {
    fn kind(&self) -> &'static str {
        match self {
            Mail::Prepare { .. } => "Prepare",
            Mail::Ack { .. } => "Ack",
            Mail::Propose { .. } => "Propose",
            Mail::Promise { .. } => "Promise",
        }
    }

    fn describe(&self) -> String {
        match self {
            Mail::Prepare { phase } => format!("phase {phase}"),
            Mail::Ack { phase, last, log } => format!("phase {phase} last {last} log {log:?}"),
            Mail::Propose { phase, log } | Mail::Promise { phase, log } => {
                format!("phase {phase} log {log:?}")
            }
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Mail::Prepare { .. } => hasher.write_u64(u64::from(self.round())),
            Mail::Ack { last, log, .. } => {
                hasher.write_u64(u64::from(self.round()) << 32 | u64::from(*last));
                log.hash(hasher);
            }
            Mail::Propose { log, .. } | Mail::Promise { log, .. } => {
                hasher.write_u64(u64::from(self.round()));
                log.hash(hasher);
            }
        }
    }
}
