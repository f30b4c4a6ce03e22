//! Oracles: invariants over observed states.
//!
//! An [`Oracle`] looks at a cluster after every step, or at the end of an execution, and says what is wrong. It sees the
//! board and the states that nodes show, never how the execution came about.

mod harnesses;
mod limits;
pub mod linearizability;
mod log;
mod memo;
mod model;
mod obstacle;
mod oracle;
mod per_node;
mod raft;
mod registers;

pub use harnesses::{AllHarnesses, HARNESS_KEYS, Harness, Harnesses};
pub use limits::{LimitHit, SearchLimits};
pub use linearizability::Linearizability;
pub use log::{Agreement, DecidedNeverGoesBack, LogState};
pub use model::Model;
pub use obstacle::Obstacle;
pub use oracle::{Doubt, Finally, Invariant, Oracle, Seen, finally, invariant};
pub use raft::{
    CommitNeverGoesBack, ElectionSafety, LeaderCompleteness, LogEntry, LogMatching, RaftState, Role,
    StateMachineSafety, TermNeverGoesBack, raft_invariants,
};
pub use registers::{RegisterAnswer, RegisterOp, RegisterValues, Registers};
