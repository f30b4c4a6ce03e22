//! Running scenarios: many iterations of one, on top of any strategy, and what came of them.
//!
//! The iterations are the executions of a campaign whose explorer puts a monitor on top of each strategy.
//! Verdicts, findings and workers are those of any other campaign; what is counted here is what the monitors
//! report.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use shakedown_cluster::{Options, Step, StepKind, Trace};
use shakedown_explore::{Execution, Experience, Explorer, Sight, Strategy, StrategyChoice, Weights};
use shakedown_scenario::{BadScenario, IterationReport, MonitorOptions, ScenarioInfo};

use crate::iteration::Iteration;
use crate::progress::PartOf;
use crate::recipe::{Recipe, ScenarioRecipe};
use crate::{
    AnyTarget, Campaign, CampaignError, CannotBegin, Explained, Fleet, Progress, ScenarioSummary, Summary,
    Verdict,
};

/// The steps that a strategy makes by itself when no scenario is there, and leaves to the scenario when one
/// is.
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
    /// The most time that one call of a node may take; without it,
    /// [`usual_step_time`](crate::usual_step_time).
    pub step_time: Option<Duration>,
    /// Who runs the iterations, if it is not this process. It never changes a result.
    pub fleet: Option<Arc<dyn Fleet>>,
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
            step_time: None,
            fleet: None,
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
        campaign.plan.strategy = self.strategy.clone();
        campaign.plan.seed = self.seed;
        campaign.step_time = self.step_time.unwrap_or(campaign.step_time);
        (campaign.plan.first, campaign.plan.executions, campaign.jobs) =
            (self.first, self.iterations, self.jobs);
        // Every iteration counts, and what a scenario brought about is not what a campaign would shrink.
        (campaign.plan.keep_going, campaign.plan.shrink) = (true, None);
        let config = &mut campaign.plan.config;
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
            .fold(campaign.plan.weights.clone(), |weights, kind| Weights::with(weights, kind, 0));
        campaign.plan.weights = match info.needs.weights {
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
        let mut campaign = self.campaign(&info)?;
        campaign.fleet.clone_from(&self.fleet);
        let nodes = campaign.plan.config.nodes;
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
        let inner = campaign.explorer()?;
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
            explained: None,
            elapsed: Duration::ZERO,
            info,
        };
        let (mut kinds, mut schedule) = (BTreeSet::new(), None);
        let recipe = ScenarioRecipe {
            scenario: self.scenario.to_owned(),
            without: self.without.clone(),
            explain: self.explain,
        };
        let options = recipe.options();
        campaign.recipe = Recipe::Scenario(recipe);
        let watch = |number, iteration: &Iteration, verdict: &Verdict| {
            kinds.extend(iteration.kinds.iter().copied());
            schedule = schedule.take().or_else(|| iteration.schedule.clone());
            summary.take(number, iteration, verdict);
        };
        if self.iterations > 0 {
            let came_of = self.iterate(&campaign, inner, options, progress, watch)?;
            summary.take_campaign(came_of);
            let (config, seed) = (&campaign.plan.config, campaign.execution(self.first).seed);
            summary.explained = schedule.map(|schedule| Explained { config: config.clone(), seed, schedule });
        }
        summary.doubt(&kinds, &self.without);
        Ok(summary)
    }

    /// Runs the iterations of a campaign on top of the strategies of an explorer. Shows what each monitor
    /// reports, in order.
    pub(crate) fn iterate(
        &self,
        campaign: &Campaign<'_>,
        inner: Box<dyn Explorer>,
        options: MonitorOptions,
        progress: &dyn Progress,
        mut watch: impl FnMut(u64, &Iteration, &Verdict),
    ) -> Result<Summary, ScenarioError> {
        let progress = PartOf { total: campaign.plan.executions, before: 0, found: 0, progress };
        let mut explorer = Monitored {
            target: self.target,
            scenario: self.scenario.to_owned(),
            first: self.first,
            inner,
            options,
            nodes: campaign.plan.config.nodes,
        };
        let nothing = Iteration::default();
        let summary = campaign.run_watched(&mut explorer, &progress, &mut |number, done| {
            // Where the cluster does not boot there is no monitor.
            let iteration = done.experience.as_ref().and_then(|one| one.downcast_ref()).unwrap_or(&nothing);
            watch(number, iteration, &done.verdict);
        })?;
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
}

/// The explorer of a scenario: puts its monitor on top of every strategy of another one, which never learns.
pub(crate) struct Monitored<'a> {
    pub target: &'a dyn AnyTarget,
    pub scenario: String,
    /// The first execution, which a log is kept of if one is wanted.
    pub first: u64,
    pub inner: Box<dyn Explorer>,
    pub options: MonitorOptions,
    pub nodes: usize,
}

impl Explorer for Monitored<'_> {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let mut options = self.options.clone();
        options.explain &= execution.number == self.first;
        let inner = self.inner.strategy(execution);
        let monitor = self.target.monitor(&self.scenario, options, inner, execution, self.nodes);
        Box::new(Observed(monitor.expect("the scenario was found before")))
    }

    fn reports(&self) -> bool {
        true
    }

    fn pack(&self, _execution: &Execution, experience: &Experience) -> Vec<u8> {
        experience.downcast_ref::<Iteration>().map(Iteration::pack).unwrap_or_default()
    }

    fn unpack(&self, _execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        Ok(Box::new(Iteration::unpack(packed)?))
    }

    fn uses_weights(&self) -> bool {
        self.inner.uses_weights()
    }

    fn wants(&self, kind: StepKind) -> bool {
        self.inner.wants(kind)
    }
}

/// A monitor whose execution is looked at when it is over.
struct Observed(Box<dyn Strategy>);

impl Strategy for Observed {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.0.next(sight)
    }

    fn experience(self: Box<Self>, trace: &Trace) -> Experience {
        let report = self.0.experience(trace).downcast::<IterationReport>();
        Box::new(Iteration::of(*report.expect("that is what monitors experience"), trace))
    }
}
