//! State machine safety.

use std::collections::BTreeMap;

use shakedown_check::{Oracle, PerNode, Seen};

use super::committed::Committed;
use crate::RaftState;

/// No two nodes commit different entries under one number, now or ever; no node commits what it does not
/// have; and applying the log up to an entry leads to the same state everywhere, also where it came by a
/// snapshot.
pub struct StateMachineSafety<T = u64> {
    committed: Committed<T>,
    /// What applying the log up to each entry has led to, at the first node that did.
    applied: BTreeMap<u64, u64>,
    /// What each node had applied when it was last looked at.
    looked_at: PerNode<Option<(u64, u64)>>,
    /// How often the result of applying was compared with that of another node.
    results: u64,
}

impl<T> Default for StateMachineSafety<T> {
    fn default() -> StateMachineSafety<T> {
        StateMachineSafety {
            committed: Committed::default(),
            applied: BTreeMap::new(),
            looked_at: PerNode::default(),
            results: 0,
        }
    }
}

impl<S: RaftState> Oracle<S> for StateMachineSafety<S::Term> {
    fn name(&self) -> &str {
        "state-machine-safety"
    }

    fn about(&self) -> &str {
        "no two nodes commit different entries at an index"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.committed.comparisons + self.results)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let (commit, last) = (state.commit(), state.last_index());
            if commit > last {
                return Err(format!(
                    "{node} commits up to entry {commit}, but its log ends with entry {last}"
                ));
            }
            if let Some((number, known, entry)) = self.committed.learn(seen.life(node), node, state) {
                return Err(format!(
                    "{node} commits {entry:?} as entry {number}, but {known:?} was committed before"
                ));
            }
            let applied = state.applied();
            if std::mem::replace(self.looked_at.of(node), applied) == applied {
                continue;
            }
            let Some((upto, digest)) = applied else { continue };
            let known = self.applied.len();
            let first = *self.applied.entry(upto).or_insert(digest);
            self.results += u64::from(self.applied.len() == known);
            if first != digest {
                return Err(format!(
                    "{node} has applied the log up to entry {upto}, with another result than others"
                ));
            }
        }
        Ok(())
    }
}
