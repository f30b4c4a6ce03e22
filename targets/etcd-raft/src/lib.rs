//! etcd's Raft library, in Go, as targets of Shakedown: the newest release, older ones, and one with a
//! planted bug.
//!
//! The nodes live in programs that `targets/etcd-raft/build.sh` builds. They speak the node protocol, and
//! have the vocabulary of the target `raft`: `raft` is a port of etcd's library, and both encode messages and
//! entries the same way. So the scenarios, invariants and waypoints of that target are used as they are. The
//! specification is that target's with a few other rules ([`spec`]).

mod changes;
mod hosts;
mod scenarios;
pub mod spec;
mod vocabulary;

pub use hosts::{HOSTS, HostInfo, are_built, command, target, target_with, targets};
pub use vocabulary::EtcdRaft;
