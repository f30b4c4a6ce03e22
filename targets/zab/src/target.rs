//! The target: its options, its workload and its oracles.

use std::collections::BTreeMap;

use shakedown_campaign::{AnyTarget, Config, Target};
use shakedown_check::{
    Doubt, Harnesses, Oracle, RegisterOp, RegisterValues, Registers, Seen, SequentiallyConsistent,
    Understood, described_invariant, understand_registers,
};
use shakedown_cluster::{Contract, Crashes, Fingerprinter, NodeId, Order, Random, RequestInfo};
use shakedown_explore::closure::{Occasion, Pace, Phase, When};

use crate::server::Settings;
use crate::{Role, Server, View};

/// The highest epoch that a colour tells apart.
const COLOUR_EPOCH_MAX: u64 = 5;

/// How many calm rounds are enough for a leader that everybody follows: four times as many as the slowest of
/// a hundred fault-free executions needs, which a test measures.
pub const CALM_ROUNDS: u64 = 12;

/// The protocol on links that are first in, first out and lose messages, with any number of its servers down
/// at once.
pub fn target() -> Target<Server> {
    Target::new("zab")
        .version(concat!("shakedown-zab ", env!("CARGO_PKG_VERSION")))
        .about("an atomic broadcast of our own after ZooKeeper's; truncate=false has the bug ZOOKEEPER-2832")
        .nodes(3)
        .nodes_min(1)
        .steps(400)
        .option("truncate", true, "whether a leader's snapshot replaces the log; false is the bug")
        .option("election_tick", 2, "ticks that a server waits for others that look for a leader")
        .option(
            "silence_tick",
            4,
            "ticks without a sign of the leader, or of a majority, before a server gives up",
        )
        .option("agreement", true, "whether states after one transaction are compared, not only outcomes")
        .contract_by(|options| Settings::read(options).map(|_| contract()))
        .workload(6, |config, random| (0..config.requests).map(|number| request(number, random)).collect())
        .phase(phase())
        .colour(colour)
        .serves(|view: &View| view.role == Role::Leading)
        .harness(
            "h-div",
            "n2: k0 ← 101, then nothing, then n3: k1 ← 302: the paper's for ZooKeeper's divergence",
            |_| vec![write(1, 2, 0, 101), write(3, 3, 1, 302)],
        )
        .harness("h-div-slow", "the same, a step in every tenth phase: for faults that know no steps", |_| {
            slow(vec![write(1, 2, 0, 101), write(3, 3, 1, 302)])
        })
        .harness(
            "h-sc",
            "four conditional writes: the paper's for ZooKeeper's sequential consistency",
            |_| h_sc(),
        )
        .harness("h-sc-slow", "the same, a step in every tenth phase", |_| slow(h_sc()))
        .harness("sampled-2", "two random writes of two keys in three steps, one of them empty", |occasion| {
            sampled(occasion, 2, 3)
        })
        .harness("sampled-4", "four random writes of two keys in five steps, one of them empty", |occasion| {
            sampled(occasion, 4, 5)
        })
        .oracles(oracles)
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// Connections are like TCP's, but for what is lost one by one: whatever follows on the link is of no use
/// then, and the follower joins again.
fn contract() -> Contract {
    Contract { order: Order::Fifo, duplication: false, crashes: Crashes::All, ..Contract::asynchronous() }
}

/// One tick, the rounds that make a leader, and those of a transaction.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1))
        .round("notify", &["Notify", "Ping"])
        .round("info", &["FollowerInfo", "Pong"])
        .round("epoch", &["LeaderInfo"])
        .round("accept", &["AckEpoch"])
        .round("sync", &["Sync"])
        .round("synced", &["AckSync"])
        .round("serve", &["UpToDate", "Forward"])
        .round("propose", &["Propose"])
        .round("log", &["Ack"])
        .round("commit", &["Commit"])
        .effect("commit")
        .warm_up(4)
}

fn write(phase: u32, node: usize, key: u8, value: u64) -> (When, NodeId, RegisterOp) {
    (When::Phase(phase), NodeId::new(node), RegisterOp::Write(key, value))
}

fn when(phase: u32, node: usize, (key, is): (u8, u64), write: (u8, u64)) -> (When, NodeId, RegisterOp) {
    (When::Phase(phase), NodeId::new(node), RegisterOp::When { key, is, write })
}

fn h_sc() -> Vec<(When, NodeId, RegisterOp)> {
    vec![
        when(1, 2, (1, 0), (1, 101)),
        when(3, 1, (1, 101), (0, 200)),
        when(4, 2, (1, 0), (1, 301)),
        when(5, 1, (1, 0), (0, 400)),
    ]
}

/// The same requests, each at the beginning of ten phases.
fn slow(harness: Vec<(When, NodeId, RegisterOp)>) -> Vec<(When, NodeId, RegisterOp)> {
    let later = |when| match when {
        When::Phase(step) => When::Phase(10 * (step - 1) + 1),
        other => other,
    };
    harness.into_iter().map(|(when, node, op)| (later(when), node, op)).collect()
}

/// So many random requests in so many steps, one a step; which steps are empty is random too.
fn sampled(occasion: &mut Occasion<'_>, requests: usize, steps: usize) -> Vec<(When, NodeId, RegisterOp)> {
    let harness = Harnesses::new(occasion.nodes, requests).sample(occasion.random);
    let mut places: Vec<u32> = (1..=steps as u32).collect();
    while places.len() > requests {
        places.remove(occasion.random.index(places.len()));
    }
    places.into_iter().zip(harness).map(|(step, (node, op))| (When::Phase(step), node, op)).collect()
}

/// A read, a write, or a write on condition, of one of two keys.
fn request(number: usize, random: &mut Random) -> RegisterOp {
    let key = random.below(2) as u8;
    let value = number as u64 + 1;
    match random.below(3) {
        0 => RegisterOp::Read(key),
        1 => RegisterOp::Write(key, value),
        _ => RegisterOp::When { key, is: random.below(value), write: (random.below(2) as u8, value) },
    }
}

fn oracles(config: &Config) -> Vec<Box<dyn Oracle<View>>> {
    let sequential = SequentiallyConsistent::new(|view: &View| view.values.clone()).understand(understand);
    let mut oracles: Vec<Box<dyn Oracle<View>>> = vec![Box::new(sequential.after_calm(CALM_ROUNDS))];
    if config.options.get("agreement").unwrap_or(true) {
        oracles.push(described_invariant(
            "one-state-a-transaction",
            "servers whose last transaction is the same hold the same values",
            one_state_a_transaction(),
        ));
    }
    oracles
}

/// A request to registers and its answer; what was refused had no effect.
pub fn understand(request: &RequestInfo) -> Result<Understood<Registers>, Doubt> {
    match request.answer.as_deref() {
        Some("\"refused\"") => Ok(None),
        _ => understand_registers(request),
    }
}

/// A transaction has one state after it, ever.
fn one_state_a_transaction() -> impl FnMut(&Seen<'_, View>) -> Result<(), String> {
    let mut states: BTreeMap<_, (NodeId, RegisterValues)> = BTreeMap::new();
    move |seen| {
        for (node, view) in seen.fresh() {
            let (first, values) = states.entry(view.applied).or_insert_with(|| (node, view.values.clone()));
            if *values != view.values {
                let (here, there) = (&view.values, values);
                return Err(format!(
                    "after {:?}, {node} holds {here}, and {first} held {there}",
                    view.applied
                ));
            }
        }
        Ok(())
    }
}

/// Role, epochs and the log, as far as epochs are small.
fn colour(view: &View) -> u64 {
    let small = |epoch: u64| epoch.min(COLOUR_EPOCH_MAX);
    let mut fingerprinter = Fingerprinter::default();
    fingerprinter.add(&(view.role, small(view.accepted), small(view.current)));
    let numbers = view.log.iter().map(|transaction| transaction.zxid).chain([view.snapshot, view.applied]);
    for zxid in numbers {
        fingerprinter.add(&(small(zxid.epoch), zxid.counter));
    }
    fingerprinter.finish().0 as u64
}
