//! Conformance runs: every path of a model's state graph is played on a fresh cluster (Mocket).
//!
//! Paths are made while they are run, a batch at a time, and none is kept. A batch is a small campaign whose
//! explorer plays paths, so that verdicts, failure files, replay and shrinking are those of any other
//! campaign.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_conform::SPEC_OPTION;
use shakedown_conform::compare::{FindingKind, Play, SuitePaths, Unplayed};
use shakedown_conform::paths::{Cover, Path, StateGraph, Statistics};

use crate::progress::PartOf;
use crate::recipe::{PathsRecipe, Recipe};
use crate::{
    AnyTarget, Campaign, CampaignError, CannotBegin, Cause, Config, Finding, Fleet, Progress, ShrinkLimits,
    Verdict, Violation,
};

/// The most states that a state graph has unless something else is said.
pub const STATES_MAX: usize = 2_000_000;
/// How many paths are made and run at a time: some seconds of work, for each worker has to learn the
/// specification anew.
const BATCH: usize = 1 << 15;
/// The fewest steps that an execution may have: what shrinking tries may be a little longer than what was
/// found.
const STEPS_MIN: usize = 40;
/// The limit that `--budget` sets, as summaries name it.
const TIME_LIMIT: &str = "the limit of time";

/// What is to be run.
pub struct ConformRun<'a> {
    /// What is tested.
    pub target: &'a dyn AnyTarget,
    /// How it is run; its option `spec` names the specification.
    pub config: Config,
    /// Which paths.
    pub cover: Cover,
    /// The maximum number of paths; `None` for no limit.
    pub paths: Option<u64>,
    /// At most this long.
    pub time: Option<Duration>,
    /// The most states that the state graph may have.
    pub states_max: usize,
    /// How many paths side by side; never changes a result.
    pub jobs: usize,
    /// Whether to go on after a finding.
    pub keep_going: bool,
    /// How much work shrinking may be; nothing to leave findings as they were found.
    pub shrink: Option<ShrinkLimits>,
    /// Where failure files go.
    pub out: Option<PathBuf>,
    /// Who runs the paths, if it is not this process. It never changes a result.
    pub fleet: Option<Arc<dyn Fleet>>,
}

/// What came of it.
#[derive(Debug)]
pub struct ConformSummary {
    /// How many nodes the model is of.
    pub nodes: usize,
    /// States, edges, paths and steps of the model as far as paths were made; more of them than were run, if
    /// that was cut short.
    pub graph: Statistics,
    /// How many paths were run.
    pub paths: u64,
    /// How many different edges are on these.
    pub edges: u64,
    /// How many steps that took.
    pub steps: u64,
    /// How many paths ended in a finding.
    pub failed: u64,
    /// The first finding of every property.
    pub findings: Vec<Finding>,
    /// How many paths were inconclusive, and why the first of them was.
    pub unknown: (u64, Option<String>),
    /// How many paths could not be played to their ends, and the first of them.
    pub unplayed: (u64, Option<Unplayed>),
    /// How long it took to build the state graph.
    pub building: Duration,
    /// How long it took to run the paths.
    pub running: Duration,
    /// Which limit cut it short, if one did.
    pub cut_short: Option<&'static str>,
}

impl ConformSummary {
    /// The verdict on the run, for exit codes and all reports. It passes only if every path that was asked
    /// for was played to its end: `--paths` says how many are, while a limit of time leaves some out.
    pub fn verdict(&self) -> Verdict {
        if self.failed > 0 {
            let unnamed = || Violation { property: "conformance".to_owned(), reason: String::new() };
            let first = self.findings.first().map(|finding| finding.failure.violation.clone());
            return Verdict::Fail(first.unwrap_or_else(unnamed));
        }
        let reason = match (&self.unknown, &self.unplayed, self.cut_short) {
            ((unknown @ 1.., reason), ..) => {
                let reason = reason.as_deref().unwrap_or("no reason was given");
                format!("{unknown} of {} paths were inconclusive: {reason}", self.paths)
            }
            _ if self.paths == 0 => "no path was run".to_owned(),
            _ if self.graph.edges == 0 => "the state graph has no edges, so no step was compared".to_owned(),
            (_, (unplayed @ 1.., _), _) => {
                format!("{unplayed} of {} paths could not be played to their ends", self.paths)
            }
            (_, _, Some(TIME_LIMIT)) => {
                format!("only {} paths were run, cut short by {TIME_LIMIT}", self.paths)
            }
            _ => return Verdict::Pass,
        };
        Verdict::Unknown(reason)
    }

    /// How many findings of a kind there are.
    pub fn of_kind(&self, kind: FindingKind) -> usize {
        let is_of_it =
            |finding: &&Finding| FindingKind::of_property(&finding.failure.violation.property) == Some(kind);
        self.findings.iter().filter(is_of_it).count()
    }
}

/// Why paths cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ConformError {
    /// The target cannot be compared with a specification like this.
    #[error(transparent)]
    Begin(#[from] CannotBegin),
    /// A batch of paths could not be run.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// The target has no specification.
    #[error("{0} has no specification to compare its states with")]
    NoSpec(String),
    /// Paths are to end after an action that is on no edge.
    #[error("paths cannot end after `{action}`: the actions of the state graph are {known}")]
    NoAction {
        /// What was asked for.
        action: String,
        /// The actions that there are.
        known: String,
    },
}

impl<'a> ConformRun<'a> {
    /// All paths of the first specification that the target has: edge coverage, no end, no reduction.
    pub fn new(target: &'a dyn AnyTarget) -> Result<ConformRun<'a>, ConformError> {
        let model =
            target.info().specs.first().ok_or_else(|| ConformError::NoSpec(target.name().to_owned()))?;
        let mut config = Config { requests: 0, ..target.defaults().clone() };
        for (option, value) in &target.info().spec_settings {
            config.options.set(*option, value);
        }
        let mut run = ConformRun {
            target,
            config,
            cover: Cover::default(),
            paths: None,
            time: None,
            states_max: STATES_MAX,
            jobs: 1,
            keep_going: false,
            shrink: Some(ShrinkLimits::default()),
            out: None,
            fleet: None,
        };
        run.beside(model.name);
        Ok(run)
    }

    /// Compares with another specification of the target.
    pub fn beside(&mut self, spec: &str) -> &mut Self {
        self.config.options.set(SPEC_OPTION, spec);
        self
    }

    /// Takes the number of nodes that the specification's configuration is of.
    pub fn with_its_nodes(&mut self) -> Result<&mut Self, ConformError> {
        self.config.nodes = self.target.spec_nodes(&self.config.options)?;
        Ok(self)
    }

    /// An action that ends paths has to be one of the state graph: with a wrong name it would have no effect.
    fn check_ends(&self, graph: &StateGraph) -> Result<(), ConformError> {
        let known: BTreeSet<&str> = graph.labels().iter().map(|label| label.name.as_str()).collect();
        let unknown = self.cover.ends.actions.iter().find(|action| !known.contains(action.as_str()));
        unknown.map_or(Ok(()), |action| {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(ConformError::NoAction { action: action.clone(), known })
        })
    }

    /// Builds the state graph and runs its paths. Progress is reported without a total.
    pub fn run(&self, progress: &dyn Progress) -> Result<ConformSummary, ConformError> {
        let began = Instant::now();
        let suite = self.target.suite(&self.config, self.states_max)?;
        let building = began.elapsed();
        self.check_ends(suite.graph())?;
        let mut paths = self.cover.paths(suite.graph());
        let mut summary = ConformSummary {
            nodes: suite.nodes(),
            graph: paths.statistics(),
            paths: 0,
            edges: 0,
            steps: 0,
            failed: 0,
            findings: Vec::new(),
            unknown: (0, None),
            unplayed: (0, None),
            building,
            running: Duration::ZERO,
            cut_short: None,
        };
        let mut played = vec![false; suite.graph().edges() as usize];
        loop {
            let left = self.paths.map_or(BATCH as u64, |most| most.saturating_sub(summary.paths));
            let batch: Vec<Path> = paths.by_ref().take(BATCH.min(left as usize)).collect();
            if batch.is_empty() {
                if left == 0 && paths.next().is_some() {
                    summary.cut_short = Some("the limit of paths");
                }
                break;
            }
            let time = self.time.map(|time| time.saturating_sub(summary.running));
            if time.is_some_and(|time| time.is_zero()) {
                summary.cut_short = Some(TIME_LIMIT);
                break;
            }
            let before = summary.paths;
            let batch = self.run_batch(&suite.play(), batch, time, progress, &mut summary)?;
            for edge in batch.iter().take((summary.paths - before) as usize).flat_map(|path| &path.edges) {
                if !std::mem::replace(&mut played[*edge as usize], true) {
                    summary.edges += 1;
                }
            }
            summary.graph = paths.statistics();
            if summary.cut_short.is_some() || summary.failed > 0 && !self.keep_going {
                break;
            }
        }
        Ok(summary)
    }

    fn run_batch(
        &self,
        play: &Play,
        batch: Vec<Path>,
        time: Option<Duration>,
        progress: &dyn Progress,
        summary: &mut ConformSummary,
    ) -> Result<Arc<Vec<Path>>, ConformError> {
        let batch = Arc::new(batch);
        let longest = batch.iter().map(|path| path.edges.len()).max().unwrap_or(0);
        let mut campaign = Campaign::new(self.target);
        campaign.plan.config = Config { steps: (2 * longest).max(STEPS_MIN), ..self.config.clone() };
        (campaign.plan.first, campaign.plan.executions) = (summary.paths, batch.len() as u64);
        (campaign.jobs, campaign.plan.keep_going, campaign.time) = (self.jobs, self.keep_going, time);
        (campaign.plan.shrink, campaign.out) = (self.shrink, self.out.clone());
        let mut explorer = SuitePaths::new(play.clone(), summary.paths, Arc::clone(&batch));
        // How many paths there are is not known before they are made.
        let part = PartOf { total: 0, before: summary.paths, found: summary.findings.len(), progress };
        if self.fleet.is_some() {
            campaign.fleet.clone_from(&self.fleet);
            campaign.recipe = Recipe::Paths(PathsRecipe::of(self.states_max, &batch));
        }
        let mut unplayed = Vec::new();
        let result = campaign.run_watched(&mut explorer, &part, &mut |_, done| {
            let experience = done.experience.as_ref().and_then(|one| one.downcast_ref::<Option<Unplayed>>());
            unplayed.extend(experience.cloned().flatten());
        })?;
        summary.running += result.elapsed;
        summary.paths += result.executions;
        summary.steps += result.tally.steps.iter().sum::<u64>();
        summary.failed += result.failed;
        summary.unknown.0 += result.unknown;
        summary.unknown.1 = summary.unknown.1.take().or(result.unknown_reason);
        summary.unplayed.0 += unplayed.len() as u64;
        summary.unplayed.1 = summary.unplayed.1.take().or(unplayed.into_iter().next());
        for mut finding in result.findings {
            let cause = Cause::of(&finding.failure.violation);
            match summary.findings.iter_mut().find(|known| known.is_of(&cause)) {
                Some(known) => known.take_count(&mut finding),
                None => summary.findings.push(finding),
            }
        }
        if result.cut_short.is_some() {
            summary.cut_short = result.cut_short;
        }
        Ok(batch)
    }
}
