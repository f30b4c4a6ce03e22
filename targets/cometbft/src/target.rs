//! The target: how CometBFT is run and what must hold.

use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use shakedown_campaign::{AnyTarget, Target};
use shakedown_cluster::{Contract, Options, StepKind};
use shakedown_explore::Weights;
use shakedown_remote::{HostCommand, HostPool, RemoteNode, Vocabulary};
use shakedown_tendermint::{
    Decision, Properties, RoundValue, Settings, Step, TimerModel, View, oracles, scenarios,
};

use crate::hosts::command;
use crate::message::{Contents, NAMES};
use crate::{Message, UnlockIsJustified};

/// The vocabulary of CometBFT.
pub struct CometBft;

impl Vocabulary for CometBft {
    type Message = Message;
    type Contents = Contents;
    type Request = ();
    type State = View;
    type Changes = Changes;

    fn read_message(kind: &str, contents: Contents, _text: Option<String>) -> Result<Message, String> {
        Message::new(kind, contents)
    }

    fn contents(message: &Message) -> Contents {
        message.contents.clone()
    }

    fn change(view: &mut View, changes: Changes) -> Result<(), String> {
        let Changes { height, round, step, locked, valid, decisions } = changes;
        view.height = height.unwrap_or(view.height);
        view.round = round.unwrap_or(view.round);
        view.step = step.unwrap_or(view.step);
        view.locked = locked.unwrap_or(view.locked);
        view.valid = valid.unwrap_or(view.valid);
        if let Some(decisions) = decisions {
            view.decisions = decisions.unwrap_or_default();
        }
        Ok(())
    }
}

/// The fields of a view that changed.
#[derive(Deserialize)]
pub struct Changes {
    height: Option<u64>,
    round: Option<u32>,
    step: Option<Step>,
    #[serde(default, deserialize_with = "some")]
    locked: Option<Option<RoundValue>>,
    #[serde(default, deserialize_with = "some")]
    valid: Option<Option<RoundValue>>,
    #[serde(default, deserialize_with = "some")]
    decisions: Option<Option<Vec<Decision>>>,
}

/// A field that is there, also if it is null.
fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// CometBFT on a network that reorders, loses and doubles messages, with crashes. One of the validators may
/// lie.
pub fn target() -> Target<RemoteNode<CometBft>> {
    target_with(command())
}

/// The same with a host that is started in another way than usual.
pub fn target_with(command: HostCommand) -> Target<RemoteNode<CometBft>> {
    let target = Target::new("cometbft")
        .about("CometBFT, Byzantine consensus height by height: the Tendermint of Cosmos' chains, in Go")
        .version("github.com/cometbft/cometbft v0.38.17")
        .nodes(4)
        .nodes_min(4)
        .steps(1_500)
        .crashes(3)
        .tolerates(|nodes| (nodes - 1) / 3)
        .contract_by(contract)
        .weights(weights())
        .oracles(|config| oracles(config, || Box::new(UnlockIsJustified::default())))
        .option("heights", 2, "heights that are decided")
        .option("timers", TimerModel::WhenDue, "time-outs go off when-due or anytime")
        .option("propose", 6, "ticks that a validator waits for a proposal in round 0")
        .option("prevote", 2, "ticks that it waits for more prevotes")
        .option("precommit", 2, "ticks that it waits for more precommits")
        .option("commit", 1, "ticks between a decision and the next height")
        .option("delta", 1, "ticks by which a time-out becomes longer in every round")
        .option("query", 2, "ticks between two questions which votes a peer has; 0 for never")
        .option("keep_log", true, "whether a crash leaves the write-ahead log")
        .option("keep_signer", true, "whether a crash leaves what the signer remembers of its last signature")
        .option(
            "oracles",
            Properties::default(),
            "properties to check: all, agreement, locks or equivocation",
        )
        .kinds(NAMES)
        .environment(Arc::new(HostPool::new(command)));
    scenarios().into_iter().fold(target, Target::scenario)
}

/// All targets. Nothing is started by this.
pub fn targets() -> Vec<Box<dyn AnyTarget>> {
    vec![Box::new(target())]
}

/// An asynchronous network with crashes and recovery, and one liar: what 4 validators bear.
fn contract(options: &Options) -> Result<Contract, shakedown_cluster::BadOption> {
    Ok(Settings::read(options)?.contract())
}

fn weights() -> Weights {
    Weights::default()
        .with(StepKind::Deliver, 100)
        .with(StepKind::Tick, 5)
        .with(StepKind::Fire, 5)
        .with(StepKind::Drop, 1)
        .with(StepKind::Duplicate, 1)
        .with(StepKind::Crash, 1)
        .with(StepKind::Restart, 5)
        .with(StepKind::Cut, 1)
        .with(StepKind::Heal, 4)
}
