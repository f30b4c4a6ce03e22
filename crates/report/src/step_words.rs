//! Steps in words, for whoever does not know the language of schedules yet.

use shakedown_cluster::Step;

/// The step as a clause: "n2 receives Append from n1".
pub(crate) fn step_words(step: &Step) -> String {
    match step {
        Step::Deliver(id, kind) => format!("{} receives {kind} from {}", id.to, id.from),
        Step::Drop(id, kind) => format!("{kind} from {} to {} is lost", id.from, id.to),
        Step::Duplicate(id, kind) => {
            format!("the network makes a copy of {kind} from {} to {}", id.from, id.to)
        }
        Step::Tamper(id, kind, _) => {
            format!("{} lies: its {kind} to {} says something else now", id.from, id.to)
        }
        Step::Inject(from, to, _) => format!("{from} lies: it sends {to} what its protocol would not"),
        Step::Tick(node) => format!("the clock of {node} goes on by one"),
        Step::Fire(node, timer) => format!("the timer {timer} of {node} goes off"),
        Step::Flush(node) => format!("what {node} has written becomes durable"),
        Step::Request(node, _) => format!("a client asks {node}"),
        Step::Retry(node, _) => format!("a client that has no answer asks {node}"),
        Step::Crash { node, .. } => format!("{node} crashes"),
        Step::Restart(node) => format!("{node} boots again from its disk"),
        Step::Cut(a, b) => format!("the link between {a} and {b} breaks"),
        Step::Heal(a, b) => format!("the link between {a} and {b} works again"),
        Step::Round { phase: 0, name, kernel } => format!("the round {name} begins; not isolated: {kernel}"),
        Step::Round { phase, name, kernel } => {
            format!("the round {name} of phase {phase} begins; not isolated: {kernel}")
        }
    }
}
