//! Oracles: what turns executions into verdicts; and guides, which turn them into coverage ([`Guide`]).
//!
//! An [`Oracle`] looks at a cluster after every step, or at the end of an execution, and says what is wrong.
//! It sees the board and the states that nodes show, never how the execution came about.
//!
//! - invariants, asked after every step: [`invariant`], those of replicated logs ([`Agreement`],
//!   [`DecidedNeverGoesBack`]), and those of Raft, which are in `shakedown-rafts`;
//! - orders of operations, asked at the end: [`Linearizable`], [`SerializableOutcome`],
//!   [`SequentiallyConsistent`], over a [`Model`] such as [`Registers`]; isolation of transactions and rules
//!   of workloads (`Transactions`, `WorkloadRules`, feature `histories`);
//! - bounded liveness, asked at the end of executions that end in [`Calm`]: [`LeaderElected`], [`LogsEqual`],
//!   [`EveryRequestAnswered`].

mod answers;
mod calm;
mod guide;
mod harnesses;
mod history;
mod limits;
pub mod linearizability;
pub mod liveness;
mod log;
mod memo;
mod model;
mod never_stops;
#[cfg(feature = "histories")]
pub mod objects;
mod obstacle;
mod oracle;
mod order;
mod order_oracles;
mod paxos;
mod per_node;
mod registers;
pub mod sequential_consistency;
pub mod serializability;
#[cfg(feature = "histories")]
mod transactions;
#[cfg(feature = "histories")]
mod workload_rules;

pub use answers::{AnsweredOnce, EqualAnswers};
pub use calm::{Calm, calm_rounds};
pub use guide::{Forbidden, Guide, LookedFor, SpecStep, SpecTrace};
pub use harnesses::{AllHarnesses, HARNESS_KEYS, Harness, Harnesses};
pub use history::{Asked, Understood, history, understand_registers};
pub use limits::{LimitHit, SearchLimits};
pub use linearizability::Linearizability;
pub use liveness::{EveryRequestAnswered, FirstHeld, LeaderElected, LogsEqual, calibrate};
pub use log::{Agreement, DecidedNeverGoesBack, LogState};
pub use model::Model;
pub use never_stops::NeverStops;
pub use obstacle::Obstacle;
pub use oracle::{
    Doubt, Finally, Invariant, Oracle, OracleInfo, Seen, described_invariant, finally, invariant,
};
pub use order_oracles::{Linearizable, SequentiallyConsistent, SerializableOutcome};
pub use paxos::{BallotedLog, PaxosState};
pub use per_node::{Highest, PerNode};
pub use registers::{RegisterAnswer, RegisterOp, RegisterValues, Registers};
pub use sequential_consistency::SequentialConsistency;
pub use serializability::{Serializability, Strictness};
#[cfg(feature = "histories")]
pub use transactions::Transactions;
#[cfg(feature = "histories")]
pub use workload_rules::WorkloadRules;
