//! Election safety.

use std::collections::BTreeMap;

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::NodeId;

use crate::{RaftState, Role};

/// At most one leader is elected in a term.
pub struct ElectionSafety<T = u64> {
    leaders: BTreeMap<T, NodeId>,
    /// How often a leader was looked at.
    looks: u64,
}

impl<T> Default for ElectionSafety<T> {
    fn default() -> ElectionSafety<T> {
        ElectionSafety { leaders: BTreeMap::new(), looks: 0 }
    }
}

impl<S: RaftState> Oracle<S> for ElectionSafety<S::Term> {
    fn name(&self) -> &str {
        "election-safety"
    }

    fn about(&self) -> &str {
        "at most one leader is elected in a term"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.looks)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            if state.role() == Role::Leader {
                self.looks += 1;
                let leader = *self.leaders.entry(state.term()).or_insert(node);
                if leader != node {
                    return Err(format!("{leader} and {node} both lead term {:?}", state.term()));
                }
            }
        }
        Ok(())
    }
}
