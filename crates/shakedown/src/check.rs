//! Oracles: what must hold. Invariants, linearizability, serializability, sequential consistency, bounded liveness.

pub use shakedown_check::liveness;
pub use shakedown_check::{
    Agreement, AllHarnesses, BallotedLog, DecidedNeverGoesBack, Doubt, EveryRequestAnswered, Finally,
    FirstHeld, Guide, Harness, Harnesses, Invariant, LeaderElected, Linearizable, LogState, LogsEqual,
    LookedFor, Model, Oracle, PaxosState, RegisterAnswer, RegisterOp, RegisterValues, Registers,
    SearchLimits, Seen, SequentiallyConsistent, SerializableOutcome, Strictness, finally, invariant,
};
