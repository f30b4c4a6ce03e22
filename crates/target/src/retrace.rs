//! Schedules of targets that are not deterministic: they are done again as far as they can be.

use shakedown_cluster::{Step, adapt};
use shakedown_explore::{Sight, Strategy};

/// The name of the round in which a target brings an execution to its end by itself. Its steps are not those
/// of a schedule: when the schedule is done again, the execution ends anew.
pub const SETTLING: &str = "settle";

/// Whether the step is the mark with which the end begins.
pub fn is_settling(step: &Step) -> bool {
    matches!(step, Step::Round { name, .. } if name.as_str() == SETTLING)
}

/// The steps before the end.
pub fn before_settling(steps: &[Step]) -> &[Step] {
    let end = steps.iter().position(is_settling).unwrap_or(steps.len());
    &steps[..end]
}

/// Does the steps of a schedule, leaves out those that cannot be done, and takes the oldest message of the
/// same link and kind for one that is not there; see [`adapt`].
pub struct Retrace {
    steps: std::vec::IntoIter<Step>,
}

impl Retrace {
    /// These steps, up to the end that the target made by itself.
    pub fn new(steps: &[Step]) -> Retrace {
        Retrace { steps: before_settling(steps).to_vec().into_iter() }
    }
}

impl Strategy for Retrace {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        self.steps.find_map(|step| adapt(&step, sight.board()))
    }
}
