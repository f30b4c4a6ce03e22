//! What has been committed.

use std::collections::BTreeMap;

use shakedown_check::PerNode;
use shakedown_cluster::NodeId;

use crate::{LogEntry, RaftState, Term};

/// What has been committed in this execution, by any node.
pub(super) struct Committed<T> {
    pub entries: BTreeMap<u64, LogEntry<T>>,
    /// The numbers of those that were met when a node was last asked.
    pub new: Vec<u64>,
    /// Up to where the log of each node was compared.
    compared: PerNode<Known>,
    /// How often an entry was compared with what was committed before.
    pub comparisons: u64,
}

impl<T> Default for Committed<T> {
    fn default() -> Committed<T> {
        Committed { entries: BTreeMap::new(), new: Vec::new(), compared: PerNode::default(), comparisons: 0 }
    }
}

impl<T: Term> Committed<T> {
    /// Takes in what the node has committed since it was last asked; gives the first contradiction.
    pub fn learn<S: RaftState<Term = T>>(
        &mut self,
        life: u32,
        node: NodeId,
        state: &S,
    ) -> Option<(u64, LogEntry<T>, LogEntry<T>)> {
        let upto = state.commit().min(state.last_index());
        let compared =
            std::mem::replace(self.compared.of(node), Known::of(life, state, upto)).upto(life, state);
        self.new.clear();
        for number in (compared + 1).max(state.first_index())..=upto {
            let Some(entry) = state.entry(number) else { continue };
            let before = self.new.len();
            let new = &mut self.new;
            let known = *self.entries.entry(number).or_insert_with(|| {
                new.push(number);
                entry
            });
            self.comparisons += u64::from(self.new.len() == before);
            if known != entry {
                *self.compared.of(node) = Known::of(life, state, number - 1);
                return Some((number, known, entry));
            }
        }
        None
    }
}

/// Up to which entry something is known of a log, and of which log.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    life: u32,
    version: Option<u64>,
    upto: u64,
}

impl Known {
    /// What is known of a log as it is now.
    pub fn of<S: RaftState>(life: u32, state: &S, upto: u64) -> Known {
        Known { life, version: state.log_version(), upto }
    }

    /// Up to where it is still known: the log has only grown since. None of it if that is not certain.
    pub fn upto<S: RaftState>(&self, life: u32, state: &S) -> u64 {
        let is_still = match (self.version, state.log_rewritten()) {
            (Some(known), Some(rewritten)) => self.life == life && rewritten <= known,
            _ => false,
        };
        if is_still { self.upto } else { 0 }
    }
}
