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
            property: format!("{PANIC}{}", panic.place),
            reason: format!("{node} panicked in {}: {}", panic.doing, panic.message),
        }
    }

    /// Whether a node panicked.
    pub fn is_panic(&self) -> bool {
        self.property.starts_with(PANIC)
    }

    /// Whether the two are the same violation, perhaps of another version of the code: of the same property,
    /// or a panic in the same file of the same package, either on the same line or with the same message.
    pub fn is_like(&self, other: &Violation) -> bool {
        if self.property == other.property {
            return true;
        }
        let (Some(mine), Some(others)) = (PanicPlace::of(self), PanicPlace::of(other)) else { return false };
        is_same_file(mine.file, others.file)
            && (mine.line == others.line || mine.message.is_some() && mine.message == others.message)
    }
}

/// The property of a node that is a process.
const NODES_KEEP_RUNNING: &str = "nodes-keep-running";
/// What begins the property of a panic.
const PANIC: &str = "panic at ";

/// Where a panic happened, and its message.
struct PanicPlace<'a> {
    file: &'a str,
    line: &'a str,
    message: Option<&'a str>,
}

impl PanicPlace<'_> {
    fn of(violation: &Violation) -> Option<PanicPlace<'_>> {
        let (place, _column) = violation.property.strip_prefix(PANIC)?.rsplit_once(':')?;
        let (file, line) = place.rsplit_once(':')?;
        // `n2 panicked in receive: …`
        let message = violation.reason.split_once(": ").map(|(_, message)| message);
        Some(PanicPlace { file, line, message })
    }
}

/// Whether one path is the end of the other: a package may be built in its own workspace, or as a part of a
/// larger one.
fn is_same_file(first: &str, second: &str) -> bool {
    let mut pairs = first.rsplit('/').zip(second.rsplit('/'));
    !first.is_empty() && !second.is_empty() && pairs.all(|(a, b)| a == b)
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
    /// Inconclusive, with the reason: a limit was reached, for example.
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
            Stop::Ended(node, reason) => Verdict::Fail(Violation {
                property: NODES_KEEP_RUNNING.to_owned(),
                reason: format!("{node} {reason}"),
            }),
            Stop::Broken(reason) => Verdict::Unknown(reason.clone()),
            Stop::Crowded => {
                let most = shakedown_cluster::IN_FLIGHT_MAX;
                Verdict::Unknown(format!("more than {most} messages were under way at once"))
            }
        }
    }

    /// The verdict on several executions or campaigns together: a failure outweighs what is unknown, and that
    /// outweighs a pass. Of two alike, the first stays.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        match (&self, &other) {
            (Verdict::Fail(_), _) | (_, Verdict::Pass) => self,
            (_, Verdict::Fail(_)) | (Verdict::Pass, _) => other,
            (Verdict::Unknown(_), Verdict::Unknown(_)) => self,
        }
    }

    /// The verdict in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail(_) => "fail",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Why there is neither a pass nor a failure, if that is so.
    pub fn unknown_reason(&self) -> Option<&str> {
        match self {
            Verdict::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    /// The verdict where the target's code panicked beside its nodes and oracles: nothing is known of the
    /// properties.
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
