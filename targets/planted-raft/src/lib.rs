//! A Raft of our own in which single faults can be switched on: the bench that strategies are measured on.
//!
//! [`protocol`] is Raft as in Ongaro's thesis ("Consensus: Bridging Theory and Practice", 2014): elections, replication, the
//! commit rule, persistence, snapshots with InstallSnapshot, and single-server changes of the membership with the
//! correction of 2015. A leader begins its term with a no-op. [`RaftNode`] carries out what the protocol decides.
//!
//! The option `fault` plants one fault (see [`Fault`]); with `none` all of Raft's invariants hold. For every fault there
//! is a witness, a short schedule that a test replays, in `tests/witnesses`. Two faults cannot show with three nodes,
//! and one takes more than one entry to an append away: with `append_max` at 1, as in Ongaro's own TLA+ specification, an
//! entry of an older term can be on a quorum before the no-op that follows it is; if an append carried the whole rest of
//! the log, `commit-older-term` would be harmless, because no server would ever get the one without the other.

pub mod protocol;

mod fault;
mod message;
mod node;
mod request;
mod settings;
mod target;
mod view;

#[cfg(test)]
mod tests;

pub use fault::Fault;
pub use node::RaftNode;
pub use request::{Answer, Request};
pub use target::target;
pub use view::View;
