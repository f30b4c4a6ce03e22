//! Oracles: what must hold. Invariants, linearizability, serializability, sequential consistency, bounded liveness.

pub use shakedown_check::liveness;
pub use shakedown_check::{
    Agreement, AllHarnesses, BallotedLog, CommitNeverGoesBack, DecidedNeverGoesBack, Doubt, ElectionSafety,
    EveryRequestAnswered, Finally, FirstHeld, Guide, Harness, Harnesses, Invariant, LeaderCompleteness,
    LeaderElected, Linearizable, LogEntry, LogMatching, LogState, LogsEqual, LookedFor, Model, Oracle,
    PaxosState, RaftState, RegisterAnswer, RegisterOp, RegisterValues, Registers, Role, SearchLimits, Seen,
    SequentiallyConsistent, SerializableOutcome, StateMachineSafety, Strictness, TermNeverGoesBack, finally,
    invariant, raft_invariants,
};
