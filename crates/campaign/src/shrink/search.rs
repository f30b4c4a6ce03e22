//! The search: the best schedule so far, and how candidates are tried side by side.
//!
//! Candidates of a round are numbered, and each is made from its number and the best schedule alone, so they
//! may run in any order. Their results are taken in the order of numbers, up to the first success. What is
//! counted and the random numbers of a candidate depend on its number only: the number of jobs changes
//! nothing.

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use shakedown_cluster::{ON_A_THREAD, Random, Recording, Stop, derive_seed};
use shakedown_explore::{Environment, Execution, Explorer, Mix, RandomWalk, Strategy, Weights};
use shakedown_target::before_settling;

use super::bench::{Common, Places, SHRINK_BENCH, decode_size, seed_of};
use super::candidate::{Best, Candidate, Plan, Size};
use crate::cause::have_one_cause;
use crate::workers::{INTERRUPTED, Shift};
use crate::{AnyTarget, Beat, Config, Failure, Fleet, Pieces, ShrinkLimits, Verdict, Violation, execute};

/// How often in a row a candidate has to fail if the target is not deterministic.
const FAILURES_IN_A_ROW: u64 = 3;
/// How often the failure itself is tried then, before it is given up as one that does not repeat.
const TRIES: u64 = 5;
/// How long the candidates of a round are tried one by one: threads are not worth their start for less. By
/// whom a candidate is tried changes nothing, so this may be a time.
const ONE_BY_ONE: Duration = Duration::from_millis(1);

const EXECUTIONS_SPENT: &str = "the limit of executions";
const TIME_SPENT: &str = "the limit of time";

/// Who tries candidates.
#[derive(Clone, Copy)]
pub(crate) enum Hands<'a> {
    /// The thread that asks.
    Own(&'a Beat),
    /// The workers of a campaign, and its fleet for what takes longer.
    Crew(&'a Shift<'a>, Option<&'a dyn Fleet>),
}

/// A failure that did not happen again.
pub(super) struct NotRepeated {
    pub executions: u64,
    pub cut_short: Option<&'static str>,
}

/// What came of a candidate.
enum Tried {
    /// It makes no sense, or was tried before.
    Nothing,
    /// It ran this many times. What it came to is given if it is wanted.
    Ran { key: Option<u64>, executions: u64, best: Option<Box<Best>> },
}

/// The search for a shorter schedule.
pub(super) struct Search<'a> {
    pub target: &'a dyn AnyTarget,
    /// The shortest so far, or one as short to go on from.
    pub best: Best,
    pub executions: u64,
    /// How many executions there had been when something got smaller last.
    pub gained_at: u64,
    /// Which limit was reached, if one was.
    pub cut_short: Option<&'static str>,
    /// What is to be violated.
    violation: Violation,
    seed: u64,
    /// The execution that it is about.
    execution: u64,
    limits: ShrinkLimits,
    began: Instant,
    hands: Hands<'a>,
    /// Whether candidates run one by one.
    is_alone: bool,
    /// The smallest size so far.
    smallest: Size,
    /// How many candidates there were.
    candidates: u64,
    /// The candidates that were tried in vain.
    tried: Mutex<FxHashSet<u64>>,
    /// Those of this round that a worker has tried in vain, also where candidates before them are not there
    /// yet.
    ahead: Mutex<FxHashSet<u64>>,
    /// What random steps are drawn by.
    weights: Weights,
}

impl<'a> Search<'a> {
    /// Begins with the failure, if it happens again.
    pub fn begin(
        target: &'a dyn AnyTarget,
        failure: &Failure,
        limits: ShrinkLimits,
        hands: Hands<'a>,
    ) -> Result<Search<'a>, NotRepeated> {
        let began = Instant::now();
        let steps = before_settling(&failure.schedule.steps);
        let tries = if target.info().is_deterministic { 1 } else { TRIES };
        let mut executions = 0;
        while executions < tries.min(limits.executions) {
            executions += 1;
            let mut plan = Plan::of(Candidate::of(steps.to_vec()), None);
            let mut run =
                |beat: &Beat| run(target, &failure.config, failure.seed, &mut plan, steps.len(), beat);
            let best = match hands {
                Hands::Own(beat) => run(beat),
                Hands::Crew(shift, _) => shift.alone(failure.found.execution, run),
            };
            // A panic that was recorded elsewhere may have moved to another line. From here on it is this
            // one.
            let Some(best) = best.filter(|best| best.violation.is_like(&failure.violation)) else { continue };
            return Ok(Search {
                target,
                violation: best.violation.clone(),
                seed: failure.seed,
                execution: failure.found.execution,
                limits,
                began,
                hands,
                is_alone: !target.info().is_deterministic || is_thread_panic(&best),
                smallest: best.size(),
                candidates: 0,
                tried: Mutex::default(),
                ahead: Mutex::default(),
                // Where the execution had drawn a mix of its own, what is random in a candidate is drawn from
                // the same.
                weights: match failure.found.mix.as_deref().map(str::parse::<Mix>) {
                    Some(Ok(mix)) => mix.weights,
                    _ => target.info().weights.clone(),
                },
                best,
                executions,
                gained_at: executions,
                cut_short: None,
            });
        }
        let cut_short = (executions < tries).then_some(EXECUTIONS_SPENT);
        Err(NotRepeated { executions, cut_short })
    }

    /// The size of the best schedule.
    pub fn size(&self) -> Size {
        self.best.size()
    }

    /// Whether there is no time and no execution left.
    pub fn is_spent(&mut self) -> bool {
        if self.executions >= self.limits.executions {
            self.cut_short = Some(EXECUTIONS_SPENT);
        } else if self.limits.time.is_some_and(|limit| self.began.elapsed() > limit) {
            self.cut_short = Some(TIME_SPENT);
        } else if self.is_stopped() {
            self.cut_short = Some(INTERRUPTED);
        }
        self.cut_short.is_some()
    }

    /// Whether a user has interrupted the campaign.
    fn is_stopped(&self) -> bool {
        matches!(self.hands, Hands::Crew(shift, _) if shift.is_stopped())
    }

    /// Tries candidates until one violates the property in a size that is wanted. That one is the best from
    /// then on; its number is given.
    pub fn first(
        &mut self,
        count: u64,
        make: impl Fn(&Best, u64, &mut Random) -> Option<Candidate> + Sync,
        is_wanted: impl Fn(Size) -> bool + Sync,
    ) -> Option<u64> {
        if self.is_spent() {
            return None;
        }
        let this = &*self;
        lock(&this.ahead).clear();
        let (mut executions, mut taken, mut cut_short, mut found) = (this.executions, 0, None, None);
        let work = |number: u64, beat: &Beat| this.attempt(number, &make, &is_wanted, beat);
        let mut take = |number: u64, tried: Tried| {
            taken = number + 1;
            let Tried::Ran { key, executions: ran, best } = tried else { return ControlFlow::Continue(()) };
            if executions >= this.limits.executions {
                cut_short = Some(EXECUTIONS_SPENT);
                return ControlFlow::Break(());
            }
            // Another one before it may have been the same.
            if best.is_none() && key.is_some_and(|key| !lock(&this.tried).insert(key)) {
                return ControlFlow::Continue(());
            }
            executions += ran;
            found = best.map(|best| (number, *best));
            if found.is_none() && this.limits.time.is_some_and(|limit| this.began.elapsed() > limit) {
                cut_short = Some(TIME_SPENT);
            } else if found.is_none() && this.is_stopped() {
                cut_short = Some(INTERRUPTED);
            }
            if found.is_some() || cut_short.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        match this.hands {
            Hands::Own(beat) => {
                for number in 0..count {
                    if take(number, work(number, beat)).is_break() {
                        break;
                    }
                }
            }
            Hands::Crew(shift, fleet) => {
                let round = Instant::now();
                let (mut next, mut flow) = (0, ControlFlow::Continue(()));
                while next < count && flow.is_continue() && (this.is_alone || round.elapsed() < ONE_BY_ONE) {
                    flow = take(next, shift.alone(this.execution, |beat| work(next, beat)));
                    next += 1;
                }
                if let Some(fleet) = fleet.filter(|_| flow.is_continue() && next < count) {
                    shift.in_order_about(this.execution, next..count, work, |number, tried| {
                        next = number + 1;
                        flow = take(number, tried);
                        if flow.is_continue() && round.elapsed() > fleet.patience() {
                            ControlFlow::Break(())
                        } else {
                            flow
                        }
                    });
                    if flow.is_continue() && next < count && !this.is_late() {
                        (next, flow) = this.by_fleet(fleet, shift, next..count, &make, &is_wanted, &mut take);
                    }
                }
                // Without a fleet, and what a fleet has left undone.
                if flow.is_continue() && next < count && !this.is_late() {
                    shift.in_order_about(this.execution, next..count, work, take);
                }
            }
        }
        (self.executions, self.cut_short) = (executions, cut_short);
        self.candidates += taken;
        if found.is_none() && self.is_late() {
            self.is_spent();
        }
        let (number, best) = found?;
        if best.size() < self.smallest {
            (self.smallest, self.gained_at) = (best.size(), self.executions);
        }
        self.best = best;
        Some(number)
    }

    /// Tries candidates by workers on other machines: what succeeds there is run again here. Gives the number
    /// after the last one that was taken, and whether more is wanted. Where the fleet cannot go on, the rest
    /// is left to this process.
    fn by_fleet(
        &self,
        fleet: &dyn Fleet,
        shift: &Shift<'_>,
        numbers: Range<u64>,
        make: &(impl Fn(&Best, u64, &mut Random) -> Option<Candidate> + Sync),
        is_wanted: &(impl Fn(Size) -> bool + Sync),
        take: &mut impl FnMut(u64, Tried) -> ControlFlow<()>,
    ) -> (u64, ControlFlow<()>) {
        let common = Common {
            target: self.target.name().to_owned(),
            target_version: self.target.version().to_owned(),
            config: self.best.config.clone(),
            seed: self.seed,
            execution: self.execution,
            step_time: shift.step_time(),
            weights: self.weights.to_string(),
            violation: self.violation.clone(),
            steps: self.best.steps().to_vec(),
        };
        let places = Places::of(&common.steps);
        // What has a configuration of its own, or was tried before, is not given out.
        let candidate = |number: u64| {
            let mut random = self.random_of(number);
            let candidate = make(&self.best, number, &mut random).filter(|one| one.config.is_none())?;
            let key = candidate.key(&self.best.config);
            (!key.is_some_and(|key| lock(&self.tried).contains(&key))).then_some((candidate, key, random))
        };
        let piece = |number: u64| match candidate(number) {
            Some((candidate, _, mut random)) => places.encode(&candidate, seed_of(&candidate, &mut random)),
            None => Vec::new(),
        };
        let pieces = Pieces {
            bench: SHRINK_BENCH,
            common: common.encode(),
            numbers: numbers.clone(),
            piece: &piece,
            is_long: false,
            is_late: &|| self.is_late(),
        };
        let (mut next, mut flow) = (numbers.start, ControlFlow::Continue(()));
        // An error is one of the fleet: whoever asks it next hears of it too.
        let _ = fleet.spread(&pieces, &mut |number, result| {
            let tried = match candidate(number) {
                Some((_, key, _)) if !result.is_empty() && !decode_size(&result).is_some_and(is_wanted) => {
                    Tried::Ran { key, executions: 1, best: None }
                }
                _ => shift.alone(self.execution, |beat| self.attempt(number, make, is_wanted, beat)),
            };
            next = number + 1;
            flow = take(number, tried);
            flow
        });
        (next, flow)
    }

    /// Whether no more is to be begun.
    fn is_late(&self) -> bool {
        self.is_stopped() || self.limits.time.is_some_and(|limit| self.began.elapsed() > limit)
    }

    /// The random numbers of a candidate of this round.
    fn random_of(&self, number: u64) -> Random {
        Random::new(derive_seed(self.seed, self.candidates + number))
    }

    /// Tries one candidate.
    pub fn one(
        &mut self,
        candidate: impl Fn() -> Candidate + Sync,
        is_wanted: impl Fn(Size) -> bool + Sync,
    ) -> bool {
        self.first(1, |_, _, _| Some(candidate()), is_wanted).is_some()
    }

    /// Tries one candidate; whether it is smaller.
    pub fn smaller(&mut self, candidate: impl Fn() -> Candidate + Sync) -> bool {
        let before = self.size();
        self.one(candidate, |size| size < before)
    }

    /// Makes this execution the best, whatever its size, if it violates the property.
    pub fn replace_by(&mut self, strategy: &mut dyn Strategy, config: &Config, steps_max: usize) -> bool {
        if self.is_spent() {
            return false;
        }
        self.executions += 1;
        let mut run = |beat: &Beat| run(self.target, config, self.seed, strategy, steps_max, beat);
        let best = match self.hands {
            Hands::Own(beat) => run(beat),
            Hands::Crew(shift, _) => shift.alone(self.execution, run),
        };
        match best.filter(|best| have_one_cause(&best.violation, &self.violation)) {
            Some(best) => {
                self.smallest = best.size();
                self.gained_at = self.executions;
                self.best = best;
                true
            }
            None => false,
        }
    }

    fn attempt(
        &self,
        number: u64,
        make: &(impl Fn(&Best, u64, &mut Random) -> Option<Candidate> + Sync),
        is_wanted: &(impl Fn(Size) -> bool + Sync),
        beat: &Beat,
    ) -> Tried {
        let mut random = self.random_of(number);
        let Some(candidate) = make(&self.best, number, &mut random) else { return Tried::Nothing };
        let key = candidate.key(&self.best.config).filter(|_| self.target.info().is_deterministic);
        if key.is_some_and(|key| lock(&self.tried).contains(&key)) {
            return Tried::Nothing;
        }
        if key.is_some_and(|key| lock(&self.ahead).contains(&key)) {
            return Tried::Ran { key, executions: 1, best: None };
        }
        let (config, most) = (candidate.config.clone(), candidate.plan.len());
        let config = config.as_ref().unwrap_or(&self.best.config);
        let walk = candidate
            .has_random_steps()
            .then(|| walk(&self.weights, config, most, seed_of(&candidate, &mut random)));
        let mut plan = Plan::of(candidate, walk);
        let best = run(self.target, config, self.seed, &mut plan, most, beat);
        let is_it = |best: &Best| have_one_cause(&best.violation, &self.violation) && is_wanted(best.size());
        let Some(best) = best.filter(is_it) else {
            lock(&self.ahead).extend(key);
            return Tried::Ran { key, executions: 1, best: None };
        };
        if self.target.info().is_deterministic {
            return Tried::Ran { key, executions: 1, best: Some(Box::new(best)) };
        }
        let mut executions = 1;
        let fails_again = (1..FAILURES_IN_A_ROW).all(|_| {
            executions += 1;
            let mut plan = Plan::of(Candidate::of(best.steps().to_vec()), None);
            let again = run(self.target, &best.config, self.seed, &mut plan, best.steps().len(), beat);
            again.is_some_and(|again| have_one_cause(&again.violation, &self.violation))
        });
        Tried::Ran { key, executions, best: fails_again.then(|| Box::new(best)) }
    }
}

fn lock(keys: &Mutex<FxHashSet<u64>>) -> MutexGuard<'_, FxHashSet<u64>> {
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where random steps come from.
pub(super) fn walk(weights: &Weights, config: &Config, steps_max: usize, seed: u64) -> Box<dyn Strategy> {
    let environment = Environment::new(weights.clone(), config.crashes);
    RandomWalk::new(environment).strategy(&Execution { number: 0, seed, steps_max })
}

/// What comes of this strategy, if any property is violated.
pub(super) fn run(
    target: &dyn AnyTarget,
    config: &Config,
    seed: u64,
    strategy: &mut dyn Strategy,
    steps_max: usize,
    beat: &Beat,
) -> Option<Best> {
    let live = target.begin(config, seed, Recording::Brief).ok()?;
    let outcome = execute(live, strategy, steps_max, beat);
    match outcome.verdict {
        Verdict::Fail(violation) => Some(Best { config: config.clone(), violation, trace: outcome.trace }),
        _ => None,
    }
}

/// Whether it failed by a panic on a thread of the target, which takes time to be known.
fn is_thread_panic(best: &Best) -> bool {
    matches!(best.trace.board.stopped(), Some(Stop::Panicked(_, panic)) if panic.doing == ON_A_THREAD)
}
