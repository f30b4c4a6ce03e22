//! Plans: what a campaign is to do, as data, so that it can be kept and taken up another day.

use std::sync::Arc;

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
    /// The inputs that the first executions play, for strategies that play inputs: see
    /// [`Explorer::inputs`](shakedown_explore::Explorer::inputs).
    #[serde(default, skip_serializing_if = "no_inputs", with = "as_base64")]
    pub inputs: Arc<[Vec<u8>]>,
    /// How likely each kind of step is.
    #[serde(with = "as_text")]
    pub weights: Weights,
    /// Where all randomness comes from.
    pub seed: u64,
    /// The number of the first execution.
    pub first: u64,
    /// How many executions.
    pub executions: u64,
    /// Whether to go on after a failure.
    pub keep_going: bool,
    /// How many failures of one property are shrunk and reported, as long as they shrink to different
    /// schedules.
    pub variants: usize,
    /// The guides whose coverage is measured, besides the one that the strategy asks for.
    pub measures: Vec<String>,
    /// Whether every execution is run twice.
    pub check_determinism: bool,
    /// How much work shrinking may be; nothing to leave failures as they were found.
    #[serde(with = "as_numbers")]
    pub shrink: Option<ShrinkLimits>,
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
}

/// Plans without inputs are as they always were.
fn no_inputs(inputs: &Arc<[Vec<u8>]>) -> bool {
    inputs.is_empty()
}

impl Plan {
    /// What the target itself would have done: random walk, 1 000 executions, seed 1.
    pub fn new(target: &dyn AnyTarget) -> Plan {
        let info = target.info();
        Plan {
            target: info.name.clone(),
            target_version: info.version.clone(),
            shakedown: env!("CARGO_PKG_VERSION").to_owned(),
            config: info.defaults.clone(),
            strategy: StrategyChoice::default(),
            inputs: Arc::new([]),
            weights: info.weights.clone(),
            seed: 1,
            first: 0,
            executions: 1_000,
            keep_going: false,
            variants: 1,
            measures: Vec::new(),
            check_determinism: false,
            shrink: Some(ShrinkLimits::default()),
            part_of: None,
        }
    }

    /// Whether another plan is the same but for the executions: then both are parts of one campaign.
    pub fn is_part_like(&self, other: &Plan) -> bool {
        let apart_from_numbers = |plan: &Plan| Plan { first: 0, executions: 0, ..plan.clone() };
        apart_from_numbers(self) == apart_from_numbers(other)
    }

    /// The campaign of this plan, if it was made for this target and by this Shakedown.
    pub fn campaign<'a>(&self, target: &'a dyn AnyTarget) -> Result<Campaign<'a>, StalePlan> {
        if self.target_version != target.version() {
            let (then, now) = (self.target_version.clone(), target.version().to_owned());
            return Err(StalePlan::Target { then, now });
        }
        if self.shakedown != env!("CARGO_PKG_VERSION") {
            return Err(StalePlan::Shakedown(self.shakedown.clone()));
        }
        Ok(Campaign::of(target, self.clone()))
    }
}

/// Weights as text in JSON.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use shakedown_explore::Weights;

    pub fn serialize<S: Serializer>(weights: &Weights, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(weights)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Weights, D::Error> {
        let text = String::deserialize(from)?;
        let weights = Weights::none().changed_by(&text);
        weights.map_err(|error| Error::custom(format!("the weights of the campaign cannot be read: {error}")))
    }
}

/// Limits of shrinking as numbers in JSON: executions, and seconds.
mod as_numbers {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::ShrinkLimits;

    type Numbers = Option<(u64, Option<u64>)>;

    pub fn serialize<S: Serializer>(limits: &Option<ShrinkLimits>, to: S) -> Result<S::Ok, S::Error> {
        let seconds = |limits: &ShrinkLimits| limits.time.map(|time| time.as_secs());
        limits.map(|limits| (limits.executions, seconds(&limits))).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ShrinkLimits>, D::Error> {
        let limits = |(executions, seconds): (u64, Option<u64>)| ShrinkLimits {
            executions,
            time: seconds.map(Duration::from_secs),
        };
        Ok(Numbers::deserialize(from)?.map(limits))
    }
}
