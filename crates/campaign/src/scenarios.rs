//! Running scenarios: many iterations of one, on top of any strategy, and what came of them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use shakedown_cluster::{Options, Recording, StepKind, Trace, derive_seed};
use shakedown_explore::{Execution, Explorer, StrategyChoice, Weights};
use shakedown_scenario::{BadScenario, IterationReport, MonitorOptions, ScenarioInfo};

use crate::workers::Crew;
use crate::{
    AnyTarget, Beat, Campaign, CampaignError, CannotBegin, Failure, Found, Progress, ScenarioSummary,
    Verdict, Violation, execute,
};

/// The steps that a strategy makes by itself when no scenario is there, and leaves to the scenario when one is.
const FAULTS: [StepKind; 6] =
    [StepKind::Drop, StepKind::Duplicate, StepKind::Crash, StepKind::Restart, StepKind::Cut, StepKind::Heal];

/// Many iterations of a scenario.
pub struct ScenarioRun<'a> {
    /// What is tested.
    pub target: &'a dyn AnyTarget,
    /// The scenario's name.
    pub scenario: &'a str,
    /// The strategy underneath.
    pub strategy: StrategyChoice,
    /// How many iterations.
    pub iterations: u64,
    /// The number of the first.
    pub first: u64,
    /// Where all randomness comes from.
    pub seed: u64,
    /// How many iterations side by side.
    pub jobs: usize,
    /// The filters that are left out, counted from 1.
    pub without: Vec<usize>,
    /// Options of the target that take precedence over those of the scenario.
    pub options: Options,
    /// Whether to keep a log of the first iteration.
    pub explain: bool,
    /// Whether a scenario that makes more nodes faulty than the protocol tolerates cannot run.
    pub strict: bool,
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
            strategy: "pctcp".parse().expect("there is a strategy of this name"),
            iterations: 100,
            first: 0,
            seed: 1,
            jobs: 1,
            without: Vec::new(),
            options: Options::default(),
            explain: false,
            strict: false,
        }
    }

    pub(crate) fn info(&self) -> Result<ScenarioInfo, ScenarioError> {
        let known = &self.target.info().scenarios;
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
    pub(crate) fn campaign(&self, info: &ScenarioInfo) -> Result<Campaign<'a>, ScenarioError> {
        let mut campaign = Campaign::new(self.target);
        campaign.strategy = self.strategy.clone();
        campaign.seed = self.seed;
        let config = &mut campaign.config;
        config.nodes = info.needs.nodes.unwrap_or(config.nodes);
        config.steps = info.needs.steps.unwrap_or(config.steps);
        config.requests = info.needs.requests.unwrap_or(config.requests);
        for (option, value) in &info.needs.options {
            config.options.set(*option, value);
        }
        for (option, value) in self.options.iter() {
            config.options.set(option, value);
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
        if let Some(&number) = self.without.iter().find(|number| !(1..=count).contains(*number)) {
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
            unknown: 0,
            without: self.without.clone(),
            first_without_success: None,
            violations: Vec::new(),
            failures: Vec::new(),
            total: IterationReport::default(),
            clauses: self.target.info().clauses.clone(),
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
        summary.doubt(&kinds, &self.without);
        Ok(summary)
    }

    /// What there is to say if the scenario makes more nodes faulty than the protocol tolerates.
    fn over_budget(&self, info: &ScenarioInfo, nodes: usize) -> Option<String> {
        let tolerated = (self.target.info().tolerates)(nodes);
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
        let options = MonitorOptions {
            without: self.without.clone(),
            explain: self.explain && number == self.first,
            observe: false,
        };
        self.iterate(campaign, explorer, number, options, beat)
    }

    /// One iteration on top of a strategy.
    pub(crate) fn iterate(
        &self,
        campaign: &Campaign<'_>,
        explorer: &dyn Explorer,
        number: u64,
        options: MonitorOptions,
        beat: &Beat,
    ) -> Result<Iteration, CannotBegin> {
        let execution = campaign.execution(number);
        let live = match self.target.begin(&campaign.config, execution.seed, Recording::Brief) {
            Err(CannotBegin::Boot(boot)) => {
                let violation = Violation::from(&boot);
                let failure = self.failure(campaign, number, execution.seed, &violation, None);
                return Ok(Iteration::at_boot(violation, failure));
            }
            other => other?,
        };
        let execution = Execution { seed: derive_seed(execution.seed, 1), ..execution };
        let mut monitor = self
            .target
            .monitor(self.scenario, options, explorer.strategy(&execution), &execution, campaign.config.nodes)
            .expect("the scenario was found before");
        let outcome = execute(live, monitor.as_mut(), campaign.config.steps, beat);
        let report = monitor.experience(&outcome.trace);
        let report = *report.downcast::<IterationReport>().expect("that is what monitors experience");
        let failure = match &outcome.verdict {
            Verdict::Fail(violation) => {
                let seed = campaign.execution(number).seed;
                Some(self.failure(campaign, number, seed, violation, Some(&outcome.trace)))
            }
            _ => None,
        };
        Ok(Iteration { report, verdict: outcome.verdict, kinds: kinds_of(&outcome.trace), failure })
    }

    /// The failure of an iteration: its schedule fails without the scenario, too.
    fn failure(
        &self,
        campaign: &Campaign<'_>,
        number: u64,
        seed: u64,
        violation: &Violation,
        trace: Option<&Trace>,
    ) -> Failure {
        let found = Found {
            strategy: format!("{} under the scenario {}", self.strategy, self.scenario),
            campaign_seed: self.seed,
            execution: number,
            steps: trace.map_or(0, |trace| trace.board.steps().len()),
            shrunk: false,
        };
        Failure::new(self.target, &campaign.config, seed, violation.clone(), found, trace)
    }
}

/// What is kept of one iteration.
pub(crate) struct Iteration {
    pub report: IterationReport,
    pub verdict: Verdict,
    pub kinds: BTreeSet<&'static str>,
    /// What replays it, if a property of the target was violated.
    pub failure: Option<Failure>,
}

impl Iteration {
    fn at_boot(violation: Violation, failure: Failure) -> Iteration {
        let report = IterationReport::default();
        Iteration {
            report,
            verdict: Verdict::Fail(violation),
            kinds: BTreeSet::new(),
            failure: Some(failure),
        }
    }
}

fn kinds_of(trace: &Trace) -> BTreeSet<&'static str> {
    trace.board.messages().iter().map(|message| message.kind.as_str()).collect()
}
