//! What a replay shows of the violation that a failure file records.

use shakedown_campaign::{Verdict, Violation};
use shakedown_cluster::NodeId;

use crate::text::{Paint, Painted};

/// Whether a recorded violation is still there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reproduction {
    /// A property is violated in the run that is shown.
    #[default]
    Violated,
    /// Every property holds now.
    Holds,
    /// The run that is shown is inconclusive.
    Inconclusive,
    /// What was recorded is shown, whatever a replay comes to.
    Recorded,
    /// Nothing was recorded: an execution is shown that violates nothing, or, if there is a reason, is
    /// inconclusive. What stands for the property is its name.
    Execution,
}

impl Reproduction {
    /// What this verdict on a replay shows.
    pub fn of(verdict: &Verdict) -> Reproduction {
        match verdict {
            Verdict::Fail(_) => Reproduction::Violated,
            Verdict::Pass => Reproduction::Holds,
            Verdict::Unknown(_) => Reproduction::Inconclusive,
        }
    }

    /// The headline of a violation: its subject, and what follows it, which may be nothing.
    pub fn headline(self, violation: &Violation) -> (String, &'static str) {
        match (panicked(violation), self) {
            (_, Reproduction::Execution) if violation.reason.is_empty() => {
                (violation.property.clone(), "violates nothing")
            }
            (_, Reproduction::Execution) => (violation.property.clone(), "is inconclusive"),
            (Some(subject), Reproduction::Violated) => (subject, ""),
            (Some(subject), Reproduction::Holds) => (subject, "when recorded; does not panic now"),
            (Some(subject), Reproduction::Inconclusive) => (subject, "when recorded; inconclusive now"),
            (Some(subject), Reproduction::Recorded) => (subject, "when recorded"),
            (None, Reproduction::Violated) => (violation.property.clone(), "is violated"),
            (None, Reproduction::Holds) => {
                (violation.property.clone(), "was violated when recorded; holds now")
            }
            (None, Reproduction::Inconclusive) => {
                (violation.property.clone(), "was violated when recorded; inconclusive now")
            }
            (None, Reproduction::Recorded) => (violation.property.clone(), "was violated when recorded"),
        }
    }

    pub(crate) fn paint(self, headline: &str) -> Painted {
        match self {
            Reproduction::Violated | Reproduction::Recorded => Paint.bad(headline),
            Reproduction::Holds => Paint.good(headline),
            Reproduction::Execution => Paint.strong(headline),
            Reproduction::Inconclusive => Paint.warn(headline),
        }
    }
}

/// A panic is not a property that is violated: "n2 panicked at raft-0.7.0/src/raft.rs:943:18".
fn panicked(violation: &Violation) -> Option<String> {
    let place = violation.property.strip_prefix("panic at ")?;
    let who = violation.reason.split_once(" panicked").map_or("", |(who, _)| who);
    let is_known = who.parse::<NodeId>().is_ok() || who == "a thread of the target";
    let who = if is_known { who } else { "the target" };
    Some(format!("{who} panicked at {place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_has_a_subject_and_is_no_violated_property() {
        let headline = |property: &str, reason: &str, shown: Reproduction| {
            let violation = Violation { property: property.to_owned(), reason: reason.to_owned() };
            let (subject, words) = shown.headline(&violation);
            format!("{subject} {words}").trim_end().to_owned()
        };
        let panic = |reason, shown| headline("panic at src/raft.rs:943:18", reason, shown);
        let of_node = "n2 panicked in receive: no entry";
        assert_eq!(panic(of_node, Reproduction::Violated), "n2 panicked at src/raft.rs:943:18");
        let holds = "n2 panicked at src/raft.rs:943:18 when recorded; does not panic now";
        assert_eq!(panic(of_node, Reproduction::Holds), holds);
        let of_thread = panic("a thread of the target panicked: oh", Reproduction::Violated);
        assert_eq!(of_thread, "a thread of the target panicked at src/raft.rs:943:18");
        assert_eq!(panic("", Reproduction::Violated), "the target panicked at src/raft.rs:943:18");
        assert_eq!(headline("execution 7", "", Reproduction::Execution), "execution 7 violates nothing");
        assert_eq!(
            headline("execution 7", "no time", Reproduction::Execution),
            "execution 7 is inconclusive"
        );
        assert_eq!(headline("agreement", "", Reproduction::Violated), "agreement is violated");
        assert_eq!(headline("agreement", "", Reproduction::Recorded), "agreement was violated when recorded");
        let recorded = "n2 panicked at src/raft.rs:943:18 when recorded";
        assert_eq!(panic(of_node, Reproduction::Recorded), recorded);
    }
}
