//! The target: its option, its workload and its oracles.

use shakedown_campaign::{AnyTarget, Config, Target};
use shakedown_check::{Harness, Harnesses, Linearizable, Oracle, RegisterOp, Seen, SerializableOutcome};
use shakedown_cluster::{Contract, NodeId, StepKind};
use shakedown_explore::Weights;
use shakedown_explore::closure::{Pace, Phase, When};

use crate::{CommittedOnce, Server, View, outcome};

/// The protocol on an asynchronous network that reorders and loses messages but doubles none, with a minority
/// of its nodes crashing.
pub fn target() -> Target<Server> {
    Target::new("lwt")
        .version(concat!("shakedown-lwt ", env!("CARGO_PKG_VERSION")))
        .about("a Paxos per key like Cassandra's light-weight transactions; distinguish=false has the bug CASSANDRA-6023")
        .nodes(3)
        .nodes_min(1)
        .steps(300)
        // A tick begins everything unfinished again, so it is rare.
        .weights(Weights::default().with(StepKind::Tick, 5))
        .option(
            "distinguish",
            true,
            "whether the ballot of an accepted proposal is stored apart from the promised one; false is the bug",
        )
        .contract(Contract { duplication: false, ..Contract::asynchronous() })
        .requests(3, |number, _| request(number))
        .phase(phase())
        .harness(
            "cassandra",
            "three conditional writes of one key, each at another node once the one before is answered",
            |_| harness(3).into_iter().map(|(node, op)| (When::Answered, node, op)).collect(),
        )
        .harness("sampled", "three random writes of two keys, half of them conditional, one a phase", |occasion| {
            let harnesses = Harnesses::new(occasion.nodes, 3);
            // A condition on another key than the written one is not serialised here: see the crate's text.
            let is_sound = |harness: &Harness| harness.iter().all(|(_, op)| looks_where_it_writes(op));
            let drawn = std::iter::repeat_with(|| harnesses.sample(occasion.random)).find(is_sound);
            in_phases(drawn.unwrap_or_default())
        })
        .harness("enumerated", "every sequence of two writes of two keys, one after the other, one a phase", |occasion| {
            let harnesses = Harnesses::new(occasion.nodes, 2);
            let sound = harnesses.all().filter(|harness| harness.iter().all(|(_, op)| looks_where_it_writes(op)));
            let count = sound.clone().count().max(1) as u64;
            in_phases(sound.clone().nth((occasion.execution % count) as usize).unwrap_or_default())
        })
        .oracles(oracles)
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// Six rounds, and a tick that begins everything unfinished again.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1))
        .round("prepare", &["Prepare"])
        .round("promise", &["Promise", "PromiseRefused"])
        .round("propose", &["Propose", "Repair"])
        .round("accept", &["Accept", "AcceptRefused"])
        .round("commit", &["Commit"])
        .round("ack", &["Ack"])
        .effect("Commit")
}

/// A chain of conditional writes under one key: each one names its writer and wants the value of the one
/// before, so that one which gets lost, or is done again, shows.
fn request(number: usize) -> RegisterOp {
    let value =
        |number: usize| if number == 0 { 0 } else { (100 * number + writer(number - 1).number()) as u64 };
    RegisterOp::When { key: 0, is: value(number), write: (0, value(number + 1)) }
}

/// Whether the transaction is serialised by the Paxos of the key that it writes.
fn looks_where_it_writes(op: &RegisterOp) -> bool {
    !matches!(op, RegisterOp::When { key, write, .. } if *key != write.0)
}

/// One request in each phase.
fn in_phases(harness: Harness) -> Vec<(When, NodeId, RegisterOp)> {
    (1..).zip(harness).map(|(phase, (node, op))| (When::Phase(phase), node, op)).collect()
}

/// Who is asked, when coordinators take turns.
fn writer(number: usize) -> NodeId {
    NodeId::from_index(number % 3)
}

/// The workload of so many requests with the nodes that are asked one after the other, as in the paper's
/// harness for Cassandra (three nodes, three transactions): `n1: k0=0 ? k0←101, n2: k0=101 ? k0←202, n3:
/// k0=202 ? k0←303`.
pub fn harness(requests: usize) -> Harness {
    (0..requests).map(|number| (writer(number), request(number))).collect()
}

fn oracles(_: &Config) -> Vec<Box<dyn Oracle<View>>> {
    vec![
        Box::new(CommittedOnce::default()),
        Box::new(Linearizable::registers()),
        Box::new(SerializableOutcome::new(|seen: &Seen<'_, View>| Ok(outcome(seen.states())))),
    ]
}
