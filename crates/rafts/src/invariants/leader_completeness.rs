//! Leader completeness.

use std::collections::BTreeMap;

use shakedown_check::{Doubt, Oracle, PerNode, Seen};
use shakedown_cluster::NodeId;

use super::committed::{Committed, Known};
use crate::{RaftState, Role, Term};

/// What was committed is in the log of every leader of a later term.
pub struct LeaderCompleteness<T = u64> {
    committed: Committed<T>,
    /// In which term the commitment of each entry was first seen.
    seen_in: BTreeMap<u64, T>,
    /// What each leader was last found to be complete with. Most steps change nothing of it, and the more
    /// there is to look at, the longer an execution is.
    complete: PerNode<Option<Standing<T>>>,
    /// Up to where each log was found to have everything that was committed.
    has: PerNode<Known>,
    /// How many entries were found to be committed before entries that were known already.
    late: usize,
    /// That number when the logs were looked at.
    late_then: PerNode<usize>,
    /// The earliest term in which the commitment of an entry was seen.
    earliest: Option<T>,
    /// How often a leader was looked at that must have an entry.
    comparisons: u64,
}

/// What the completeness of a leader depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Standing<T> {
    life: u32,
    log_version: u64,
    term: T,
    committed: usize,
}

impl<T> Default for LeaderCompleteness<T> {
    fn default() -> LeaderCompleteness<T> {
        LeaderCompleteness {
            committed: Committed::default(),
            seen_in: BTreeMap::new(),
            complete: PerNode::default(),
            has: PerNode::default(),
            late: 0,
            late_then: PerNode::default(),
            earliest: None,
            comparisons: 0,
        }
    }
}

impl<S: RaftState> Oracle<S> for LeaderCompleteness<S::Term> {
    fn name(&self) -> &str {
        "leader-completeness"
    }

    fn about(&self) -> &str {
        "a leader has every entry that was committed in an earlier term"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.comparisons)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let last = self.committed.entries.last_key_value().map_or(0, |(number, _)| *number);
            self.committed.learn(seen.life(node), node, state);
            for number in &self.committed.new {
                self.late += usize::from(*number < last);
                let seen_in = *self.seen_in.entry(*number).or_insert(state.term());
                self.earliest = Some(self.earliest.map_or(seen_in, |earliest| earliest.min(seen_in)));
            }
        }
        for (node, state) in seen.fresh().filter(|(_, state)| state.role() == Role::Leader) {
            let (life, term, committed) = (seen.life(node), state.term(), self.committed.entries.len());
            let now = state.log_version().map(|log_version| Standing { life, log_version, term, committed });
            if now.is_some() && *self.complete.of(node) == now {
                continue;
            }
            self.check(node, life, state)?;
            *self.complete.of(node) = now;
        }
        Ok(())
    }

    /// An entry may have been committed after a leader that lacks it did anything for the last time.
    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        Ok(seen.up().try_for_each(|(node, state)| self.check(node, seen.life(node), state))?)
    }
}

impl<T: Term> LeaderCompleteness<T> {
    /// Whether the node has everything that it must have if it leads.
    fn check<S: RaftState<Term = T>>(&mut self, node: NodeId, life: u32, state: &S) -> Result<(), String> {
        if state.role() != Role::Leader {
            return Ok(());
        }
        self.comparisons += u64::from(self.earliest.is_some_and(|earliest| earliest < state.term()));
        let is_known = std::mem::replace(self.late_then.of(node), self.late) == self.late;
        let known = if is_known { self.has.of(node).upto(life, state) } else { 0 };
        let (mut has, mut has_all) = (known, true);
        for (number, committed) in self.committed.entries.range(state.first_index().max(known + 1)..) {
            has_all &= state.entry(*number) == Some(*committed);
            if has_all {
                has = *number;
                continue;
            }
            let later = self.seen_in.get(number).is_some_and(|&term| term < state.term());
            if later && state.entry(*number) != Some(*committed) {
                let term = state.term();
                return Err(format!("{node} leads term {term:?} without entry {number}, committed before"));
            }
        }
        *self.has.of(node) = Known::of(life, state, has);
        Ok(())
    }
}
