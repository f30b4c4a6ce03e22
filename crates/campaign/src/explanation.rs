//! What is known of why a failure failed: facts that were counted or replayed, for reports to draw.

use shakedown_cluster::Step;

use crate::Violation;

/// Why a failure failed.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// What is violated.
    pub violation: Violation,
    /// The steps of the schedule up to the violation, in order.
    pub steps: Vec<ExplainedStep>,
    /// How likely the violation is before the first step.
    pub at_boot: Chance,
    /// How chances were measured.
    pub continuation: Continuation,
    /// What becomes of each pair of neighbours whose order is turned round.
    pub swaps: Vec<Swap>,
    /// The execution that passes and differs least, if one was found.
    pub nearest: Option<Nearest>,
    /// Whether every step that is called needed was taken out of the slice on its own and the violation was
    /// gone. If not, the limit of executions came first.
    pub is_minimal: bool,
    /// How many executions it took.
    pub executions: u64,
}

impl Explanation {
    /// The steps of the slice.
    pub fn needed(&self) -> impl Iterator<Item = &ExplainedStep> {
        self.steps.iter().filter(|step| step.need == Need::Needed)
    }

    /// The chance after this many steps, if it was measured there.
    pub fn chance_after(&self, steps: usize) -> Option<Chance> {
        match steps.checked_sub(1) {
            None => Some(self.at_boot),
            Some(place) => self.steps.get(place)?.chance,
        }
    }

    /// The steps with their chances, and the chances that were measured last before them: how much each step
    /// changed.
    pub fn jumps(&self) -> impl Iterator<Item = (&ExplainedStep, Chance, Chance)> {
        let mut before = self.at_boot;
        self.steps.iter().filter_map(move |step| {
            let after = step.chance?;
            Some((step, std::mem::replace(&mut before, after), after))
        })
    }

    /// The step at which the chance rises most, with the chances before and after it; the first of several.
    pub fn largest_jump(&self) -> Option<(&ExplainedStep, Chance, Chance)> {
        let rise = |(_, before, after): &(&ExplainedStep, Chance, Chance)| after.rate() - before.rate();
        self.jumps().fold(None, |best, jump| match best {
            Some(best) if rise(&best) >= rise(&jump) => Some(best),
            _ => Some(jump),
        })
    }
}

/// One step of the schedule, and what it has to do with the violation.
#[derive(Clone, PartialEq, Debug)]
pub struct ExplainedStep {
    /// Its number, counted from 1.
    pub number: usize,
    /// The step.
    pub step: Step,
    /// Whether the violation needs it.
    pub need: Need,
    /// Whether it happened before the violation: by a chain of messages and of activations of one node.
    /// Nothing of steps at which no node runs, such as the loss of a message.
    pub is_in_past: Option<bool>,
    /// How likely the violation is after it, if that was measured. It is certain after the last step.
    pub chance: Option<Chance>,
}

/// Whether the violation needs a step. Everything here was replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// It is in the slice: a set of steps that violates the property alone, and does not when any one of them
    /// is missing.
    Needed,
    /// The schedule without this step violates the property.
    FreeAlone,
    /// The schedule without this step does not violate it, but it does with the step one place earlier or
    /// later.
    FreeToMove,
    /// The schedule without this step and these others violates the property.
    FreeWith(Vec<usize>),
    /// The schedule without this and all other steps that are not needed violates the property.
    FreeTogether,
}

/// How often the violation came, when the execution went on at random.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance {
    /// How often the same property was violated.
    pub met: u64,
    /// How often another one was.
    pub other: u64,
    /// How many continuations there were.
    pub of: u64,
    /// Wilson's 95 % interval of the chance.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Chance {
    /// The share of continuations that met the violation.
    pub fn rate(&self) -> f64 {
        self.met as f64 / self.of.max(1) as f64
    }
}

/// How chances were measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Continuation {
    /// How many continuations there were from each place.
    pub count: u64,
    /// The most random steps of one.
    pub steps_max: usize,
    /// Whether every step was measured, or only those that are needed because the schedule is long.
    pub is_everywhere: bool,
}

/// Two neighbours in the other order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swap {
    /// The number of the step that came first.
    pub first: usize,
    /// What came of it.
    pub result: SwapResult,
}

/// What came of a schedule with two neighbours in the other order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwapResult {
    /// The same property is violated: the two may be swapped.
    Stays,
    /// Nothing is violated: the order of the two matters.
    Passes,
    /// Another property is violated, or the result is inconclusive.
    Other,
    /// One of the steps could no longer be done: the second needs the first.
    Impossible,
    /// The two are the same step.
    Same,
}

/// An execution that passes and differs from the failing one in one thing.
#[derive(Clone, PartialEq, Debug)]
pub struct Nearest {
    /// In what it differs.
    pub change: Change,
    /// Its steps. They replay exactly.
    pub steps: Vec<Step>,
}

/// One change of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// This step and the next one in the other order.
    Swapped(usize),
    /// A step comes after another one that it was before.
    Delayed {
        /// The step.
        step: usize,
        /// The one that it comes after.
        after: usize,
    },
    /// A message is lost that this step delivered.
    Lost(usize),
    /// A step is left out, and with it those that could not be done without it.
    Dropped {
        /// The step.
        step: usize,
        /// The others.
        others: Vec<usize>,
    },
}
