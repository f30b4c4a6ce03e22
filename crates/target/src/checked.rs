//! What came of each oracle in one execution, so that no property passes because it was never put to the
//! test.

/// What came of one oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The property.
    pub property: Box<str>,
    /// How many evaluations could have failed; at least one if the property was violated.
    pub evaluations: u64,
    /// What it came to.
    pub outcome: CheckOutcome,
}

/// What an oracle came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckOutcome {
    /// The property held as far as it was evaluated.
    Held,
    /// It was violated.
    Violated,
    /// It is not known whether it held.
    Unknown,
}
