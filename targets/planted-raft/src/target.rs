//! The target: its options, its workload and its oracles.

use shakedown_campaign::{AnyTarget, Config, Target};
use shakedown_check::Oracle;
use shakedown_cluster::{Contract, NodeId, Random, StepKind};
use shakedown_explore::Weights;
use shakedown_explore::closure::{Pace, Phase};
use shakedown_rafts::model::{ChangeCounts, following};
use shakedown_rafts::{RaftState, RaftTarget, Role, conf_change_bug, raft_invariants};

use crate::model::PlantedDialect;
use crate::{Fault, Properties, RaftNode, Request, View, settings, spec};

/// How many different keys the workload uses.
const KEYS: u64 = 4;
/// The most that a colour tells apart in a term, an index or a length.
const COLOUR_MAX: u64 = 7;

/// What the option `fault` is for, with all its values.
const FAULTS: &str = "what is wrong: none, quorum-third, vote-not-persisted, term-not-persisted, duplicate-vote-counted, \
     commit-older-term, no-truncation, snapshot-over-newer, stale-append, noop-in-comparison, reconfiguration-unfixed, \
     timer-lost-at-restart, removed-campaigns";

/// A Raft of our own on an asynchronous network that reorders, loses and doubles messages, with a minority of
/// its nodes crashing.
pub fn target() -> Target<RaftNode> {
    Target::new("planted-raft")
        .version(concat!("shakedown-planted-raft ", env!("CARGO_PKG_VERSION")))
        .about("a Raft of our own, right unless a fault is planted: fault=quorum-third and eleven others")
        .nodes(3)
        .nodes_min(1)
        .steps(300)
        // Two of three requests come to a node that does not lead, and are dropped.
        .weights(Weights::default().with(StepKind::Request, 8))
        .option("fault", Fault::None, FAULTS)
        .option("election_tick", 4, "ticks before a follower campaigns; it waits up to twice as long")
        .option("heartbeat_tick", 1, "ticks between a leader's heartbeats")
        .option("append_max", 1, "the most entries that one append carries")
        .option("compaction", true, "whether the workload compacts logs")
        .option("membership", false, "whether the workload removes nodes and adds them again")
        .contract_by(|options| settings::read(options, 1).map(|_| Contract::asynchronous()))
        .follow(following::<View, PlantedDialect>(|_| Ok(()), ChangeCounts::OnceInLog))
        .compare(spec::comparison())
        .workload(16, workload)
        .phase(phase())
        .colour(colour)
        .option("oracles", Properties::All, "properties to check: all or committed")
        .kinds(&[
            "RequestVote",
            "RequestVoteResponse",
            "Append",
            "Heartbeat",
            "AppendResponse",
            "Snapshot",
            "SnapshotResponse",
        ])
        .scenario(conf_change_bug().set("oracles", Properties::Committed))
        .serves(|view: &View| view.role == Role::Leader)
        .raft_waypoints()
        .oracles(oracles)
}

/// The same, for a list of targets. The loop of a campaign on it is compiled here, with the settings of this
/// package.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

fn oracles(config: &Config) -> Vec<Box<dyn Oracle<View>>> {
    let mut oracles = raft_invariants();
    if config.options.get("oracles") == Ok(Properties::Committed) {
        oracles.retain(|oracle| oracle.name() == "state-machine-safety");
    }
    oracles
}

/// One tick, what is sent then, and what is answered. An election takes up to twice `election_tick` phases.
fn phase() -> Phase {
    Phase::new(Pace::EveryPhase(1))
        .round("request", &["RequestVote", "Append", "Heartbeat", "Snapshot"])
        .round("response", &["RequestVoteResponse", "AppendResponse", "SnapshotResponse"])
        .warm_up(10)
}

/// Whether a switch is on. One that is missing is off.
fn is_on(config: &Config, switch: &str) -> bool {
    config.options.get(switch).unwrap_or(false)
}

/// Mostly puts; now and then a compaction or a change of membership. Nodes are added that were to be removed
/// before.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let compaction = is_on(config, "compaction");
    let membership = is_on(config, "membership");
    let mut removed = Vec::new();
    let request = |number: usize| match random.below(16) {
        0 | 1 if compaction => Request::Compact,
        2..6 if membership => {
            let node = any_node(config, random);
            removed.push(node);
            Request::Remove(node)
        }
        6..10 if !removed.is_empty() => Request::Add(removed[random.index(removed.len())]),
        _ => Request::Put(random.below(KEYS) as u8, number as u64 + 1),
    };
    (0..config.requests).map(request).collect()
}

fn any_node(config: &Config, random: &mut Random) -> NodeId {
    NodeId::from_index(random.index(config.nodes))
}

/// Role, term, commit index, snapshot and the terms of the log, as far as they are small.
fn colour(view: &View) -> u64 {
    let small = |number: u64| number.min(COLOUR_MAX);
    let terms = view.log.entries().iter().take(COLOUR_MAX as usize).map(|entry| small(entry.term));
    let indexes = [view.term, view.commit, view.first_index() - 1].map(small);
    indexes
        .into_iter()
        .chain(terms)
        .fold(1 + view.role as u64, |colour, number| colour * (COLOUR_MAX + 1) + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_shows_every_fault() {
        let names = Fault::ALL.map(|fault| fault.to_string()).join(", ");
        assert_eq!(FAULTS, format!("what is wrong: {names}"));
    }
}
