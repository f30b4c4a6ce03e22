//! What is decided: numbers, so that values are cheap to compare, hash and read.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakedown_cluster::NodeId;

/// A value, and its own identity. Any number is one; 0 stands for the empty block, which no application holds
/// valid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Value(pub u64);

impl Value {
    /// The empty block.
    pub const EMPTY: Value = Value(0);

    /// The value that a proposer makes for a height and a round: 1002003 is what n3 makes for height 1 and
    /// round 2. Another round or another proposer makes another value.
    pub const fn made_by(proposer: NodeId, height: u64, round: u32) -> Value {
        let number = height.wrapping_mul(1_000_000).wrapping_add(round as u64 * 1_000);
        Value(number.wrapping_add(proposer.number() as u64))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl malachitebft_core_types::Value for Value {
    type Id = Value;

    fn id(&self) -> Value {
        *self
    }
}
