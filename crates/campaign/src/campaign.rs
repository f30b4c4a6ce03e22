//! Campaigns: many executions of one target under one strategy.
//!
//! The campaign goes in generations. In a generation, executions run side by side and know nothing of each other; after
//! it, their results are taken in one by one in the order of their numbers: counted, learned from, reported. The size of
//! a generation depends on the strategy alone, so the number of jobs never changes a result.

use std::ops::{ControlFlow, Deref, DerefMut, Range};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use shakedown_check::LookedFor;
use shakedown_cluster::{
    BootPanic, CaughtPanics, Fingerprint, Recording, StepKind, Trace, are_thread_panics_pending, derive_seed,
    running_execution, take_late_thread_panics,
};
use shakedown_explore::{Execution, Experience, Explorer, Lesson};
use shakedown_target::{Beat, Turn, execute_until, wait_for_threads};

use crate::checkpoints::Checkpoints;
use crate::difference::Difference;
use crate::judged::Judged;
use crate::tally::Tally;
use crate::workers::{Crew, Shift};
use crate::{
    AnyTarget, CampaignError, CannotBegin, Checked, Coverage, Finding, Forgetful, JournalEntry, Ledger, Now,
    Outcome, Plan, Progress, Properties, Room, Standing, Verdict, Violation,
};

/// How many executions make a generation for a strategy that never learns.
const GENERATION: u64 = 256;

/// The property that a seed stands for one execution.
pub(crate) const DETERMINISM: &str = "determinism";

/// How many pairs of runs are recorded in full, to find out what differs between two runs of one seed.
const PAIRS_MAX: usize = 8;

/// What is added to the reason of a panic whose execution was not found.
const DID_NOT_REPEAT: &str = " (it did not repeat when the execution was run again: the thread panics at some times only, \
    or an earlier execution started it)";

/// How many executions are run again to find the one whose thread panicked.
const SUSPECTS_MAX: usize = 16;

/// How long threads that the last executions left behind may take to end.
const THREADS_TIME_LAST: Duration = Duration::from_millis(500);

/// A campaign of a target: what it is to do, and how that is run. The fields of the plan can be reached as if they were the
/// campaign's own.
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
    /// The most time that one call of a node may take.
    pub step_time: Duration,
    /// How long the campaign goes on, at least, before it keeps its standing in its ledger again, unless something was
    /// found. It never changes a result; with zero, every generation is kept.
    pub keep_every: Duration,
}

impl Deref for Campaign<'_> {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl DerefMut for Campaign<'_> {
    fn deref_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// What a campaign came to.
#[derive(Debug)]
pub struct Summary {
    /// How many executions count: all, or up to the failure that ended the campaign.
    pub executions: u64,
    /// How many there were to be.
    pub planned: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many of them were inconclusive.
    pub unknown: u64,
    /// Why, for the first of these.
    pub unknown_reason: Option<String>,
    /// What happened.
    pub tally: Tally,
    /// Which properties were checked, and what came of each.
    pub properties: Properties,
    /// A fingerprint of the fingerprints of all traces, in order.
    pub fingerprint: Fingerprint,
    /// What was found: the first failures of every violated property.
    pub findings: Vec<Finding>,
    /// What each guide has seen.
    pub coverage: Vec<Coverage>,
    /// What was allowed and wanted but never happened.
    pub inert: Vec<StepKind>,
    /// What was allowed but never happened because the strategy makes no such steps.
    pub left_out: Vec<StepKind>,
    /// How long the executions took.
    pub elapsed: Duration,
    /// How long shrinking took.
    pub shrinking: Duration,
    /// How long it took to keep the campaign in its ledger.
    pub keeping: Duration,
    /// Which limit cut it short, if one did.
    pub cut_short: Option<&'static str>,
}

impl Summary {
    /// The verdict on the campaign, for exit codes and all reports. A campaign in which nothing happened, or that did not
    /// come to its end, has not passed.
    pub fn verdict(&self) -> Verdict {
        let Summary { executions, planned, failed, unknown, cut_short, .. } = *self;
        Judged {
            executions,
            planned,
            steps: self.tally.all_steps(),
            failed,
            violation: self.findings.first().map(|finding| &finding.failure.violation),
            unknown: (unknown, self.unknown_reason.as_deref()),
            cut_short,
        }
        .verdict()
    }
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
            step_time: Duration::from_secs(30),
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

    /// Goes on from where a campaign stands, with an explorer that has learned what it had learned by then, and keeps what
    /// comes of it in a ledger.
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
        if self.executions == 0 {
            return Err(CampaignError::NoExecutions);
        }
        let (first, executions) = (self.first, self.executions);
        let last = first.checked_add(executions).ok_or(CampaignError::TooFar { first, executions })?;
        let guides = self.guides(explorer);
        let mut checkpoints = Checkpoints::new(ledger, self.keep_every, &standing);
        let turn = Turn::take(&guides);
        let crew = Crew {
            jobs: turn.jobs(self.jobs),
            step_time: self.step_time,
            deadline: self.time.and_then(|time| Instant::now().checked_add(time)),
            progress,
        };
        let (end, cut_short) = crew.shift(|shift| {
            let mut start = first.saturating_add(standing.executions);
            if turn.is_alone() && start < last {
                // What a target makes once in a process is not the first execution's: that one is run once more, before it counts.
                let run = self.run_of(explorer, &guides, start);
                shift.alone(start, |beat| drop(self.run_once(&run, Recording::Brief, None, beat)));
            }
            while start < last && (standing.failed == 0 || self.keep_going) {
                // A generation of a strategy that never learns may have been cut short: then the rest of it comes first.
                let size = explorer.generation().unwrap_or_else(|| GENERATION - (start - first) % GENERATION);
                let end = start.saturating_add(size.max(1)).min(last);
                let began = Instant::now();
                let lessons = self.generation(start..end, &mut standing, explorer, &guides, shift, watch)?;
                if standing.executions == last - first {
                    wait_for_threads(THREADS_TIME_LAST);
                }
                self.take_late_panics(&mut standing, explorer, &guides, shift);
                standing.elapsed += began.elapsed();
                let is_over = standing.failed > 0 && !self.keep_going;
                let is_cut = !is_over && standing.executions < end - first;
                if is_cut && explorer.generation().is_none() {
                    // What is kept is what the rest of the generation goes on from. Its findings are shrunk and compared when
                    // it is whole, or there would be others than in a campaign that was never cut short.
                    checkpoints.keep(&mut standing, explorer, false)?;
                }
                self.shrink_new(&mut standing, shift);
                if is_over {
                    break;
                }
                if is_cut {
                    // A strategy that learns either learns from a whole generation or not at all.
                    return Ok((End::Half, Some("the limit of time")));
                }
                for (number, taught) in lessons {
                    let lesson = Lesson { failed: taught.failed, covered: &taught.covered, new: &taught.new };
                    explorer.learn(&self.execution(number), taught.experience, &lesson);
                }
                start = end;
                if checkpoints.is_due(&standing)
                    && checkpoints.keep(&mut standing, explorer, false)? == Room::Full
                {
                    return Ok((End::Clean, Some("the limit of disk")));
                }
                if start < last && shift.is_late() {
                    return Ok((End::Clean, Some("the limit of time")));
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
        explorer: &dyn Explorer,
        guides: &[String],
        shift: &Shift<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(u64, Taught)>, CampaignError> {
        let mut trouble = None;
        let mut lessons = Vec::new();
        let learns = explorer.generation().is_some();
        shift.in_order(
            numbers,
            |number, beat| self.one(&self.run_of(explorer, guides, number), shift, beat),
            |number, result| match result {
                // It does not count, and nothing after it.
                Ok(Done { is_cut_short: true, .. }) => ControlFlow::Break(()),
                Ok(done) => {
                    watch(number, &done);
                    let flow = self.take(standing, explorer, number, &done);
                    let new =
                        standing.coverage.iter_mut().zip(done.covered.iter().zip(&done.looked_for)).map(
                            |(coverage, (covered, looked_for))| {
                                coverage.look(looked_for);
                                coverage.take(standing.executions, covered)
                            },
                        );
                    let new = new.collect::<Vec<_>>();
                    if self.is_later_part() {
                        standing.journal.push(JournalEntry::of(done.fingerprint, &new));
                    }
                    // The first guide is the strategy's, if it has asked for one.
                    let new = new.into_iter().next();
                    if let Some(experience) = done.experience.filter(|_| learns) {
                        let asked = explorer.guide().is_some();
                        let covered = done.covered.into_iter().next().filter(|_| asked).unwrap_or_default();
                        let new = new.filter(|_| asked).unwrap_or_default();
                        let failed = matches!(done.verdict, Verdict::Fail(_));
                        lessons.push((number, Taught { experience, failed, covered, new }));
                    }
                    shift.progress().standing(&Now { campaign: self, standing, shift });
                    flow
                }
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
        trouble.map_or(Ok(lessons), |error| Err(error.into()))
    }

    /// Takes in the result of an execution. A failure is written to its file at once, so that it is not lost whatever
    /// comes after it.
    fn take(
        &self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        number: u64,
        done: &Done,
    ) -> ControlFlow<()> {
        standing.count(&done.verdict, &done.tally, &done.checked, done.fingerprint);
        self.take_failure(standing, explorer, number, done)
    }

    /// Whether other executions come before the first one, so that it may be joined to them one day.
    fn is_later_part(&self) -> bool {
        self.first > 0
    }

    /// The execution of this number.
    pub fn execution(&self, number: u64) -> Execution {
        Execution { number, seed: derive_seed(self.seed, number), steps_max: self.config.steps }
    }

    /// The execution as its strategy knows it: part 1 of the seed is the strategy's; see `Target::begin` for the others.
    fn chosen(&self, execution: &Execution) -> Execution {
        Execution { seed: derive_seed(execution.seed, 1), ..*execution }
    }

    /// Takes in the panics of threads that outlived their executions.
    fn take_late_panics(
        &self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        guides: &[String],
        shift: &Shift<'_>,
    ) {
        if !are_thread_panics_pending() {
            return;
        }
        for late in take_late_thread_panics(|number| !shift.remembered(number).is_empty()) {
            if self.target.info().caught_panics == CaughtPanics::Tolerated {
                continue;
            }
            let suspects = shift.remembered(late.execution.unwrap_or_default());
            let Some(&last) = suspects.first() else { continue };
            let violation = Violation {
                property: format!("panic at {}", late.panic.place),
                reason: format!("a thread of the target panicked: {}", late.panic.message),
            };
            if standing.findings.iter().any(|known| known.failure.violation.property == violation.property) {
                continue;
            }
            let done = shift.alone(last, |beat| {
                self.find_culprit(explorer, guides, suspects, &violation.property, beat).unwrap_or_else(
                    || Done { culprit: Some(last), ..Done::at_boot(did_not_repeat(violation), None) },
                )
            });
            standing.failed += 1;
            // Whether the campaign goes on is known from the count.
            let _ = self.take_failure(standing, explorer, last, &done);
        }
    }

    /// Runs executions again, to find the one whose thread panicked.
    fn find_culprit(
        &self,
        explorer: &dyn Explorer,
        guides: &[String],
        suspects: Vec<u64>,
        property: &str,
        beat: &Beat,
    ) -> Option<Done> {
        suspects.into_iter().take(SUSPECTS_MAX).find_map(|number| {
            let run = self.run_of(explorer, guides, number);
            let (outcome, experience) = self.run_once(&run, Recording::Brief, None, beat).ok()?;
            let is_it = matches!(&outcome.verdict, Verdict::Fail(found) if found.property == property);
            is_it.then(|| Done { culprit: Some(number), ..self.done(outcome, experience, run.world) })
        })
    }

    /// The execution of this number, and what it is run with.
    fn run_of<'e>(&self, explorer: &'e dyn Explorer, guides: &'e [String], number: u64) -> Run<'e> {
        let execution = self.execution(number);
        let world = explorer.world(&self.chosen(&execution));
        Run { explorer, guides, execution, world }
    }

    fn one(&self, run: &Run<'_>, shift: &Shift<'_>, beat: &Beat) -> Result<Done, CannotBegin> {
        let until = shift.deadline();
        let (outcome, experience) = match self.run_once(run, Recording::Brief, until, beat) {
            Err(CannotBegin::Boot(boot)) => return Ok(Done::at_boot(Violation::from(&boot), run.world)),
            other => other?,
        };
        // Until a thread has panicked, the executions of one worker share a number.
        let suspects =
            if outcome.is_thread_panic() { shift.remembered(running_execution()) } else { Vec::new() };
        shift.remember(run.execution.number);
        if outcome.is_thread_panic() {
            return Ok(self.attribute(run, suspects, (outcome, experience), beat));
        }
        if !self.check_determinism || outcome.is_cut_short() {
            return Ok(self.done(outcome, experience, run.world));
        }
        let again = match self.run_once(run, Recording::Brief, until, beat) {
            Err(CannotBegin::Boot(boot)) => Err(boot),
            other => Ok(other?.0),
        };
        let is_cut_short = again.as_ref().is_ok_and(Outcome::is_cut_short);
        let reason = if is_cut_short { None } else { self.compare(run, &outcome, &again, beat) };
        let mut outcome = outcome;
        if let Some(reason) = reason {
            outcome.verdict = Verdict::Fail(Violation { property: DETERMINISM.to_owned(), reason });
        }
        let done = self.done(outcome, experience, run.world);
        Ok(Done { is_cut_short, ..done })
    }

    /// A thread of the target panicked while an execution ran, perhaps one of an earlier execution. From now on every execution
    /// has a number of its own, so those that are suspected are run again: this one first.
    fn attribute(
        &self,
        run: &Run<'_>,
        suspects: Vec<u64>,
        (outcome, experience): (Outcome, Experience),
        beat: &Beat,
    ) -> Done {
        let mut done = self.done(outcome, experience, run.world);
        let Verdict::Fail(violation) = done.verdict.clone() else { return done };
        let suspects = std::iter::once(run.execution.number).chain(suspects).collect();
        match self.find_culprit(run.explorer, run.guides, suspects, &violation.property, beat) {
            // What this execution counts for is its own.
            Some(found) => {
                Done { tally: done.tally, checked: done.checked, fingerprint: done.fingerprint, ..found }
            }
            None => {
                done.verdict = Verdict::Fail(did_not_repeat(violation));
                done
            }
        }
    }

    /// What is wrong if two runs of one seed are not the same.
    fn compare(
        &self,
        run: &Run<'_>,
        outcome: &Outcome,
        again: &Result<Outcome, BootPanic>,
        beat: &Beat,
    ) -> Option<String> {
        let again = match again {
            Ok(again) => again,
            Err(boot) => return Some(format!("the first of two runs of one seed boots, the second: {boot}")),
        };
        let Some(brief) = Difference::between(&outcome.trace, &again.trace) else {
            let is_other = again.covered != outcome.covered;
            return is_other
                .then(|| "two runs of one seed are the same, but guides saw different things".into());
        };
        // Contents and states are only in traces that are recorded in full.
        let full = || Some(self.run_once(run, Recording::Full, None, beat).ok()?.0.trace);
        let exact = (0..PAIRS_MAX).find_map(|_| Difference::between(&full()?, &full()?));
        Some(exact.unwrap_or(brief).to_string())
    }

    /// What is kept of an execution.
    fn done(&self, outcome: Outcome, experience: Experience, world: Option<u64>) -> Done {
        let mut done = Done::of(outcome, experience, world);
        if self.target.info().phase.is_none() {
            // The strategy went in rounds, but of phases of the protocol nothing is known.
            done.tally.rounds.forget_phases();
        }
        done
    }

    fn run_once(
        &self,
        run: &Run<'_>,
        recording: Recording,
        until: Option<Instant>,
        beat: &Beat,
    ) -> Result<(Outcome, Experience), CannotBegin> {
        let Run { explorer, guides, execution, world } = run;
        let chosen = self.chosen(execution);
        let world = world.unwrap_or(execution.seed);
        let live = self.target.begin_guided(&self.config, world, recording, guides)?;
        let mut strategy = explorer.strategy(&chosen);
        let outcome = execute_until(until, live, strategy.as_mut(), self.config.steps, beat);
        let experience = strategy.experience(&outcome.trace);
        Ok((outcome, experience))
    }

    /// What a campaign that stands here has come to.
    pub fn summarise(&self, standing: Standing) -> Result<Summary, CampaignError> {
        let explorer = match self.explorer() {
            Ok(explorer) => Some(explorer),
            // It was stored by a version that could run it: what came of it is still true.
            Err(CampaignError::Strategy(_)) if standing.executions > 0 => None,
            Err(error) => return Err(error),
        };
        Ok(self.summary(standing, explorer.as_deref(), None))
    }

    fn summary(
        &self,
        standing: Standing,
        explorer: Option<&dyn Explorer>,
        cut_short: Option<&'static str>,
    ) -> Summary {
        let (inert, left_out) = explorer.map_or_else(Default::default, |explorer| {
            let never = |kind: &StepKind| standing.tally.of_kind(*kind) == 0;
            let makes = |kind: &StepKind| explorer.wants(*kind);
            self.expected(explorer).into_iter().filter(never).partition(makes)
        });
        Summary {
            executions: standing.executions,
            planned: self.executions,
            failed: standing.failed,
            unknown: standing.unknown,
            unknown_reason: standing.unknown_reason.clone(),
            fingerprint: standing.fingerprint(),
            properties: standing.all_properties(&self.plan),
            tally: standing.tally,
            findings: standing.findings,
            coverage: standing.coverage,
            inert,
            left_out,
            elapsed: standing.elapsed,
            shrinking: standing.shrinking,
            keeping: standing.keeping,
            cut_short,
        }
    }

    /// What the contract allows and, where they count, the weights do not rule out.
    fn expected(&self, explorer: &dyn Explorer) -> Vec<StepKind> {
        let Ok(contract) = self.target.contract(&self.config.options) else { return Vec::new() };
        let possible = |kind: &StepKind| match kind {
            // Whether a node sets timers is its own affair, and nobody lies unless a scenario says so.
            StepKind::Fire | StepKind::Tamper | StepKind::Inject | StepKind::Round => false,
            StepKind::Crash | StepKind::Restart if self.config.crashes == 0 => false,
            StepKind::Request => self.config.requests > 0,
            kind => contract.allows(*kind, self.config.nodes),
        };
        let weighs = |kind: StepKind| !explorer.uses_weights() || self.weights.of(kind) > 0;
        let is_expected = |kind: &StepKind| {
            // Nothing restarts that did not crash, and nothing heals that was not cut.
            let cause = match kind {
                StepKind::Restart => StepKind::Crash,
                StepKind::Heal => StepKind::Cut,
                kind => *kind,
            };
            weighs(*kind) && weighs(cause) && possible(kind)
        };
        StepKind::ALL.into_iter().filter(is_expected).collect()
    }
}

/// An execution, and what it is run with.
struct Run<'e> {
    explorer: &'e dyn Explorer,
    guides: &'e [String],
    execution: Execution,
    /// The seed of nodes and workload, if it is not the execution's own.
    world: Option<u64>,
}

/// Sees the executions that count, one by one, in the order of their numbers.
pub(crate) type Watch<'a> = dyn FnMut(u64, &Done) + 'a;

/// What is kept of an execution.
pub(crate) struct Done {
    pub verdict: Verdict,
    fingerprint: Option<Fingerprint>,
    tally: Tally,
    pub checked: Vec<Checked>,
    pub trace: Option<Trace>,
    covered: Vec<Vec<u64>>,
    looked_for: Vec<LookedFor>,
    /// What its strategy experienced; nothing if the cluster did not boot.
    pub experience: Option<Experience>,
    /// The seed of nodes and workload, if it is not the execution's own.
    pub world: Option<u64>,
    /// The execution that failed, if it was an earlier one whose thread panicked only now.
    pub culprit: Option<u64>,
    /// Whether the limit of time cut it short: then it does not count.
    is_cut_short: bool,
}

impl Done {
    fn of(outcome: Outcome, experience: Experience, world: Option<u64>) -> Done {
        Done {
            is_cut_short: outcome.is_cut_short(),
            fingerprint: Some(outcome.trace.fingerprint()),
            tally: Tally::of(&outcome.trace.board),
            checked: outcome.checked,
            trace: matches!(outcome.verdict, Verdict::Fail(_)).then_some(outcome.trace),
            verdict: outcome.verdict,
            covered: outcome.covered,
            looked_for: outcome.looked_for,
            experience: Some(experience),
            world,
            culprit: None,
        }
    }

    fn at_boot(violation: Violation, world: Option<u64>) -> Done {
        Done {
            verdict: Verdict::Fail(violation),
            fingerprint: None,
            tally: Tally::default(),
            checked: Vec::new(),
            trace: None,
            covered: Vec::new(),
            looked_for: Vec::new(),
            experience: None,
            world,
            culprit: None,
            is_cut_short: false,
        }
    }
}

/// What a strategy is to learn of an execution.
struct Taught {
    experience: Experience,
    failed: bool,
    covered: Vec<u64>,
    new: Vec<u64>,
}

/// In which state the last generation is when a campaign ends.
enum End {
    /// It can be gone on from here.
    Clean,
    /// It was cut short. Where it can be gone on from is kept already.
    Half,
}

/// The violation, with the remark that it was not met again.
fn did_not_repeat(mut violation: Violation) -> Violation {
    violation.reason.push_str(DID_NOT_REPEAT);
    violation
}
