//! `fuzz`: what it takes, and the fuzzer that is made of it.

use super::parameter::{ParameterInfo, joined};
use super::{Constructor, StrategyChoice, StrategyInfo, Surroundings, UnknownStrategy};
use crate::Explorer;
use crate::fuzz::{Empty, HORIZON_MAX, Manner, OwnFuzz, PublishedFuzz, PublishedSettings, Shape, Swaps};

/// The most that a delivery may stand in an input.
const ECHO_MAX: usize = 16;
/// The guide of a fuzzer that draws random inputs only.
const NO_GUIDE: &str = "none";

const GUIDE: ParameterInfo = ParameterInfo::text(
    "guide",
    "state",
    "what defines what is new: `state`, `trace`, a guide of the target's own, or `none`",
);
const MODE: ParameterInfo = ParameterInfo::word(
    "mode",
    &["own", "published"],
    "`published`: the paper's algorithm; `own`: a corpus, rare states first",
);
const HORIZON: ParameterInfo =
    ParameterInfo::number("horizon", "50", "steps of an input").within(1, HORIZON_MAX);
const MESSAGES: ParameterInfo =
    ParameterInfo::number("messages", "5", "the most messages that are delivered in one step").within(1, 255);
const BUFFERS: ParameterInfo =
    ParameterInfo::word("buffers", &["link", "process"], "messages wait by `link` or by `process`");
const DRAW: ParameterInfo = ParameterInfo::word(
    "draw",
    &["enabled", "any"],
    "random inputs deliver from buffers that hold something, or from `any` link",
);
const CRASHES: ParameterInfo =
    ParameterInfo::count("crashes", "crashes", "crashes of a random input").derived();
const TICKS: ParameterInfo =
    ParameterInfo::count("ticks", "1", "how often every clock ticks in a step").within(0, 1_000);

const GENERATION: ParameterInfo = ParameterInfo::number(
    "generation",
    "32",
    "own: learns after this many executions, which can run side by side",
);

const INITIAL: ParameterInfo =
    ParameterInfo::number("initial", "20", "published: random inputs to begin with");
const MUTATIONS: ParameterInfo =
    ParameterInfo::count("mutations", "5", "published: mutants for each new thing");
const CRASH_SWAPS: ParameterInfo =
    ParameterInfo::count("crash-swaps", "2", "published: crashes swapped in a mutant");
const SWAPS: ParameterInfo = ParameterInfo::count("swaps", "20", "published: buffers swapped in a mutant");
const BOUND_SWAPS: ParameterInfo =
    ParameterInfo::count("bound-swaps", "20", "published: message bounds swapped in a mutant");
const WORLD: ParameterInfo = ParameterInfo::word(
    "world",
    &["fresh", "parent"],
    "published: mutants run with a seed of their own, or with that of their `parent`",
);
const EMPTY: ParameterInfo = ParameterInfo::word(
    "empty",
    &["skip", "next", "wait"],
    "published: an empty buffer delivers nothing, stands for the `next` that holds something, or waits (`wait`)",
);
const ECHO: ParameterInfo =
    ParameterInfo::number("echo", "1", "published: how often a delivery stands in the inputs of mutants")
        .within(1, ECHO_MAX);
const RESEED: ParameterInfo = ParameterInfo::count(
    "reseed",
    "0",
    "published: after this many executions the queue is thrown away, and random inputs fill it",
);

const SHARED: [ParameterInfo; 8] = [GUIDE, MODE, HORIZON, MESSAGES, BUFFERS, DRAW, CRASHES, TICKS];
/// The parameters of our own fuzzer only.
const OWN: [ParameterInfo; 1] = [GENERATION];
/// The parameters of the published fuzzer only.
const PUBLISHED: [ParameterInfo; 9] =
    [INITIAL, MUTATIONS, CRASH_SWAPS, SWAPS, BOUND_SWAPS, WORLD, EMPTY, ECHO, RESEED];

pub(super) const FUZZ: StrategyInfo = StrategyInfo {
    name: "fuzz",
    about: "mutates inputs that led to something new (ModelFuzz, Gulcan et al. 2025)",
    parameters: &joined::<18>(&joined::<9>(&SHARED, &OWN), &PUBLISHED),
    unnamed: Some("guide"),
    wants_guides: false,
    constructor: Constructor::Any(explorer),
};

fn explorer(
    choice: &StrategyChoice,
    surroundings: &Surroundings<'_>,
) -> Result<Box<dyn Explorer>, UnknownStrategy> {
    let crashes = choice.optional_number(&CRASHES).unwrap_or(surroundings.crashes);
    let shape = Shape {
        nodes: surroundings.nodes,
        horizon: choice.number(&HORIZON),
        messages: choice.number(&MESSAGES),
        crashes: crashes.min(surroundings.crashes),
        requests: surroundings.requests,
        by_process: choice.word(&BUFFERS) == "process",
        blindly: choice.word(&DRAW) == "any",
        ticks: choice.number(&TICKS),
        contract: surroundings.contract.clone(),
    };
    let guide = Some(choice.text(&GUIDE)).filter(|guide| guide != NO_GUIDE);
    if choice.word(&MODE) == "own" {
        if let Some(parameter) = PUBLISHED.iter().find(|parameter| choice.is_given(parameter)) {
            return Err(choice.bad(format!("`{}` has no effect without `mode=published`", parameter.name)));
        }
        let generation = choice.number(&GENERATION) as u64;
        return Ok(Box::new(OwnFuzz::new(shape, guide, generation)));
    }
    if let Some(parameter) = OWN.iter().find(|parameter| choice.is_given(parameter)) {
        return Err(choice.bad(format!("`{}` has no effect with `mode=published`", parameter.name)));
    }
    Ok(Box::new(PublishedFuzz::new(shape, published(choice, guide))))
}

fn published(choice: &StrategyChoice, guide: Option<String>) -> PublishedSettings {
    let swaps = Swaps {
        crashes: choice.number(&CRASH_SWAPS),
        buffers: choice.number(&SWAPS),
        bounds: choice.number(&BOUND_SWAPS),
    };
    let empty = match choice.word(&EMPTY) {
        "skip" => Empty::Skip,
        "next" => Empty::Next,
        _ => Empty::Wait,
    };
    PublishedSettings {
        guide,
        initial: choice.number(&INITIAL) as u64,
        mutations: choice.number(&MUTATIONS) as u64,
        swaps,
        fresh_worlds: choice.word(&WORLD) == "fresh",
        manner: Manner { empty, echo: choice.number(&ECHO) },
        reseed: choice.number(&RESEED) as u64,
    }
}
