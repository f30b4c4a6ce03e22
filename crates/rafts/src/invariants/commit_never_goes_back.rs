//! Commit indexes only grow.

use shakedown_check::{Highest, Oracle, Seen};

use crate::RaftState;

/// While a node runs, its commit index never becomes smaller.
#[derive(Default)]
pub struct CommitNeverGoesBack {
    highest: Highest,
}

impl<S: RaftState> Oracle<S> for CommitNeverGoesBack {
    fn name(&self) -> &str {
        "commit-never-goes-back"
    }

    fn about(&self) -> &str {
        "the commit index of a running node never gets smaller"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.highest.comparisons())
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let commit = state.commit();
            self.highest
                .raise(node, seen.life(node), commit)
                .map_err(|highest| format!("{node} had committed up to {highest}, now it says {commit}"))?;
        }
        Ok(())
    }
}
