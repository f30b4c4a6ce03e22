//! Nodes written for Maelstrom, unmodified, as a target of Shakedown.
//!
//! A node is a process that reads and writes JSON messages, one a line. A step hands it lines and then waits
//! until it is quiet, which is read from the process and not waited for by a fixed time
//! (`shakedown_process`). What it writes to other nodes and to services becomes messages of the cluster, so
//! that strategies, partitions, kills, diagrams and shrinking work as with any other target.
//!
//! - [`MaelstromTarget`] is the target, [`Workload`] what clients ask, `checks` what must hold;
//! - `process` and `programs` start processes ahead of time, wait for them, and leave none behind;
//! - `services` plays lin-kv, seq-kv, lww-kv and lin-tso;
//! - `settle` is the end of an execution: the network is healed and every node is read.
//!
//! Nodes have their own threads and clocks, so nothing here is deterministic, and the target declares that.

mod checks;
mod message;
mod nemesis;
mod node;
mod process;
mod programs;
mod services;
mod settle;
mod target;
mod topology;
mod workload;

pub use nemesis::Nemesis;
pub use process::NodeCommand;
pub use target::{CONSISTENCY_OPTION, MaelstromTarget, NAME, NEMESIS_OPTION, SETTLE_OPTION};
pub use workload::Workload;

/// The option that holds the workload.
pub const WORKLOAD_OPTION: &str = "workload";
/// The option that holds the topology of broadcasts.
pub const TOPOLOGY_OPTION: &str = "topology";
/// The option that holds how long a tick takes, in milliseconds.
pub const TICK_OPTION: &str = "tick_ms";
