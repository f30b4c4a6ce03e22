//! Communication closure: sampling lossy-synchronous executions (Drăgoi, Enea, Ozkan, Majumdar and Niksic,
//! OOPSLA 2020).
//!
//! Nodes run rounds in lock step: a message is received in its round or lost. In each round some processes,
//! those outside the *kernel*, are isolated; they join again at rounds divisible by the period k; there are
//! exactly d isolations in r rounds. [`Isolations`](Isolation) and [`Shape`] are that sample space, [`Phase`]
//! says what the rounds of a protocol are, [`Harness`] which requests are sent when, and `lock_step` carries
//! it out. Two baselines run in the same lock step: every message lost with a probability, and nodes that
//! crash and restart.

mod clients;
mod harness;
mod isolations;
mod lock_step;
mod phase;
mod rounds;
mod space;
mod stages;

pub use harness::{Harness, HarnessMaker, Occasion, Placed, When};
pub use isolations::{BadShape, Isolation, ROUNDS_MAX, Shape};
pub use lock_step::{Control, Faults, LockStep, Stopping};
pub use phase::{Pace, Phase, PhaseRound};
pub use space::{Size, Space};
