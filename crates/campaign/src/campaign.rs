//! Campaigns: many executions of one target under one strategy.
//!
//! The campaign goes in generations. In a generation, executions run side by side and know nothing of each
//! other; after it, their results are taken in one by one in the order of their numbers: counted, learned
//! from, reported. The size of a generation depends on the strategy alone, so the number of jobs never
//! changes a result.

use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shakedown_check::LookedFor;
use shakedown_cluster::{Recording, derive_seed};
use shakedown_explore::{Execution, Experience, Explorer, Lesson, Seen};
use shakedown_target::{Turn, wait_for_threads};

use crate::checkpoints::Checkpoints;
use crate::run::Done;
use crate::workers::{Crew, Shift, usual_step_time};
use crate::{
    AnyTarget, CampaignError, Fleet, Forgetful, Job, JournalEntry, Ledger, Now, Order, Plan, Progress,
    Recipe, Room, Standing, Summary, Verdict,
};

/// How many executions make a generation for a strategy that never learns.
const GENERATION: u64 = 256;

/// How long threads that the last executions left behind may take to end.
const THREADS_TIME_LAST: Duration = Duration::from_millis(500);

/// A campaign of a target: what it is to do, and how that is run.
#[derive(Clone)]
pub struct Campaign<'a> {
    /// What is tested.
    pub target: &'a dyn AnyTarget,
    /// What is to be done: all that a result depends on.
    pub plan: Plan,
    /// How many executions side by side.
    pub jobs: usize,
    /// The folder for failure files, if they are wanted.
    pub out: Option<PathBuf>,
    /// The most time that the campaign may take. It only cuts the campaign short, and the summary says so.
    pub time: Option<Duration>,
    /// Set when the campaign is to end early: executions that are under way come to their end. It only cuts
    /// the campaign short, and the summary says so.
    pub stop: Option<Arc<AtomicBool>>,
    /// The most steps that all executions together may take. The campaign ends between two generations; the
    /// summary says so.
    pub steps: Option<u64>,
    /// The most time that one call of a node may take; at first [`usual_step_time`].
    pub step_time: Duration,
    /// Who runs the executions, if it is not this process. It never changes a result.
    pub fleet: Option<Arc<dyn Fleet>>,
    /// What makes its strategies, where workers of the fleet are to know it.
    pub recipe: Recipe,
    /// How long the campaign goes on, at least, before it keeps its standing in its ledger again, unless
    /// something was found. It never changes a result; with zero, every generation is kept.
    pub keep_every: Duration,
}

impl<'a> Campaign<'a> {
    /// A campaign as the target itself would have it: random walk, 1 000 executions, seed 1, one job.
    pub fn new(target: &'a dyn AnyTarget) -> Campaign<'a> {
        Campaign::of(target, Plan::new(target))
    }

    /// The campaign of a plan that was made for this target, one job.
    pub(crate) fn of(target: &'a dyn AnyTarget, plan: Plan) -> Campaign<'a> {
        Campaign {
            target,
            plan,
            jobs: 1,
            out: None,
            time: None,
            stop: None,
            steps: None,
            step_time: usual_step_time(target),
            fleet: None,
            recipe: Recipe::Strategy,
            keep_every: Duration::from_millis(200),
        }
    }

    /// Runs the campaign.
    pub fn run(&self, progress: &dyn Progress) -> Result<Summary, CampaignError> {
        self.run_with(self.explorer()?.as_mut(), progress)
    }

    /// Runs the campaign with an explorer of the caller's own.
    pub fn run_with(
        &self,
        explorer: &mut dyn Explorer,
        progress: &dyn Progress,
    ) -> Result<Summary, CampaignError> {
        self.run_watched(explorer, progress, &mut |_, _| {})
    }

    /// The same, and shows every execution that counts to a caller that makes its own summary, in order.
    pub(crate) fn run_watched(
        &self,
        explorer: &mut dyn Explorer,
        progress: &dyn Progress,
        watch: &mut Watch<'_>,
    ) -> Result<Summary, CampaignError> {
        let standing = Standing::new(&self.guides(explorer));
        self.go_on_watched(standing, explorer, &mut Forgetful, progress, watch)
    }

    /// Goes on from where a campaign stands, with an explorer that has learned what it had learned by then,
    /// and keeps what comes of it in a ledger.
    pub fn go_on(
        &self,
        standing: Standing,
        explorer: &mut dyn Explorer,
        ledger: &mut dyn Ledger,
        progress: &dyn Progress,
    ) -> Result<Summary, CampaignError> {
        self.go_on_watched(standing, explorer, ledger, progress, &mut |_, _| {})
    }

    fn go_on_watched(
        &self,
        mut standing: Standing,
        explorer: &mut dyn Explorer,
        ledger: &mut dyn Ledger,
        progress: &dyn Progress,
        watch: &mut Watch<'_>,
    ) -> Result<Summary, CampaignError> {
        if self.plan.executions == 0 {
            return Err(CampaignError::NoExecutions);
        }
        let (first, executions) = (self.plan.first, self.plan.executions);
        let last = first.checked_add(executions).ok_or(CampaignError::TooFar { first, executions })?;
        let guides = self.guides(explorer);
        standing.begin_arms(explorer);
        let mut checkpoints = Checkpoints::new(ledger, self.keep_every, &standing);
        let turn = Turn::take(&guides);
        if let Some(fleet) = &self.fleet {
            if !self.target.info().is_deterministic {
                return Err(CampaignError::NotForFleets(self.plan.target.clone()));
            }
            let learned = explorer.learns().then(|| explorer.save());
            let start = first.saturating_add(standing.executions);
            let job = Job { plan: self.plan.clone(), recipe: self.recipe.clone() };
            fleet.begin(&job, start, learned).map_err(CampaignError::Fleet)?;
        }
        // Whatever ends the campaign, workers are not left with what nobody wants.
        let _end = EndOfFleet(self.fleet.as_deref());
        let crew = Crew {
            jobs: turn.jobs(self.jobs),
            step_time: self.step_time,
            deadline: self.time.and_then(|time| Instant::now().checked_add(time)),
            stop: self.stop.as_deref(),
            progress,
        };
        let looked_for = match &self.fleet {
            Some(_) => self.looked_for(&guides)?,
            None => Vec::new(),
        };
        let (end, cut_short) = crew.shift(|shift| {
            let mut start = first.saturating_add(standing.executions);
            if turn.is_alone() && start < last && self.fleet.is_none() {
                // What a target makes once in a process is not the first execution's: that one is run once
                // more, before it counts.
                let run = self.run_of(explorer, &guides, start);
                shift.alone(start, |beat| drop(self.run_once(&run, Recording::Brief, None, beat)));
            }
            while start < last && (standing.failed == 0 || self.plan.keep_going) {
                // A generation of a strategy that never learns may have been cut short: then the rest of it
                // comes first.
                let size = explorer.generation().unwrap_or_else(|| GENERATION - (start - first) % GENERATION);
                let end = start.saturating_add(size.max(1)).min(last);
                let began = Instant::now();
                let horizon = if explorer.generation().is_some() { end } else { last };
                let scope = Scope { explorer, guides: &guides, horizon, looked_for: &looked_for };
                let lessons = self.generation(start..end, &mut standing, &scope, shift, watch)?;
                if standing.executions == last - first {
                    wait_for_threads(THREADS_TIME_LAST);
                }
                self.take_late_panics(&mut standing, explorer, &guides, shift);
                standing.elapsed += began.elapsed();
                let is_over = standing.failed > 0 && !self.plan.keep_going;
                let is_cut = !is_over && standing.executions < end - first;
                if is_cut && explorer.generation().is_none() {
                    // What is kept is what the rest of the generation goes on from. Its findings are shrunk
                    // and compared when it is whole, or there would be others than in a campaign that was
                    // never cut short.
                    checkpoints.keep(&mut standing, explorer, false)?;
                }
                self.shrink_new(&mut standing, shift);
                if is_over {
                    break;
                }
                if is_cut {
                    // A strategy that learns either learns from a whole generation or not at all.
                    return Ok((End::Half, Some(shift.limit())));
                }
                let packed = self.fleet.as_ref().filter(|_| explorer.learns()).map(|fleet| {
                    (fleet, self.packed(explorer, lessons.iter().map(|(number, taught)| (*number, taught))))
                });
                for (number, taught) in lessons {
                    let Taught { experience, failed, seen } = taught;
                    let nothing = Seen::default();
                    let Seen { covered, new } = seen.first().unwrap_or(&nothing);
                    let lesson = Lesson { failed, covered, new, guides: &seen };
                    explorer.learn(&self.execution(number), experience, &lesson);
                }
                if let Some((fleet, packed)) = packed {
                    let learned = || explorer.save();
                    fleet.teach(start..end, packed, &learned).map_err(CampaignError::Fleet)?;
                }
                standing.credit_arms(explorer);
                start = end;
                if checkpoints.is_due(&standing)
                    && checkpoints.keep(&mut standing, explorer, false)? == Room::Full
                {
                    return Ok((End::Clean, Some("the limit of disk")));
                }
                if start < last && self.steps.is_some_and(|most| standing.tally.all_steps() >= most) {
                    return Ok((End::Clean, Some("the limit of steps")));
                }
                if start < last && shift.is_late() {
                    return Ok((End::Clean, Some(shift.limit())));
                }
            }
            Ok::<_, CampaignError>((End::Clean, None))
        })?;
        if let End::Clean = end {
            checkpoints.keep(&mut standing, explorer, cut_short.is_none())?;
        }
        Ok(self.summary(standing, Some(explorer), cut_short))
    }

    /// Runs a generation and takes in what comes of it. Gives what there is to learn of it.
    fn generation(
        &self,
        numbers: Range<u64>,
        standing: &mut Standing,
        scope: &Scope<'_>,
        shift: &Shift<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(u64, Taught)>, CampaignError> {
        let Scope { explorer, guides, horizon, .. } = *scope;
        let mut lessons = Vec::new();
        if self.fleet.is_some() {
            let (is_late, learned) = (|| shift.is_late(), || explorer.save());
            let order = Order { numbers, horizon, is_late: &is_late, learned: &learned };
            self.run_by_fleet(&order, |number, report| {
                let done = self.done_of(report, number, scope, standing, shift)?;
                Ok(self.take_in(number, done, standing, explorer, &mut lessons, shift, watch))
            })?;
            return Ok(lessons);
        }
        let mut trouble = None;
        shift.in_order(
            numbers,
            |number, beat| self.one(&self.run_of(explorer, guides, number), shift, beat),
            |number, result| match result {
                // It does not count, and nothing after it.
                Ok(Done { is_cut_short: true, .. }) => ControlFlow::Break(()),
                Ok(done) => self.take_in(number, done, standing, explorer, &mut lessons, shift, watch),
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
        trouble.map_or(Ok(lessons), |error| Err(error.into()))
    }

    /// Takes in an execution that counts, and adds what there is to learn of it to the lessons.
    #[expect(clippy::too_many_arguments, reason = "everything that the result of an execution touches")]
    fn take_in(
        &self,
        number: u64,
        done: Done,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        lessons: &mut Vec<(u64, Taught)>,
        shift: &Shift<'_>,
        watch: &mut Watch<'_>,
    ) -> ControlFlow<()> {
        watch(number, &done);
        let flow = self.take(standing, explorer, number, &done);
        let new = standing.coverage.iter_mut().zip(done.covered.iter().zip(&done.looked_for)).map(
            |(coverage, (covered, looked_for))| {
                coverage.look(looked_for);
                coverage.take(standing.executions, covered)
            },
        );
        let new = new.collect::<Vec<_>>();
        if self.is_later_part() {
            standing.journal.push(JournalEntry::of(done.fingerprint, &new));
        }
        let learns = explorer.generation().is_some();
        if let Some(experience) = done.experience.filter(|_| learns) {
            // The first guides are the strategy's, as many as it has asked for.
            let seen = done.covered.into_iter().zip(new).take(explorer.guides().len());
            let seen = seen.map(|(covered, new)| Seen { covered, new }).collect();
            let failed = matches!(done.verdict, Verdict::Fail(_));
            lessons.push((number, Taught { experience, failed, seen }));
        }
        shift.progress().standing(&Now { campaign: self, standing, shift });
        flow
    }

    /// Takes in the result of an execution. A failure is written to its file at once, so that it is not lost
    /// whatever comes after it.
    fn take(
        &self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        number: u64,
        done: &Done,
    ) -> ControlFlow<()> {
        standing.count(&done.verdict, &done.tally, &done.checked, done.fingerprint);
        if let Some(arm) = explorer.arm(&self.chosen(&self.execution(number))) {
            standing.count_arm(arm, &done.tally, matches!(done.verdict, Verdict::Fail(_)));
        }
        self.take_failure(standing, explorer, number, done)
    }

    /// Whether it is to end early.
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether other executions come before the first one, so that it may be joined to them one day.
    fn is_later_part(&self) -> bool {
        self.plan.first > 0
    }

    /// The execution of this number.
    pub fn execution(&self, number: u64) -> Execution {
        Execution { number, seed: derive_seed(self.plan.seed, number), steps_max: self.plan.config.steps }
    }

    /// The execution as its strategy knows it: part 1 of the seed is the strategy's; see `Target::begin` for
    /// the others.
    pub(crate) fn chosen(&self, execution: &Execution) -> Execution {
        Execution { seed: derive_seed(execution.seed, 1), ..*execution }
    }
}

/// Sees the executions that count, one by one, in the order of their numbers.
pub(crate) type Watch<'a> = dyn FnMut(u64, &Done) + 'a;

/// What the executions of a generation have in common.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub explorer: &'a dyn Explorer,
    pub guides: &'a [String],
    /// Up to this execution, nothing is learned.
    pub horizon: u64,
    /// What the guides look out for, if a fleet runs the executions: its reports have no names.
    pub looked_for: &'a [LookedFor],
}

/// What a strategy is to learn of an execution.
pub(crate) struct Taught {
    pub experience: Experience,
    pub failed: bool,
    pub seen: Vec<Seen>,
}

/// Ends the work of a fleet when it is dropped.
struct EndOfFleet<'a>(Option<&'a dyn Fleet>);

impl Drop for EndOfFleet<'_> {
    fn drop(&mut self) {
        if let Some(fleet) = self.0 {
            fleet.end();
        }
    }
}

/// In which state the last generation is when a campaign ends.
enum End {
    /// It can be gone on from here.
    Clean,
    /// It was cut short. Where it can be gone on from is kept already.
    Half,
}
