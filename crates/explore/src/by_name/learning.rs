//! The strategies that learn: what they take, and the learners that are made of it.

use shakedown_cluster::{Loss, NODES_MAX};

use super::parameter::{ParameterInfo, joined};
use super::{Constructor, StrategyChoice, StrategyInfo, Surroundings, UnknownStrategy};
use crate::Explorer;
use crate::learning::{
    Agent, BonusMax, Delivery, Learner, NegVisits, Novelty, Partitions, UcbZero, Uniform, Waypoint,
    WaypointInfo, Waypoints,
};

/// The longest episodes.
const HORIZON_MAX: usize = 10_000;
/// A list of waypoints that is empty.
const NO_WAYPOINTS: &str = "none";

/// The parameters that all of them have. Their defaults are those of the thesis, as [`Partitions::default`]
/// has them.
const HORIZON: ParameterInfo =
    ParameterInfo::number("horizon", "25", "the number of actions that make an episode")
        .within(1, HORIZON_MAX);
const TICKS: ParameterInfo =
    ParameterInfo::number("ticks", "4", "rounds of deliveries and ticks while a partition lasts");
const SAME: ParameterInfo =
    ParameterInfo::count("same", "5", "the maximum of the counter for repeated states");
const DOWN: ParameterInfo = ParameterInfo::count("down", "1", "the most nodes that may be down at once");
const CHOICES: ParameterInfo =
    ParameterInfo::number("choices", "64", "the most partitions to choose from: those of the fewest parts");
const ORDER: ParameterInfo = ParameterInfo::word(
    "order",
    &["any", "sent"],
    "any: messages of a round come in any order; sent: as they were sent",
);
const GENERATION: ParameterInfo =
    ParameterInfo::number("generation", "1", "learns after this many episodes, which can run side by side");
const SHARED: [ParameterInfo; 7] = [HORIZON, TICKS, SAME, DOWN, CHOICES, ORDER, GENERATION];

const ALPHA: ParameterInfo = ParameterInfo::share("alpha", "0.2", "the learning rate (α)");
const GAMMA: ParameterInfo =
    ParameterInfo::share("gamma", "0.95", "the discount for rewards one step further away (γ)");
const EPSILON: ParameterInfo =
    ParameterInfo::share("epsilon", "0.05", "how often an action is chosen at random (ε)");
const WAYPOINTS: ParameterInfo = ParameterInfo::text(
    "waypoints",
    NO_WAYPOINTS,
    "predicates of the target, the last to be explored: [LogDiff(1), LogCommitDiff(3)]",
);

const NEG_VISITS_ALPHA: ParameterInfo = ParameterInfo::share(ALPHA.name, "0.3", ALPHA.about);
const NEG_VISITS_GAMMA: ParameterInfo = ParameterInfo::share(GAMMA.name, "0.7", GAMMA.about);
const TEMPERATURE: ParameterInfo =
    ParameterInfo::positive("temperature", "1", "the temperature of the softmax: higher is more random");

const CONSTANT: ParameterInfo = ParameterInfo::positive("constant", "0.5", "the weight of the bound (c)");
const EPISODES: ParameterInfo = ParameterInfo::number("episodes", "10000", "expects this many episodes (K)");

const REWARDED: [ParameterInfo; 10] = joined(&SHARED, &[ALPHA, GAMMA, EPSILON]);

pub(super) const PARTITIONS: StrategyInfo = StrategyInfo {
    name: "partitions",
    about: "partitions, crashes and requests at random: the baseline of the strategies that learn",
    parameters: &SHARED,
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Episodes(|choice, space| make(choice, space, Uniform)),
};

pub(super) const BONUS_MAX: StrategyInfo = StrategyInfo {
    name: "bonusmax",
    about: "learns to reach what is new (BonusMaxRL)",
    parameters: &REWARDED,
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Episodes(|choice, space| {
        let agent = BonusMax::new(choice.real(&ALPHA), choice.real(&GAMMA), choice.real(&EPSILON));
        make(choice, space, agent)
    }),
};

pub(super) const WAYPOINT: StrategyInfo = StrategyInfo {
    name: "waypoint",
    about: "learns to reach a target over waypoints, and explores it (WaypointRL)",
    parameters: &joined::<11>(&REWARDED, &[WAYPOINTS]),
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Episodes(|choice, space| {
        let (alpha, gamma, epsilon) = (choice.real(&ALPHA), choice.real(&GAMMA), choice.real(&EPSILON));
        let waypoints = space.waypoints.len();
        make(choice, space, Waypoint::new(alpha, gamma, epsilon, waypoints))
    }),
};

pub(super) const NEG_VISITS: StrategyInfo = StrategyInfo {
    name: "negvisits",
    about: "learns to avoid what was seen often (NegRLVisits)",
    parameters: &joined::<10>(&SHARED, &[NEG_VISITS_ALPHA, NEG_VISITS_GAMMA, TEMPERATURE]),
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Episodes(|choice, space| {
        let (alpha, gamma) = (choice.real(&NEG_VISITS_ALPHA), choice.real(&NEG_VISITS_GAMMA));
        make(choice, space, NegVisits::new(alpha, gamma, choice.real(&TEMPERATURE)))
    }),
};

pub(super) const UCB_ZERO: StrategyInfo = StrategyInfo {
    name: "ucbzero",
    about: "learns by optimistic bounds (UCBZero)",
    parameters: &joined::<9>(&SHARED, &[CONSTANT, EPISODES]),
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Episodes(|choice, space| {
        let agent = UcbZero::new(space.horizon, choice.number(&EPISODES), choice.real(&CONSTANT));
        make(choice, space, agent)
    }),
};

pub(super) const NOVELTY: StrategyInfo = StrategyInfo {
    name: "novelty",
    about: "learns to reach colours that were seldom seen: our variant of BonusMaxRL",
    parameters: &REWARDED,
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Episodes(|choice, space| {
        let agent = Novelty::new(choice.real(&ALPHA), choice.real(&GAMMA), choice.real(&EPSILON));
        make(choice, space, agent)
    }),
};

fn make<A: Agent>(choice: &StrategyChoice, space: Partitions, agent: A) -> Box<dyn Explorer> {
    Box::new(Learner::new(space, agent, choice.number(&GENERATION) as u64))
}

/// About how many steps an episode takes at most: every round each node ticks, and hears and answers every
/// other.
pub(super) fn steps(space: &Partitions, surroundings: &Surroundings<'_>) -> usize {
    // More nodes cannot be run, which is reported when they are.
    let nodes = surroundings.nodes.min(NODES_MAX);
    let a_round = nodes + 4 * nodes * nodes;
    space.horizon.saturating_mul(space.ticks * a_round + nodes * nodes)
}

/// The contract has to allow that nodes are parted, and a strategy that goes over waypoints needs some.
pub(super) fn check(choice: &StrategyChoice, surroundings: &Surroundings<'_>) -> Result<(), UnknownStrategy> {
    if choice.info().name == WAYPOINT.name && choice.text(&WAYPOINTS) == NO_WAYPOINTS {
        return Err(choice.bad(no_waypoints(surroundings.waypoints)));
    }
    if surroundings.contract.loss == Loss::Never {
        let reason = "the target's contract rules out that messages are lost, so no nodes can be parted";
        return Err(choice.bad(reason));
    }
    Ok(())
}

/// What to do about waypoints that are not given.
fn no_waypoints(known: &[WaypointInfo]) -> String {
    let names: Vec<_> = known.iter().map(ToString::to_string).collect();
    match names.is_empty() {
        true => {
            "it needs waypoints, and this target offers no predicates for them: choose `bonusmax`".to_owned()
        }
        false => format!(
            "it needs waypoints: give them as `--waypoints 'A(1), B(2)'` or `waypoint:waypoints=[A(1), B(2)]`, \
             with predicates of the target: {}",
            names.join(", ")
        ),
    }
}

/// What there is to choose from in an episode.
pub(super) fn space(
    choice: &StrategyChoice,
    surroundings: &Surroundings<'_>,
) -> Result<Partitions, UnknownStrategy> {
    let waypoints = match choice.text(&WAYPOINTS).as_str() {
        NO_WAYPOINTS => Waypoints::default(),
        text => Waypoints::read(text, surroundings.waypoints)
            .map_err(|error| choice.bad(format!("`waypoints`: {error}")))?,
    };
    Ok(Partitions {
        horizon: choice.number(&HORIZON),
        ticks: choice.number(&TICKS),
        same: choice.number(&SAME) as u32,
        crashes: surroundings.crashes,
        down: choice.number(&DOWN),
        choices: choice.number(&CHOICES),
        delivery: match choice.word(&ORDER) {
            "sent" => Delivery::Sent,
            _ => Delivery::Any,
        },
        waypoints,
        watched: Waypoints::default(),
    })
}
