//! Terms only grow.

use shakedown_check::{Highest, Oracle, Seen};

use crate::RaftState;

/// The term of a node never becomes smaller, not even by a crash; or, with
/// [`TermNeverGoesBack::while_running`], while it runs.
pub struct TermNeverGoesBack<T = u64> {
    highest: Highest<T>,
    while_running: bool,
}

impl<T> Default for TermNeverGoesBack<T> {
    fn default() -> TermNeverGoesBack<T> {
        TermNeverGoesBack { highest: Highest::default(), while_running: false }
    }
}

impl<T> TermNeverGoesBack<T> {
    /// For disks that forget what was not flushed: a term that no other node knows may be lost with a crash.
    pub fn while_running() -> TermNeverGoesBack<T> {
        TermNeverGoesBack { while_running: true, ..TermNeverGoesBack::default() }
    }
}

impl<S: RaftState> Oracle<S> for TermNeverGoesBack<S::Term> {
    fn name(&self) -> &str {
        if self.while_running { "term-never-goes-back-while-running" } else { "term-never-goes-back" }
    }

    fn about(&self) -> &str {
        "the term of a node never gets smaller"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.highest.comparisons())
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let life = if self.while_running { seen.life(node) } else { 0 };
            let term = state.term();
            self.highest
                .raise(node, life, term)
                .map_err(|highest| format!("{node} was in term {highest:?}, now it is in term {term:?}"))?;
        }
        Ok(())
    }
}
