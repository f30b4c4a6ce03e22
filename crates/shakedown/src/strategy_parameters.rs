//! Parameters of strategies as flags of the command line. All of them may also stand behind the strategy's name, as in
//! `closure:rounds=8`.

use clap::Args;

/// The parameters that have flags.
#[derive(Args)]
pub(crate) struct StrategyParameters {
    #[command(flatten)]
    closure: Closure,
    #[command(flatten)]
    learning: Learning,
    /// With fuzz: the guide that says what is new; `shakedown targets` lists them [default: state]
    #[arg(long, value_name = "NAME")]
    guide: Option<String>,
}

impl StrategyParameters {
    /// The strategy with these parameters.
    pub fn of(&self, strategy: &str) -> String {
        let strategy = self.learning.of(&self.closure.of(strategy));
        with_parameters(&strategy, [("guide", &self.guide)])
    }
}

/// The parameters of communication closure, which are also those of its strategy: `closure:rounds=R,period=K,isolations=D`.
#[derive(Args)]
pub(crate) struct Closure {
    /// With a strategy that goes in rounds: in so many rounds something may go wrong [default: 4 phases]
    #[arg(long, value_name = "R")]
    rounds: Option<String>,
    /// With closure: isolated processes join again after so many rounds [default: a phase]
    #[arg(long, value_name = "K")]
    period: Option<String>,
    /// With closure: exactly so many isolations, or `any` [default: 3]
    #[arg(long, value_name = "D")]
    isolations: Option<String>,
    /// With a strategy that goes in rounds: whose requests are sent; `shakedown targets` lists them [default: workload]
    #[arg(long, value_name = "NAME")]
    harness: Option<String>,
}

impl Closure {
    /// The strategy with these parameters.
    pub fn of(&self, strategy: &str) -> String {
        let Closure { rounds, period, isolations, harness } = self;
        let given =
            [("rounds", rounds), ("period", period), ("isolations", isolations), ("harness", harness)];
        with_parameters(strategy, given)
    }
}

/// The parameters of strategies that learn, which may also be given with their names: `bonusmax:horizon=H`.
#[derive(Args)]
struct Learning {
    /// With a strategy that learns: so many actions make an execution [default: 25]
    #[arg(long, value_name = "H")]
    horizon: Option<String>,
    /// With `waypoint`: predicates that lead to what is to be explored, as in 'LogDiff(1), LogCommitDiff(3)'; `shakedown
    /// targets` lists them
    #[arg(long, value_name = "PREDICATE,…")]
    waypoints: Option<String>,
}

impl Learning {
    /// The strategy with these parameters.
    fn of(&self, strategy: &str) -> String {
        // Predicates have commas of their own.
        let waypoints = self.waypoints.as_ref().map(|waypoints| format!("[{waypoints}]"));
        with_parameters(strategy, [("horizon", &self.horizon), ("waypoints", &waypoints)])
    }
}

/// The strategy with these parameters, besides those that it has.
fn with_parameters<const N: usize>(strategy: &str, given: [(&str, &Option<String>); N]) -> String {
    let mut text = strategy.to_owned();
    for (name, value) in given {
        if let Some(value) = value {
            let mark = if text.contains(':') { ',' } else { ':' };
            text.push_str(&format!("{mark}{name}={value}"));
        }
    }
    text
}
