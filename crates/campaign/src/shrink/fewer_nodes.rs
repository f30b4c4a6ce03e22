//! A schedule for a cluster of one node fewer.

use shakedown_cluster::{MessageId, NodeId, Step};

/// The step in a cluster without this node, in which later nodes have moved up by one.
pub(super) fn without_node(step: &Step, gone: NodeId) -> Option<Step> {
    if step.nodes().any(|node| node == gone) {
        return None;
    }
    let moved = |node: NodeId| if node > gone { NodeId::new(node.number() - 1) } else { node };
    let id = |id: &MessageId| MessageId { from: moved(id.from), to: moved(id.to), number: id.number };
    Some(match step {
        Step::Deliver(m, kind) => Step::Deliver(id(m), *kind),
        Step::Drop(m, kind) => Step::Drop(id(m), *kind),
        Step::Duplicate(m, kind) => Step::Duplicate(id(m), *kind),
        Step::Tamper(m, kind, text) => Step::Tamper(id(m), *kind, text.clone()),
        Step::Inject(from, to, text) => Step::Inject(moved(*from), moved(*to), text.clone()),
        Step::Tick(node) => Step::Tick(moved(*node)),
        Step::Fire(node, timer) => Step::Fire(moved(*node), *timer),
        Step::Flush(node) => Step::Flush(moved(*node)),
        Step::Request(node, op) => Step::Request(moved(*node), op.clone()),
        Step::Retry(node, op) => Step::Retry(moved(*node), op.clone()),
        Step::Crash { node, keep } => Step::Crash { node: moved(*node), keep: *keep },
        Step::Restart(node) => Step::Restart(moved(*node)),
        Step::Cut(a, b) => Step::Cut(moved(*a), moved(*b)),
        Step::Heal(a, b) => Step::Heal(moved(*a), moved(*b)),
        Step::Round { phase, name, kernel } => {
            let kernel = kernel.iter().filter(|node| *node != gone).map(moved).collect();
            Step::Round { phase: *phase, name: *name, kernel }
        }
    })
}
