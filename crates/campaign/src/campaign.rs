//! Campaigns: many executions of one target under one strategy.
//!
//! The campaign goes in generations. In a generation, executions run side by side and know nothing of each other; after
//! it, their results are taken in one by one in the order of their numbers: counted, learned from, reported. The size of
//! a generation depends on the strategy alone, so the number of jobs never changes a result.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use shakedown_cluster::{Fingerprint, Fingerprinter, Recording, StepKind, Trace, derive_seed};
use shakedown_explore::closure::LockStep;
use shakedown_explore::{
    Execution, Experience, Explorer, Surroundings, UnknownStrategy, Weights, by_name, lock_step_by_name,
};

use crate::execute::{Beat, execute};
use crate::failure::Found;
use crate::shrink::{ShrinkLimits, shrink};
use crate::tally::Tally;
use crate::workers::Crew;
use crate::{AnyTarget, CannotBegin, Config, Failure, Outcome, Progress, Verdict, Violation};

/// How many executions make a generation for a strategy that never learns.
const GENERATION: u64 = 256;

/// The property that a seed stands for one execution.
pub(crate) const DETERMINISM: &str = "determinism";

/// The time that shrinking has even when the campaign's is over.
const SHRINK_TIME_MIN: Duration = Duration::from_secs(1);

/// What a campaign is to do.
pub struct Campaign<'a> {
    /// What is tested.
    pub target: &'a dyn AnyTarget,
    /// How it is run.
    pub config: Config,
    /// What chooses the steps, as text (see [`by_name`]).
    pub strategy: String,
    /// How likely each kind of step is.
    pub weights: Weights,
    /// Where all randomness comes from.
    pub seed: u64,
    /// The number of the first execution.
    pub first: u64,
    /// How many executions.
    pub executions: u64,
    /// How many of them side by side.
    pub jobs: usize,
    /// Whether to go on after a failure; each violated property is then reported once.
    pub keep_going: bool,
    /// Whether to run every execution twice and compare.
    pub check_determinism: bool,
    /// How much work shrinking may be; nothing to leave failures as they were found.
    pub shrink: Option<ShrinkLimits>,
    /// The folder for failure files, if they are wanted.
    pub out: Option<PathBuf>,
    /// The most time that the campaign may take. It only cuts the campaign short, and the summary says so.
    pub time: Option<Duration>,
    /// The most time that one call of a node may take.
    pub step_time: Duration,
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
    /// The first failure of every violated property.
    pub findings: Vec<Finding>,
    /// What was allowed and wanted but never happened.
    pub inert: Vec<StepKind>,
    /// How long the executions took.
    pub elapsed: Duration,
    /// How long shrinking took.
    pub shrinking: Duration,
    /// Which limit cut it short, if one did.
    pub cut_short: Option<&'static str>,
}

/// A failure that was found.
#[derive(Debug)]
pub struct Finding {
    /// The failure, shrunk if that was wanted.
    pub failure: Failure,
    /// Where its file lies, if one was written.
    pub path: Option<PathBuf>,
    /// Why no file could be written, if one was wanted.
    pub file_error: Option<String>,
    /// How many executions shrinking took.
    pub shrink_executions: u64,
    /// Which limit cut shrinking short, if one did.
    pub shrink_cut_short: Option<&'static str>,
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
        Campaign {
            target,
            config: target.defaults().clone(),
            strategy: "random".to_owned(),
            weights: target.weights().clone(),
            seed: 1,
            first: 0,
            executions: 1_000,
            jobs: 1,
            keep_going: false,
            check_determinism: false,
            shrink: Some(ShrinkLimits::default()),
            out: None,
            time: None,
            step_time: Duration::from_secs(30),
        }
    }

    /// The explorer that the campaign's strategy names.
    pub fn explorer(&self) -> Result<Box<dyn Explorer>, CampaignError> {
        Ok(self.in_surroundings(|surroundings| by_name(&self.strategy, surroundings))??)
    }

    /// What the campaign's strategy does in lock step, if it is one that does.
    pub fn lock_step(&self) -> Result<Option<LockStep>, CampaignError> {
        Ok(self.in_surroundings(|surroundings| lock_step_by_name(&self.strategy, surroundings))??)
    }

    fn in_surroundings<T>(&self, make: impl FnOnce(&Surroundings<'_>) -> T) -> Result<T, CannotBegin> {
        let Config { nodes, crashes, steps, options, .. } = &self.config;
        let contract = self.target.contract(options)?;
        Ok(make(&Surroundings {
            weights: &self.weights,
            contract: &contract,
            nodes: *nodes,
            crashes: *crashes,
            steps: *steps,
            phase: self.target.phase(),
            harnesses: self.target.harnesses(),
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
        if self.executions == 0 {
            return Err(CampaignError::NoExecutions);
        }
        let (first, executions) = (self.first, self.executions);
        let last = first.checked_add(executions).ok_or(CampaignError::TooFar { first, executions })?;
        let mut taken = Taken::new();
        let crew = Crew {
            jobs: self.jobs,
            step_time: self.step_time,
            deadline: self.time.and_then(|time| taken.began.checked_add(time)),
            progress,
        };
        let mut start = first;
        while start < last {
            let end = start.saturating_add(explorer.generation().unwrap_or(GENERATION).max(1)).min(last);
            let reader: &dyn Explorer = explorer;
            let mut trouble = None;
            let mut lessons = Vec::new();
            let reached = crew.in_order(
                start..end,
                |number, beat| self.one(reader, number, beat),
                |number, result| match result {
                    Ok(done) => {
                        let flow = self.take(&mut taken, number, &done);
                        lessons.extend(done.experience.map(|experience| (number, experience)));
                        progress.executions(number + 1 - first, executions, taken.findings.len());
                        flow
                    }
                    Err(error) => {
                        trouble = Some(error);
                        ControlFlow::Break(())
                    }
                },
            );
            if let Some(error) = trouble {
                return Err(error.into());
            }
            self.shrink_new(&mut taken, &crew);
            if taken.failed > 0 && !self.keep_going {
                break;
            }
            if reached < end || end < last && crew.is_late() {
                taken.cut_short = Some("the limit of time");
                break;
            }
            for (number, experience) in lessons {
                explorer.learn(&self.execution(number), experience);
            }
            start = end;
        }
        Ok(taken.summary(self, explorer))
    }

    /// Takes in the result of an execution. A failure is written to its file at once, so that it is not lost whatever
    /// comes after it.
    fn take(&self, taken: &mut Taken, number: u64, done: &Done) -> ControlFlow<()> {
        taken.count(&done.verdict, &done.seen);
        let Verdict::Fail(violation) = &done.verdict else { return ControlFlow::Continue(()) };
        if !taken.findings.iter().any(|finding| finding.failure.violation.property == violation.property) {
            let trace = done.seen.trace.as_ref();
            let found = Found {
                strategy: self.strategy.clone(),
                campaign_seed: self.seed,
                execution: number,
                steps: trace.map_or(0, |trace| trace.board.steps().len()),
                shrunk: false,
            };
            let seed = self.execution(number).seed;
            let failure = Failure::new(self.target, &self.config, seed, violation.clone(), found, trace);
            let (path, file_error) = self.write(&failure);
            let finding = Finding { failure, path, file_error, shrink_executions: 0, shrink_cut_short: None };
            taken.findings.push(finding);
        }
        if self.keep_going { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Shrinks the failures that were found since the last time.
    fn shrink_new(&self, taken: &mut Taken, crew: &Crew<'_>) {
        let Some(mut limits) = self.shrink else { return };
        for finding in &mut taken.findings[taken.looked_at..] {
            if finding.failure.violation.property == DETERMINISM {
                continue;
            }
            // The time that is left to the campaign is all that shrinking has, but for a moment.
            if let Some(deadline) = crew.deadline {
                let left = deadline.saturating_duration_since(Instant::now()).max(SHRINK_TIME_MIN);
                limits.time = Some(limits.time.map_or(left, |time| time.min(left)));
            }
            crew.progress.shrinking(&finding.failure.violation.property, finding.failure.found.steps);
            let began = Instant::now();
            let execution = finding.failure.found.execution;
            let shrunk = crew.alone(execution, |beat| shrink(self.target, &finding.failure, limits, beat));
            taken.shrinking += began.elapsed();
            (finding.shrink_executions, finding.shrink_cut_short) = (shrunk.executions, shrunk.cut_short);
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
        taken.looked_at = taken.findings.len();
    }

    /// The execution of this number.
    pub fn execution(&self, number: u64) -> Execution {
        Execution { number, seed: derive_seed(self.seed, number), steps_max: self.config.steps }
    }

    fn one(&self, explorer: &dyn Explorer, number: u64, beat: &Beat) -> Result<Done, CannotBegin> {
        let execution = self.execution(number);
        let (outcome, experience) = match self.run_once(explorer, &execution, beat) {
            Err(CannotBegin::Boot(boot)) => return Ok(Done::at_boot(Violation::from(&boot))),
            other => other?,
        };
        let mut verdict = outcome.verdict;
        if self.check_determinism {
            let reason = match self.run_once(explorer, &execution, beat) {
                Err(CannotBegin::Boot(boot)) => {
                    Some(format!("the first of two runs of one seed boots, the second: {boot}"))
                }
                again => difference(&outcome.trace, &again?.0.trace),
            };
            if let Some(reason) = reason {
                verdict = Verdict::Fail(Violation { property: DETERMINISM.to_owned(), reason });
            }
        }
        let seen = Glance {
            fingerprint: Some(outcome.trace.fingerprint()),
            tally: Tally::of(&outcome.trace.board),
            trace: matches!(verdict, Verdict::Fail(_)).then_some(outcome.trace),
        };
        Ok(Done { verdict, seen, experience: Some(experience) })
    }

    fn run_once(
        &self,
        explorer: &dyn Explorer,
        execution: &Execution,
        beat: &Beat,
    ) -> Result<(Outcome, Experience), CannotBegin> {
        let live = self.target.begin(&self.config, execution.seed, Recording::Brief)?;
        // Part 1 of the seed is the strategy's; see `Target::begin` for the others.
        let mut strategy =
            explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..*execution });
        let outcome = execute(live, strategy.as_mut(), self.config.steps, beat);
        let experience = strategy.experience(&outcome.trace);
        Ok((outcome, experience))
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
struct Glance {
    fingerprint: Option<Fingerprint>,
    tally: Tally,
    trace: Option<Trace>,
}

struct Done {
    verdict: Verdict,
    seen: Glance,
    experience: Option<Experience>,
}

impl Done {
    fn at_boot(violation: Violation) -> Done {
        let seen = Glance { fingerprint: None, tally: Tally::default(), trace: None };
        Done { verdict: Verdict::Fail(violation), seen, experience: None }
    }
}

/// What has been taken in so far.
struct Taken {
    began: Instant,
    executions: u64,
    failed: u64,
    unknown: u64,
    unknown_reason: Option<String>,
    tally: Tally,
    fingerprinter: Fingerprinter,
    findings: Vec<Finding>,
    /// How many of the findings have been shrunk, or were not to be.
    looked_at: usize,
    shrinking: Duration,
    cut_short: Option<&'static str>,
}

impl Taken {
    fn new() -> Taken {
        Taken {
            began: Instant::now(),
            executions: 0,
            failed: 0,
            unknown: 0,
            unknown_reason: None,
            tally: Tally::default(),
            fingerprinter: Fingerprinter::default(),
            findings: Vec::new(),
            looked_at: 0,
            shrinking: Duration::ZERO,
            cut_short: None,
        }
    }

    fn count(&mut self, verdict: &Verdict, seen: &Glance) {
        self.executions += 1;
        self.tally.add(&seen.tally);
        self.fingerprinter.add(&seen.fingerprint);
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail(_) => self.failed += 1,
            Verdict::Unknown(reason) => {
                self.unknown += 1;
                self.unknown_reason.get_or_insert_with(|| reason.clone());
            }
        }
    }

    fn summary(self, campaign: &Campaign<'_>, explorer: &dyn Explorer) -> Summary {
        let inert =
            campaign.wanted(explorer).into_iter().filter(|kind| self.tally.of_kind(*kind) == 0).collect();
        Summary {
            executions: self.executions,
            failed: self.failed,
            unknown: self.unknown,
            unknown_reason: self.unknown_reason,
            tally: self.tally,
            fingerprint: self.fingerprinter.finish(),
            findings: self.findings,
            inert,
            elapsed: self.began.elapsed().saturating_sub(self.shrinking),
            shrinking: self.shrinking,
            cut_short: self.cut_short,
        }
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
