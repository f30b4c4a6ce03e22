//! Parameters of strategies as flags of the command line. All of them may also stand behind the strategy's
//! name, as in `closure:rounds=8`. What they are unless given is the strategy's own affair:
//! `shakedown strategies` lists it.

use clap::Args;
use shakedown_explore::{STRATEGIES, StrategyChoice, UnknownStrategy};

use crate::near::did_you_mean;

/// The strategy that a text names; the error has the name that was probably meant.
pub(crate) fn choice(text: &str) -> Result<StrategyChoice, String> {
    text.parse().map_err(|error: UnknownStrategy| match &error {
        UnknownStrategy::Name(name) => {
            format!("{error}{}", did_you_mean(name, STRATEGIES.iter().map(|known| known.name)))
        }
        UnknownStrategy::Parameter { .. } => error.to_string(),
    })
}

/// The parameters that have flags.
#[derive(Args)]
pub(crate) struct StrategyParameters {
    #[command(flatten)]
    closure: Closure,
    #[command(flatten)]
    learning: Learning,
    /// With fuzz: the guide, which decides what counts as new (states, traces, code); `shakedown targets`
    /// lists them
    #[arg(long, value_name = "NAME")]
    guide: Option<String>,
}

impl StrategyParameters {
    /// The strategy with these parameters.
    pub fn of(&self, strategy: StrategyChoice) -> Result<StrategyChoice, UnknownStrategy> {
        let strategy = self.learning.of(self.closure.of(strategy)?)?;
        with(strategy, [("guide", &self.guide)])
    }
}

/// The parameters of communication closure, which are also those of its strategy:
/// `closure:rounds=R,period=K,isolations=D`.
#[derive(Args)]
pub(crate) struct Closure {
    /// With closure, lossy and crashing: the number of rounds in which faults may happen
    #[arg(long, value_name = "R")]
    rounds: Option<String>,
    /// With closure: isolated processes rejoin after this many rounds
    #[arg(long, value_name = "K")]
    period: Option<String>,
    /// With closure: exactly this many isolations, or `any`
    #[arg(long, value_name = "D")]
    isolations: Option<String>,
    /// With closure, lossy and crashing: the harness, a fixed list of client requests;
    /// `shakedown targets TARGET` lists them
    #[arg(long, value_name = "NAME")]
    harness: Option<String>,
}

impl Closure {
    /// The strategy with these parameters.
    pub fn of(&self, strategy: StrategyChoice) -> Result<StrategyChoice, UnknownStrategy> {
        let Closure { rounds, period, isolations, harness } = self;
        let given =
            [("rounds", rounds), ("period", period), ("isolations", isolations), ("harness", harness)];
        with(strategy, given)
    }
}

/// The parameters of strategies that learn, which may also be given with their names: `bonusmax:horizon=H`.
#[derive(Args)]
struct Learning {
    /// With a strategy that learns, and fuzz: the number of actions of an execution
    #[arg(long, value_name = "H")]
    horizon: Option<String>,
    /// With `waypoint`: predicates that lead to the target of the exploration, as in 'LogDiff(1),
    /// LogCommitDiff(3)'; `shakedown targets` lists them
    #[arg(long, value_name = "PREDICATE,…")]
    waypoints: Option<String>,
}

impl Learning {
    /// The strategy with these parameters.
    fn of(&self, strategy: StrategyChoice) -> Result<StrategyChoice, UnknownStrategy> {
        // Predicates have commas of their own.
        let waypoints = self.waypoints.as_ref().map(|waypoints| format!("[{waypoints}]"));
        with(strategy, [("horizon", &self.horizon), ("waypoints", &waypoints)])
    }
}

/// The strategy with those of these parameters that were given.
fn with<const N: usize>(
    strategy: StrategyChoice,
    given: [(&str, &Option<String>); N],
) -> Result<StrategyChoice, UnknownStrategy> {
    let given = given.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    given.into_iter().try_fold(strategy, |strategy, (name, value)| strategy.with(name, value))
}
