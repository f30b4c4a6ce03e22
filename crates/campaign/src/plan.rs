//! Plans: what a campaign is to do, as data, so that it can be kept and taken up another day.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakedown_explore::{StrategyChoice, Weights};

use crate::corpus::as_base64;
use crate::{AnyTarget, Campaign, Config, ShrinkLimits};

/// What a campaign is to do, without its target and without what never changes a result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the target.
    pub target: String,
    /// What exactly is under test.
    pub target_version: String,
    /// The version of Shakedown that made the plan: another one may explore other executions.
    pub shakedown: String,
    /// How the target is run.
    pub config: Config,
    /// What chooses the steps.
    pub strategy: StrategyChoice,
    /// The inputs that the first executions play.
    #[serde(default, skip_serializing_if = "no_inputs", with = "as_base64")]
    pub inputs: Arc<[Vec<u8>]>,
    /// How likely each kind of step is, as text.
    pub weights: String,
    /// Where all randomness comes from.
    pub seed: u64,
    /// The number of the first execution.
    pub first: u64,
    /// How many executions.
    pub executions: u64,
    /// Whether to go on after a failure.
    pub keep_going: bool,
    /// How many failures of one property are reported.
    pub variants: usize,
    /// The guides that are measured.
    pub measures: Vec<String>,
    /// Whether every execution is run twice.
    pub check_determinism: bool,
    /// How much work shrinking may be: executions, and seconds.
    pub shrink: Option<(u64, Option<u64>)>,
    /// The campaign that this is a part of, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<Whole>,
}

/// The executions of a campaign that is run in parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Whole {
    /// The number of the first execution.
    pub first: u64,
    /// How many executions.
    pub executions: u64,
}

/// Why a plan cannot be taken up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StalePlan {
    /// The target is another version now.
    #[error("the campaign is of `{then}`, this is `{now}`: its executions would not be the same")]
    Target {
        /// The version that the campaign began with.
        then: String,
        /// The version now.
        now: String,
    },
    /// It was made by another Shakedown.
    #[error("the campaign was begun by Shakedown {0}, this is {now}: its executions may not be the same", now = env!("CARGO_PKG_VERSION"))]
    Shakedown(String),
    /// The weights cannot be read.
    #[error("the weights of the campaign cannot be read: {0}")]
    Weights(String),
}

/// Plans without inputs are as they always were.
fn no_inputs(inputs: &Arc<[Vec<u8>]>) -> bool {
    inputs.is_empty()
}

impl Plan {
    /// The plan of this campaign.
    pub fn of(campaign: &Campaign<'_>) -> Plan {
        Plan {
            target: campaign.target.name().to_owned(),
            target_version: campaign.target.version().to_owned(),
            shakedown: env!("CARGO_PKG_VERSION").to_owned(),
            config: campaign.config.clone(),
            strategy: campaign.strategy.clone(),
            inputs: Arc::clone(&campaign.inputs),
            weights: campaign.weights.to_string(),
            seed: campaign.seed,
            first: campaign.first,
            executions: campaign.executions,
            keep_going: campaign.keep_going,
            variants: campaign.variants,
            measures: campaign.measures.clone(),
            check_determinism: campaign.check_determinism,
            shrink: campaign.shrink.map(|limits| (limits.executions, limits.time.map(|time| time.as_secs()))),
            part_of: None,
        }
    }

    /// Whether another plan is the same but for the executions: then both are parts of one campaign.
    pub fn is_part_like(&self, other: &Plan) -> bool {
        let apart_from_numbers = |plan: &Plan| Plan { first: 0, executions: 0, ..plan.clone() };
        apart_from_numbers(self) == apart_from_numbers(other)
    }

    /// The campaign of this plan.
    pub fn campaign<'a>(&self, target: &'a dyn AnyTarget) -> Result<Campaign<'a>, StalePlan> {
        if self.target_version != target.version() {
            let (then, now) = (self.target_version.clone(), target.version().to_owned());
            return Err(StalePlan::Target { then, now });
        }
        if self.shakedown != env!("CARGO_PKG_VERSION") {
            return Err(StalePlan::Shakedown(self.shakedown.clone()));
        }
        let weights = Weights::none().changed_by(&self.weights).map_err(StalePlan::Weights)?;
        let mut campaign = Campaign::new(target);
        campaign.config = self.config.clone();
        campaign.strategy = self.strategy.clone();
        campaign.inputs = Arc::clone(&self.inputs);
        campaign.weights = weights;
        (campaign.seed, campaign.first, campaign.executions) = (self.seed, self.first, self.executions);
        (campaign.keep_going, campaign.variants) = (self.keep_going, self.variants);
        campaign.measures = self.measures.clone();
        campaign.check_determinism = self.check_determinism;
        campaign.shrink = self
            .shrink
            .map(|(executions, time)| ShrinkLimits { executions, time: time.map(Duration::from_secs) });
        Ok(campaign)
    }
}
