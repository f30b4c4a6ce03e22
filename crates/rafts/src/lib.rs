//! What implementations of Raft share when they are tested with Shakedown.
//!
//! An adapter implements [`RaftState`] for what can be seen of its nodes, or shows a [`PlainState`], which a
//! node in another language reports as JSON. From this alone it gets
//!
//! - Raft's invariants: [`raft_invariants`], and [`CommittedByQuorum`] where the membership can be seen;
//! - the predicates that waypoints are made of: [`RaftTarget::raft_waypoints`];
//! - [`conf_change_bug`], a scenario for every Raft whose messages, facts and requests have the usual names.
//!
//! An adapter that stores entries of its own keeps them on a [`RaftDisk`], which gives what can be seen of
//! the node as a [`RaftView`].
//!
//! With a [`Dialect`](model::Dialect), which translates messages and requests into the words of Raft, it also
//! gets the TLA+ model of Raft (`specs/Raft.tla`) as a guide, as an oracle and as a recorded trace:
//! [`model`]. What remains for an adapter with a specification of its own is in [`spec`].

mod disk;
mod invariants;
mod membership;
#[cfg(feature = "model")]
pub mod model;
mod plain_state;
mod scenarios;
#[cfg(feature = "model")]
pub mod spec;
mod state;
mod view;
mod waypoints;

pub use disk::{RaftDisk, RaftWrite, SnapshotView, Stored};
pub use invariants::{
    CommitNeverGoesBack, CommittedByQuorum, DurableByQuorum, ElectionSafety, LeaderCompleteness, LogMatching,
    MembershipInLog, StateMachineSafety, TermNeverGoesBack, invariants_on, raft_invariants,
};
pub use membership::Membership;
pub use plain_state::PlainState;
pub use scenarios::conf_change_bug;
pub use state::{LogEntry, RaftState, Role, Term, end_of_log, nodes_as_json};
pub use view::{LogView, RaftView};
pub use waypoints::RaftTarget;
