//! Strategies that are chosen by text: what `--strategy` and `SHAKEDOWN_STRATEGY` take.
//!
//! Every strategy has one descriptor, a [`StrategyInfo`]: its name, its parameters with their defaults and
//! help, and how it is made. A text such as `pctcp:depth=10,messages=500` is read once into a
//! [`StrategyChoice`], which makes explorers in the [`Surroundings`] of a target.

mod choice;
mod fuzz;
mod learning;
mod lock_step;
mod parameter;
mod portfolio;
mod walks;

pub use choice::StrategyChoice;
pub use parameter::{ParameterDefault, ParameterInfo, Takes};

use shakedown_cluster::Contract;

use crate::closure::{Harness, LockStep, Phase};
use crate::learning::{Partitions, WaypointInfo};
use crate::{Explorer, Weights};

/// A strategy that can be chosen: all that is known of it.
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [ParameterInfo],
    /// The parameter whose name may be left out: `fuzz:model` is `fuzz:guide=model`.
    pub unnamed: Option<&'static str>,
    /// Whether it asks which guides the target has ([`Surroundings::guides`]).
    pub wants_guides: bool,
    constructor: Constructor,
}

/// Makes something of a strategy in the surroundings of a target.
type Make<T> = fn(&StrategyChoice, &Surroundings<'_>) -> Result<T, UnknownStrategy>;

/// How a strategy is made.
enum Constructor {
    /// An explorer of any kind.
    Any(Make<Box<dyn Explorer>>),
    /// One that goes in rounds.
    LockStep(Make<LockStep>),
    /// One that goes in episodes, in which there is this to choose from.
    Episodes(fn(&StrategyChoice, Partitions) -> Box<dyn Explorer>),
}

/// Every strategy that can be chosen.
pub static STRATEGIES: &[StrategyInfo] = &[
    walks::RANDOM,
    walks::PCTCP,
    walks::POS,
    lock_step::CLOSURE,
    lock_step::LOSSY,
    lock_step::CRASHING,
    fuzz::FUZZ,
    learning::PARTITIONS,
    learning::BONUS_MAX,
    learning::WAYPOINT,
    learning::NEG_VISITS,
    learning::UCB_ZERO,
    learning::NOVELTY,
    portfolio::SWARM,
    portfolio::RETURN,
    portfolio::PORTFOLIO,
];

/// What a strategy needs to know of the target and of the campaign.
pub struct Surroundings<'a> {
    /// How likely each kind of step is.
    pub weights: &'a Weights,
    /// What the network, the disks and the clocks may do.
    pub contract: &'a Contract,
    /// How many nodes there are.
    pub nodes: usize,
    /// The most crashes of an execution.
    pub crashes: usize,
    /// The maximum number of steps of an execution.
    pub steps: usize,
    /// How many requests clients have.
    pub requests: usize,
    /// What a phase of the protocol is, if the target says so.
    pub phase: Option<&'a Phase>,
    /// The harnesses that the target offers.
    pub harnesses: &'a [Harness],
    /// The predicates that the target offers for waypoints.
    pub waypoints: &'a [WaypointInfo],
    /// The guides of the target's own that can be had in this configuration, by name.
    pub guides: &'a [&'static str],
}

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

impl StrategyChoice {
    /// The explorer of this strategy, in these surroundings.
    pub fn explorer(&self, surroundings: &Surroundings<'_>) -> Result<Box<dyn Explorer>, UnknownStrategy> {
        match self.info().constructor {
            Constructor::Any(make) => make(self, surroundings),
            Constructor::LockStep(make) => Ok(Box::new(make(self, surroundings)?)),
            Constructor::Episodes(make) => {
                learning::check(self, surroundings)?;
                Ok(make(self, learning::space(self, surroundings)?))
            }
        }
    }

    /// What the strategy does in lock step; nothing if it does not go in rounds.
    pub fn lock_step(&self, surroundings: &Surroundings<'_>) -> Result<Option<LockStep>, UnknownStrategy> {
        match self.info().constructor {
            Constructor::LockStep(make) => make(self, surroundings).map(Some),
            _ => Ok(None),
        }
    }

    /// About how many steps an execution takes that goes in episodes; nothing if it goes on as long as it
    /// may.
    pub fn steps(&self, surroundings: &Surroundings<'_>) -> Result<Option<usize>, UnknownStrategy> {
        match self.info().constructor {
            Constructor::Episodes(_) => {
                Ok(Some(learning::steps(&learning::space(self, surroundings)?, surroundings)))
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::Pace;
    use crate::learning::Parameter;

    const FAMILIES: &[WaypointInfo] = &[WaypointInfo {
        name: "Diff",
        about: "",
        parameters: &[Parameter::Number("x"), Parameter::Number("y")],
    }];

    fn make(
        text: &str,
        contract: &Contract,
        phase: Option<&Phase>,
    ) -> Result<Box<dyn Explorer>, UnknownStrategy> {
        let weights = Weights::default();
        let surroundings = Surroundings {
            weights: &weights,
            contract,
            nodes: 3,
            crashes: 1,
            steps: 100,
            requests: 5,
            phase,
            harnesses: &[],
            waypoints: FAMILIES,
            guides: &[],
        };
        text.parse::<StrategyChoice>()?.explorer(&surroundings)
    }

    fn error(text: &str) -> String {
        make(text, &Contract::asynchronous(), None).err().expect("this is no strategy").to_string()
    }

    #[test]
    fn every_listed_strategy_can_be_made() {
        for info in STRATEGIES {
            let text = if info.name == "waypoint" { "waypoint:waypoints=[Diff(1,2)]" } else { info.name };
            assert!(make(text, &Contract::asynchronous(), None).is_ok(), "{}", info.name);
        }
        let phase = Phase::new(Pace::EveryRound(1)).round("ask", &["Ask"]).round("tell", &["Tell"]);
        for level in ["a", "b", "c", "c,by=crash"] {
            let text = format!("closure:level={level}");
            assert!(make(&text, &Contract::asynchronous(), Some(&phase)).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_strategy_is_told_what_there_is() {
        assert_eq!(
            error("bogus"),
            "there is no strategy `bogus`: choose one of random, pctcp, pos, closure, lossy, crashing, fuzz, \
             partitions, bonusmax, waypoint, negvisits, ucbzero, novelty, swarm, return, portfolio"
        );
        assert_eq!(
            error("pctcp:width=3"),
            "strategy `pctcp`: there is no parameter `width`: it takes depth, messages"
        );
        assert_eq!(
            error("pos:depth=3"),
            "strategy `pos`: there is no parameter `depth`: it takes no parameters"
        );
        assert!(error("pctcp:depth=0").contains("a number from 1"));
        assert!(error("closure:rounds=0").contains("a number from 1"));
        assert!(error("closure:level=d").contains("choose one of a, b, c"));
        assert!(error("closure:level=b").contains("does not define its rounds"));
        assert!(error("closure:isolations=13").contains("13 isolations do not fit"));
        assert!(error("closure:harness=bogus").contains("no harness `bogus`: choose one of workload"));
        assert!(error("fuzz:mode=new").contains("choose one of own, published"));
        assert!(error("fuzz:empty=wait").contains("`empty` has no effect without `mode=published`"));
        assert!(
            error("fuzz:mode=published,generation=8")
                .contains("`generation` has no effect with `mode=published`")
        );
        assert!(error("fuzz:horizon=0").contains("a number from 1 to 10000"));
        assert!(error("fuzz:width=3").contains("there is no parameter `width`"));
        assert!(error("lossy:loss=2").contains("expected a probability, from 0 to 1"));
        assert!(error("bonusmax:alpha=2").contains("`alpha` cannot be `2`: expected a number from 0 to 1"));
        assert!(error("negvisits:temperature=0").contains("above 0"));
        assert!(error("negvisits:temperature=NaN").contains("above 0"));
        assert!(error("bonusmax:horizon=0").contains("a number from 1"));
        assert!(error("partitions:waypoints=[Diff(1,2)]").contains("there is no parameter `waypoints`"));
        assert!(
            error("waypoint:waypoints=[Diff(1,2), Gap(1)]")
                .contains("no predicate `Gap`: choose one of Diff(x, y)")
        );
        assert!(error("waypoint:waypoints=Diff(1,2), Diff(3,4)").contains("a list needs brackets"));
        assert!(error("bonusmax:order=none").contains("choose one of any, sent"));
    }

    #[test]
    fn an_episode_of_more_nodes_than_there_can_be_has_a_length_too() {
        let steps = |nodes| {
            let surroundings = Surroundings {
                weights: &Weights::none(),
                contract: &Contract::asynchronous(),
                nodes,
                crashes: 1,
                steps: 100,
                requests: 5,
                phase: None,
                harnesses: &[],
                waypoints: FAMILIES,
                guides: &[],
            };
            "bonusmax"
                .parse::<StrategyChoice>()
                .and_then(|choice| choice.steps(&surroundings))
                .expect("this is a strategy")
        };
        assert_eq!(steps(usize::MAX), steps(64));
    }

    #[test]
    fn waypoints_may_hold_commas() {
        for text in
            ["[Diff(1,2), Diff(3,4)],horizon=5", "Diff(1,2),horizon=5", "[Diff(1,2) and not (Diff(1,2))]"]
        {
            let text = format!("waypoint:alpha=0.5,waypoints={text}");
            assert!(make(&text, &Contract::asynchronous(), None).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_contract_that_rules_out_the_faults_of_a_strategy_rules_out_the_strategy() {
        let error = |text, contract: &Contract| make(text, contract, None).err().expect(text).to_string();
        assert!(error("closure", &Contract::reliable()).contains("no node can be isolated"));
        assert!(error("lossy", &Contract::sessions()).contains("the loss of single messages"));
        assert!(error("crashing", &Contract::reliable()).contains("rules out crashes"));
        assert!(
            error("bonusmax", &Contract::reliable()).contains("contract rules out that messages are lost")
        );
        assert!(make("bonusmax", &Contract::sessions(), None).is_ok());
    }

    #[test]
    fn every_default_is_a_value_of_its_parameter() {
        for info in STRATEGIES {
            for parameter in info.parameters {
                let is_value = match parameter.default {
                    ParameterDefault::Value(text) => parameter.takes.read(text).is_ok(),
                    ParameterDefault::Derived(_) => true,
                };
                assert!(is_value, "{}:{}={}", info.name, parameter.name, parameter.default);
            }
            let names: Vec<_> = info.parameters.iter().map(|parameter| parameter.name).collect();
            assert!(info.unnamed.is_none_or(|unnamed| names.contains(&unnamed)), "{}", info.name);
        }
    }

    #[test]
    fn the_defaults_of_strategies_that_learn_are_those_of_the_thesis() {
        let thesis = Partitions::default();
        let surroundings = Surroundings {
            weights: &Weights::none(),
            contract: &Contract::asynchronous(),
            nodes: 3,
            crashes: thesis.crashes,
            steps: 100,
            requests: 5,
            phase: None,
            harnesses: &[],
            waypoints: &[],
            guides: &[],
        };
        let choice: StrategyChoice = "partitions".parse().expect("this is a strategy");
        assert_eq!(learning::space(&choice, &surroundings).expect("it can be had"), thesis);
    }

    #[test]
    fn a_strategy_prints_as_the_text_that_it_was_read_from() {
        for text in [
            "random",
            "random:",
            "pctcp:depth=10,messages=500",
            "pctcp:depth=10,,depth=3",
            "fuzz:model",
            "fuzz:model,mode=published,echo=2",
            "waypoint:alpha=0.50,waypoints=[Diff(1,2), Diff(3,4)],horizon=5",
        ] {
            let choice: StrategyChoice = text.parse().expect(text);
            assert_eq!(choice.to_string(), text);
            assert_eq!(format!("{choice:>70}"), format!("{text:>70}"));
            let json = serde_json::to_string(&choice).expect("text is JSON");
            assert_eq!(json, serde_json::to_string(text).expect("text is JSON"));
            assert_eq!(serde_json::from_str::<StrategyChoice>(&json).expect("it was written"), choice);
        }
        assert!(serde_json::from_str::<StrategyChoice>("\"luck\"").is_err());
    }

    #[test]
    fn of_a_parameter_that_is_given_twice_the_last_value_counts() {
        let depth = |text: &str| {
            let choice: StrategyChoice = text.parse().expect(text);
            choice.optional_number(&choice.info().parameters[0])
        };
        assert_eq!(depth("pctcp:depth=0,depth=7"), Some(7));
        let given = "pctcp:depth=3".parse::<StrategyChoice>().and_then(|choice| choice.with("depth", "4"));
        let given = given.expect("it has this parameter");
        assert_eq!((given.to_string().as_str(), depth("pctcp")), ("pctcp:depth=3,depth=4", Some(6)));
        assert_eq!(given.optional_number(&given.info().parameters[0]), Some(4));
        let error = "random".parse::<StrategyChoice>().and_then(|choice| choice.with("rounds", "8"));
        let error = error.expect_err("it has none").to_string();
        assert_eq!(error, "strategy `random`: there is no parameter `rounds`: it takes no parameters");
    }

    #[test]
    fn in_a_list_a_comma_ends_a_strategy_unless_a_parameter_follows() {
        let list = |text: &str| -> Vec<String> {
            let strategies = StrategyChoice::list(text).expect("these are strategies");
            strategies.iter().map(ToString::to_string).collect()
        };
        let text = "random, pctcp:depth=3,messages=100,closure:rounds=8,fuzz:model,pos";
        let expected = ["random", "pctcp:depth=3,messages=100", "closure:rounds=8", "fuzz:model", "pos"];
        assert_eq!(list(text), expected);
        let waypoints = "random,waypoint:waypoints=[LogDiff(1), LogCommitDiff(3)],bonusmax";
        let expected = ["random", "waypoint:waypoints=[LogDiff(1), LogCommitDiff(3)]", "bonusmax"];
        assert_eq!(list(waypoints), expected);
        assert_eq!(list("closure,rounds=8,random"), ["closure:rounds=8", "random"]);
        assert_eq!(list(" ,"), [""; 0]);
        assert!(StrategyChoice::list("rounds=8,random").is_err());
    }
}
