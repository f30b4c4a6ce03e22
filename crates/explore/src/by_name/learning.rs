//! The strategies that learn, by name.

use shakedown_cluster::{Loss, NODES_MAX};

use super::{Parameters, Surroundings, UnknownStrategy};
use crate::Explorer;
use crate::learning::{
    Agent, BonusMax, Delivery, Learner, NegVisits, Novelty, Partitions, UcbZero, Uniform, Waypoint, Waypoints,
};

type Info = (&'static str, &'static str, &'static str);

/// The parameters that all of them have.
pub(super) const LEARNING: [Info; 7] = [
    ("horizon", "25", "so many actions make an episode"),
    ("ticks", "4", "rounds of deliveries and ticks while a partition lasts"),
    ("same", "5", "up to how often it counts that a state is seen again"),
    ("down", "1", "so many nodes may be down at once"),
    ("choices", "64", "at most so many partitions to choose from: those of the fewest parts"),
    ("order", "any", "any: messages of a round come in any order; sent: as they were sent"),
    ("generation", "1", "learns after so many episodes, which can run side by side"),
];

const ALPHA: Info = ("alpha", "0.2", "how much an episode changes what was learned (α)");
const GAMMA: Info = ("gamma", "0.95", "how much less is worth what is a step further away (γ)");
const EPSILON: Info = ("epsilon", "0.05", "how often an action is chosen at random (ε)");
const WAYPOINTS: Info = (
    "waypoints",
    "none",
    "predicates of the target, the last to be explored: [LogDiff(1), LogCommitDiff(3)]",
);

pub(super) const BONUS_MAX: [Info; 10] = with([ALPHA, GAMMA, EPSILON]);
pub(super) const WAYPOINT: [Info; 11] = with([ALPHA, GAMMA, EPSILON, WAYPOINTS]);
pub(super) const NEG_VISITS: [Info; 10] = with([
    ("alpha", "0.3", ALPHA.2),
    ("gamma", "0.7", GAMMA.2),
    ("temperature", "1", "how little it matters what actions are worth"),
]);
pub(super) const UCB_ZERO: [Info; 9] = with([
    ("constant", "0.5", "the weight of the bound (c)"),
    ("episodes", "10000", "expects so many episodes (K)"),
]);

/// The longest episodes.
const HORIZON_MAX: usize = 10_000;

/// These parameters and those that all have.
const fn with<const N: usize, const M: usize>(own: [Info; N]) -> [Info; M] {
    assert!(M == N + LEARNING.len(), "there is room for all of them");
    let mut all = [LEARNING[0]; M];
    let mut place = 0;
    while place < M {
        all[place] = if place < LEARNING.len() { LEARNING[place] } else { own[place - LEARNING.len()] };
        place += 1;
    }
    all
}

/// About how many steps an episode takes at most: every round each node ticks, and hears and answers every other.
pub(super) fn steps(
    parameters: &Parameters<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<Option<usize>, UnknownStrategy> {
    if !matches!(
        parameters.strategy,
        "partitions" | "bonusmax" | "waypoint" | "negvisits" | "ucbzero" | "novelty"
    ) {
        return Ok(None);
    }
    let space = space(parameters, surroundings)?;
    // More nodes cannot be run, which is told when they are.
    let nodes = surroundings.nodes.min(NODES_MAX);
    let a_round = nodes + 4 * nodes * nodes;
    Ok(Some(space.horizon.saturating_mul(space.ticks * a_round + nodes * nodes)))
}

/// The explorer that is named, one of those that learn.
pub(super) fn learner(
    parameters: &Parameters<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<Box<dyn Explorer>, UnknownStrategy> {
    if surroundings.contract.loss == Loss::Never {
        let reason = "the target's contract rules out that messages are lost, so nobody can be parted";
        return Err(parameters.bad(reason.to_owned()));
    }
    let space = space(parameters, surroundings)?;
    let generation = parameters.number("generation")?.unwrap_or(1) as u64;
    let share = |(name, default, _): Info| share(parameters, name, default);
    let (alpha, gamma, epsilon) = match parameters.strategy {
        "partitions" => return Ok(make(space, Uniform, generation)),
        "negvisits" => {
            let (alpha, gamma) = (share(("alpha", "0.3", ""))?, share(("gamma", "0.7", ""))?);
            let temperature = positive(parameters, "temperature", 1.0)?;
            return Ok(make(space, NegVisits::new(alpha, gamma, temperature), generation));
        }
        "ucbzero" => {
            let episodes = parameters.number("episodes")?.unwrap_or(10_000);
            let constant = positive(parameters, "constant", 0.5)?;
            let agent = UcbZero::new(space.horizon, episodes, constant);
            return Ok(make(space, agent, generation));
        }
        _ => (share(ALPHA)?, share(GAMMA)?, share(EPSILON)?),
    };
    Ok(match parameters.strategy {
        "bonusmax" => make(space, BonusMax::new(alpha, gamma, epsilon), generation),
        "novelty" => make(space, Novelty::new(alpha, gamma, epsilon), generation),
        "waypoint" => {
            let waypoints = space.waypoints.len();
            make(space, Waypoint::new(alpha, gamma, epsilon, waypoints), generation)
        }
        other => unreachable!("{other} is listed but cannot be made"),
    })
}

fn make<A: Agent>(space: Partitions, agent: A, generation: u64) -> Box<dyn Explorer> {
    Box::new(Learner::new(space, agent, generation))
}

fn space(
    parameters: &Parameters<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<Partitions, UnknownStrategy> {
    let thesis = Partitions::default();
    let horizon = parameters.number("horizon")?.unwrap_or(thesis.horizon);
    if horizon > HORIZON_MAX {
        return Err(parameters.bad(format!("`horizon` cannot be `{horizon}`: {HORIZON_MAX} at most")));
    }
    let waypoints = match parameters.text("waypoints") {
        None | Some("none") => Waypoints::default(),
        Some(text) => Waypoints::read(text, surroundings.waypoints)
            .map_err(|error| parameters.bad(format!("`waypoints`: {error}")))?,
    };
    Ok(Partitions {
        horizon,
        ticks: parameters.number("ticks")?.unwrap_or(thesis.ticks),
        same: parameters.count("same")?.unwrap_or(thesis.same as usize) as u32,
        crashes: surroundings.crashes,
        down: parameters.count("down")?.unwrap_or(thesis.down),
        choices: parameters.number("choices")?.unwrap_or(thesis.choices),
        delivery: match parameters.word("order", &["any", "sent"])? {
            "sent" => Delivery::Sent,
            _ => Delivery::Any,
        },
        waypoints,
        watched: Waypoints::default(),
    })
}

/// A number from 0 to 1.
fn share(parameters: &Parameters<'_>, name: &str, default: &str) -> Result<f64, UnknownStrategy> {
    let text = parameters.text(name).unwrap_or(default);
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number
        .ok_or_else(|| parameters.bad(format!("`{name}` cannot be `{text}`: a number from 0 to 1 is wanted")))
}

/// A number above 0.
fn positive(parameters: &Parameters<'_>, name: &str, default: f64) -> Result<f64, UnknownStrategy> {
    let Some(text) = parameters.text(name) else { return Ok(default) };
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| parameters.bad(format!("`{name}` cannot be `{text}`: a number above 0 is wanted")))
}
