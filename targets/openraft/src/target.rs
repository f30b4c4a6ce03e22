//! The target: its options, its workload and its oracles.

use shakedown::Target;
use shakedown::async_node::{Async, TaskOrder};
use shakedown::campaign::Config;
use shakedown::check::{NeverStops, Oracle};
use shakedown::cluster::{BadOption, Contract, DiskModel, NodeId, Options, Random, Timers};
use shakedown::rafts::{RaftTarget, Role, invariants_on};

use crate::{OpenRaft, Request, View};

/// openraft on an asynchronous network, with a minority of its nodes crashing.
pub fn target() -> Target<Async<OpenRaft>> {
    Target::new("openraft")
        // The package has the version of the library that it pins.
        .version(concat!("openraft ", env!("CARGO_PKG_VERSION")))
        .about("the crate openraft, on a deterministic runtime")
        .nodes(3)
        .nodes_min(1)
        .steps(600)
        .option("tick", 25u64, "milliseconds of a tick")
        .option("heartbeat", 50u64, "milliseconds between heartbeats")
        .option("election_min", 60u64, "milliseconds before a follower stands for election, at least")
        .option("election_max", 120u64, "milliseconds before a follower stands for election, at most")
        .option("payload", 300u64, "entries of an append, at most")
        .option("lag", 1_000_000u64, "entries behind the leader before a follower gets a snapshot")
        .option("tasks", TaskOrder::Fifo, "in which order tasks run: fifo or drawn")
        .option("buffered", false, "whether writes are durable only when they are flushed")
        .option("anytime", false, "whether timers go off at any time")
        .option("membership", false, "whether the workload changes the membership")
        .option("snapshots", true, "whether the workload takes snapshots")
        .option("oracles", "all".to_owned(), "properties to check: all, the name of one, or none")
        .contract_by(contract)
        .workload(12, workload)
        .kinds(&["RequestVote", "Append", "Heartbeat", "Snapshot"])
        .serves(|view: &View| view.role == Role::Leader)
        .raft_waypoints()
        .oracles(oracles)
}

fn contract(options: &Options) -> Result<Contract, BadOption> {
    let disk = if options.get("buffered")? { DiskModel::Buffered } else { DiskModel::Synchronous };
    let timers = if options.get("anytime")? { Timers::Anytime } else { Timers::WhenDue };
    Ok(Contract { disk, timers, ..Contract::asynchronous() })
}

/// Whether a switch is on. One that is missing is off.
fn is_on(config: &Config, switch: &str) -> bool {
    config.options.get(switch).unwrap_or(false)
}

/// Mostly puts; now and then a snapshot, other voters or an election.
fn workload(config: &Config, random: &mut Random) -> Vec<Request> {
    let (snapshots, membership) = (is_on(config, "snapshots"), is_on(config, "membership"));
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
    let mut oracles = invariants_on(is_on(config, "buffered"));
    oracles.push(Box::new(NeverStops::new(|view: &View| view.stopped.clone())));
    let wanted = config.options.text("oracles").unwrap_or("all");
    oracles.retain(|oracle| ["all", oracle.name()].contains(&wanted));
    oracles
}
