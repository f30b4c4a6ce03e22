//! Campaigns: many executions of one target under one strategy.
//!
//! The campaign goes in generations. In a generation, executions run side by side and know nothing of each other; after
//! it, their results are taken in one by one in the order of their numbers: counted, learned from, reported. The size of
//! a generation depends on the strategy alone, so the number of jobs never changes a result.

use std::ops::{ControlFlow, Deref, DerefMut, Range};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use shakedown_check::LookedFor;
use shakedown_cluster::{Fingerprint, Recording, StepKind, Trace, derive_seed};
use shakedown_explore::closure::LockStep;
use shakedown_explore::{Execution, Experience, Explorer, Lesson, Surroundings, UnknownStrategy};
use shakedown_target::{Beat, Turn, execute};

use crate::failure::Found;
use crate::shrink::shrink;
use crate::tally::Tally;
use crate::workers::{Crew, Shift};
use crate::{
    AnyTarget, CannotBegin, Checkpoint, Config, Coverage, Failure, Finding, Forgetful, Ledger, LedgerError,
    Now, Outcome, Plan, Progress, Room, Standing, Verdict, Violation,
};

/// How many executions make a generation for a strategy that never learns.
const GENERATION: u64 = 256;

/// The property that a seed stands for one execution.
pub(crate) const DETERMINISM: &str = "determinism";

/// The time that shrinking has even when the campaign's is over.
const SHRINK_TIME_MIN: Duration = Duration::from_secs(1);

/// Keeping the standing may take one part in so many of the time.
const KEEP_SHARE: u32 = 40;

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
    /// How many of them failed.
    pub failed: u64,
    /// Of how many nothing can be said.
    pub unknown: u64,
    /// Why, for the first of these.
    pub unknown_reason: Option<String>,
    /// What happened.
    pub tally: Tally,
    /// A fingerprint of the fingerprints of all traces, in order.
    pub fingerprint: Fingerprint,
    /// What was found: the first failures of every violated property.
    pub findings: Vec<Finding>,
    /// What each guide has seen.
    pub coverage: Vec<Coverage>,
    /// What was allowed and wanted but never happened.
    pub inert: Vec<StepKind>,
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
    /// Why it cannot be told whether the properties hold, if nothing was found: a campaign in which nothing happened has not
    /// passed.
    pub fn untold(&self) -> Option<String> {
        if self.failed > 0 {
            return None;
        }
        if self.unknown > 0 {
            let reason = self.unknown_reason.as_deref().unwrap_or("no reason was given");
            return Some(format!("nothing can be said of {} executions: {reason}", self.unknown));
        }
        if self.executions == 0 {
            return Some("no execution was run".to_owned());
        }
        (self.tally.all_steps() == 0).then(|| "no step was made in any execution".to_owned())
    }
}

/// Why a campaign cannot run.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The target cannot be run like this.
    #[error(transparent)]
    Begin(#[from] CannotBegin),
    /// There is no such strategy.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// The inputs that it is to begin with cannot be played.
    #[error("the inputs that the campaign begins with cannot be played: {0}")]
    Inputs(String),
    /// Its standing could not be kept, or what was kept cannot be taken up.
    #[error("the campaign cannot be kept: {0}")]
    Ledger(#[from] LedgerError),
    /// There is nothing to do.
    #[error("a campaign needs at least one execution")]
    NoExecutions,
    /// Executions would be numbered beyond the last number there is.
    #[error("there are no {executions} executions from number {first} on")]
    TooFar {
        /// The first number.
        first: u64,
        /// How many.
        executions: u64,
    },
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

    /// The explorer of the campaign's strategy.
    pub fn explorer(&self) -> Result<Box<dyn Explorer>, CampaignError> {
        let mut explorer = self.in_surroundings(|surroundings| self.strategy.explorer(surroundings))??;
        if !self.inputs.is_empty() {
            explorer.begin_with(&self.inputs).map_err(CampaignError::Inputs)?;
        }
        Ok(explorer)
    }

    /// What the campaign's strategy does in lock step, if it is one that does.
    pub fn lock_step(&self) -> Result<Option<LockStep>, CampaignError> {
        Ok(self.in_surroundings(|surroundings| self.strategy.lock_step(surroundings))??)
    }

    /// About how many steps an execution takes, where the strategy goes in episodes of a given length.
    pub fn steps_wanted(&self) -> Result<Option<usize>, CampaignError> {
        Ok(self.in_surroundings(|surroundings| self.strategy.steps(surroundings))??)
    }

    fn in_surroundings<T>(&self, make: impl FnOnce(&Surroundings<'_>) -> T) -> Result<T, CannotBegin> {
        let Config { nodes, crashes, steps, requests, options } = &self.config;
        let (contract, target) = (self.target.contract(options)?, self.target.info());
        Ok(make(&Surroundings {
            weights: &self.weights,
            contract: &contract,
            nodes: *nodes,
            crashes: *crashes,
            steps: *steps,
            requests: *requests,
            phase: target.phase.as_ref(),
            harnesses: &target.harnesses,
            waypoints: &target.waypoints,
        }))
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
        let standing = Standing::new(&self.guides(explorer));
        self.go_on(standing, explorer, &mut Forgetful, progress)
    }

    /// The guides of the campaign, by name: first the one that its strategy asks for, then those that are only measured.
    pub fn guides(&self, explorer: &dyn Explorer) -> Vec<String> {
        let mut guides: Vec<String> = explorer.guide().map(str::to_owned).into_iter().collect();
        for measure in &self.measures {
            if !guides.contains(measure) {
                guides.push(measure.clone());
            }
        }
        guides
    }

    /// Goes on from where a campaign stands, with an explorer that has learned what it had learned by then, and keeps what
    /// comes of it in a ledger.
    pub fn go_on(
        &self,
        mut standing: Standing,
        explorer: &mut dyn Explorer,
        ledger: &mut dyn Ledger,
        progress: &dyn Progress,
    ) -> Result<Summary, CampaignError> {
        if self.executions == 0 {
            return Err(CampaignError::NoExecutions);
        }
        let (first, executions) = (self.first, self.executions);
        let last = first.checked_add(executions).ok_or(CampaignError::TooFar { first, executions })?;
        let guides = self.guides(explorer);
        let mut log = Log {
            ledger,
            every: self.keep_every,
            kept: Instant::now(),
            took: Duration::ZERO,
            findings: standing.findings.len(),
        };
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
                let execution = self.execution(start);
                shift.alone(start, |beat| drop(self.run_once(explorer, &guides, &execution, beat)));
            }
            while start < last && (standing.failed == 0 || self.keep_going) {
                // A generation of a strategy that never learns may have been cut short: then the rest of it comes first.
                let size = explorer.generation().unwrap_or_else(|| GENERATION - (start - first) % GENERATION);
                let end = start.saturating_add(size.max(1)).min(last);
                let began = Instant::now();
                let lessons = self.generation(start..end, &mut standing, explorer, &guides, shift)?;
                standing.elapsed += began.elapsed();
                let is_over = standing.failed > 0 && !self.keep_going;
                let is_cut = !is_over && standing.executions < end - first;
                if is_cut && explorer.generation().is_none() {
                    // What is kept is what the rest of the generation goes on from. Its findings are shrunk and compared when
                    // it is whole, or there would be others than in a campaign that was never cut short.
                    log.keep(&mut standing, explorer, false)?;
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
                if log.is_due(&standing) && log.keep(&mut standing, explorer, false)? == Room::Full {
                    return Ok((End::Clean, Some("the limit of disk")));
                }
                if start < last && shift.is_late() {
                    return Ok((End::Clean, Some("the limit of time")));
                }
            }
            Ok::<_, CampaignError>((End::Clean, None))
        })?;
        if let End::Clean = end {
            log.keep(&mut standing, explorer, cut_short.is_none())?;
        }
        Ok(self.summary(standing, explorer, cut_short))
    }

    /// Runs a generation and takes in what comes of it. Gives what there is to learn of it.
    fn generation(
        &self,
        numbers: Range<u64>,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        guides: &[String],
        shift: &Shift<'_>,
    ) -> Result<Vec<(u64, Taught)>, CampaignError> {
        let mut trouble = None;
        let mut lessons = Vec::new();
        let learns = explorer.generation().is_some();
        shift.in_order(
            numbers,
            |number, beat| self.one(explorer, guides, number, beat),
            |number, result| match result {
                Ok(done) => {
                    let flow = self.take(standing, explorer, number, &done);
                    let new =
                        standing.coverage.iter_mut().zip(done.covered.iter().zip(&done.looked_for)).map(
                            |(coverage, (covered, looked_for))| {
                                coverage.look(looked_for);
                                coverage.take(standing.executions, covered)
                            },
                        );
                    // The first guide is the strategy's, if it has asked for one.
                    let new = new.collect::<Vec<_>>().into_iter().next();
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
        standing.count(&done.verdict, &done.tally, done.fingerprint);
        let Verdict::Fail(violation) = &done.verdict else { return ControlFlow::Continue(()) };
        let is_of_it = |finding: &Finding| finding.failure.violation.property == violation.property;
        if let Some(known) = standing.findings.iter_mut().find(|finding| is_of_it(finding)) {
            known.hits += 1;
        }
        let known = standing.findings.iter().filter(|finding| is_of_it(finding)).count();
        if known < self.variants.max(1) {
            let trace = done.trace.as_ref();
            let found = Found {
                strategy: explorer.label().map_or_else(|| self.strategy.to_string(), str::to_owned),
                campaign_seed: self.seed,
                execution: number,
                steps: trace.map_or(0, |trace| trace.board.steps().len()),
                shrunk: false,
            };
            let seed = done.world.unwrap_or_else(|| self.execution(number).seed);
            let failure = Failure::new(self.target, &self.config, seed, violation.clone(), found, trace);
            let (path, file_error) = self.write(&failure);
            standing.findings.push(Finding {
                failure,
                hits: u64::from(known == 0),
                path,
                file_error,
                shrink_executions: 0,
                shrink_cut_short: None,
            });
        }
        if self.keep_going { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Shrinks the failures that were found since the last time.
    fn shrink_new(&self, standing: &mut Standing, shift: &Shift<'_>) {
        let Some(mut limits) = self.shrink else { return };
        if standing.looked_at == standing.findings.len() {
            return;
        }
        let began = Instant::now();
        for finding in &mut standing.findings[standing.looked_at..] {
            if finding.failure.violation.property == DETERMINISM {
                continue;
            }
            // The time that is left to the campaign is all that shrinking has, but for a moment.
            if let Some(deadline) = shift.deadline() {
                let left = deadline.saturating_duration_since(Instant::now()).max(SHRINK_TIME_MIN);
                limits.time = Some(limits.time.map_or(left, |time| time.min(left)));
            }
            shift.progress().shrinking(&finding.failure.violation.property, finding.failure.found.steps);
            let execution = finding.failure.found.execution;
            let shrunk = shift.alone(execution, |beat| shrink(self.target, &finding.failure, limits, beat));
            finding.shrink_executions = shrunk.executions;
            finding.shrink_cut_short = shrunk.cut_short.map(str::to_owned);
            if shrunk.failure != finding.failure {
                finding.failure = shrunk.failure;
                let (better, error) = self.write(&finding.failure);
                if let Some(old) =
                    finding.path.take().filter(|old| better.is_some() && Some(old) != better.as_ref())
                {
                    // The unshrunk file may stay if it cannot be removed: it is right as well.
                    let _ = std::fs::remove_file(old);
                }
                (finding.path, finding.file_error) = (better, error);
            }
        }
        standing.shrinking += began.elapsed();
        standing.merge_equal_findings();
    }

    /// The execution of this number.
    pub fn execution(&self, number: u64) -> Execution {
        Execution { number, seed: derive_seed(self.seed, number), steps_max: self.config.steps }
    }

    /// The execution as its strategy knows it: part 1 of the seed is the strategy's; see `Target::begin` for the others.
    fn chosen(&self, execution: &Execution) -> Execution {
        Execution { seed: derive_seed(execution.seed, 1), ..*execution }
    }

    fn one(
        &self,
        explorer: &dyn Explorer,
        guides: &[String],
        number: u64,
        beat: &Beat,
    ) -> Result<Done, CannotBegin> {
        let execution = self.execution(number);
        let world = explorer.world(&self.chosen(&execution));
        let (outcome, experience) = match self.run_once(explorer, guides, &execution, beat) {
            Err(CannotBegin::Boot(boot)) => return Ok(Done::at_boot(Violation::from(&boot), world)),
            other => other?,
        };
        let mut verdict = outcome.verdict;
        if self.check_determinism {
            let reason = match self.run_once(explorer, guides, &execution, beat) {
                Err(CannotBegin::Boot(boot)) => {
                    Some(format!("the first of two runs of one seed boots, the second: {boot}"))
                }
                again => {
                    let again = again?.0;
                    difference(&outcome.trace, &again.trace).or_else(|| {
                        let is_other = again.covered != outcome.covered;
                        is_other.then(|| {
                            "two runs of one seed are the same, but guides saw different things".into()
                        })
                    })
                }
            };
            if let Some(reason) = reason {
                verdict = Verdict::Fail(Violation { property: DETERMINISM.to_owned(), reason });
            }
        }
        Ok(Done {
            fingerprint: Some(outcome.trace.fingerprint()),
            tally: Tally::of(&outcome.trace.board),
            trace: matches!(verdict, Verdict::Fail(_)).then_some(outcome.trace),
            verdict,
            covered: outcome.covered,
            looked_for: outcome.looked_for,
            experience: Some(experience),
            world,
        })
    }

    fn run_once(
        &self,
        explorer: &dyn Explorer,
        guides: &[String],
        execution: &Execution,
        beat: &Beat,
    ) -> Result<(Outcome, Experience), CannotBegin> {
        let chosen = self.chosen(execution);
        let world = explorer.world(&chosen).unwrap_or(execution.seed);
        let live = self.target.begin_guided(&self.config, world, Recording::Brief, guides)?;
        let mut strategy = explorer.strategy(&chosen);
        let outcome = execute(live, strategy.as_mut(), self.config.steps, beat);
        let experience = strategy.experience(&outcome.trace);
        Ok((outcome, experience))
    }

    /// What a campaign that stands here has come to.
    pub fn summarise(&self, standing: Standing) -> Result<Summary, CampaignError> {
        Ok(self.summary(standing, self.explorer()?.as_ref(), None))
    }

    fn summary(
        &self,
        standing: Standing,
        explorer: &dyn Explorer,
        cut_short: Option<&'static str>,
    ) -> Summary {
        let inert =
            self.wanted(explorer).into_iter().filter(|kind| standing.tally.of_kind(*kind) == 0).collect();
        Summary {
            executions: standing.executions,
            failed: standing.failed,
            unknown: standing.unknown,
            unknown_reason: standing.unknown_reason.clone(),
            fingerprint: standing.fingerprint(),
            tally: standing.tally,
            findings: standing.findings,
            coverage: standing.coverage,
            inert,
            elapsed: standing.elapsed,
            shrinking: standing.shrinking,
            keeping: standing.keeping,
            cut_short,
        }
    }

    fn write(&self, failure: &Failure) -> (Option<PathBuf>, Option<String>) {
        let Some(out) = &self.out else { return (None, None) };
        let path = out.join(failure.file_name());
        match failure.write(&path) {
            Ok(()) => (Some(path), None),
            Err(error) => (None, Some(error.to_string())),
        }
    }

    /// What the contract allows and the weights want.
    fn wanted(&self, explorer: &dyn Explorer) -> Vec<StepKind> {
        let Ok(contract) = self.target.contract(&self.config.options) else { return Vec::new() };
        let possible = |kind: &StepKind| match kind {
            // Whether a node sets timers is its own affair, and nobody lies unless a scenario says so.
            StepKind::Fire | StepKind::Tamper | StepKind::Inject => false,
            StepKind::Crash | StepKind::Restart if self.config.crashes == 0 => false,
            StepKind::Request => self.config.requests > 0,
            kind => contract.allows(*kind, self.config.nodes),
        };
        let is_wanted =
            |kind: &StepKind| self.weights.of(*kind) > 0 && explorer.wants(*kind) && possible(kind);
        StepKind::ALL.into_iter().filter(is_wanted).collect()
    }
}

/// What is kept of an execution.
struct Done {
    verdict: Verdict,
    fingerprint: Option<Fingerprint>,
    tally: Tally,
    trace: Option<Trace>,
    covered: Vec<Vec<u64>>,
    looked_for: Vec<LookedFor>,
    experience: Option<Experience>,
    /// The seed of nodes and workload, if it is not the execution's own.
    world: Option<u64>,
}

impl Done {
    fn at_boot(violation: Violation, world: Option<u64>) -> Done {
        Done {
            verdict: Verdict::Fail(violation),
            fingerprint: None,
            tally: Tally::default(),
            trace: None,
            covered: Vec::new(),
            looked_for: Vec::new(),
            experience: None,
            world,
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

/// When to keep the standing, and where.
struct Log<'a> {
    ledger: &'a mut dyn Ledger,
    every: Duration,
    kept: Instant,
    /// How long that took.
    took: Duration,
    /// How many findings there were then.
    findings: usize,
}

impl Log<'_> {
    fn is_due(&self, standing: &Standing) -> bool {
        standing.findings.len() != self.findings
            || self.every.is_zero()
            || self.kept.elapsed() >= self.every.max(self.took.saturating_mul(KEEP_SHARE))
    }

    fn keep(
        &mut self,
        standing: &mut Standing,
        explorer: &dyn Explorer,
        is_over: bool,
    ) -> Result<Room, LedgerError> {
        let began = Instant::now();
        let fresh: Vec<_> = standing.coverage.iter_mut().map(Coverage::take_fresh).collect();
        let learned = explorer.save();
        let room = self.ledger.keep(&Checkpoint { standing, fresh: &fresh, learned: &learned, is_over })?;
        self.findings = standing.findings.len();
        (self.took, self.kept) = (began.elapsed(), Instant::now());
        standing.keeping += self.took;
        Ok(room)
    }
}

/// Where two runs of one execution part, if they do.
pub(crate) fn difference(first: &Trace, second: &Trace) -> Option<String> {
    if first.fingerprint() == second.fingerprint() {
        return None;
    }
    let (a, b) = (first.board.steps(), second.board.steps());
    if let Some(at) = (0..a.len().min(b.len())).find(|&at| a[at] != b[at]) {
        return Some(format!("two runs of one seed part at step {}: `{}` and `{}`", at + 1, a[at], b[at]));
    }
    if a.len() != b.len() {
        return Some(format!("two runs of one seed have {} and {} steps", a.len(), b.len()));
    }
    Some("two runs of one seed take the same steps, but states or messages differ".to_owned())
}
