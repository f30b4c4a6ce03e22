//! The target: how Tendermint is run and what must hold.

use shakedown_campaign::{AnyTarget, Config, Target};
use shakedown_check::{Agreement, DecidedNeverGoesBack, Oracle};
use shakedown_cluster::StepKind;
use shakedown_explore::Weights;
use shakedown_explore::closure::{Pace, Phase};

use crate::clauses::clauses;
use crate::oracles::{LockIsKept, NoEquivocation, Validity};
use crate::scenarios::scenarios;
use crate::{Properties, Settings, TendermintNode, View};

/// Tendermint on a network that reorders, loses and doubles messages, with crashes and a write-ahead log. One
/// of the validators may lie.
pub fn target() -> Target<TendermintNode> {
    let defaults = Settings::DEFAULT;
    let target = Target::new("tendermint")
        .about("Tendermint, Byzantine consensus height by height: the consensus library of Malachite")
        .version("informalsystems-malachitebft-core-consensus 0.5.0")
        .nodes(4)
        .nodes_min(4)
        .steps(400)
        .crashes(3)
        .tolerates(|nodes| (nodes - 1) / 3)
        .contract_by(|options| Ok(Settings::read(options)?.contract()))
        .weights(weights())
        .phase(phase())
        .oracles(|config| oracles(config, || Box::new(LockIsKept::default())))
        .option("heights", defaults.heights, "heights that are decided")
        .option("timers", defaults.timers, "time-outs go off when-due or anytime")
        .option("propose", defaults.propose, "ticks that a validator waits for a proposal in round 0")
        .option("prevote", defaults.prevote, "ticks that it waits for more prevotes")
        .option("precommit", defaults.precommit, "ticks that it waits for more precommits")
        .option("delta", defaults.delta, "ticks by which a time-out becomes longer each time")
        .option("value_first", defaults.value_first, "a value comes before its proposal, or after it")
        .option("rebroadcast", defaults.rebroadcast, "send votes again when a round takes long")
        .option("sync", defaults.sync, "validators that fell behind ask for decisions")
        .option(
            "oracles",
            Properties::default(),
            "properties to check: all, agreement, locks or equivocation",
        )
        .kinds(&[
            "Proposal",
            "Prevote",
            "Precommit",
            "PolkaCertificate",
            "RoundCertificate",
            "DecisionRequest",
            "Decision",
        ])
        .clauses(clauses());
    scenarios().into_iter().fold(target, Target::scenario)
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// The three rounds of messages in which a value is decided, and enough ticks for a round without a proposer
/// to end.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(Settings::DEFAULT.propose as u32))
        .round("propose", &["Proposal", "PolkaCertificate", "RoundCertificate", "DecisionRequest"])
        .round("prevote", &["Prevote", "Decision"])
        .round("precommit", &["Precommit"])
}

fn weights() -> Weights {
    Weights::default()
        .with(StepKind::Deliver, 100)
        .with(StepKind::Tick, 20)
        .with(StepKind::Fire, 20)
        .with(StepKind::Drop, 3)
        .with(StepKind::Duplicate, 1)
        .with(StepKind::Crash, 1)
        .with(StepKind::Restart, 5)
        .with(StepKind::Cut, 1)
        .with(StepKind::Heal, 4)
}

/// The properties that the option `oracles` chooses. What a lock is, each implementation knows.
pub fn oracles(config: &Config, locks: impl FnOnce() -> Box<dyn Oracle<View>>) -> Vec<Box<dyn Oracle<View>>> {
    let properties = config.options.get::<Properties>("oracles").unwrap_or_default();
    let mut oracles: Vec<Box<dyn Oracle<View>>> = Vec::new();
    let is_wanted = |property| properties == Properties::All || properties == property;
    if is_wanted(Properties::Agreement) {
        oracles.push(Box::new(Agreement::default()));
        oracles.push(Box::new(DecidedNeverGoesBack::default()));
        oracles.push(Box::new(Validity::default()));
    }
    if is_wanted(Properties::Locks) {
        oracles.push(locks());
    }
    if is_wanted(Properties::Equivocation) {
        oracles.push(Box::new(NoEquivocation::default()));
    }
    oracles
}
