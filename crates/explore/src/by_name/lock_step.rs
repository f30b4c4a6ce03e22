//! The strategies that go in rounds: communication closure and its baselines.

use std::sync::Arc;

use shakedown_cluster::{Loss, StepKind};

use super::parameter::ParameterInfo;
use super::{Constructor, StrategyChoice, StrategyInfo, Surroundings, UnknownStrategy};
use crate::closure::{Control, Faults, HarnessMaker, LockStep, Phase, Shape, Stopping};

/// The parameters of everything that runs in lock step.
const ROUNDS: ParameterInfo =
    ParameterInfo::number("rounds", "4 phases", "the number of rounds in which faults may happen (r)")
        .derived();
const HARNESS: ParameterInfo =
    ParameterInfo::text("harness", NO_HARNESS, "the harness of the target whose requests are sent");
const WARM_UP: ParameterInfo =
    ParameterInfo::count("warm-up", "target", "fault-free phases before").derived();
const RECOVERY: ParameterInfo =
    ParameterInfo::count("recovery", "target", "fault-free phases after").derived();

const PATIENCE: ParameterInfo = ParameterInfo::number(
    "patience",
    "8",
    "where clients ask again: after this many phases without an answer, another node",
);

const PERIOD: ParameterInfo =
    ParameterInfo::number("period", "phase", "isolated processes rejoin after this many rounds (k)")
        .derived();
const ISOLATIONS: ParameterInfo =
    ParameterInfo::count_or("any", "isolations", "3", "exactly this many isolations (d), or `any`");
const LEVEL: ParameterInfo = ParameterInfo::word(
    "level",
    &["a", "b", "c"],
    "a: rounds in lock step; b: phases in lock step; c: only boundaries of phases",
);
const BY: ParameterInfo = ParameterInfo::word(
    "by",
    &["cut", "crash"],
    "at level c: `cut` processes off, or `crash` and restart them",
);

const STAGES: ParameterInfo = ParameterInfo::number(
    "stages",
    "1",
    "at level c: 2 for steps of two stages, with faults in both and a leader waited for in between",
);

const ASKED: ParameterInfo = ParameterInfo::word(
    "asked",
    &["start", "work"],
    "with two stages: clients ask at the end of the first, or in the second when its processes are stopped",
);

const LOSS: ParameterInfo = ParameterInfo::probability("loss", "0.25", "the probability");

const INTERVAL: ParameterInfo = ParameterInfo::number("interval", "6", "rounds between crashes, on average");
const DOWN: ParameterInfo = ParameterInfo::number("down", "4", "rounds until a restart, on average");

/// The harness that leaves the target's workload as it is.
const NO_HARNESS: &str = "workload";

pub(super) const CLOSURE: StrategyInfo = StrategyInfo {
    name: "closure",
    about: "lossy-synchronous rounds with isolated processes (communication closure, Drăgoi et al. 2020)",
    parameters: &[ROUNDS, PERIOD, ISOLATIONS, LEVEL, BY, STAGES, ASKED, HARNESS, WARM_UP, RECOVERY, PATIENCE],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::LockStep(|choice, surroundings| {
        let isolations = choice.optional_number(&ISOLATIONS);
        let mut lock_step = lock_step(choice, surroundings, isolations, isolating(choice, surroundings))?;
        lock_step.asks_late = choice.word(&ASKED) == "work";
        if lock_step.asks_late && !matches!(lock_step.faults, Faults::Isolations(Control::Steps(_))) {
            return Err(choice.bad("clients ask in the second stage only where there are two: `stages=2`"));
        }
        Ok(lock_step)
    }),
};

pub(super) const LOSSY: StrategyInfo = StrategyInfo {
    name: "lossy",
    about: "rounds in lock step, every message lost with a probability (a baseline of `closure`)",
    parameters: &[ROUNDS, LOSS, HARNESS, WARM_UP, RECOVERY, PATIENCE],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::LockStep(|choice, surroundings| {
        let faults = single_loss(choice, surroundings).map(|()| Faults::Loss(choice.real(&LOSS)));
        lock_step(choice, surroundings, Some(0), faults)
    }),
};

pub(super) const CRASHING: StrategyInfo = StrategyInfo {
    name: "crashing",
    about: "rounds in lock step, crashes and restarts at random intervals (a baseline of `closure`)",
    parameters: &[ROUNDS, INTERVAL, DOWN, HARNESS, WARM_UP, RECOVERY, PATIENCE],
    unnamed: None,
    wants_guides: false,
    constructor: Constructor::LockStep(|choice, surroundings| {
        let faults = crashes(choice, surroundings).map(|()| Faults::Crashes {
            interval: choice.number(&INTERVAL) as u32,
            down: choice.number(&DOWN) as u32,
        });
        lock_step(choice, surroundings, Some(0), faults)
    }),
};

fn lock_step(
    choice: &StrategyChoice,
    surroundings: &Surroundings<'_>,
    isolations: Option<usize>,
    faults: Result<Faults, UnknownStrategy>,
) -> Result<LockStep, UnknownStrategy> {
    let period = choice.optional_number(&PERIOD);
    let mut phase = surroundings.phase.cloned().unwrap_or_else(|| Phase::of_hops(period.unwrap_or(4)));
    if let Some(phases) = choice.optional_number(&WARM_UP) {
        phase = phase.warm_up(phases as u32);
    }
    if let Some(phases) = choice.optional_number(&RECOVERY) {
        phase = phase.recovery(phases as u32);
    }
    let faults = faults?;
    let is_staged = matches!(faults, Faults::Isolations(Control::Steps(_)));
    if is_staged {
        if period.is_some_and(|period| period != 2) {
            return Err(choice.bad("with two stages a period is a step, and has 2 rounds"));
        }
        phase = Phase::new(phase.pace())
            .round("start", &[])
            .round("work", &[])
            .warm_up(phase.warm_up_phases())
            .recovery(phase.recovery_phases());
    }
    let length = phase.rounds().len();
    let shape = Shape {
        nodes: surroundings.nodes,
        rounds: choice.optional_number(&ROUNDS).unwrap_or(4 * length),
        period: period.unwrap_or(length),
        isolations,
    };
    let shape = shape.check().map_err(|error| choice.bad(error.to_string()))?;
    let harness = harness(choice, surroundings)?;
    let patience = choice.number(&PATIENCE) as u32;
    let loss = surroundings.contract.loss;
    Ok(LockStep { phase: Arc::new(phase), shape, faults, loss, harness, patience, asks_late: false })
}

/// The isolations of `closure`, if the contract allows them.
fn isolating(choice: &StrategyChoice, surroundings: &Surroundings<'_>) -> Result<Faults, UnknownStrategy> {
    if surroundings.contract.loss == Loss::Never {
        let reason = "the target's contract rules out that messages are lost, so no node can be isolated";
        return Err(choice.bad(reason));
    }
    let stages = choice.number(&STAGES);
    if stages > 2 || stages == 2 && choice.word(&LEVEL) != "c" {
        return Err(choice.bad("there are 1 or 2 stages, and 2 at level c only"));
    }
    let stopping = match choice.word(&BY) {
        "crash" => {
            crashes(choice, surroundings)?;
            Stopping::Crash
        }
        _ => Stopping::Cut,
    };
    Ok(Faults::Isolations(match choice.word(&LEVEL) {
        "a" => Control::Rounds,
        "b" if surroundings.phase.is_none() => {
            let reason = "level b loses messages by their round, and this target does not define its rounds";
            return Err(choice.bad(reason));
        }
        "b" => {
            single_loss(choice, surroundings)?;
            Control::Phases
        }
        _ if choice.number(&STAGES) == 2 => Control::Steps(stopping),
        _ => Control::Boundaries(stopping),
    }))
}

/// The contract has to allow that single messages are lost.
fn single_loss(choice: &StrategyChoice, surroundings: &Surroundings<'_>) -> Result<(), UnknownStrategy> {
    match surroundings.contract.loss {
        Loss::Message => Ok(()),
        _ => Err(choice.bad("the target's contract rules out the loss of single messages")),
    }
}

/// The contract has to allow crashes.
fn crashes(choice: &StrategyChoice, surroundings: &Surroundings<'_>) -> Result<(), UnknownStrategy> {
    match surroundings.contract.allows(StepKind::Crash, surroundings.nodes) {
        true => Ok(()),
        false => Err(choice.bad("the target's contract rules out crashes")),
    }
}

fn harness(
    choice: &StrategyChoice,
    surroundings: &Surroundings<'_>,
) -> Result<Option<HarnessMaker>, UnknownStrategy> {
    let name = choice.text(&HARNESS);
    if name == NO_HARNESS {
        return Ok(None);
    }
    let known = surroundings.harnesses.iter().find(|known| known.name == name);
    known.map(|known| Some(Arc::clone(&known.make))).ok_or_else(|| {
        let known = surroundings.harnesses.iter().map(|known| known.name);
        let names: Vec<_> = std::iter::once(NO_HARNESS).chain(known).collect();
        choice.bad(format!("the target has no harness `{name}`: choose one of {}", names.join(", ")))
    })
}
