//! What implementations of Raft share: their state, invariants, waypoints and scenarios; with the feature
//! `tla` also the model of Raft as a guide and an oracle.

pub use shakedown_rafts::{
    CommitNeverGoesBack, CommittedByQuorum, DurableByQuorum, ElectionSafety, LeaderCompleteness, LogEntry,
    LogMatching, LogView, Membership, MembershipInLog, PlainState, RaftDisk, RaftState, RaftTarget, RaftView,
    RaftWrite, Role, SnapshotView, StateMachineSafety, Stored, Term, TermNeverGoesBack, conf_change_bug,
    end_of_log, invariants_on, nodes_as_json, raft_invariants,
};
#[cfg(feature = "tla")]
pub use shakedown_rafts::{model, spec};
