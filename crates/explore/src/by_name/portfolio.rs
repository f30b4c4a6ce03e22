//! The strategies that are made of other ones: `swarm`, `return` and `portfolio`.

use shakedown_cluster::Loss;

use super::parameter::ParameterInfo;
use super::{Constructor, StrategyChoice, StrategyInfo, Surroundings, UnknownStrategy};
use crate::portfolio::ARMS_MAX;
use crate::{
    Draws, Explorer, GoBack, Mix, Pctcp, Portfolio, PortfolioArm, PortfolioSettings, Pos, RandomWalk, Swarm,
};

/// The depth of the orderings that walks aim at after they have returned.
const DEPTH: usize = 3;
/// What walks on after a portfolio has returned.
const RETURNING: [&str; 2] = ["pctcp", "pos"];
/// The arms that a portfolio chooses by itself.
const ALL: &str = "all";
/// A list of waypoints that is empty.
const NO_WAYPOINTS: &str = "none";
/// The guide of the abstract states, which a portfolio records by itself.
const STATE: &str = "state";

const OF: ParameterInfo = ParameterInfo::text(
    "of",
    "random",
    "the strategy whose executions draw mixes; with parameters in brackets: [pctcp:depth=3]",
);
const SWARMS: ParameterInfo = ParameterInfo::word(
    "swarm",
    &["true", "false"],
    "whether every execution draws a mix of faults, weights and lengths of its own",
);
const STALLS: ParameterInfo = ParameterInfo::word("stalls", &["false", "true"], STALLS_ABOUT);
const PORTFOLIO_STALLS: ParameterInfo = ParameterInfo::word("stalls", &["true", "false"], STALLS_ABOUT);
const STALLS_ABOUT: &str = "whether links and clocks stall for a while in half of the executions";
const EXPLORE: ParameterInfo = ParameterInfo::word(
    "explore",
    &["any", "random", "pctcp", "pos"],
    "what walks on from where it returned to; `any`: one of them is drawn",
);
const ARMS: ParameterInfo = ParameterInfo::text(
    "arms",
    ALL,
    "its strategies, in brackets: [random, pctcp:depth=3]; `all`: those that suit the target",
);
const SHARES: ParameterInfo = ParameterInfo::word(
    "shares",
    &["bandit", "equal"],
    "`bandit`: arms that find what is new are given more steps; `equal`: what they find changes nothing",
);
const ARCHIVE: ParameterInfo =
    ParameterInfo::word("archive", &["true", "false"], "whether `return` is one of its arms");
const SHARE: ParameterInfo = ParameterInfo::word(
    "share",
    &["true", "false"],
    "whether fuzzers and the archive go on from executions of other arms",
);
const WAYPOINTS: ParameterInfo = ParameterInfo::text(
    "waypoints",
    NO_WAYPOINTS,
    "predicates of the target, the last to be explored: `waypoint` is then one of its arms",
);

pub(super) const SWARM: StrategyInfo = StrategyInfo {
    name: "swarm",
    about: "another strategy, with a mix of faults, weights and lengths for every execution (Groce et al. 2012)",
    parameters: &[OF, STALLS],
    unnamed: Some("of"),
    wants_guides: false,
    constructor: Constructor::Any(|choice, surroundings| {
        let of = in_brackets(&choice.text(&OF)).parse::<StrategyChoice>()?;
        if of.info().name == SWARM.name || of.info().name == PORTFOLIO.name {
            return Err(choice.bad(format!("`{}` draws mixes by itself", of.info().name)));
        }
        let draws = Draws { mixes: true, stalls: choice.word(&STALLS) == "true" };
        Ok(Box::new(Swarm::new(of.explorer(surroundings)?, Mix::of(surroundings), draws)))
    }),
};

pub(super) const RETURN: StrategyInfo = StrategyInfo {
    name: "return",
    about: "goes back to rare states by exact replay, and walks on from there (Go-Explore, Ecoffet et al. 2021)",
    parameters: &[EXPLORE, SWARMS, STALLS],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::Any(|choice, surroundings| {
        let base = Mix::of(surroundings);
        let draws = Draws { mixes: choice.word(&SWARMS) == "true", stalls: choice.word(&STALLS) == "true" };
        Ok(Box::new(GoBack::new(walks(choice.word(&EXPLORE), &base, Some(DEPTH)), base, draws)))
    }),
};

pub(super) const PORTFOLIO: StrategyInfo = StrategyInfo {
    name: "portfolio",
    about: "divides the steps among all strategies that suit the target, by what each finds that is new",
    parameters: &[SWARMS, PORTFOLIO_STALLS, ARCHIVE, SHARE, SHARES, ARMS, WAYPOINTS],
    unnamed: None,
    wants_guides: true,
    constructor: Constructor::Any(portfolio),
};

/// What walks on after a return. Without a depth, `pctcp` draws one for each execution.
fn walks(which: &str, base: &Mix, depth: Option<usize>) -> Vec<Box<dyn Explorer>> {
    let environment = || crate::Environment::of(base);
    let mut walks: Vec<Box<dyn Explorer>> = Vec::new();
    if matches!(which, "any" | "random") {
        walks.push(Box::new(RandomWalk::new(environment())));
    }
    if matches!(which, "any" | "pctcp") {
        walks.push(Box::new(match depth {
            Some(depth) => Pctcp::new(environment(), depth, base.steps),
            None => Pctcp::of_any_depth(environment(), base.steps),
        }));
    }
    if matches!(which, "any" | "pos") {
        walks.push(Box::new(Pos::new(environment())));
    }
    walks
}

fn portfolio(
    choice: &StrategyChoice,
    surroundings: &Surroundings<'_>,
) -> Result<Box<dyn Explorer>, UnknownStrategy> {
    let draws =
        Draws { mixes: choice.word(&SWARMS) == "true", stalls: choice.word(&PORTFOLIO_STALLS) == "true" };
    let base = Mix::of(surroundings);
    let wanted = arms_of(choice, surroundings)?;
    if !(1..=ARMS_MAX).contains(&wanted.len()) {
        return Err(choice.bad(format!("it has {} arms: from 1 to {ARMS_MAX} are possible", wanted.len())));
    }
    let mut arms = Vec::new();
    for arm in wanted {
        let explorer: Box<dyn Explorer> = match arm.info().name {
            "portfolio" => return Err(choice.bad("a portfolio is no arm of another one")),
            "return" => {
                let walks = RETURNING.iter().flat_map(|which| walks(which, &base, None)).collect();
                Box::new(GoBack::shared(walks, base.clone(), draws))
            }
            _ => arm.explorer(surroundings)?,
        };
        let explorer = if draws.any() && explorer.uses_weights() && explorer.mix(&any_execution()).is_none() {
            Box::new(Swarm::new(explorer, base.clone(), draws))
        } else {
            explorer
        };
        let steps = arm.steps(surroundings)?;
        let weight = weight_of(&arm);
        arms.push(PortfolioArm { name: arm.to_string(), explorer, weight, steps });
    }
    let mut guides: Vec<String> = Vec::new();
    for guide in arms.iter().filter_map(|arm| arm.explorer.guide()) {
        if guide != STATE && !guides.iter().any(|known| known == guide) {
            guides.push(guide.to_owned());
        }
    }
    let settings = PortfolioSettings {
        is_bandit: choice.word(&SHARES) == "bandit",
        shares: choice.word(&SHARE) == "true",
    };
    Ok(Box::new(Portfolio::new(arms, guides, settings)))
}

/// What an arm is given beside others that find as much. `return` walks on with others, so it stands for
/// several strategies.
fn weight_of(arm: &StrategyChoice) -> u32 {
    match arm.info().name {
        "return" => 8,
        "pctcp" | "fuzz" => 2,
        _ => 1,
    }
}

/// To find out whether an explorer draws mixes, whichever execution it is.
fn any_execution() -> crate::Execution {
    crate::Execution { number: 0, seed: 0, steps_max: 0 }
}

/// The arms that were given, or those that suit the target.
fn arms_of(
    choice: &StrategyChoice,
    surroundings: &Surroundings<'_>,
) -> Result<Vec<StrategyChoice>, UnknownStrategy> {
    let given = choice.text(&ARMS);
    if given != ALL {
        return StrategyChoice::list(in_brackets(&given));
    }
    let mut texts: Vec<String> = ["random", "pctcp:depth=any", "pos", "fuzz"].map(str::to_owned).to_vec();
    texts.extend(surroundings.guides.iter().map(|guide| format!("fuzz:{guide}")));
    if surroundings.contract.loss != Loss::Never {
        texts.push("novelty".to_owned());
        let waypoints = choice.text(&WAYPOINTS);
        if waypoints != NO_WAYPOINTS {
            texts.push(format!("waypoint:waypoints=[{}]", in_brackets(&waypoints)));
        }
    }
    if surroundings.phase.is_some() {
        texts.push("closure".to_owned());
    }
    if choice.word(&ARCHIVE) == "true" {
        texts.push("return".to_owned());
    }
    let arms = texts.iter().map(|text| text.parse::<StrategyChoice>()).collect::<Result<Vec<_>, _>>()?;
    // A strategy that the contract rules out is no arm.
    let suits = |arm: &StrategyChoice| arm.info().name == "waypoint" || arm.explorer(surroundings).is_ok();
    Ok(arms.into_iter().filter(suits).collect())
}

/// The text without the brackets around it.
fn in_brackets(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}
