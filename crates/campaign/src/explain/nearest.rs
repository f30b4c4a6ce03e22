//! The nearest execution that passes: the same schedule with one change.
//!
//! The smaller the change, the more it shows. The same steps in another order come first, neighbours before
//! those that are further apart; then a message that is lost; then a step that is left out. Of changes alike,
//! the latest one is taken, for it has most of the failing execution before it.

use shakedown_cluster::Step;

use super::crowd::Crowd;
use super::trial::{End, Planned, Subject, Trial};
use crate::{Change, Nearest, Swap, SwapResult};

/// The most delays that are tried, those by the fewest places first.
const DELAYS_MAX: usize = 2_000;

/// Looks for an execution that passes.
pub(super) fn nearest(crowd: &mut Crowd<'_>, swaps: &[Swap]) -> Option<Nearest> {
    let len = crowd.subject.steps.len();
    let is_whole = |trial: &Trial| trial.end == End::Passed && trial.done.len() == len;
    let swapped = swaps.iter().rev().find(|swap| swap.result == SwapResult::Passes);
    if let Some(swap) = swapped {
        let place = swap.first - 1;
        let trial = crowd.first(1, |subject, _| Some(moved(subject, place, place + 1)), is_whole);
        return trial.map(|(_, trial)| made(Change::Swapped(swap.first), trial));
    }
    let delays: Vec<_> = (2..len)
        .flat_map(|by| (0..len - by).rev().map(move |place| (place, place + by)))
        .take(DELAYS_MAX)
        .collect();
    let plan = |subject: &Subject<'_>, number: usize| {
        let (place, after): (usize, usize) = delays[number];
        Some(moved(subject, place, after))
    };
    if let Some((number, trial)) = crowd.first(delays.len(), plan, is_whole) {
        let (place, after) = delays[number];
        return Some(made(Change::Delayed { step: place + 1, after: after + 1 }, trial));
    }
    // The loss of the last message, or the last step left out, would say only that it is the last.
    let places: Vec<usize> = (0..len.saturating_sub(1)).rev().collect();
    let plan = |subject: &Subject<'_>, number: usize| lost(subject, places[number]);
    if let Some((number, trial)) = crowd.first(places.len(), plan, is_whole) {
        return Some(made(Change::Lost(places[number] + 1), trial));
    }
    left_out(crowd, &places).or_else(|| left_out(crowd, &(0..len).rev().take(1).collect::<Vec<_>>()))
}

fn made(change: Change, trial: Trial) -> Nearest {
    let steps = trial.trace.map(|trace| trace.schedule().steps).unwrap_or_default();
    Nearest { change, steps }
}

/// The schedule with one step after a later one.
pub(super) fn moved(subject: &Subject<'_>, place: usize, after: usize) -> Vec<Planned> {
    let len = subject.steps.len();
    subject.planned((0..place).chain(place + 1..=after).chain([place]).chain(after + 1..len))
}

/// The schedule with a message lost.
fn lost(subject: &Subject<'_>, place: usize) -> Option<Vec<Planned>> {
    let Step::Deliver(id, kind) = subject.steps[place] else { return None };
    let mut planned = subject.planned(0..subject.steps.len());
    planned[place].1 = Step::Drop(id, kind);
    Some(planned)
}

/// The schedule without one of these steps: the one without which the fewest others cannot be done.
fn left_out(crowd: &mut Crowd<'_>, places: &[usize]) -> Option<Nearest> {
    let len = crowd.subject.steps.len();
    let trials = crowd.all(places.len(), |subject, number, beat| {
        let gone = places[number];
        let trial = subject.attempt(subject.planned((0..len).filter(|place| *place != gone)), beat);
        (trial.end == End::Passed).then_some((gone, trial))
    });
    let (gone, trial) = trials.into_iter().flatten().min_by_key(|(_, trial)| len - trial.done.len())?;
    let others = (0..len)
        .filter(|place| *place != gone && !trial.done.contains(place))
        .map(|place| place + 1)
        .collect();
    Some(made(Change::Dropped { step: gone + 1, others }, trial))
}
