//! Oracles: what must hold. Invariants, linearizability, serializability, sequential consistency, bounded
//! liveness.

pub use shakedown_check::liveness;
pub use shakedown_check::{
    Agreement, AllHarnesses, AnsweredOnce, BallotedLog, DecidedNeverGoesBack, Doubt, EqualAnswers,
    EveryRequestAnswered, Finally, FirstHeld, Guide, Harness, Harnesses, Invariant, LeaderElected,
    Linearizable, LogState, LogsEqual, LookedFor, Model, NeverStops, Oracle, PaxosState, RegisterAnswer,
    RegisterOp, RegisterValues, Registers, SearchLimits, Seen, SequentiallyConsistent, SerializableOutcome,
    Strictness, finally, invariant,
};
#[cfg(feature = "histories")]
pub use shakedown_check::{Transactions, WorkloadRules};
