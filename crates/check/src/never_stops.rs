//! Nodes that stop for good.

use crate::{Oracle, Seen};

/// No node stops for good while it runs, unless its contract allows it: many libraries shut themselves down
/// on what they take for a fatal error, and nothing restarts them.
pub struct NeverStops<F> {
    reason: F,
}

impl<F> NeverStops<F> {
    /// `reason` gives why a node has stopped, if it has, and the contract does not allow it.
    pub fn new<S>(reason: F) -> NeverStops<F>
    where
        F: Fn(&S) -> Option<String>,
    {
        NeverStops { reason }
    }
}

impl<S, F: Fn(&S) -> Option<String>> Oracle<S> for NeverStops<F> {
    fn name(&self) -> &str {
        "never-stops"
    }

    fn about(&self) -> &str {
        "no node stops for good by itself"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            if let Some(reason) = (self.reason)(state) {
                return Err(format!("{node} has stopped: {reason}"));
            }
        }
        Ok(())
    }
}
