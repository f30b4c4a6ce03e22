//! The target: its options, its workload and its oracles.

use shakedown_campaign::{Config, Target};
use shakedown_check::{Oracle, RaftState, Seen, TermNeverGoesBack, invariant, raft_invariants};
use shakedown_cluster::{NodeId, Random};
use shakedown_explore::closure::{Pace, Phase};

use crate::scenarios::{clauses, scenarios};
use crate::settings::Settings;
use crate::{DiskMode, RaftNode, RaftView, Request};

/// How many different keys the workload uses.
const KEYS: u64 = 4;

/// The crate `raft` 0.7.0 on an asynchronous network that reorders, loses and doubles messages, with a minority of its
/// nodes crashing.
pub fn target() -> Target<RaftNode> {
    let target = Target::new("raft")
        .version("raft 0.7.0")
        .about("the Raft library of TiKV, replicating a key-value map")
        .nodes(3)
        .nodes_min(1)
        .steps(400)
        .option("election_tick", 4, "ticks before a follower campaigns; it waits up to twice as long")
        .option("heartbeat_tick", 1, "ticks between a leader's heartbeats")
        .option("pre_vote", false, "whether candidates ask first whether they would win")
        .option("check_quorum", false, "whether a leader that hears of no majority steps down")
        .option("disk", DiskMode::Synchronous, "when writes are durable: synchronous or buffered")
        .option("membership", false, "whether the workload removes nodes and adds them again")
        .option(
            "step_down_when_removed",
            true,
            "whether a leader that is removed steps down; raft leaves it to us",
        )
        .option("compaction", true, "whether the workload compacts logs")
        .option("library_invariants", true, "whether raft's own bookkeeping is checked too")
        .contract_by(|options| Ok(Settings::read(options)?.contract()))
        .workload(8, workload)
        .phase(phase())
        .clauses(clauses())
        .oracles(oracles);
    scenarios().into_iter().fold(target, Target::scenario)
}

/// One tick, what is sent then, and what is answered. An election takes up to twice `election_tick` phases.
fn phase() -> Phase {
    let requests = [
        "Propose",
        "Append",
        "Heartbeat",
        "Snapshot",
        "RequestVote",
        "PreVote",
        "TransferLeader",
        "TimeoutNow",
        "ReadIndex",
    ];
    let responses = [
        "AppendResponse",
        "HeartbeatResponse",
        "RequestVoteResponse",
        "PreVoteResponse",
        "ReadIndexResponse",
    ];
    Phase::new(Pace::EveryPhase(1)).round("request", &requests).round("response", &responses).warm_up(10)
}

/// Whether a switch is on. One that is missing is off here, and nothing comes of it: the contract refuses to be made.
fn is_on(config: &Config, switch: &str) -> bool {
    config.options.get(switch).unwrap_or(false)
}

/// Mostly puts; now and then a compaction, a transfer of the leadership or a change of membership.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let compaction = is_on(config, "compaction");
    let membership = is_on(config, "membership");
    let mut removed = None;
    let mut request = |number: usize| match random.below(16) {
        0 | 1 if compaction => Request::Compact,
        2 => Request::Transfer(any_node(config, random)),
        3..8 if membership => match removed.take() {
            Some(node) => Request::Add(node),
            None => {
                let node = any_node(config, random);
                removed = Some(node);
                Request::Remove(node)
            }
        },
        _ => Request::Put(random.below(KEYS) as u8, number as u64 + 1),
    };
    (0..config.requests).map(&mut request).collect()
}

fn any_node(config: &Config, random: &mut Random) -> NodeId {
    NodeId::from_index(random.index(config.nodes))
}

fn oracles(config: &Config) -> Vec<Box<dyn Oracle<RaftView>>> {
    let mut oracles = raft_invariants();
    if config.options.get("disk") == Ok(DiskMode::Buffered) {
        // A term that nobody was told of yet may be lost with the unflushed writes, so it binds one life only.
        oracles.retain(|oracle| oracle.name() != "term-never-goes-back");
        oracles.push(Box::new(TermNeverGoesBack::while_running()));
    }
    if is_on(config, "library_invariants") {
        oracles.push(progress_next_above_match());
    }
    oracles
}

/// On every leader, the next index of each peer is above its matched index. Version 0.7.0 breaks this: a rejection that
/// arrives late, when the leader probes the peer again, takes the next index back (tikv/raft-rs issue 555).
fn progress_next_above_match() -> Box<dyn Oracle<RaftView>> {
    invariant("progress-next-above-match", |seen: &Seen<'_, RaftView>| {
        for (node, state) in seen.fresh() {
            if let Some((peer, matched, next)) = state.progress_below_match {
                let term = state.term();
                return Err(format!(
                    "{node} leads term {term} and would send {peer} entry {next} next, though {matched} is matched"
                ));
            }
        }
        Ok(())
    })
}
