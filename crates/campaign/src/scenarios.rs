//! Running scenarios: many iterations of one, on top of any strategy, and what came of them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{Recording, StepKind, Trace, derive_seed};
use shakedown_explore::closure::{Control, Faults, LockStep, Phase, Shape};
use shakedown_explore::{Explorer, Weights};
use shakedown_scenario::{BadScenario, IterationReport, MonitorOptions, ScenarioInfo};

use crate::execute::{Beat, execute};
use crate::workers::Crew;
use crate::{AnyTarget, Campaign, CampaignError, CannotBegin, Progress, Verdict, Violation};

/// The steps that a strategy makes by itself when no scenario is there, and leaves to the scenario when one is.
const FAULTS: [StepKind; 6] =
    [StepKind::Drop, StepKind::Duplicate, StepKind::Crash, StepKind::Restart, StepKind::Cut, StepKind::Heal];

/// How many phases of a fault-free run are looked at to find the distance between filters.
const DISTANCE_PHASES: usize = 60;

/// Many iterations of a scenario.
pub struct ScenarioRun<'a> {
    /// What is tested.
    pub target: &'a dyn AnyTarget,
    /// The scenario's name.
    pub scenario: &'a str,
    /// The strategy underneath.
    pub strategy: String,
    /// How many iterations.
    pub iterations: u64,
    /// The number of the first.
    pub first: u64,
    /// Where all randomness comes from.
    pub seed: u64,
    /// How many iterations side by side.
    pub jobs: usize,
    /// The filter that is left out, counted from 1.
    pub without: Option<usize>,
    /// Whether to keep a log of the first iteration.
    pub explain: bool,
    /// Whether a scenario that makes more nodes faulty than the protocol tolerates cannot run.
    pub strict: bool,
}

/// What came of many iterations.
#[derive(Debug)]
pub struct ScenarioSummary {
    /// The scenario.
    pub info: ScenarioInfo,
    /// The target's version.
    pub target_version: String,
    /// How many nodes there were.
    pub nodes: usize,
    /// The strategy underneath.
    pub strategy: String,
    /// Where all randomness came from.
    pub seed: u64,
    /// How many iterations there were.
    pub iterations: u64,
    /// In how many the property was in a success state at the end.
    pub successes: u64,
    /// In how many it was in its fail state.
    pub fails: u64,
    /// The first iteration that did not succeed.
    pub first_without_success: Option<u64>,
    /// Properties of the target that were violated, each with the first iteration.
    pub violations: Vec<(u64, Violation)>,
    /// Counts over all iterations.
    pub total: IterationReport,
    /// The clauses of the protocol.
    pub clauses: Vec<&'static str>,
    /// Everything that should make a reader doubt.
    pub warnings: Vec<String>,
    /// The log of the first iteration, if it was asked for.
    pub log: Vec<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Why a scenario cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The target has no such scenario.
    #[error("{target} has no scenario `{scenario}`: it has {known}")]
    Unknown {
        /// The target.
        target: String,
        /// The scenario.
        scenario: String,
        /// What there is.
        known: String,
    },
    /// The scenario makes no sense.
    #[error(transparent)]
    Bad(#[from] BadScenario),
    /// The target or the strategy cannot run like this.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// Its weights make no sense.
    #[error("scenario `{0}`: {1}")]
    Weights(&'static str, String),
    /// More faulty nodes than the protocol tolerates.
    #[error("{0}")]
    TooFaulty(String),
}

impl From<CannotBegin> for ScenarioError {
    fn from(error: CannotBegin) -> ScenarioError {
        ScenarioError::Campaign(error.into())
    }
}

impl<'a> ScenarioRun<'a> {
    /// 100 iterations on top of PCTCP, seed 1.
    pub fn new(target: &'a dyn AnyTarget, scenario: &'a str) -> ScenarioRun<'a> {
        ScenarioRun {
            target,
            scenario,
            strategy: "pctcp".to_owned(),
            iterations: 100,
            first: 0,
            seed: 1,
            jobs: 1,
            without: None,
            explain: false,
            strict: false,
        }
    }

    fn info(&self) -> Result<ScenarioInfo, ScenarioError> {
        let known = self.target.scenarios();
        known.iter().find(|info| info.name == self.scenario).cloned().ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|info| info.name).collect();
            ScenarioError::Unknown {
                target: self.target.name().to_owned(),
                scenario: self.scenario.to_owned(),
                known: if names.is_empty() { "none".to_owned() } else { names.join(", ") },
            }
        })
    }

    /// The campaign whose executions are the iterations.
    fn campaign(&self, info: &ScenarioInfo) -> Result<Campaign<'a>, ScenarioError> {
        let mut campaign = Campaign::new(self.target);
        campaign.strategy.clone_from(&self.strategy);
        campaign.seed = self.seed;
        let config = &mut campaign.config;
        config.nodes = info.needs.nodes.unwrap_or(config.nodes);
        config.steps = info.needs.steps.unwrap_or(config.steps);
        config.requests = info.needs.requests.unwrap_or(config.requests);
        for (option, value) in &info.needs.options {
            config.options.set(*option, value);
        }
        let fair = FAULTS
            .into_iter()
            .fold(campaign.weights.clone(), |weights, kind| Weights::with(weights, kind, 0));
        campaign.weights = match info.needs.weights {
            Some(weights) => {
                fair.changed_by(weights).map_err(|reason| ScenarioError::Weights(info.name, reason))?
            }
            None => fair,
        };
        Ok(campaign)
    }

    /// Runs the iterations.
    pub fn run(&self, progress: &dyn Progress) -> Result<ScenarioSummary, ScenarioError> {
        let info = self.info()?;
        let campaign = self.campaign(&info)?;
        let nodes = campaign.config.nodes;
        self.target.validate_scenario(self.scenario, nodes)?;
        let count = info.filters.len();
        if let Some(number) = self.without.filter(|number| !(1..=count).contains(number)) {
            return Err(BadScenario::NoFilter { scenario: info.name, number, count }.into());
        }
        let mut warnings = Vec::new();
        if let Some(warning) = self.over_budget(&info, nodes) {
            if self.strict {
                return Err(ScenarioError::TooFaulty(warning));
            }
            warnings.push(warning);
        }
        let explorer = campaign.explorer()?;
        let began = Instant::now();
        let mut summary = ScenarioSummary {
            target_version: self.target.version().to_owned(),
            nodes,
            strategy: self.strategy.clone(),
            seed: self.seed,
            iterations: 0,
            successes: 0,
            fails: 0,
            first_without_success: None,
            violations: Vec::new(),
            total: IterationReport::default(),
            clauses: self.target.clauses(),
            warnings,
            log: Vec::new(),
            elapsed: Duration::ZERO,
            info,
        };
        let mut kinds = BTreeSet::new();
        let mut trouble = None;
        let crew = Crew { jobs: self.jobs, step_time: campaign.step_time, deadline: None, progress };
        let last = self.first.saturating_add(self.iterations);
        crew.in_order(
            self.first..last,
            |number, beat| self.one(&campaign, explorer.as_ref(), number, beat),
            |number, done| match done {
                Ok(done) => {
                    progress.executions(number + 1 - self.first, self.iterations, summary.violations.len());
                    kinds.extend(done.kinds.iter().copied());
                    summary.take(number, done);
                    ControlFlow::Continue(())
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
        summary.elapsed = began.elapsed();
        summary.doubt(&kinds, self.without);
        Ok(summary)
    }

    /// What there is to say if the scenario makes more nodes faulty than the protocol tolerates.
    fn over_budget(&self, info: &ScenarioInfo, nodes: usize) -> Option<String> {
        let tolerated = self.target.tolerates(nodes);
        let faulty = info.needs.faulty;
        (faulty > tolerated).then(|| {
            format!(
                "scenario `{}` makes {faulty} of {nodes} nodes faulty, but {} tolerates {tolerated}",
                info.name,
                self.target.name()
            )
        })
    }

    fn one(
        &self,
        campaign: &Campaign<'_>,
        explorer: &dyn Explorer,
        number: u64,
        beat: &Beat,
    ) -> Result<Iteration, CannotBegin> {
        let execution = campaign.execution(number);
        let live = match self.target.begin(&campaign.config, execution.seed, Recording::Brief) {
            Err(CannotBegin::Boot(boot)) => return Ok(Iteration::at_boot(Violation::from(&boot))),
            other => other?,
        };
        let execution = shakedown_explore::Execution { seed: derive_seed(execution.seed, 1), ..execution };
        let options = MonitorOptions {
            without: self.without,
            explain: self.explain && number == self.first,
            observe: false,
        };
        let inner = explorer.strategy(&execution);
        let mut monitor = self
            .target
            .monitor(self.scenario, options, inner, &execution, campaign.config.nodes)
            .expect("the scenario was found before");
        let outcome = execute(live, monitor.as_mut(), campaign.config.steps, beat);
        let report = monitor.experience(&outcome.trace);
        let report = *report.downcast::<IterationReport>().expect("that is what monitors experience");
        Ok(Iteration { report, verdict: outcome.verdict, kinds: kinds_of(&outcome.trace) })
    }

    /// How far apart filters are: for each that keeps messages back, how many messages are received in a fault-free run in
    /// lock step between the first that it takes and the point at which another filter gives them back.
    pub fn distances(&self) -> Result<Vec<Distance>, ScenarioError> {
        let info = self.info()?;
        let campaign = self.campaign(&info)?;
        let nodes = campaign.config.nodes;
        self.target.validate_scenario(self.scenario, nodes)?;
        let phase = self.target.phase().cloned().unwrap_or_else(|| Phase::of_hops(4));
        let rounds = DISTANCE_PHASES * phase.rounds().len();
        let lock_step = LockStep {
            phase: Arc::new(phase),
            shape: Shape { nodes, rounds, period: rounds, isolations: Some(0) },
            faults: Faults::Isolations(Control::Rounds),
            loss: self.target.contract(&campaign.config.options).map_err(CannotBegin::from)?.loss,
            harness: None,
        };
        let execution = campaign.execution(self.first);
        let live = self.target.begin(&campaign.config, execution.seed, Recording::Brief)?;
        let execution = shakedown_explore::Execution { seed: derive_seed(execution.seed, 1), ..execution };
        let options = MonitorOptions { observe: true, ..MonitorOptions::default() };
        let inner = lock_step.strategy(&execution);
        let mut monitor = self
            .target
            .monitor(self.scenario, options, inner, &execution, nodes)
            .expect("the scenario was found before");
        let outcome = execute(live, monitor.as_mut(), campaign.config.steps, &Beat::default());
        let report = monitor.experience(&outcome.trace);
        let report = *report.downcast::<IterationReport>().expect("that is what monitors experience");
        Ok(distances_in(&info, &report, nodes))
    }
}

/// How far a filter reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// So many messages from the point of capture to the point of release, or to the end of the run.
    Messages(u64),
    /// It lies: no order of the messages does that.
    Infinite,
    /// It never matched in the fault-free run.
    Unknown,
}

/// The distance of a filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distance {
    /// The filter, counted from 1.
    pub filter: usize,
    /// The filter that gives back what it keeps, if there is one.
    pub released_by: Option<usize>,
    /// How far it reaches.
    pub reach: Reach,
    /// How many nodes there are, which is what distances are measured by.
    pub nodes: usize,
}

impl Distance {
    /// Whether PCTCP alone would get there.
    pub fn advice(&self) -> &'static str {
        let nodes = self.nodes as u64;
        match self.reach {
            Reach::Messages(messages) if messages <= 2 * nodes => "PCTCP alone may well get there",
            Reach::Messages(messages) if messages <= nodes * nodes => "PCTCP alone gets there now and then",
            Reach::Messages(_) => "PCTCP alone will hardly get there",
            Reach::Infinite => "PCTCP alone never gets there: it does not lie",
            Reach::Unknown => "nothing is known: it never matched without faults",
        }
    }
}

fn distances_in(info: &ScenarioInfo, report: &IterationReport, nodes: usize) -> Vec<Distance> {
    let first = |number: usize| report.filters.get(number).and_then(|tally| tally.first);
    let of_filter = |(number, filter): (usize, &shakedown_scenario::FilterInfo)| {
        let gives_back = |other: &shakedown_scenario::FilterInfo| {
            other.releases.iter().any(|set| filter.stores.contains(set))
        };
        let released_by = info.filters.iter().position(gives_back);
        let end = released_by.and_then(first).unwrap_or(report.received);
        let reach = match first(number) {
            _ if filter.is_lie => Reach::Infinite,
            Some(begin) => Reach::Messages(end.saturating_sub(begin)),
            None => Reach::Unknown,
        };
        Distance { filter: number + 1, released_by: released_by.map(|number| number + 1), reach, nodes }
    };
    // What only gives back keeps nothing, and has no distance of its own.
    let keeps =
        |filter: &shakedown_scenario::FilterInfo| filter.releases.is_empty() || !filter.stores.is_empty();
    info.filters.iter().enumerate().filter(|(_, filter)| keeps(filter)).map(of_filter).collect()
}

/// What is kept of one iteration.
struct Iteration {
    report: IterationReport,
    verdict: Verdict,
    kinds: BTreeSet<&'static str>,
}

impl Iteration {
    fn at_boot(violation: Violation) -> Iteration {
        let report = IterationReport::default();
        Iteration { report, verdict: Verdict::Fail(violation), kinds: BTreeSet::new() }
    }
}

fn kinds_of(trace: &Trace) -> BTreeSet<&'static str> {
    trace.board.messages().iter().map(|message| message.kind.as_str()).collect()
}

impl ScenarioSummary {
    fn take(&mut self, number: u64, iteration: Iteration) {
        self.iterations += 1;
        self.total.add(&iteration.report);
        self.successes += u64::from(iteration.report.is_success);
        self.fails += u64::from(iteration.report.is_fail);
        if !iteration.report.is_success && self.first_without_success.is_none() {
            self.first_without_success = Some(number);
        }
        if !iteration.report.log.is_empty() {
            self.log = iteration.report.log;
        }
        match iteration.verdict {
            Verdict::Fail(violation) => {
                if !self.violations.iter().any(|(_, known)| known.property == violation.property) {
                    self.violations.push((number, violation));
                }
            }
            Verdict::Unknown(reason) => {
                self.warnings.push(format!("nothing can be said of iteration {number}: {reason}"))
            }
            Verdict::Pass => {}
        }
    }

    /// What never happened, though the scenario is about it.
    fn doubt(&mut self, kinds: &BTreeSet<&'static str>, without: Option<usize>) {
        for (number, tally) in (1..).zip(&self.total.filters) {
            if tally.matched == 0 && without != Some(number) {
                let name = &self.info.filters[number - 1].name;
                self.warnings.push(format!("filter {number} never matched: {name}"));
            }
        }
        for kind in self.info.kinds.iter().filter(|kind| !kinds.contains(*kind)) {
            self.warnings.push(format!("there never was a message of the kind `{kind}`"));
        }
        if self.total.refused > 0 {
            let first = self.total.first_refused.as_deref().unwrap_or("no reason is known");
            self.warnings
                .push(format!("{} steps of filters were refused, the first: {first}", self.total.refused));
        }
        if self.total.undecodable > 0 {
            let count = self.total.undecodable;
            self.warnings
                .push(format!("{count} messages were changed to what nobody can read; they were lost"));
        }
    }

    /// The share of iterations that succeeded.
    pub fn rate(&self) -> f64 {
        self.successes as f64 / self.iterations.max(1) as f64
    }

    /// Fails the test unless at least this share of iterations succeeded.
    ///
    /// # Panics
    /// If it did not.
    pub fn at_least(&self, rate: f64) -> &ScenarioSummary {
        assert!(self.rate() >= rate, "{self}\nat least {rate} was wanted");
        self
    }

    /// Fails the test if more than this share of iterations succeeded: for negative controls.
    ///
    /// # Panics
    /// If it did.
    pub fn at_most(&self, rate: f64) -> &ScenarioSummary {
        assert!(self.rate() <= rate, "{self}\nat most {rate} was wanted");
        self
    }

    /// Fails the test if the property failed in any iteration, or a property of the target was violated.
    ///
    /// # Panics
    /// If it did.
    pub fn never_fails(&self) -> &ScenarioSummary {
        assert!(self.fails == 0 && self.violations.is_empty(), "{self}\nit was never to fail");
        self
    }

    /// Fails the test if a filter never matched, or anything else makes a reader doubt.
    ///
    /// # Panics
    /// If there is a warning.
    pub fn without_doubt(&self) -> &ScenarioSummary {
        assert!(self.warnings.is_empty(), "{self}\nthere should be no warnings");
        self
    }
}

impl std::fmt::Display for ScenarioSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ScenarioSummary { info, successes, iterations, fails, .. } = self;
        writeln!(
            f,
            "scenario `{}`: {successes} of {iterations} iterations succeeded, {fails} failed",
            info.name
        )?;
        if let Some(first) = self.first_without_success {
            writeln!(
                f,
                "  the first without success is number {first} of seed {}, on {}",
                self.seed, self.strategy
            )?;
        }
        for (number, (filter, tally)) in (1..).zip(info.filters.iter().zip(&self.total.filters)) {
            let deeds: Vec<_> = tally.deeds.iter().map(|(word, count)| format!("{word} {count}")).collect();
            writeln!(
                f,
                "  filter {number} matched {}: {} ({})",
                tally.matched,
                filter.name,
                deeds.join(", ")
            )?;
        }
        let states: Vec<_> = info
            .states
            .iter()
            .zip(&self.total.states)
            .map(|(state, count)| format!("{state} {count}"))
            .collect();
        writeln!(f, "  states entered: {}", states.join(", "))?;
        for (number, violation) in &self.violations {
            writeln!(f, "  in iteration {number}: {violation}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        Ok(())
    }
}
