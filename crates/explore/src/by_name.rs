//! Strategies by name: what `--strategy` and `SHAKEDOWN_STRATEGY` take.
//!
//! A name may carry parameters: `pctcp:depth=10,messages=500`.

mod fuzz;
mod learning;

use std::sync::Arc;

use shakedown_cluster::{Contract, Loss, StepKind};

use crate::closure::{self, Control, Faults, Harness, LockStep, Phase, Stopping};
use crate::learning::WaypointInfo;
use crate::{Environment, Explorer, Pctcp, Pos, RandomWalk, Weights};

/// A strategy that can be chosen by name.
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Its parameters, each with its default and a line on what it is.
    pub parameters: &'static [(&'static str, &'static str, &'static str)],
}

/// The parameters of everything that runs in lock step.
const ROUNDS: (&str, &str, &str) = ("rounds", "4 phases", "in so many rounds something may go wrong (r)");
const HARNESS: (&str, &str, &str) =
    ("harness", "workload", "the harness of the target whose requests are sent");
const WARM_UP: (&str, &str, &str) = ("warm-up", "target", "fault-free phases before");
const RECOVERY: (&str, &str, &str) = ("recovery", "target", "fault-free phases after");

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
    StrategyInfo {
        name: "closure",
        about: "lossy-synchronous rounds with isolated processes (communication closure, Drăgoi et al. 2020)",
        parameters: &[
            ROUNDS,
            ("period", "phase", "isolated processes join again after so many rounds (k)"),
            ("isolations", "3", "exactly so many isolations (d), or `any`"),
            ("level", "a", "a: rounds in lock step; b: phases in lock step; c: only boundaries of phases"),
            ("by", "cut", "at level c: `cut` processes off, or `crash` and restart them"),
            HARNESS,
            WARM_UP,
            RECOVERY,
        ],
    },
    StrategyInfo {
        name: "lossy",
        about: "rounds in lock step, every message lost with a probability (a baseline of `closure`)",
        parameters: &[ROUNDS, ("loss", "0.25", "the probability"), HARNESS, WARM_UP, RECOVERY],
    },
    StrategyInfo {
        name: "crashing",
        about: "rounds in lock step, crashes and restarts at random intervals (a baseline of `closure`)",
        parameters: &[
            ROUNDS,
            ("interval", "6", "rounds between crashes, on average"),
            ("down", "4", "rounds until a restart, on average"),
            HARNESS,
            WARM_UP,
            RECOVERY,
        ],
    },
    StrategyInfo {
        name: "fuzz",
        about: "mutates inputs that led to something new (ModelFuzz, Gulcan et al. 2025)",
        parameters: fuzz::PARAMETERS,
    },
    StrategyInfo {
        name: "partitions",
        about: "partitions, crashes and requests at random: the baseline of the strategies that learn",
        parameters: &learning::LEARNING,
    },
    StrategyInfo {
        name: "bonusmax",
        about: "learns to come to what is new (BonusMaxRL)",
        parameters: &learning::BONUS_MAX,
    },
    StrategyInfo {
        name: "waypoint",
        about: "learns to come to a target over waypoints, and explores it (WaypointRL)",
        parameters: &learning::WAYPOINT,
    },
    StrategyInfo {
        name: "negvisits",
        about: "learns to avoid what was seen often (NegRLVisits)",
        parameters: &learning::NEG_VISITS,
    },
    StrategyInfo {
        name: "ucbzero",
        about: "learns by optimistic bounds (UCBZero)",
        parameters: &learning::UCB_ZERO,
    },
    StrategyInfo {
        name: "novelty",
        about: "learns to come to colours that were seldom seen: a BonusMaxRL of our own",
        parameters: &learning::BONUS_MAX,
    },
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
    /// The most steps of an execution.
    pub steps: usize,
    /// How many requests clients have.
    pub requests: usize,
    /// What a phase of the protocol is, if the target says so.
    pub phase: Option<&'a Phase>,
    /// The harnesses that the target offers.
    pub harnesses: &'a [Harness],
    /// The predicates that the target offers for waypoints.
    pub waypoints: &'a [WaypointInfo],
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

/// The explorer that the text names, in these surroundings.
pub fn by_name(text: &str, surroundings: &Surroundings<'_>) -> Result<Box<dyn Explorer>, UnknownStrategy> {
    let parameters = Parameters::of(text)?;
    let environment = || Environment::new(surroundings.weights.clone(), surroundings.crashes);
    Ok(match parameters.strategy {
        "random" => Box::new(RandomWalk::new(environment())),
        "pos" => Box::new(Pos::new(environment())),
        "pctcp" => {
            let depth = parameters.number("depth")?.unwrap_or(6);
            let messages = parameters.number("messages")?.unwrap_or(surroundings.steps);
            Box::new(Pctcp::new(environment(), depth, messages))
        }
        "closure" | "lossy" | "crashing" => Box::new(lock_step(&parameters, surroundings)?),
        "fuzz" => fuzz::explorer(&parameters, surroundings)?,
        _ => return learning::learner(&parameters, surroundings),
    })
}

/// About how many steps an execution of a strategy takes that goes in episodes; nothing if it goes on as long as it may.
pub fn steps_by_name(text: &str, surroundings: &Surroundings<'_>) -> Result<Option<usize>, UnknownStrategy> {
    let parameters = Parameters::of(text)?;
    learning::steps(&parameters, surroundings)
}

/// The parameters of lock step that the text names: what `closure`, `lossy` and `crashing` do.
pub fn lock_step_by_name(
    text: &str,
    surroundings: &Surroundings<'_>,
) -> Result<Option<LockStep>, UnknownStrategy> {
    let parameters = Parameters::of(text)?;
    match parameters.strategy {
        "closure" | "lossy" | "crashing" => lock_step(&parameters, surroundings).map(Some),
        _ => Ok(None),
    }
}

fn lock_step(
    parameters: &Parameters<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<LockStep, UnknownStrategy> {
    let known = surroundings.phase;
    let period = parameters.number("period")?;
    let mut phase = known.cloned().unwrap_or_else(|| Phase::of_hops(period.unwrap_or(4)));
    if let Some(phases) = parameters.count("warm-up")? {
        phase = phase.warm_up(phases as u32);
    }
    if let Some(phases) = parameters.count("recovery")? {
        phase = phase.recovery(phases as u32);
    }
    let length = phase.rounds().len();
    let shape = closure::Shape {
        nodes: surroundings.nodes,
        rounds: parameters.number("rounds")?.unwrap_or(4 * length),
        period: period.unwrap_or(length),
        isolations: match parameters.text("isolations") {
            Some("any") => None,
            _ => Some(parameters.count("isolations")?.unwrap_or(if parameters.strategy == "closure" {
                3
            } else {
                0
            })),
        },
    };
    let shape = shape.check().map_err(|error| parameters.bad(error.to_string()))?;
    let faults = faults(parameters, known.is_some(), surroundings)?;
    let harness = match parameters.text("harness") {
        None | Some("workload") => None,
        Some(name) => Some(harness(parameters, name, surroundings.harnesses)?),
    };
    Ok(LockStep { phase: Arc::new(phase), shape, faults, loss: surroundings.contract.loss, harness })
}

fn faults(
    parameters: &Parameters<'_>,
    has_rounds: bool,
    surroundings: &Surroundings<'_>,
) -> Result<Faults, UnknownStrategy> {
    let Surroundings { contract, nodes, .. } = surroundings;
    let no_crashes = || parameters.bad("the target's contract rules out crashes".to_owned());
    let can_crash = contract.allows(StepKind::Crash, *nodes);
    let single_loss = || match contract.loss {
        Loss::Message => Ok(()),
        _ => Err(parameters.bad("the target's contract rules out the loss of single messages".to_owned())),
    };
    Ok(match parameters.strategy {
        "closure" => {
            if contract.loss == Loss::Never {
                let reason =
                    "the target's contract rules out that messages are lost, so nobody can be isolated";
                return Err(parameters.bad(reason.to_owned()));
            }
            let stopping = match parameters.word("by", &["cut", "crash"])? {
                "crash" if !can_crash => return Err(no_crashes()),
                "crash" => Stopping::Crash,
                _ => Stopping::Cut,
            };
            Faults::Isolations(match parameters.word("level", &["a", "b", "c"])? {
                "a" => Control::Rounds,
                "b" if !has_rounds => {
                    let reason =
                        "level b loses messages by their round, and this target does not say what those are";
                    return Err(parameters.bad(reason.to_owned()));
                }
                "b" => {
                    single_loss()?;
                    Control::Phases
                }
                _ => Control::Boundaries(stopping),
            })
        }
        "lossy" => {
            single_loss()?;
            let text = parameters.text("loss").unwrap_or("0.25");
            let loss = text.parse().ok().filter(|loss| (0.0..=1.0).contains(loss));
            Faults::Loss(
                loss.ok_or_else(|| {
                    parameters.bad(format!("`loss` cannot be `{text}`: it is a probability"))
                })?,
            )
        }
        _ if !can_crash => return Err(no_crashes()),
        _ => Faults::Crashes {
            interval: parameters.number("interval")?.unwrap_or(6) as u32,
            down: parameters.number("down")?.unwrap_or(4) as u32,
        },
    })
}

fn harness(
    parameters: &Parameters<'_>,
    name: &str,
    harnesses: &[Harness],
) -> Result<closure::HarnessMaker, UnknownStrategy> {
    let known = harnesses.iter().find(|known| known.name == name);
    known.map(|known| Arc::clone(&known.make)).ok_or_else(|| {
        let names: Vec<_> =
            std::iter::once("workload").chain(harnesses.iter().map(|known| known.name)).collect();
        parameters.bad(format!("the target has no harness `{name}`: choose one of {}", names.join(", ")))
    })
}

/// The parts of a text between commas that stand in no brackets.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    text.split(move |char| {
        match char {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0
    })
}

/// A strategy's name and what was said of its parameters.
struct Parameters<'a> {
    strategy: &'static str,
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Parameters<'a> {
    fn of(text: &'a str) -> Result<Parameters<'a>, UnknownStrategy> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let info = STRATEGIES.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| UnknownStrategy::Name(name.chars().take(40).collect()))?;
        let mut parameters = Parameters { strategy: info.name, given: Vec::new() };
        for part in split(rest).filter(|part| !part.is_empty()) {
            let (name, value) = match part.split_once('=') {
                Some(named) => named,
                // `fuzz:model` is `fuzz:guide=model`.
                None if info.name == "fuzz" => ("guide", part),
                None => {
                    let reason =
                        format!("`{part}` is not name=value; a list stands in brackets: name=[a, b]");
                    return Err(parameters.bad(reason));
                }
            };
            if !info.parameters.iter().any(|(known, ..)| *known == name) {
                let known: Vec<_> = info.parameters.iter().map(|(known, ..)| *known).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(parameters.bad(format!("it has no parameter `{name}`: it has {known}")));
            }
            parameters.given.push((name, value));
        }
        Ok(parameters)
    }

    fn bad(&self, reason: String) -> UnknownStrategy {
        UnknownStrategy::Parameter { strategy: self.strategy, reason }
    }

    /// What was said last of this parameter.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.given.iter().rev().find(|(given, _)| *given == name).map(|(_, value)| *value)
    }

    /// One of these words, the first unless something else was said.
    fn word(&self, name: &str, words: &[&'static str]) -> Result<&'static str, UnknownStrategy> {
        let Some(text) = self.text(name) else { return Ok(words[0]) };
        words.iter().copied().find(|word| *word == text).ok_or_else(|| {
            self.bad(format!("`{name}` cannot be `{text}`: choose one of {}", words.join(", ")))
        })
    }

    /// A number above 0.
    fn number(&self, name: &str) -> Result<Option<usize>, UnknownStrategy> {
        self.at_most(name, 1, 1_000_000)
    }

    /// A number that may be 0.
    fn count(&self, name: &str) -> Result<Option<usize>, UnknownStrategy> {
        self.at_most(name, 0, 1_000_000)
    }

    /// A number between these.
    fn at_most(&self, name: &str, least: usize, most: usize) -> Result<Option<usize>, UnknownStrategy> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match text.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => {
                Err(self
                    .bad(format!("`{name}` cannot be `{text}`: a number from {least} to {most} is wanted")))
            }
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
        };
        by_name(text, &surroundings)
    }

    fn error(text: &str) -> String {
        make(text, &Contract::asynchronous(), None).err().expect("this is no strategy").to_string()
    }

    #[test]
    fn every_listed_strategy_can_be_made() {
        for info in STRATEGIES {
            assert!(make(info.name, &Contract::asynchronous(), None).is_ok(), "{}", info.name);
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
             partitions, bonusmax, waypoint, negvisits, ucbzero, novelty"
        );
        assert_eq!(
            error("pctcp:width=3"),
            "strategy `pctcp`: it has no parameter `width`: it has depth, messages"
        );
        assert_eq!(error("pos:depth=3"), "strategy `pos`: it has no parameter `depth`: it has none");
        assert!(error("pctcp:depth=0").contains("a number from 1"));
        assert!(error("closure:rounds=0").contains("a number from 1"));
        assert!(error("closure:level=d").contains("choose one of a, b, c"));
        assert!(error("closure:level=b").contains("does not say what those are"));
        assert!(error("closure:isolations=13").contains("13 isolations do not fit"));
        assert!(error("closure:harness=bogus").contains("no harness `bogus`: choose one of workload"));
        assert!(error("fuzz:mode=new").contains("choose one of own, published"));
        assert!(error("fuzz:empty=wait").contains("`empty` says nothing without `mode=published`"));
        assert!(error("fuzz:horizon=0").contains("a number from 1 to 10000"));
        assert!(error("fuzz:width=3").contains("it has no parameter `width`"));
        assert!(error("lossy:loss=2").contains("it is a probability"));
        assert!(error("bonusmax:alpha=2").contains("`alpha` cannot be `2`: a number from 0 to 1"));
        assert!(error("negvisits:temperature=0").contains("above 0"));
        assert!(error("negvisits:temperature=NaN").contains("above 0"));
        assert!(error("bonusmax:horizon=0").contains("a number from 1"));
        assert!(error("partitions:waypoints=[Diff(1,2)]").contains("it has no parameter `waypoints`"));
        assert!(
            error("waypoint:waypoints=[Diff(1,2), Gap(1)]")
                .contains("no predicate `Gap`: choose of Diff(x, y)")
        );
        assert!(error("waypoint:waypoints=Diff(1,2), Diff(3,4)").contains("a list stands in brackets"));
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
            };
            steps_by_name("bonusmax", &surroundings).expect("this is a strategy")
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
        assert!(error("closure", &Contract::reliable()).contains("nobody can be isolated"));
        assert!(error("lossy", &Contract::sessions()).contains("the loss of single messages"));
        assert!(error("crashing", &Contract::reliable()).contains("rules out crashes"));
        assert!(
            error("bonusmax", &Contract::reliable()).contains("contract rules out that messages are lost")
        );
        assert!(make("bonusmax", &Contract::sessions(), None).is_ok());
    }
}
