//! One execution: a strategy chooses, the cluster does, the oracles look. And the same again from a schedule.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use shakedown_check::{LookedFor, SpecStep};
use shakedown_cluster::{
    Board, Divergence, ON_A_THREAD, Recording, Schedule, Stop, Trace, catch_panic, has_thread_panicked,
};
use shakedown_explore::{Sight, Strategy};

use crate::guides::MODEL;
use crate::{AnyTarget, CannotBegin, Checked, Config, Live, Verdict};

/// How many steps in a row a strategy may choose that the cluster refuses, before the execution is given up.
const REFUSALS_MAX: usize = 1_000;

/// How many steps are done between two looks at the clock.
const STEPS_PER_LOOK: usize = 64;

/// Why nothing is known of an execution that was cut short.
const CUT_SHORT: &str = "the limit of time cut the execution short";

/// How long threads that a target left behind may take to end: in a replay, and once one has panicked in this
/// process.
const THREADS_TIME: Duration = Duration::from_millis(500);

/// What came of an execution.
pub struct Outcome {
    /// What is to be said of it.
    pub verdict: Verdict,
    /// What each guide saw, if there were any.
    pub covered: Vec<Vec<u64>>,
    /// What each guide looked out for.
    pub looked_for: Vec<LookedFor>,
    /// What came of each oracle.
    pub checked: Vec<Checked>,
    /// What a specification says of boot and of every step that was done again, if one of the guides follows
    /// any. Only replays ask for it.
    pub spec_steps: Vec<SpecStep>,
    /// What happened.
    pub trace: Trace,
}

impl Outcome {
    /// The end of this execution. Threads that the target left behind may take this long to end.
    fn of(verdict: Verdict, mut live: Box<dyn Live>, longest: Duration) -> Outcome {
        let (looked_for, covered, checked) = (live.looked_for(), live.covered(), live.checked());
        let verdict = live.close(verdict, longest);
        Outcome { verdict, covered, looked_for, checked, spec_steps: Vec::new(), trace: live.finish() }
    }

    /// Whether the limit of time cut the execution short. Its verdict is then unknown.
    pub fn is_cut_short(&self) -> bool {
        matches!(&self.verdict, Verdict::Unknown(reason) if reason == CUT_SHORT)
    }

    /// Whether it failed by a panic on a thread of the target. Such a thread may belong to an earlier
    /// execution.
    pub fn is_thread_panic(&self) -> bool {
        let Some(Stop::Panicked(_, panic)) = self.trace.board.stopped() else { return false };
        panic.doing == ON_A_THREAD && matches!(self.verdict, Verdict::Fail(_))
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
pub fn execute(live: Box<dyn Live>, strategy: &mut dyn Strategy, steps_max: usize, beat: &Beat) -> Outcome {
    execute_until(None, live, strategy, steps_max, beat)
}

/// The same, but no longer than until then. An execution that is cut short is inconclusive
/// ([`Outcome::is_cut_short`]).
pub fn execute_until(
    until: Option<Instant>,
    mut live: Box<dyn Live>,
    strategy: &mut dyn Strategy,
    steps_max: usize,
    beat: &Beat,
) -> Outcome {
    let patience = Patience { steps: steps_max, refusals: REFUSALS_MAX, until };
    let verdict = live.drive(patience, beat, strategy);
    let longest = if has_thread_panicked() { THREADS_TIME } else { Duration::ZERO };
    Outcome::of(verdict, live, longest)
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

/// The same, and what a specification says of every step ([`Outcome::spec_steps`]), if the target is mapped
/// onto one.
pub fn replay_with_model(
    target: &dyn AnyTarget,
    config: &Config,
    seed: u64,
    schedule: &Schedule,
    recording: Recording,
    beat: &Beat,
) -> Result<Outcome, CannotReplay> {
    follow(begin_with_model(target, config, seed, recording)?, schedule, beat)
}

/// Begins an execution under the eyes of the guide [`MODEL`], if the target has one in this configuration.
pub fn begin_with_model(
    target: &dyn AnyTarget,
    config: &Config,
    seed: u64,
    recording: Recording,
) -> Result<Box<dyn Live>, CannotBegin> {
    if !target.info().guides.iter().any(|guide| guide.name == MODEL) {
        return target.begin(config, seed, recording);
    }
    match target.begin_guided(config, seed, recording, &[MODEL.to_owned()]) {
        Err(CannotBegin::Guide { .. }) => target.begin(config, seed, recording),
        begun => begun,
    }
}

/// Does the steps of a schedule in an execution that has just begun.
pub fn follow(live: Box<dyn Live>, schedule: &Schedule, beat: &Beat) -> Result<Outcome, CannotReplay> {
    match follow_as_far(live, schedule, beat) {
        (outcome, None) => Ok(outcome),
        (_, Some(divergence)) => Err(divergence.into()),
    }
}

/// The same, up to the first step that cannot be done.
pub fn follow_as_far(
    mut live: Box<dyn Live>,
    schedule: &Schedule,
    beat: &Beat,
) -> (Outcome, Option<Divergence>) {
    let mut spec_steps = Vec::new();
    let done =
        catch_panic(|| again(live.as_mut(), schedule, beat, |live| spec_steps.extend(live.spec_step())));
    let (verdict, divergence) = match done.unwrap_or_else(|caught| Ok(Verdict::of_panic(caught))) {
        Ok(verdict) => (verdict, None),
        Err(divergence) => (Verdict::Unknown(divergence.to_string()), Some(divergence)),
    };
    (Outcome { spec_steps, ..Outcome::of(verdict, live, THREADS_TIME) }, divergence)
}

/// Does the steps of a schedule from boot on. The cluster is shown after boot and after every step that was
/// done to the end.
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
        if let Some(stop) = live.board().stopped() {
            // A process may end between two steps.
            return Ok(Verdict::of_stop(stop));
        }
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
    /// When the time is over, if there is a limit. It is looked at now and then.
    pub until: Option<Instant>,
}

impl Patience {
    /// Whether the time is over. `step` is the number of the one that comes next.
    #[inline(always)]
    fn is_over(&self, step: usize) -> bool {
        step.is_multiple_of(STEPS_PER_LOOK) && self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Lets a strategy choose steps until the execution is over. It is generic, unlike what calls it, because it
/// is what every step goes through.
pub fn drive<L: Live>(live: &mut L, patience: Patience, beat: &Beat, strategy: &mut dyn Strategy) -> Verdict {
    if let Err(violation) = live.inspect() {
        return Verdict::Fail(violation);
    }
    let mut refusals = 0;
    let may_go_on = |board: &Board| board.steps().len() < patience.steps && board.stopped().is_none();
    while may_go_on(live.board()) {
        if patience.is_over(live.board().steps().len() + 1) {
            return Verdict::Unknown(CUT_SHORT.to_owned());
        }
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
