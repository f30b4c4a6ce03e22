//! The crate `openraft` as a target of Shakedown.
//!
//! openraft runs as it is, on the runtime of `shakedown-async`: its tasks, sleeps, time-outs and random
//! numbers are those of the node. `network` makes calls of its RPCs, `store` is its log, its state machine
//! and the simulated disk, and [`OpenRaft`] puts them together. The same sources build against several
//! published versions, one per package.

mod network;
mod node;
mod store;
mod target;

pub use network::{Reply, Rpc};
pub use node::{OpenRaft, Request};
pub use store::Store;
pub use target::{any_target, target};

use shakedown::cluster::NodeId;

openraft::declare_raft_types!(
    /// Entries are numbers, and so are snapshots: digests of what was applied.
    pub Types: D = u64, R = (), NodeId = u64, Node = (), Entry = openraft::Entry<Types>, SnapshotData = u64,
        AsyncRuntime = shakedown_async::openraft::OpenraftRuntime
);

type Entry = openraft::Entry<Types>;
type LogId = openraft::LogId<u64>;
type Vote = openraft::Vote<u64>;
type Meta = openraft::SnapshotMeta<u64, ()>;

/// A term in openraft: a number and a node.
pub type Ballot = (u64, NodeId);
/// What is seen of a node.
pub type View = shakedown::rafts::RaftView<Ballot>;

fn ballot(leader: &openraft::LeaderId<u64>) -> Ballot {
    (leader.term, NodeId::new((leader.node_id as usize).max(1)))
}

/// The number of an entry and its term. Entries are numbered from 1 here, from 0 in openraft.
fn place_of(id: &LogId) -> (u64, Ballot) {
    (id.index + 1, ballot(&id.leader_id))
}
