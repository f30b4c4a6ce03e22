//! Phases in which a request took effect on a majority of the nodes: what the paper on communication closure
//! calls a phase with a quorum. The kernels of rounds say who could have heard of a request; this says who
//! did.

use shakedown_cluster::{Board, Happening, Name, NodeSet, Step};

/// In how many phases a majority of the nodes received a message of this kind, or reported a fact of this
/// name.
pub(crate) fn phases_with_effect(board: &Board, name: Name) -> u64 {
    let mut marks = (1u32..).zip(board.steps()).filter_map(|(step, done)| match done {
        Step::Round { phase, .. } => Some((step, *phase)),
        _ => None,
    });
    let mut next = marks.next();
    let (mut phase, mut shown, mut count) = (0, NodeSet::EMPTY, 0);
    for event in board.events() {
        let moment = board.moments()[event.moment as usize];
        while let Some((_, begun)) = next.filter(|(step, _)| *step <= moment.step) {
            if begun != phase {
                count += effect(phase, shown, board.size());
                (phase, shown) = (begun, NodeSet::EMPTY);
            }
            next = marks.next();
        }
        let is_shown = match event.what {
            Happening::Received(message) => board.message(message).kind == name,
            Happening::Internal(fact) => fact.name == name,
            _ => false,
        };
        if is_shown {
            shown.insert(moment.node);
        }
    }
    count + effect(phase, shown, board.size())
}

/// Whether a phase counts; those of the warm-up and of the recovery have no number.
fn effect(phase: u32, shown: NodeSet, nodes: usize) -> u64 {
    u64::from(phase > 0 && shown.is_majority_of(nodes))
}
