//! What implementations of Raft share: their state, invariants, waypoints and scenarios; with the feature `tla` also the model
//! of Raft as a guide and an oracle.

pub use shakedown_rafts::{
    CommitNeverGoesBack, CommittedByQuorum, DurableByQuorum, ElectionSafety, LeaderCompleteness, LogEntry,
    LogMatching, Membership, MembershipInLog, PlainState, RaftState, RaftTarget, Role, StateMachineSafety,
    Term, TermNeverGoesBack, conf_change_bug, end_of_log, nodes_as_json, raft_invariants,
};
#[cfg(feature = "tla")]
pub use shakedown_rafts::{model, spec};
