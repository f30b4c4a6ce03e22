//! Invariants of replicated logs in general: agreement, and a decided index that never goes back.

use std::collections::BTreeMap;
use std::fmt::Debug;

use shakedown_cluster::NodeSet;

use crate::per_node::Highest;
use crate::{Oracle, Seen};

/// What these oracles need to see of a node that replicates a log. Entries are numbered from 1.
pub trait LogState {
    /// An entry as far as agreement is concerned.
    type Entry: Clone + PartialEq + Debug;

    /// How many entries the node holds decided.
    fn decided(&self) -> u64;

    /// The decided entry of this number, unless it has been compacted away.
    fn decided_entry(&self, number: u64) -> Option<Self::Entry>;
}

/// No two nodes decide different entries at one place of the log, now or ever. Liars are not asked.
pub struct Agreement<E> {
    /// What was decided at each place, and by whom. All of them are kept in mind, for one who decided
    /// honestly may lie later.
    decided: BTreeMap<u64, Vec<(E, NodeSet)>>,
    /// How often an entry was compared with one that was decided before.
    comparisons: u64,
}

impl<E> Default for Agreement<E> {
    fn default() -> Agreement<E> {
        Agreement { decided: BTreeMap::new(), comparisons: 0 }
    }
}

impl<S: LogState> Oracle<S> for Agreement<S::Entry> {
    fn name(&self) -> &str {
        "agreement"
    }

    fn about(&self) -> &str {
        "no two nodes decide differently"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.comparisons)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.honest() {
            // The whole prefix each time: what a node has decided it must not rewrite either.
            for number in 1..=state.decided() {
                let Some(entry) = state.decided_entry(number) else { continue };
                let decided = self.decided.entry(number).or_default();
                self.comparisons += u64::from(!decided.is_empty());
                match decided.iter_mut().find(|(known, _)| *known == entry) {
                    Some((_, deciders)) => deciders.insert(node),
                    None => decided.push((entry.clone(), NodeSet::from_iter([node]))),
                }
                if decided.len() == 1 {
                    continue;
                }
                let is_honest =
                    |deciders: &NodeSet| deciders.iter().any(|node| !seen.board().node(node).lies);
                let other = decided.iter().find(|(known, deciders)| *known != entry && is_honest(deciders));
                let Some((known, _)) = other else { continue };
                return Err(format!(
                    "{node} decided {entry:?} as entry {number}, but {known:?} was decided before"
                ));
            }
        }
        Ok(())
    }
}

/// While a node runs, the number of entries that it holds decided never becomes smaller.
#[derive(Default)]
pub struct DecidedNeverGoesBack {
    highest: Highest,
}

impl<S: LogState> Oracle<S> for DecidedNeverGoesBack {
    fn name(&self) -> &str {
        "decided-never-goes-back"
    }

    fn about(&self) -> &str {
        "the decided log of a running node never gets shorter"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.highest.comparisons())
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.honest() {
            let decided = state.decided();
            self.highest
                .raise(node, seen.life(node), decided)
                .map_err(|highest| format!("{node} had decided {highest} entries, now it says {decided}"))?;
        }
        Ok(())
    }
}
