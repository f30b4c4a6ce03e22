//! Election safety.

use std::collections::BTreeMap;

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::NodeId;

use crate::{RaftState, Role};

/// At most one leader is elected in a term.
pub struct ElectionSafety<T = u64> {
    leaders: BTreeMap<T, NodeId>,
}

impl<T> Default for ElectionSafety<T> {
    fn default() -> ElectionSafety<T> {
        ElectionSafety { leaders: BTreeMap::new() }
    }
}

impl<S: RaftState> Oracle<S> for ElectionSafety<S::Term> {
    fn name(&self) -> &str {
        "election-safety"
    }

    fn about(&self) -> &str {
        "at most one leader is elected in a term"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            if state.role() == Role::Leader {
                let leader = *self.leaders.entry(state.term()).or_insert(node);
                if leader != node {
                    return Err(format!("{leader} and {node} both lead term {:?}", state.term()));
                }
            }
        }
        Ok(())
    }
}
