//! One execution of some of the steps of a schedule, in some order, and what came of it.

use shakedown_cluster::{Recording, Step, Trace, adapt};
use shakedown_explore::{Sight, Strategy};
use shakedown_target::{before_settling, execute};

use crate::cause::have_one_cause;
use crate::{AnyTarget, Beat, Config, Verdict, Violation};

/// What is executed again and again, and what is looked for.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub target: &'a dyn AnyTarget,
    pub config: &'a Config,
    pub seed: u64,
    pub violation: &'a Violation,
    /// The steps up to the violation.
    pub steps: &'a [Step],
}

/// A step with its place in the schedule.
pub(super) type Planned = (usize, Step);

/// What came of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The same property is violated.
    Same,
    /// Another one is.
    Other,
    /// None is.
    Passed,
    Unknown,
}

/// An execution of some of the steps.
pub(super) struct Trial {
    pub end: End,
    /// The places of the steps that were done, in order.
    pub done: Vec<usize>,
    pub trace: Option<Trace>,
}

impl Subject<'_> {
    /// These places of the schedule, as plans.
    pub fn planned(&self, places: impl IntoIterator<Item = usize>) -> Vec<Planned> {
        places.into_iter().map(|place| (place, self.steps[place].clone())).collect()
    }

    /// Does these steps as far as they can be done; see [`adapt`].
    pub fn attempt(&self, planned: Vec<Planned>, beat: &Beat) -> Trial {
        let most = planned.len();
        let mut order = Order { planned: planned.into_iter(), offered: None, seen: 0, done: Vec::new() };
        let (end, trace) = self.run(&mut order, most, beat);
        if let Some(trace) = &trace {
            order.take_note(before_settling(trace.board.steps()).len());
        }
        Trial { end, done: order.done, trace }
    }

    /// Lets a strategy choose.
    pub fn run(&self, strategy: &mut dyn Strategy, steps_max: usize, beat: &Beat) -> (End, Option<Trace>) {
        let Ok(live) = self.target.begin(self.config, self.seed, Recording::Brief) else {
            return (End::Unknown, None);
        };
        let outcome = execute(live, strategy, steps_max, beat);
        let end = match &outcome.verdict {
            Verdict::Fail(found) if have_one_cause(found, self.violation) => End::Same,
            Verdict::Fail(_) => End::Other,
            Verdict::Pass => End::Passed,
            Verdict::Unknown(_) => End::Unknown,
        };
        (end, Some(outcome.trace))
    }
}

/// Offers steps in order, and notes which of them were done: those after which the board has one step more.
struct Order {
    planned: std::vec::IntoIter<Planned>,
    offered: Option<usize>,
    seen: usize,
    done: Vec<usize>,
}

impl Order {
    fn take_note(&mut self, steps: usize) {
        let offered = self.offered.take();
        if steps > self.seen {
            self.done.extend(offered);
            self.seen = steps;
        }
    }
}

impl Strategy for Order {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.take_note(sight.board().steps().len());
        loop {
            let (place, step) = self.planned.next()?;
            if let Some(step) = adapt(&step, sight.board()) {
                self.offered = Some(place);
                return Some(step);
            }
        }
    }
}
