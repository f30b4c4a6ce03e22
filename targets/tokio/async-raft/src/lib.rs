//! The crate `async-raft` as a target of Shakedown.
//!
//! It runs as it was published: it spawns its tasks with `tokio::spawn`, draws its election time-outs from
//! `rand::thread_rng`, keeps its peers in hash maps, chooses with `select!`, and takes the time from tokio.
//! `network` makes calls of its RPCs, `store` is its log, its state machine and the simulated disk, and
//! [`AsyncRaft`] puts them together.

mod network;
mod node;
mod store;
mod target;

pub use network::{Reply, Rpc};
pub use node::{AsyncRaft, Request};
pub use store::{Store, Types};
pub use target::target;

use serde::{Deserialize, Serialize};

/// What is seen of a node.
pub type View = shakedown::rafts::RaftView<u64>;

/// Entries are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Put(pub u64);

impl async_raft::AppData for Put {}

/// What applying an entry gives: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Applied;

impl async_raft::AppDataResponse for Applied {}

type Entry = async_raft::raft::Entry<Put>;
