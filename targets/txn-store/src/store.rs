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

impl Entry {
    /// Whether a transaction sees it that reads after a commit.
    fn is_seen(&self, isolation: Isolation, txn: TxnId, at: u64) -> bool {
        let late = match isolation {
            Isolation::Forks if self.txn.node != txn.node => FORKED,
            _ => 0,
        };
        self.commit.is_some_and(|commit| commit + late <= at)
    }
}

/// Lists with a history of commits.
#[derive(Clone, Default, Debug)]
pub(crate) struct Store {
    lists: BTreeMap<u64, Vec<Entry>>,
    commits: u64,
    ended: BTreeMap<TxnId, bool>,
    aborted: BTreeSet<TxnId>,
    /// The transaction that was committed last.
    last: Option<TxnId>,
    /// What a torn commit has yet to put into lists.
    torn: Vec<(u64, Entry)>,
}

/// How many of the last commits a node does not see of other nodes.
const FORKED: u64 = 2;

/// An element that nobody appends.
const INVENTED: u64 = 1_000_000;

impl Store {
    /// How many transactions were committed.
    pub fn commits(&self) -> u64 {
        self.commits
    }

    /// The snapshot that a transaction begins with.
    pub fn snapshot(&self, isolation: Isolation, txn: TxnId) -> u64 {
        let is_late = isolation == Isolation::Lagging && self.last.is_some_and(|last| last.node != txn.node);
        self.commits - u64::from(is_late)
    }

    /// The list of a key as a transaction sees it that reads after a commit.
    pub fn read(&self, isolation: Isolation, txn: TxnId, key: u64, at: u64) -> Vec<u64> {
        let entries: Vec<&Entry> = self.lists.get(&key).into_iter().flatten().collect();
        let is_there = |entry: &&&Entry| match isolation {
            Isolation::ReadCommitted => entry.commit.is_some(),
            isolation if isolation.is_dirty() => true,
            isolation => entry.is_seen(isolation, txn, at),
        };
        let seen: Vec<&Entry> = entries.iter().filter(is_there).copied().collect();
        let mut list: Vec<u64> = seen.iter().map(|entry| entry.element).collect();
        match (isolation, &seen[..]) {
            (Isolation::CutsCommits, [.., first, second]) if first.txn == second.txn => drop(list.pop()),
            (Isolation::Shuffles, [.., _, _]) if txn.node.index() == 1 => {
                let end = list.len();
                list.swap(end - 2, end - 1);
            }
            (Isolation::Invents, []) => list.push(INVENTED),
            (Isolation::BuriesAborts, _) => {
                let is_committed = |entry: &&Entry| self.ended.get(&entry.txn) == Some(&true);
                list.truncate(seen.iter().rposition(is_committed).map_or(0, |last| last + 1));
            }
            _ => {}
        }
        list
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
            let mut entries = self.lists.get(key).into_iter().flatten();
            entries.any(|entry| entry.commit.is_some() && !entry.is_seen(isolation, txn, at))
        };
        let mut written = writes.iter().map(|(key, _)| key);
        let conflicts = match isolation {
            Isolation::Snapshot | Isolation::Forks => written.any(has_changed),
            Isolation::LostUpdates | Isolation::ReadCommitted => false,
            isolation if isolation.is_dirty() => false,
            // What only reads is as of its snapshot.
            _ => !writes.is_empty() && (reads.iter().any(has_changed) || written.any(has_changed)),
        };
        let is_committed = known.is_some() || !(conflicts || gives_up) || isolation.commits_all();
        self.ended.insert(txn, is_committed);
        if isolation.is_dirty() {
            self.settle(txn, is_committed || isolation == Isolation::Nothing);
        } else if is_committed || isolation.keeps_aborts() {
            self.put(isolation, txn, writes);
        }
        is_committed
    }

    /// Puts what a transaction wrote into the lists.
    fn put(&mut self, isolation: Isolation, txn: TxnId, writes: &[(u64, u64)]) {
        self.commits += 1;
        self.last = Some(txn);
        let late = std::mem::take(&mut self.torn);
        for &(key, element) in writes {
            let entry = Entry { element, commit: Some(self.commits), txn };
            match isolation == Isolation::TearsCommits && late.is_empty() && key != writes[0].0 {
                true => self.torn.push((key, entry)),
                false => self.lists.entry(key).or_default().push(entry),
            }
        }
        for (key, entry) in late {
            self.lists.entry(key).or_default().push(Entry { commit: Some(self.commits), ..entry });
        }
    }

    /// What a transaction appended stays, or is taken back.
    fn settle(&mut self, txn: TxnId, stays: bool) {
        self.commits += u64::from(stays);
        self.last = Some(txn).filter(|_| stays).or(self.last);
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
