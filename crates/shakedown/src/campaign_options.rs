//! The options of the command line that describe a campaign, for every command that runs one.

use std::time::Duration;

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, Overrides};
use shakedown_cluster::Options;
use shakedown_explore::StrategyChoice;

use crate::command_line::CommandError;
use crate::jobs::Jobs;
use crate::near::nearest;

/// How a target is run, and for how long.
#[derive(Args)]
pub(crate) struct CampaignOptions {
    /// The target; `shakedown targets` lists them
    pub target: String,
    /// How many executions
    #[arg(long, short = 'n', alias = "episodes", default_value_t = 1_000, value_name = "N")]
    pub executions: u64,
    /// The source of all randomness
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    #[command(flatten)]
    pub jobs: Jobs,
    /// How many nodes [default: the target's]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// The maximum number of steps of an execution [default: the target's, or what the episodes of a strategy
    /// take]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// How many requests clients send [default: the target's]
    #[arg(long, value_name = "N")]
    requests: Option<usize>,
    /// The maximum number of crashes of an execution [default: the target's]
    #[arg(long, value_name = "N")]
    crashes: Option<usize>,
    /// Set an option of the target, as in pre_vote=true; `shakedown targets TARGET` lists them; may be
    /// repeated
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    options: Vec<String>,
    /// The weight of each kind of step, as in tick=30,crash=0 [default: the target's]
    #[arg(long, value_name = "KIND=WEIGHT,…")]
    weights: Option<String>,
    /// Count the different things that this guide sees (states, traces, code); `shakedown targets` lists them
    #[arg(long = "measure", value_name = "GUIDE")]
    pub measures: Vec<String>,
    /// Stop after this many seconds; the verdict reports that the limit was reached
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<u64>,
    /// Stop after this many steps of all executions together, at the end of a generation; the verdict reports
    /// that the limit was reached
    #[arg(long, value_name = "N")]
    total_steps: Option<u64>,
    /// Give up when one call of a node takes longer than this many seconds [default: 30; 300 where nodes are
    /// real processes]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub step_time: Option<u64>,
}

impl CampaignOptions {
    /// A campaign of this target, with this strategy.
    pub fn campaign<'a>(
        &self,
        target: &'a dyn AnyTarget,
        strategy: StrategyChoice,
    ) -> Result<Campaign<'a>, CommandError> {
        let mut campaign = Campaign::new(target);
        campaign.plan.strategy = strategy;
        campaign.plan.executions = self.executions;
        campaign.plan.seed = self.seed;
        campaign.jobs = self.jobs.of(target);
        campaign.plan.measures = self.measures.clone();
        campaign.time = self.time.map(Duration::from_secs);
        campaign.steps = self.total_steps;
        campaign.step_time = self.step_time.map_or(campaign.step_time, Duration::from_secs);
        let weights = match &self.weights {
            Some(changes) => Some(campaign.plan.weights.clone().changed_by(changes).map_err(CommandError)?),
            None => None,
        };
        campaign.apply(&Overrides {
            nodes: self.nodes,
            steps: self.steps,
            requests: self.requests,
            crashes: self.crashes,
            options: read_settings(target, &self.options)?,
            weights,
        });
        Ok(campaign)
    }
}

/// The options that `--set` gives. An option that the target does not have is refused here only if another
/// one was probably meant; otherwise the target refuses it, with a list of all.
pub(crate) fn read_settings(target: &dyn AnyTarget, settings: &[String]) -> Result<Options, CommandError> {
    let known = || target.info().options.iter().map(|known| known.name);
    let mut options = Options::default();
    for setting in settings {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| CommandError(format!("`--set {setting}` is not of the form OPTION=VALUE")))?;
        if !known().any(|known| known == name)
            && let Some(meant) = nearest(name, known())
        {
            let target = target.name();
            return Err(CommandError(format!(
                "{target} has no option `{name}`: did you mean `{meant}`? `targets {target}` lists all"
            )));
        }
        options.set(name, value);
    }
    Ok(options)
}
