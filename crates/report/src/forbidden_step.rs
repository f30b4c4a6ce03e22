//! The first step of an execution that its specification forbids.

use std::fmt;

use shakedown_check::{Forbidden, SpecStep};

/// A step that a specification forbids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForbiddenStep {
    /// Its number, counted from 1; 0 is the boot of the cluster.
    pub number: usize,
    /// The action that is not allowed, and why.
    pub what: Forbidden,
}

impl ForbiddenStep {
    /// The first of these, which begin with boot.
    pub fn first(spec: &[SpecStep]) -> Option<ForbiddenStep> {
        spec.iter()
            .enumerate()
            .find_map(|(number, step)| Some(ForbiddenStep { number, what: step.forbidden.clone()? }))
    }
}

impl fmt::Display for ForbiddenStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Forbidden { action, reason } = &self.what;
        match self.number {
            0 => write!(f, "boot: {action} is not allowed: {reason}"),
            number => write!(f, "step {number}: {action} is not allowed: {reason}"),
        }
    }
}
