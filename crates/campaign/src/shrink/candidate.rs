//! Candidates: schedules that are to be tried, and what came of one that fails as it should.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use shakedown_cluster::{Step, StepKind, Trace, adapt};
use shakedown_explore::{Sight, Strategy};
use shakedown_target::before_settling;

use crate::{Config, Violation};

/// A step of a candidate: one of the schedule as it was, or whatever a random walk does there.
#[derive(Clone)]
pub(super) enum Planned {
    Step(Step),
    Random,
}

/// Something to try.
pub(super) struct Candidate {
    /// How the target is run, if otherwise than before.
    pub config: Option<Config>,
    pub plan: Vec<Planned>,
}

impl Candidate {
    /// These steps, with the target run as before.
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Candidate {
        Candidate { config: None, plan: steps.into_iter().map(Planned::Step).collect() }
    }

    pub fn has_random_steps(&self) -> bool {
        self.plan.iter().any(|planned| matches!(planned, Planned::Random))
    }

    /// Stands for the candidate among those that were tried in `config`. One with random steps is never the
    /// same twice.
    pub fn key(&self, config: &Config) -> Option<u64> {
        let config = self.config.as_ref().unwrap_or(config);
        let mut hasher = FxHasher::default();
        (config.nodes, config.requests).hash(&mut hasher);
        for planned in &self.plan {
            match planned {
                Planned::Step(step) => step.hash(&mut hasher),
                Planned::Random => return None,
            }
        }
        Some(hasher.finish())
    }
}

/// Does what is planned as far as it can be done, leaving out what cannot; see [`adapt`].
pub(super) struct Plan {
    steps: std::vec::IntoIter<Planned>,
    walk: Option<Box<dyn Strategy>>,
}

impl Plan {
    /// Does what the candidate plans. Random steps come from the walk.
    pub fn of(candidate: Candidate, walk: Option<Box<dyn Strategy>>) -> Plan {
        Plan { steps: candidate.plan.into_iter(), walk }
    }
}

impl Strategy for Plan {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        let walk = &mut self.walk;
        self.steps.find_map(|planned| match planned {
            Planned::Step(step) => adapt(&step, sight.board()),
            Planned::Random => walk.as_mut().and_then(|walk| walk.next(sight)),
        })
    }
}

/// Nodes, steps, and unflushed writes that survive crashes: what is to become smaller, in this order.
pub(super) type Size = (usize, usize, usize);

/// An execution that violates the property.
#[derive(Clone)]
pub(super) struct Best {
    pub config: Config,
    pub violation: Violation,
    pub trace: Trace,
}

impl Best {
    pub fn size(&self) -> Size {
        let steps = self.steps();
        let kept = steps.iter().map(|step| kept_by(step) as usize).sum();
        (self.config.nodes, steps.iter().filter(|step| !is_mark(step)).count(), kept)
    }

    /// Its steps. How a target ends an execution by itself is not a matter of the schedule.
    pub fn steps(&self) -> &[Step] {
        before_settling(self.trace.board.steps())
    }
}

/// How many unflushed writes survive, if the step is a crash.
pub(super) fn kept_by(step: &Step) -> u32 {
    match step {
        Step::Crash { keep, .. } => *keep,
        _ => 0,
    }
}

/// Whether the step is there for readers only.
pub(super) fn is_mark(step: &Step) -> bool {
    step.kind() == StepKind::Round
}
