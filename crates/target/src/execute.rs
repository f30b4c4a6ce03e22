//! One execution: a strategy chooses, the cluster does, the oracles look. And the same again from a schedule.

use std::sync::atomic::{AtomicU64, Ordering};

use shakedown_check::{LookedFor, SpecStep};
use shakedown_cluster::{Board, Divergence, Recording, Schedule, Trace, catch_panic};
use shakedown_explore::{Sight, Strategy};

use crate::guides::MODEL;
use crate::{AnyTarget, CannotBegin, Config, Live, Verdict};

/// How many steps in a row a strategy may choose that the cluster refuses, before the execution is given up.
const REFUSALS_MAX: usize = 1_000;

/// What came of an execution.
pub struct Outcome {
    /// What is to be said of it.
    pub verdict: Verdict,
    /// What each guide saw, if there were any.
    pub covered: Vec<Vec<u64>>,
    /// What each guide looked out for.
    pub looked_for: Vec<LookedFor>,
    /// What a specification says of boot and of every step that was done again, if one of the guides follows any. Only
    /// replays ask for it.
    pub told: Vec<SpecStep>,
    /// What happened.
    pub trace: Trace,
}

impl Outcome {
    /// The end of this execution.
    fn of(verdict: Verdict, mut live: Box<dyn Live>) -> Outcome {
        let (looked_for, covered) = (live.looked_for(), live.covered());
        Outcome { verdict, covered, looked_for, told: Vec::new(), trace: live.finish() }
    }
}

/// Counts steps for whoever watches over an execution from another thread.
#[derive(Default)]
pub struct Beat(AtomicU64);

impl Beat {
    /// Counts a step. Only the thread of the execution does.
    pub fn step(&self) {
        // One thread counts, others only look.
        self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// How many steps there were.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs an execution to its end: a violation, a stop, the strategy's own end, or the limit of steps.
pub fn execute(
    mut live: Box<dyn Live>,
    strategy: &mut dyn Strategy,
    steps_max: usize,
    beat: &Beat,
) -> Outcome {
    let patience = Patience { steps: steps_max, refusals: REFUSALS_MAX };
    let verdict = live.drive(patience, beat, strategy);
    Outcome::of(verdict, live)
}

/// Does the steps of a schedule again, exactly; the first that cannot be done is a divergence.
pub fn replay(
    target: &dyn AnyTarget,
    config: &Config,
    seed: u64,
    schedule: &Schedule,
    recording: Recording,
    beat: &Beat,
) -> Result<Outcome, CannotReplay> {
    follow(target.begin(config, seed, recording)?, schedule, beat)
}

/// The same, and what a specification says of every step ([`Outcome::told`]), if the target is mapped onto one: it has a guide
/// [`MODEL`], also in this configuration.
pub fn replay_with_model(
    target: &dyn AnyTarget,
    config: &Config,
    seed: u64,
    schedule: &Schedule,
    recording: Recording,
    beat: &Beat,
) -> Result<Outcome, CannotReplay> {
    if !target.info().guides.iter().any(|guide| guide.name == MODEL) {
        return replay(target, config, seed, schedule, recording, beat);
    }
    match target.begin_guided(config, seed, recording, &[MODEL.to_owned()]) {
        Err(CannotBegin::Guide { .. }) => replay(target, config, seed, schedule, recording, beat),
        begun => follow(begun?, schedule, beat),
    }
}

/// Does the steps of a schedule in an execution that has just begun.
pub fn follow(mut live: Box<dyn Live>, schedule: &Schedule, beat: &Beat) -> Result<Outcome, CannotReplay> {
    let mut told = Vec::new();
    let verdict = catch_panic(|| again(live.as_mut(), schedule, beat, |live| told.extend(live.told())));
    let verdict = verdict.unwrap_or_else(|caught| Ok(Verdict::of_panic(caught)))?;
    Ok(Outcome { told, ..Outcome::of(verdict, live) })
}

/// Does the steps of a schedule from boot on. The cluster is shown after boot and after every step that was done to the end.
fn again(
    live: &mut dyn Live,
    schedule: &Schedule,
    beat: &Beat,
    mut show: impl FnMut(&mut dyn Live),
) -> Result<Verdict, Divergence> {
    let booted = live.inspect();
    show(live);
    if let Err(violation) = booted {
        return Ok(Verdict::Fail(violation));
    }
    for (number, step) in (1..).zip(&schedule.steps) {
        live.poll();
        beat.step();
        let done = live.perform(step).map_err(|reason| Divergence { number, step: step.clone(), reason })?;
        if let Some(stop) = live.board().stopped() {
            return Ok(done.map_or_else(Verdict::Fail, |()| Verdict::of_stop(stop)));
        }
        show(live);
        if let Err(violation) = done {
            return Ok(Verdict::Fail(violation));
        }
    }
    Ok(live.conclude())
}

/// Why a schedule could not be done again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotReplay {
    /// The execution cannot even begin.
    #[error(transparent)]
    Begin(#[from] CannotBegin),
    /// The target does not behave as it did.
    #[error(transparent)]
    Diverged(#[from] Divergence),
}

/// How long an execution may go on.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The most steps.
    pub steps: usize,
    /// The most refusals in a row.
    pub refusals: usize,
}

/// Lets a strategy choose steps until the execution is over. It is generic, unlike what calls it, because it is what every
/// step goes through.
pub(crate) fn drive<L: Live>(
    live: &mut L,
    patience: Patience,
    beat: &Beat,
    strategy: &mut dyn Strategy,
) -> Verdict {
    if let Err(violation) = live.inspect() {
        return Verdict::Fail(violation);
    }
    let mut refusals = 0;
    let may_go_on = |board: &Board| board.steps().len() < patience.steps && board.stopped().is_none();
    while may_go_on(live.board()) {
        live.poll();
        let chosen = strategy.next(&Sight::new(live.board(), live));
        let Some(step) = chosen else { break };
        beat.step();
        match live.perform(&step) {
            Ok(Ok(())) => refusals = 0,
            Ok(Err(violation)) => return Verdict::Fail(violation),
            Err(refusal) => {
                refusals += 1;
                if refusals == patience.refusals {
                    return Verdict::Unknown(format!(
                        "{refusals} steps in a row were refused, the last `{step}`: {refusal}"
                    ));
                }
            }
        }
    }
    match live.board().stopped() {
        Some(stop) => Verdict::of_stop(stop),
        None => live.conclude(),
    }
}
