//! Limits of searches for an order of operations: the search takes exponential time in the worst case, so it
//! has to know when to stop, and to say so.

use std::fmt;

/// How far a search for an order of operations may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// How often an operation may be tried at a place of the order.
    pub steps_max: u64,
    /// How much may be remembered of what was tried, in bytes. What states hold outside of themselves is not
    /// counted.
    pub memory_bytes_max: usize,
}

impl Default for SearchLimits {
    /// Ten million steps, a few seconds, and 256 MiB.
    fn default() -> SearchLimits {
        SearchLimits { steps_max: 10_000_000, memory_bytes_max: 256 << 20 }
    }
}

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitHit {
    /// So many steps were not enough.
    Steps(u64),
    /// More than so many bytes would have had to be remembered.
    Memory(usize),
    /// The search is exact for at most so many operations.
    Operations(usize),
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitHit::Steps(steps) => write!(f, "the search for an order was given up after {steps} steps"),
            LimitHit::Memory(bytes) => {
                write!(f, "the search for an order was given up: it needs more than {bytes} bytes of memory")
            }
            LimitHit::Operations(most) => {
                write!(f, "there are more than {most} operations, too many for this search")
            }
        }
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: SearchLimits,
    steps: u64,
}

impl Budget {
    pub fn new(limits: SearchLimits) -> Budget {
        Budget { limits, steps: 0 }
    }

    /// One more step, with so much memory in use.
    pub fn step(&mut self, memory_bytes: usize) -> Result<(), LimitHit> {
        if self.steps >= self.limits.steps_max {
            return Err(LimitHit::Steps(self.limits.steps_max));
        }
        if memory_bytes > self.limits.memory_bytes_max {
            return Err(LimitHit::Memory(self.limits.memory_bytes_max));
        }
        self.steps += 1;
        Ok(())
    }
}
