//! What a step brought, told in words: what nodes said of themselves, answered, or died of.

use shakedown_cluster::{Board, Happening, NodeId};

/// What was seen during a step, by its place in the schedule.
pub(crate) fn happenings(board: &Board, at: usize) -> impl Iterator<Item = (NodeId, Happening<'_>)> {
    let step = at as u32 + 1;
    // Moments are in the order of steps.
    let from = board.moments().partition_point(|moment| moment.step < step);
    board
        .events_from(from as u32)
        .map(move |event| (board.moments()[event.moment as usize], event.what))
        .take_while(move |(moment, _)| moment.step == step)
        .map(|(moment, what)| (moment.node, what))
}

/// What nodes told of themselves, answered, or died of during a step.
pub(crate) fn told(board: &Board, at: usize) -> Vec<String> {
    let told = |(node, what): (NodeId, Happening<'_>)| match what {
        Happening::Internal(fact) => Some(format!("{node} {fact}")),
        Happening::Answered(id) => {
            let answer = board.requests().get(id.0 as usize)?.answer.as_deref()?;
            Some(format!("{node} answers request {}: {answer}", id.0 + 1))
        }
        Happening::Panicked(panic) => Some(format!("{node} {panic}")),
        _ => None,
    };
    happenings(board, at).filter_map(told).collect()
}
