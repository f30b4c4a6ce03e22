//! The strategies that choose the next step by themselves, as long as the execution may go on.

use super::parameter::{ParameterInfo, Takes};
use super::{Constructor, StrategyChoice, StrategyInfo, Surroundings};
use crate::{Environment, Pctcp, Pos, RandomWalk};

const DEPTH: ParameterInfo = ParameterInfo {
    takes: Takes::NumberOr("any", 1, 1_000_000),
    ..ParameterInfo::number(
        "depth",
        "6",
        "aims at orderings of this many messages (d); any: drawn for each execution",
    )
};
const MESSAGES: ParameterInfo =
    ParameterInfo::number("messages", "steps", "expects about this many messages in an execution (n)")
        .derived();

pub(super) const RANDOM: StrategyInfo = StrategyInfo {
    name: "random",
    about: "uniform random walk",
    parameters: &[],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Any(|_, surroundings| Ok(Box::new(RandomWalk::new(environment(surroundings))))),
};

pub(super) const PCTCP: StrategyInfo = StrategyInfo {
    name: "pctcp",
    about: "probabilistic concurrency testing with chain partitioning (Ozkan et al. 2018)",
    parameters: &[DEPTH, MESSAGES],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Any(|choice: &StrategyChoice, surroundings| {
        let messages = choice.optional_number(&MESSAGES).unwrap_or(surroundings.steps);
        let environment = environment(surroundings);
        Ok(Box::new(match choice.optional_number(&DEPTH) {
            Some(depth) => Pctcp::new(environment, depth, messages),
            None => Pctcp::of_any_depth(environment, messages),
        }))
    }),
};

pub(super) const POS: StrategyInfo = StrategyInfo {
    name: "pos",
    about: "partial-order sampling (Yuan et al. 2018)",
    parameters: &[],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Any(|_, surroundings| Ok(Box::new(Pos::new(environment(surroundings))))),
};

fn environment(surroundings: &Surroundings<'_>) -> Environment {
    Environment::new(surroundings.weights.clone(), surroundings.crashes)
}
