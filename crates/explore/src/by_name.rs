//! Strategies by name: what `--strategy` and `SHAKEDOWN_STRATEGY` take.
//!
//! A name may carry parameters: `pctcp:depth=10,messages=500`.

use crate::{Environment, Explorer, Pctcp, Pos, RandomWalk};

/// A strategy that can be chosen by name.
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Its parameters, each with its default and a line on what it is.
    pub parameters: &'static [(&'static str, &'static str, &'static str)],
}

/// Every strategy that can be chosen by name.
pub const STRATEGIES: &[StrategyInfo] = &[
    StrategyInfo { name: "random", about: "uniform random walk", parameters: &[] },
    StrategyInfo {
        name: "pctcp",
        about: "probabilistic concurrency testing with chain partitioning (Ozkan et al. 2018)",
        parameters: &[
            ("depth", "6", "aims at orderings of this many messages (d)"),
            ("messages", "steps", "expects about this many messages in an execution (n)"),
        ],
    },
    StrategyInfo { name: "pos", about: "partial-order sampling (Yuan et al. 2018)", parameters: &[] },
];

/// Why a text does not name a strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownStrategy {
    /// No strategy has this name.
    #[error("there is no strategy `{0}`: choose one of {known}", known = names())]
    Name(String),
    /// The strategy has no such parameter, or the parameter no such value.
    #[error("strategy `{strategy}`: {reason}")]
    Parameter {
        /// The strategy.
        strategy: &'static str,
        /// What is wrong.
        reason: String,
    },
}

fn names() -> String {
    STRATEGIES.iter().map(|info| info.name).collect::<Vec<_>>().join(", ")
}

/// The explorer that the text names, for executions of at most `steps` steps in this environment.
pub fn by_name(
    text: &str,
    environment: Environment,
    steps: usize,
) -> Result<Box<dyn Explorer>, UnknownStrategy> {
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let info = STRATEGIES.iter().find(|info| info.name == name);
    let info = info.ok_or_else(|| UnknownStrategy::Name(name.chars().take(40).collect()))?;
    let parameters = Parameters::read(info, parameters)?;
    Ok(match info.name {
        "random" => Box::new(RandomWalk::new(environment)),
        "pos" => Box::new(Pos::new(environment)),
        "pctcp" => {
            let depth = parameters.number("depth", 6)?;
            let messages = parameters.number("messages", steps)?;
            Box::new(Pctcp::new(environment, depth, messages))
        }
        other => unreachable!("{other} is listed but cannot be made"),
    })
}

struct Parameters<'a> {
    strategy: &'static str,
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Parameters<'a> {
    fn read(info: &StrategyInfo, text: &'a str) -> Result<Parameters<'a>, UnknownStrategy> {
        let bad = |reason| UnknownStrategy::Parameter { strategy: info.name, reason };
        let mut given = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) =
                part.split_once('=').ok_or_else(|| bad(format!("`{part}` is not name=value")))?;
            if !info.parameters.iter().any(|(known, ..)| *known == name) {
                return Err(bad(format!("it has no parameter `{name}`")));
            }
            given.push((name, value));
        }
        Ok(Parameters { strategy: info.name, given })
    }

    fn number(&self, name: &str, default: usize) -> Result<usize, UnknownStrategy> {
        match self.given.iter().find(|(given, _)| *given == name) {
            None => Ok(default),
            Some((_, value)) => match value.parse() {
                Ok(number @ 1..=1_000_000) => Ok(number),
                _ => Err(UnknownStrategy::Parameter {
                    strategy: self.strategy,
                    reason: format!("`{name}` cannot be `{value}`: a number from 1 to 1000000 is wanted"),
                }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    fn error(text: &str) -> String {
        let environment = Environment::new(Weights::default(), 0);
        by_name(text, environment, 100).err().expect("this is no strategy").to_string()
    }

    #[test]
    fn every_listed_strategy_can_be_made() {
        for info in STRATEGIES {
            assert!(
                by_name(info.name, Environment::new(Weights::default(), 0), 100).is_ok(),
                "{}",
                info.name
            );
        }
    }

    #[test]
    fn what_is_not_a_strategy_is_told_what_there_is() {
        assert_eq!(error("bogus"), "there is no strategy `bogus`: choose one of random, pctcp, pos");
        assert_eq!(error("pctcp:width=3"), "strategy `pctcp`: it has no parameter `width`");
        assert_eq!(error("pos:depth=3"), "strategy `pos`: it has no parameter `depth`");
        assert!(error("pctcp:depth=0").contains("a number from 1"));
    }
}
