//! Guides: what turns an execution into coverage.
//!
//! A guide watches one execution and says at its end what it covered, as numbers: each stands for something
//! that can be seen again, such as a state. Campaigns keep the set of all numbers; what is new in an
//! execution is what strategies that mutate or learn are rewarded for, and the size of the set is what
//! strategies are compared by.

use std::sync::{Arc, Mutex, PoisonError};

use shakedown_cluster::{Cluster, Step};

/// What a specification says of one step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpecStep {
    /// The actions of the specification that the step stands for, in order. One that it forbids is told with
    /// the reason.
    pub actions: Vec<String>,
    /// The first of the actions that it forbids, if there is one.
    pub forbidden: Option<Forbidden>,
    /// The state of the specification after them.
    pub state: String,
}

/// An action that a specification forbids where it happened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Forbidden {
    /// The action, with its arguments.
    pub action: String,
    /// What disables it: the conjunct that does not hold, with its place.
    pub reason: String,
}

/// What a guide looks out for, such as the actions of a model, and what of it happened in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LookedFor {
    /// The names, at most 64.
    pub names: &'static [&'static str],
    /// Bit 0 for the first name, and so on.
    pub happened: u64,
}

/// Turns an execution into coverage. One is made anew for every execution.
pub trait Guide<S> {
    /// Looks before a step, when the message that it may deliver is still there to be read. The step may yet
    /// be refused: then nothing has happened, and the guide is told of the next step instead.
    fn before_step(&mut self, _step: &Step, _cluster: &dyn Cluster<State = S>) {}

    /// Looks after boot and after every step that was done. The moments from `fresh_from` on are new.
    fn after_step(&mut self, _cluster: &dyn Cluster<State = S>, _fresh_from: usize) {}

    /// What a specification says of the last step, or of boot: asked by reports alone, after every step.
    /// Nothing from guides that follow none.
    fn spec_step(&mut self) -> Option<SpecStep> {
        None
    }

    /// What it looks out for, by name, and which of that happened: asked when the execution is over. What
    /// never happens in a whole campaign is a warning.
    fn looked_for(&self) -> LookedFor {
        LookedFor::default()
    }

    /// What was covered, when the execution is over: each number once, in any order that follows from the
    /// execution.
    fn covered(&mut self, cluster: &dyn Cluster<State = S>) -> Vec<u64>;
}

/// The lines of a trace at the grain of a specification. Whoever begins an execution keeps a copy; a guide
/// writes into another while the execution goes on.
#[derive(Clone, Default)]
pub struct SpecTrace(Arc<Mutex<Vec<String>>>);

impl SpecTrace {
    /// Adds a line.
    pub fn push(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// The lines so far, which are taken away.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
