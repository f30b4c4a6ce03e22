//! Model checking.
//!
//! [`check`] explores all reachable states breadth first, level by level, so that the counts do not depend on
//! the number of workers and a counterexample is as short as can be. Each worker compiles the specification
//! for itself; what they share is the set of fingerprints. Liveness is checked on the graph of states
//! afterwards (`liveness`).

mod apart;
mod book;
mod explore;
pub(crate) mod fingerprint;
mod frontier;
mod liveness;
mod outcome;
mod shared;
mod simulate;
mod spill;
pub(crate) mod trace;
mod visited;
mod worker;

pub use explore::{check, check_watched};
pub use outcome::{Action, Outcome, Progress, Report, Violation, ViolationKind, exit_code_of};
pub use simulate::{SimulationOptions, simulate};
pub use spill::{Due, Folder, Spill};
pub use trace::{Trace, TraceStep};

use crate::error::{Error, Result};

/// How to check.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many threads explore.
    pub workers: usize,
    /// Whether a state without successors is an error; what the configuration says if none.
    pub deadlock: Option<bool>,
    /// Most distinct states.
    pub states_max: u64,
    /// Deepest level, counted from 1.
    pub depth_max: u64,
    /// Most memory for states, in bytes.
    pub memory_bytes_max: usize,
    /// Most steps of evaluation that a worker takes: elements that quantifiers and sets go through, and calls
    /// of operators.
    pub steps_max: u64,
    /// The seed of RandomElement and the like.
    pub seed: u64,
    /// Where states go that do not fit into memory; if none, they end the check.
    pub spill: Option<Spill>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            workers: 1,
            deadlock: None,
            states_max: u64::MAX,
            depth_max: u64::MAX,
            memory_bytes_max: 8 << 30,
            steps_max: u64::MAX,
            seed: 0,
            spill: None,
        }
    }
}

/// The stack of a worker: recursive operators of specifications recurse here too.
pub(crate) const WORKER_STACK_BYTES: usize = 512 << 20;

/// The most initial states, or successors of one state, that are gathered where all of them are wanted at
/// once.
const GATHERED_STATES_MAX: usize = 1 << 22;

/// Whether one more state may be gathered beside so many.
pub(crate) fn check_gathered(states: usize) -> Result<()> {
    if states >= GATHERED_STATES_MAX {
        let message =
            format!("there are more than {GATHERED_STATES_MAX} initial states, or successors of a state");
        return Err(Box::new(Error::Limit { message }));
    }
    Ok(())
}
