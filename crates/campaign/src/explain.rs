//! Why a failure failed. Replay is exact and costs little, so everything here is tried out and nothing is
//! guessed.
//!
//! - The **slice**: the steps that the violation needs. Each of the others can be dropped or moved; that is
//!   replayed, one by one.
//! - The **chance** after each step that the violation still comes when the execution goes on at random from
//!   there.
//! - Which neighbours may be **swapped**, and the order of which matters.
//! - The **nearest passing execution**, which differs in one thing.
//!
//! Executions run side by side and are numbered; what is counted and drawn depends on the numbers only.
//! Limits are numbers of executions and steps: neither jobs nor the speed of the machine change a result.

mod chances;
mod crowd;
mod nearest;
mod past;
mod slice;
mod trial;

use std::time::Duration;

use shakedown_cluster::Recording;
use shakedown_explore::{Mix, Weights};
use shakedown_target::before_settling;

use self::chances::{Measure, counted};
use self::crowd::Crowd;
use self::nearest::{moved, nearest};
use self::past::past;
use self::slice::{Slice, ends, slice};
use self::trial::{End, Subject};
use crate::run::DETERMINISM;
use crate::workers::Crew;
use crate::{
    AnyTarget, CannotReplay, Chance, ExplainedStep, Explanation, Failure, Need, Progress, Swap, SwapResult,
    Verdict,
};

/// The fewest continuations from each step.
pub const CONTINUATIONS_MIN: u64 = 400;
/// The most continuations from each step.
pub const CONTINUATIONS_MAX: u64 = 100_000;
/// The longest schedule that is explained.
const STEPS_MAX: usize = 5_000;

/// Why a failure cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum CannotExplain {
    /// The target does not do the same thing twice.
    #[error("the target is not deterministic, and an explanation stands on exact replay")]
    NotDeterministic,
    /// It fails otherwise now, or not at all.
    #[error("the file does not fail as it says, so there is nothing to explain: {0}")]
    DoesNotFail(Verdict),
    /// There is no step.
    #[error("a node panics at boot, before any step: there is nothing to explain")]
    AtBoot,
    /// The schedule is too long.
    #[error("the schedule has {0} steps, and at most {STEPS_MAX} are explained: shrink it first")]
    TooLong(usize),
    /// It cannot be replayed.
    #[error(transparent)]
    Replay(#[from] CannotReplay),
}

/// How a failure is explained.
#[derive(Clone, Copy, Debug)]
pub struct ExplainOptions {
    /// How many continuations there are from each step.
    pub continuations: u64,
    /// How many executions run side by side. Never changes a result.
    pub jobs: usize,
    /// How long one call of a node may take; see [`Progress::stuck`].
    pub step_time: Duration,
}

/// Finds out why a failure failed.
pub fn explain(
    target: &dyn AnyTarget,
    failure: &Failure,
    options: ExplainOptions,
    progress: &dyn Progress,
) -> Result<Explanation, CannotExplain> {
    if !target.info().is_deterministic || failure.violation.property == DETERMINISM {
        return Err(CannotExplain::NotDeterministic);
    }
    let ExplainOptions { continuations, jobs, step_time } = options;
    Crew { jobs, step_time, deadline: None, stop: None, progress }.shift(|shift| {
        let about = failure.found.execution;
        let replayed = shift.alone(about, |beat| failure.replay_watched(target, Recording::Brief, beat))?;
        let violation = match replayed.verdict {
            Verdict::Fail(violation) if violation.is_like(&failure.violation) => violation,
            other => return Err(CannotExplain::DoesNotFail(other)),
        };
        let trace = replayed.outcome.ok_or(CannotExplain::AtBoot)?.trace;
        let steps = before_settling(trace.board.steps());
        if steps.len() > STEPS_MAX {
            return Err(CannotExplain::TooLong(steps.len()));
        }
        let subject =
            Subject { target, config: &failure.config, seed: failure.seed, violation: &violation, steps };
        let mut crowd = Crowd { subject, shift, about, executions: 1 };
        let weights = weights(target, failure);
        let count = continuations.clamp(CONTINUATIONS_MIN, CONTINUATIONS_MAX);
        let past = past(&trace.board, steps.len());
        Ok(explained(&mut crowd, &past, &weights, count))
    })
}

/// Where the execution had drawn a mix of its own, what is random in a continuation is drawn from the same.
fn weights(target: &dyn AnyTarget, failure: &Failure) -> Weights {
    match failure.found.mix.as_deref().map(str::parse::<Mix>) {
        Some(Ok(mix)) => mix.weights,
        _ => target.info().weights.clone(),
    }
}

fn explained(crowd: &mut Crowd<'_>, past: &[Option<bool>], weights: &Weights, count: u64) -> Explanation {
    let steps = crowd.subject.steps;
    let Slice { places, is_minimal } = slice(crowd);
    let swaps = swaps(crowd);
    let needs = needs(crowd, &places, &swaps);
    let nearest = nearest(crowd, &swaps);
    let measure = Measure::of(steps.len(), &places, count, crowd.subject.config.steps);
    let chances = measure.chances(crowd, weights);
    let certain = counted(count, 0, count);
    let chance_after = |done: usize| -> Option<Chance> {
        if done == steps.len() {
            return Some(certain);
        }
        measure.places.iter().position(|place| *place == done).map(|at| chances[at])
    };
    let explained = |(place, need): (usize, Need)| ExplainedStep {
        number: place + 1,
        step: steps[place].clone(),
        need,
        is_in_past: past[place],
        chance: chance_after(place + 1),
    };
    Explanation {
        violation: crowd.subject.violation.clone(),
        at_boot: chance_after(0).unwrap_or(certain),
        steps: needs.into_iter().enumerate().map(explained).collect(),
        continuation: measure.continuation,
        swaps,
        nearest,
        is_minimal,
        executions: crowd.executions,
    }
}

/// Tries every pair of neighbours in the other order.
fn swaps(crowd: &mut Crowd<'_>) -> Vec<Swap> {
    let len = crowd.subject.steps.len();
    crowd.all(len.saturating_sub(1), |subject, place, beat| {
        let result = if subject.steps[place] == subject.steps[place + 1] {
            SwapResult::Same
        } else {
            let trial = subject.attempt(moved(subject, place, place + 1), beat);
            match trial.end {
                // A violation may come before the last step, once what follows it is not needed.
                End::Same if trial.done.len() + 1 >= len => SwapResult::Stays,
                End::Passed if trial.done.len() == len => SwapResult::Passes,
                End::Other | End::Unknown => SwapResult::Other,
                End::Same | End::Passed => SwapResult::Impossible,
            }
        };
        Swap { first: place + 1, result }
    })
}

/// What each step has to do with the violation. Those outside the slice are tried out one by one.
fn needs(crowd: &mut Crowd<'_>, slice: &[usize], swaps: &[Swap]) -> Vec<Need> {
    let len = crowd.subject.steps.len();
    let mut needs = vec![Need::Needed; len];
    let free: Vec<usize> = (0..len).filter(|place| !slice.contains(place)).collect();
    let without = |crowd: &mut Crowd<'_>, gone: &[Vec<usize>]| -> Vec<bool> {
        crowd.all(gone.len(), |subject, number, beat| {
            let left = (0..len).filter(|place| !gone[number].contains(place));
            subject.attempt(subject.planned(left), beat).end == End::Same
        })
    };
    let alone: Vec<_> = free.iter().map(|place| vec![*place]).collect();
    let stays = |first: usize| swaps.get(first).is_some_and(|swap| swap.result == SwapResult::Stays);
    for (&place, is_free) in free.iter().zip(without(crowd, &alone)) {
        needs[place] = match () {
            () if is_free => Need::FreeAlone,
            () if stays(place) || place.checked_sub(1).is_some_and(stays) => Need::FreeToMove,
            () => Need::FreeTogether,
        };
    }
    // A crash may not be able to go without its restart, nor the other way round.
    let steps = crowd.subject.steps;
    let pairs: Vec<Vec<usize>> = free
        .iter()
        .filter(|place| needs[**place] == Need::FreeTogether)
        .filter_map(|&place| {
            let is_partner = |other: &&usize| match place < **other {
                true => ends(&steps[place], &steps[**other]),
                false => ends(&steps[**other], &steps[place]),
            };
            let partner = free.iter().filter(is_partner).min_by_key(|other| other.abs_diff(place))?;
            Some(vec![place, *partner])
        })
        .collect();
    for (pair, is_free) in pairs.iter().zip(without(crowd, &pairs)) {
        if is_free {
            needs[pair[0]] = Need::FreeWith(vec![pair[1] + 1]);
        }
    }
    needs
}
