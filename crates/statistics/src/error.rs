//! What cannot be answered, and what to do about it.

use thiserror::Error;

/// Why there is no answer.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StatisticsError {
    /// A sample without values.
    #[error("a sample needs at least one value")]
    Empty,
    /// More values than [`crate::Sample::MOST`].
    #[error("a sample of {count} values is too large: at most {most}")]
    TooMany {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A value that is infinite, not a number, or beyond [`crate::Sample::LARGEST`].
    #[error("value {position} of the sample is {value}: values must be finite and at most 1e100 in size")]
    Value {
        /// Its place in the sample, from 0.
        position: usize,
        /// The value, as text, because NaN is not equal to itself.
        value: String,
    },
    /// Something was found before the first execution or after the last one.
    #[error("found at execution {found}, but executions are numbered from 1 to the budget, {budget}")]
    OutsideBudget {
        /// The execution.
        found: u64,
        /// How many executions a trial had.
        budget: u64,
    },
    /// A budget of no executions, or of more than a number of executions can be told exactly.
    #[error("a budget of {0} executions: it must lie between 1 and 2^53")]
    Budget(u64),
    /// Times with different budgets: a trial that was stopped earlier says nothing about later.
    #[error("trials of {first} and of {second} executions cannot be compared: give both the same budget")]
    BudgetsDiffer {
        /// Budget of the first.
        first: u64,
        /// Budget of the second.
        second: u64,
    },
    /// A share of no trials, of more found than tried, or of too many.
    #[error(
        "{found} found of {trials} trials: trials must be between 1 and {most}, and found at most that many"
    )]
    Share {
        /// How many found it.
        found: u64,
        /// How many tried.
        trials: u64,
        /// How many may try.
        most: u64,
    },
    /// The exact distribution would take too much time and memory, or has counts beyond 128 bits.
    #[error(
        "samples of {first} and {second} values are too large for the exact distribution: use the asymptotic one"
    )]
    TooLargeForExact {
        /// Size of the first.
        first: usize,
        /// Size of the second.
        second: usize,
    },
    /// A row of a table has another length than the first.
    #[error(
        "subject {row} has {found} values, but subject 0 has {expected}: every subject needs one per condition"
    )]
    Ragged {
        /// The row, from 0.
        row: usize,
        /// How many values it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// Too few subjects or conditions.
    #[error("{subjects} subjects under {conditions} conditions: at least 2 of each are needed")]
    TooFewCells {
        /// Rows.
        subjects: usize,
        /// Columns.
        conditions: usize,
    },
    /// Too few groups, or one value in each: nothing tells how much values scatter.
    #[error("{groups} groups with {values} values in all: at least 2 groups are needed, and one of 2 values")]
    TooFewInGroups {
        /// How many groups.
        groups: usize,
        /// How many values they have together.
        values: usize,
    },
    /// More degrees of freedom than the distributions are exact for.
    #[error("{degrees} degrees of freedom are too many: at most {most}")]
    TooManyDegrees {
        /// How many there are.
        degrees: usize,
        /// How many there may be.
        most: usize,
    },
    /// Means differ, and nothing else does: there is no scatter to measure the difference by.
    #[error(
        "the conditions differ, always by the same amount: without scatter there is no test, look at the means"
    )]
    NoScatter,
    /// Something that should be a probability is none.
    #[error("{name} is {value}, but must lie {range}")]
    OutOfRange {
        /// What it is.
        name: &'static str,
        /// The value, as text, because NaN is not equal to itself.
        value: String,
        /// Where it should lie.
        range: &'static str,
    },
}
