//! Verdicts: pass, fail or unknown, with a reason.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakedown_cluster::{BootPanic, Caught, NodeId, Panic, Stop};

/// A property that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{property}: {reason}")]
pub struct Violation {
    /// The property.
    pub property: String,
    /// What was seen.
    pub reason: String,
}

impl Violation {
    /// A node's panic. The place is part of the property, so that different panics are different findings.
    pub fn panic(node: NodeId, panic: &Panic) -> Violation {
        Violation {
            property: format!("panic at {}", panic.place),
            reason: format!("{node} panicked in {}: {}", panic.doing, panic.message),
        }
    }
}

impl From<&BootPanic> for Violation {
    fn from(boot: &BootPanic) -> Violation {
        Violation::panic(boot.node, &boot.panic)
    }
}

/// What is to be said of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every property held.
    Pass,
    /// A property did not hold.
    Fail(Violation),
    /// It could not be told: a limit was reached.
    Unknown(String),
}

impl Verdict {
    /// The verdict on a cluster that stopped by itself.
    pub fn of_stop(stop: &Stop) -> Verdict {
        match stop {
            Stop::Panicked(node, panic) => Verdict::Fail(Violation::panic(*node, panic)),
            Stop::Flooded(node) => {
                let most = shakedown_cluster::SENDS_MAX;
                Verdict::Unknown(format!("{node} sent more than {most} messages in one step"))
            }
            Stop::Crowded => {
                let most = shakedown_cluster::IN_FLIGHT_MAX;
                Verdict::Unknown(format!("more than {most} messages were under way at once"))
            }
        }
    }

    /// The verdict where the target's code panicked beside its nodes and oracles: nothing is known of the properties.
    pub(crate) fn of_panic(caught: Caught) -> Verdict {
        let Caught { message, place } = caught;
        Verdict::Unknown(format!("a panic outside of nodes and oracles: {message} ({place})"))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Pass => f.write_str("pass"),
            Verdict::Fail(violation) => write!(f, "fail: {violation}"),
            Verdict::Unknown(reason) => write!(f, "unknown: {reason}"),
        }
    }
}
