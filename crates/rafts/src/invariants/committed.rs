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
    /// Up to where the log of each node was compared, in which life and which version.
    compared: PerNode<(u32, Option<u64>, u64)>,
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
        let version = state.log_version();
        let now = (life, version, state.commit());
        let (known_life, known_version, upto) = std::mem::replace(self.compared.of(node), now);
        let is_known = version.is_some() && (known_life, known_version) == (life, version);
        let compared = if is_known { upto } else { 0 };
        self.new.clear();
        for number in (compared + 1).max(state.first_index())..=state.commit() {
            let Some(entry) = state.entry(number) else { continue };
            let before = self.new.len();
            let new = &mut self.new;
            let known = *self.entries.entry(number).or_insert_with(|| {
                new.push(number);
                entry
            });
            self.comparisons += u64::from(self.new.len() == before);
            if known != entry {
                return Some((number, known, entry));
            }
        }
        None
    }
}
