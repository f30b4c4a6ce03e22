//! The store: lists with the commit of each element.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Isolation, TxnId};

/// An element of a list.
#[derive(Clone, Copy, Hash, Debug)]
struct Entry {
    element: u64,
    /// Which commit it belongs to; none while its transaction runs.
    commit: Option<u64>,
    txn: TxnId,
}

/// Lists with a history of commits.
#[derive(Clone, Default, Debug)]
pub(crate) struct Store {
    lists: BTreeMap<u64, Vec<Entry>>,
    commits: u64,
    ended: BTreeMap<TxnId, bool>,
    aborted: BTreeSet<TxnId>,
}

impl Store {
    /// How many transactions were committed.
    pub fn commits(&self) -> u64 {
        self.commits
    }

    /// The list of a key after a commit, or everything that is there.
    pub fn read(&self, key: u64, at: Option<u64>) -> Vec<u64> {
        let entries = self.lists.get(&key).into_iter().flatten();
        let is_there = |entry: &&Entry| match at {
            Some(at) => entry.commit.is_some_and(|commit| commit <= at),
            None => true,
        };
        entries.filter(is_there).map(|entry| entry.element).collect()
    }

    /// Appends what everybody sees at once. What comes late of a transaction that was aborted has no effect.
    pub fn append(&mut self, txn: TxnId, key: u64, element: u64) {
        let list = self.lists.entry(key).or_default();
        if !self.aborted.contains(&txn) && list.iter().all(|entry| entry.element != element) {
            list.push(Entry { element, commit: None, txn });
        }
    }

    /// Commits a transaction, or aborts it; the same again if that was done before.
    pub fn commit(
        &mut self,
        isolation: Isolation,
        txn: TxnId,
        at: u64,
        (reads, writes): (&[u64], &[(u64, u64)]),
        gives_up: bool,
    ) -> bool {
        let known = self.ended.get(&txn).copied();
        if let Some(known) = known.filter(|known| isolation != Isolation::CommitsTwice || !known) {
            return known;
        }
        let has_changed = |key: &u64| {
            let entries = self.lists.get(key).into_iter().flatten();
            entries.filter_map(|entry| entry.commit).any(|commit| commit > at)
        };
        let mut written = writes.iter().map(|(key, _)| key);
        let conflicts = match isolation {
            Isolation::Snapshot => written.any(has_changed),
            Isolation::LostUpdates | Isolation::ReadCommitted => false,
            isolation if isolation.is_dirty() => false,
            // What only reads is as of its snapshot.
            _ => !writes.is_empty() && (reads.iter().any(has_changed) || written.any(has_changed)),
        };
        let is_committed = known.is_some() || !(conflicts || gives_up);
        self.ended.insert(txn, is_committed);
        if isolation.is_dirty() {
            self.settle(txn, is_committed || isolation == Isolation::Nothing);
        } else if is_committed {
            self.commits += 1;
            for &(key, element) in writes {
                let entry = Entry { element, commit: Some(self.commits), txn };
                self.lists.entry(key).or_default().push(entry);
            }
        }
        is_committed
    }

    /// What a transaction appended stays, or is taken back.
    fn settle(&mut self, txn: TxnId, stays: bool) {
        self.commits += u64::from(stays);
        if !stays {
            self.aborted.insert(txn);
        }
        for list in self.lists.values_mut() {
            list.retain(|entry| stays || entry.txn != txn);
            for entry in list.iter_mut().filter(|entry| entry.txn == txn) {
                entry.commit = Some(self.commits);
            }
        }
    }
}
