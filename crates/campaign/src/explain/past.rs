//! Which steps happened before the violation, in Lamport's sense: by activations of one node, one after
//! another, and by messages.

use shakedown_cluster::Board;

/// Of every step, whether it happened before the end of the last one. Nothing of steps at which no node ran;
/// and nothing of all of them where none ran at the last, because what was violated is then a matter of the
/// whole.
pub(super) fn past(board: &Board, steps: usize) -> Vec<Option<bool>> {
    let moments = board.moments();
    let is_last = |step: u32| step as usize == steps;
    let mut is_before: Vec<bool> = moments.iter().map(|moment| is_last(moment.step)).collect();
    if !is_before.contains(&true) {
        return vec![None; steps];
    }
    let mut earlier = vec![None; moments.len()];
    let mut last = vec![None; board.size()];
    for (place, moment) in moments.iter().enumerate() {
        earlier[place] = last[moment.node.index()].replace(place);
    }
    // What is before a moment has a smaller number.
    for place in (0..moments.len()).rev() {
        if !is_before[place] {
            continue;
        }
        let sent = moments[place].received.map(|index| board.message(index).sent_at as usize);
        for before in [earlier[place], sent].into_iter().flatten() {
            is_before[before] = true;
        }
    }
    let mut past = vec![None; steps];
    for (moment, is_before) in moments.iter().zip(is_before) {
        // Step 0 is the boot.
        if let Some(known) = (moment.step as usize).checked_sub(1).and_then(|at| past.get_mut(at)) {
            *known = Some(known.unwrap_or(false) || is_before);
        }
    }
    past
}
