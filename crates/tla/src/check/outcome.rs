//! What checking gives.

use super::Trace;
use crate::error::Error;
use crate::symbol::Symbol;

/// The result of a check, with its statistics.
#[derive(Debug, Clone)]
pub struct Report {
    /// What came out.
    pub outcome: Outcome,
    /// How many states were generated, initial states and repetitions included.
    pub generated: u64,
    /// How many different states were found.
    pub distinct: u64,
    /// The depth of the search: how many states the longest shortest path has.
    pub depth: u64,
    /// How many states were found and not expanded.
    pub queue: u64,
    /// How many behaviours were simulated; 0 for a check.
    pub behaviours: u64,
    /// What each named action did.
    pub actions: Vec<Action>,
    /// What the specification printed.
    pub output: Vec<String>,
    /// Why the outcome may not be what it seems.
    pub warnings: Vec<String>,
    /// Whether an error is one of an assumption or a postcondition, and not of a behaviour.
    pub is_apart: bool,
}

impl Report {
    /// An estimate of the probability that two different states had the same fingerprint, so that one was not
    /// explored: TLC's, which takes fingerprints for random.
    pub fn collision_probability(&self) -> f64 {
        let repeated = self.generated.saturating_sub(self.distinct) as f64;
        self.distinct as f64 * repeated / 2f64.powi(64)
    }

    /// The exit code that TLC has for such an outcome.
    pub fn exit_code(&self) -> i32 {
        match &self.outcome {
            Outcome::Success => 0,
            Outcome::Violation(violation) => match violation.kind {
                ViolationKind::Assumption | ViolationKind::Postcondition => 10,
                ViolationKind::Deadlock => 11,
                ViolationKind::Invariant => 12,
                ViolationKind::InitialProperty | ViolationKind::StepProperty | ViolationKind::Liveness => 13,
                ViolationKind::Assertion => 14,
            },
            Outcome::Error(Error::Evaluation { .. } | Error::Assertion { .. }, _) if self.is_apart => 10,
            Outcome::Error(error, _) => exit_code_of(error),
            Outcome::Limit(_) => 152,
        }
    }
}

/// The exit code that TLC has for such an error.
pub fn exit_code_of(error: &Error) -> i32 {
    match error {
        Error::Syntax { .. } | Error::Semantic { .. } | Error::Several { .. } => 150,
        Error::Config { .. } => 151,
        Error::Limit { .. } => 152,
        Error::Evaluation { .. } | Error::Assertion { .. } => 75,
    }
}

/// How far a check has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// States generated so far.
    pub generated: u64,
    /// Different states found so far.
    pub distinct: u64,
    /// The level that is being expanded.
    pub depth: u64,
    /// States that wait.
    pub queue: u64,
}

/// How often an action was taken.
#[derive(Debug, Clone)]
pub struct Action {
    /// Its name.
    pub name: Symbol,
    /// How many successors it made.
    pub generated: u64,
    /// How many of them were new.
    pub distinct: u64,
}

/// What came out of a check.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Everything that was to be checked holds.
    Success,
    /// Something does not hold.
    Violation(Violation),
    /// The specification cannot be evaluated, with the behaviour that led there.
    Error(Error, Trace),
    /// A limit was reached before everything was checked.
    Limit(String),
}

/// Something that does not hold.
#[derive(Debug, Clone)]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// Its name in the specification.
    pub name: Symbol,
    /// More about it, if there is.
    pub message: String,
    /// The behaviour that shows it.
    pub trace: Trace,
}

/// The kinds of violations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViolationKind {
    /// An ASSUME is false.
    Assumption,
    /// A state has no successor.
    Deadlock,
    /// An invariant is false in a state.
    Invariant,
    /// The initial predicate of a property is false in an initial state.
    InitialProperty,
    /// A step is not allowed by a property `[][A]_v`.
    StepProperty,
    /// A temporal property is false of an infinite behaviour.
    Liveness,
    /// `Assert` failed.
    Assertion,
    /// The POSTCONDITION is false.
    Postcondition,
}
