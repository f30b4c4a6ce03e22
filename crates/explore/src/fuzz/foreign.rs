//! The execution of another strategy as an input.
//!
//! An input names no message and has its clocks tick together, so what it does is not the execution that it
//! is made of, but one much like it: the same faults, deliveries and requests in the same order, with a step
//! of the input for every round of ticks. It is material for mutants.

use shakedown_cluster::Step;

use super::generate::Shape;
use super::input::{Deed, Entry, Input};
use crate::Shared;

/// An input of this shape that does about what the execution did.
pub(super) fn foreign_input(shared: &Shared<'_>, shape: &Shape) -> Input {
    let a_round = (shape.nodes * shape.ticks).max(1);
    let last = shape.horizon - 1;
    let (mut at, mut ticks) = (0, 0);
    let mut entries: Vec<Entry> = Vec::with_capacity(shared.steps.len());
    // Within a step of an input deeds come in an order of their own: one that would come too early begins the
    // next.
    let mut rank = 0;
    for step in shared.steps {
        if let Step::Tick(_) = step {
            ticks += 1;
            if ticks == a_round {
                (at, ticks, rank) = (at + 1, 0, 0);
            }
            continue;
        }
        let Some(deed) = deed_of(step, shape) else { continue };
        if deed.rank() < rank {
            at += 1;
        }
        if at > last {
            break;
        }
        rank = deed.rank();
        entries.push(Entry { step: at as u16, deed });
    }
    Input::played(shared.world, at.min(last) as u16, entries)
}

/// The deed that a step is; nothing if it is none.
fn deed_of(step: &Step, shape: &Shape) -> Option<Deed> {
    let number = |node: shakedown_cluster::NodeId| node.index() as u8;
    let buffer = |id: &shakedown_cluster::MessageId| shape.buffer(id.from.index(), id.to.index());
    Some(match step {
        Step::Deliver(id, _) => Deed::Deliver(buffer(id), 1),
        Step::Drop(id, _) => Deed::Drop(buffer(id)),
        Step::Duplicate(id, _) => Deed::Duplicate(buffer(id)),
        Step::Fire(node, _) => Deed::Fire(number(*node)),
        Step::Flush(node) => Deed::Flush(number(*node)),
        Step::Request(node, _) => Deed::Request(number(*node)),
        Step::Crash { node, keep } => {
            Deed::Crash { node: number(*node), keep: if *keep > 0 { u8::MAX } else { 0 } }
        }
        Step::Restart(node) => Deed::Restart(number(*node)),
        Step::Cut(a, b) => Deed::Cut(number(*a), number(*b)),
        Step::Heal(a, b) => Deed::Heal(number(*a), number(*b)),
        Step::Tick(_) | Step::Tamper(..) | Step::Inject(..) | Step::Round { .. } | Step::Retry(..) => {
            return None;
        }
    })
}
