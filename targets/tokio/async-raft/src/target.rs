//! The target: its options, its workload and its oracles.

use shakedown::Target;
use shakedown::check::{Seen, invariant};
use shakedown::cluster::Contract;
use shakedown::rafts::{RaftTarget, Role, raft_invariants};
use shakedown::tokio_node::Tokio;

use crate::{AsyncRaft, Request, View};

/// async-raft on an asynchronous network, with a minority of its nodes crashing.
pub fn target() -> Target<Tokio<AsyncRaft>> {
    Target::new("async-raft")
        // The package has the version of the library that it pins.
        .version(concat!("async-raft ", env!("CARGO_PKG_VERSION")))
        .about("the crate async-raft, on tokio as it is")
        .nodes(3)
        .nodes_min(1)
        .steps(400)
        .option("tick", 25u64, "milliseconds of a tick")
        .option("heartbeat", 50u64, "milliseconds between heartbeats")
        .option("election_min", 60u64, "milliseconds before a follower stands for election, at least")
        .option("election_max", 120u64, "milliseconds before a follower stands for election, at most")
        .contract(Contract::asynchronous())
        .requests(12, |number, _| Request(number as u64 + 1))
        .kinds(&[
            "RequestVote",
            "Append",
            "Heartbeat",
            "RequestVote.reply",
            "Append.reply",
            "Heartbeat.reply",
        ])
        .serves(|view: &View| view.role == Role::Leader)
        .raft_waypoints()
        .oracles(|_| {
            // What was applied twice shows in the result too; the reason is plainer.
            let mut oracles = vec![invariant("applied-once", |seen: &Seen<'_, View>| {
                let again = seen.up().find_map(|(node, view)| Some((node, view.stopped.as_ref()?)));
                again.map_or(Ok(()), |(node, what)| Err(format!("{node}: {what}")))
            })];
            oracles.extend(raft_invariants());
            oracles
        })
}
