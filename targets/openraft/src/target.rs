//! The target: its options, its workload and its oracles.

use shakedown::Target;
use shakedown::async_node::{Async, AsyncTarget};
use shakedown::campaign::{AnyTarget, Config};
use shakedown::check::{NeverStops, Oracle};
use shakedown::cluster::{NodeId, Random};
use shakedown::rafts::{RaftTarget, Role, invariants_on};

use crate::{OpenRaft, Request, View};

/// The same as [`target`], for a list of targets. The loop of a campaign on it is compiled here, once for all
/// programs.
pub fn any_target() -> Box<dyn AnyTarget> {
    Box::new(target())
}

/// openraft on an asynchronous network, with a minority of its nodes crashing.
pub fn target() -> Target<Async<OpenRaft>> {
    Target::new("openraft")
        // The package has the version of the library that it pins.
        .version(concat!("openraft ", env!("CARGO_PKG_VERSION")))
        .about("the crate openraft, on a deterministic runtime")
        .nodes(3)
        .nodes_min(1)
        .steps(600)
        .async_options(25)
        .option("heartbeat", 50u64, "milliseconds between heartbeats")
        .option("election_min", 60u64, "milliseconds before a follower stands for election, at least")
        .option("election_max", 120u64, "milliseconds before a follower stands for election, at most")
        .option("payload", 300u64, "entries of an append, at most")
        .option("lag", 1_000_000u64, "entries behind the leader before a follower gets a snapshot")
        .option("membership", false, "whether the workload changes the membership")
        .option("snapshots", true, "whether the workload takes snapshots")
        .option("oracles", "all".to_owned(), "properties to check: all, the name of one, or none")
        .workload(12, workload)
        .kinds(&["RequestVote", "Append", "Heartbeat", "Snapshot"])
        .serves(|view: &View| view.role == Role::Leader)
        .raft_waypoints()
        .oracles(oracles)
}

/// Mostly puts; now and then a snapshot, other voters or an election.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let (snapshots, membership) = (config.options.is_on("snapshots"), config.options.is_on("membership"));
    let request = |number: usize| match random.below(16) {
        0 | 1 if snapshots => Request::Snapshot,
        2..6 if membership => Request::Members(some_nodes(config.nodes, random)),
        _ => Request::Put(number as u64 + 1),
    };
    (0..config.requests).map(request).collect()
}

/// Each node with a chance of six in ten, and one in any case.
fn some_nodes(count: usize, random: &mut Random) -> Vec<NodeId> {
    let always = random.index(count);
    NodeId::first(count).filter(|node| node.index() == always || random.chance(0.6)).collect()
}

fn oracles(config: &Config) -> Vec<Box<dyn Oracle<View>>> {
    let mut oracles = invariants_on(config.options.is_on("buffered"));
    oracles.push(Box::new(NeverStops::new(|view: &View| view.stopped.clone())));
    let wanted = config.options.text("oracles").unwrap_or("all");
    oracles.retain(|oracle| ["all", oracle.name()].contains(&wanted));
    oracles
}
