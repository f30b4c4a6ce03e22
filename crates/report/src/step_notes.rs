//! What a step brought, told in words: what nodes said of themselves, answered, lost, or died of.

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

/// What became of writes that were not flushed when their node crashed.
pub(crate) fn writes(count: u32, what: &str) -> String {
    match count {
        1 => format!("1 unflushed write {what}"),
        _ => format!("{count} unflushed writes {what}"),
    }
}

/// What nodes told of themselves, answered, lost, or died of during a step.
pub(crate) fn step_notes(board: &Board, at: usize) -> Vec<String> {
    let step_notes = |(node, what): (NodeId, Happening<'_>)| match what {
        Happening::Internal(fact) => Some(format!("{node} {fact}")),
        Happening::Answered(id) => {
            let answer = board.requests().get(id.0 as usize)?.answer.as_deref()?;
            Some(format!("{node} answers request {}: {answer}", id.0 + 1))
        }
        Happening::Redirected(id) => Some(format!("{node} redirects request {}", id.0 + 1)),
        Happening::Crashed { lost: lost @ 1.. } => Some(writes(lost, "lost")),
        Happening::Panicked(panic) => Some(format!("{node} {panic}")),
        _ => None,
    };
    happenings(board, at).filter_map(step_notes).collect()
}
