//! Sequential consistency of the final state (Drăgoi and others 2020, section 7.3): in the end all nodes are
//! in the same state, and some order of the requests leads to it in which every client's requests come in the
//! order in which it sent them.
//!
//! A client waits for its answer before it asks again, so requests to one node of which the first was
//! answered before the second was sent keep their order; others are of different clients. A request that was
//! not answered is tried both ways: as if it had taken effect, at its place among the requests of its client,
//! and as if it had not. The two ways to go wrong are kept apart: nodes that differ (a divergence), and a
//! state, the same everywhere, that no order explains.

use shakedown_cluster::NodeId;

use crate::order::{Item, OPERATIONS_MAX, search};
use crate::{Asked, LimitHit, Model, Obstacle, SearchLimits};

/// What is to be said of requests and the states that the nodes were left in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SequentialConsistency {
    /// This order explains them: places in the list of requests. What is left out has no answer and never
    /// took effect.
    Consistent(Vec<usize>),
    /// The final states of these two nodes differ.
    Divergence(NodeId, NodeId),
    /// The nodes are in the same state, but no order explains it and the answers.
    NoOrder(Obstacle),
    /// Inconclusive within the limits.
    Unknown(LimitHit),
}

/// Whether all final states are equal, and allowed by some order of the requests in which those of each node
/// that were answered before another was sent come before it. Exact, for at most 64 requests. Without final
/// states only the answers have to be explained.
pub fn check<M: Model>(
    model: &M,
    requests: &[Asked<M>],
    final_states: &[(NodeId, M::State)],
    limits: SearchLimits,
) -> SequentialConsistency {
    if let [(first, state), rest @ ..] = final_states
        && let Some((other, _)) = rest.iter().find(|(_, other)| other != state)
    {
        return SequentialConsistency::Divergence(*first, *other);
    }
    if requests.len() > OPERATIONS_MAX {
        return SequentialConsistency::Unknown(LimitHit::Operations(OPERATIONS_MAX));
    }
    let is_before = |(node, first): &Asked<M>, (other, second): &Asked<M>| {
        node == other && first.answered.as_ref().is_some_and(|(answered, _)| *answered < second.called)
    };
    let before = |asked: &Asked<M>| {
        let earlier = (0..).zip(requests).filter(|(_, other)| is_before(other, asked));
        earlier.fold(0u64, |bits, (number, _): (u32, _)| bits | 1 << number)
    };
    let item = |asked| {
        let (_, request): &Asked<M> = asked;
        Item { op: &request.op, answer: request.answer(), before: before(asked) }
    };
    let items: Vec<Item<'_, M>> = requests.iter().map(item).collect();
    let is_final = |state: &M::State| final_states.first().is_none_or(|(_, seen)| seen == state);
    match search(model, &items, is_final, limits) {
        Ok(Ok(order)) => SequentialConsistency::Consistent(order),
        Ok(Err(obstacle)) => SequentialConsistency::NoOrder(obstacle),
        Err(limit) => SequentialConsistency::Unknown(limit),
    }
}
