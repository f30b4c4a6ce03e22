//! The crate `raft` 0.7.0 (tikv/raft-rs) as a target of Shakedown.
//!
//! [`target`] is what campaigns are run on. A [`RaftNode`] drives the library's `RawNode` by its book and
//! replicates a small key-value map; [`LogStore`] is its storage, in memory and on the simulated disk alike;
//! [`RaftView`] is what the invariants see of it.

mod disk;
mod log_view;
mod machine;
mod message;
pub mod model;
mod node;
mod ready;
mod request;
mod scenarios;
mod sessions;
mod settings;
pub mod spec;
mod storage;
mod target;
mod view;

pub use disk::Write;
pub use log_view::LogView;
pub use machine::machine_digest;
pub use message::RaftMessage;
pub use node::RaftNode;
pub use request::{Answer, Request};
pub use scenarios::controls;
pub use settings::DiskMode;
pub use storage::LogStore;
pub use target::{CALM_ROUNDS, any_target, oracles, target, target_of};
pub use view::RaftView;
