//! Oracles: invariants over observed states.
//!
//! An [`Oracle`] looks at a cluster after every step, or at the end of an execution, and says what is wrong. It sees the
//! board and the states that nodes show, never how the execution came about.

mod log;
mod oracle;
mod per_node;
mod raft;

pub use log::{Agreement, DecidedNeverGoesBack, LogState};
pub use oracle::{Finally, Invariant, Oracle, Seen, finally, invariant};
pub use raft::{
    CommitNeverGoesBack, ElectionSafety, LeaderCompleteness, LogEntry, LogMatching, RaftState, Role,
    StateMachineSafety, TermNeverGoesBack, raft_invariants,
};
