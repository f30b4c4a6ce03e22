//! Edges from many to many: the order of each process, real time, and reads that several transactions
//! overwrote.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{EdgeList, Label};
use crate::{History, Outcome};

/// Adds an edge from each transaction to the next one of its process. What was aborted did not happen.
pub(crate) fn add_process_order(history: &History, edges: &mut EdgeList) {
    let mut last = FxHashMap::<u32, u32>::default();
    for id in history.ids() {
        let transaction = history.transaction(id);
        if transaction.outcome == Outcome::Fail {
            continue;
        }
        if let Some(before) = last.insert(transaction.process, id.0) {
            edges.add(before, id.0, Label::Process);
        }
    }
}

/// Adds real time: there is a way from each transaction that was committed to each that began after it had
/// ended. It goes over nodes of their own, numbered from `next_node` on, so that there are no more edges than
/// the history is long. Gives the first number that is free then.
pub(crate) fn add_real_time(history: &History, mut next_node: u32, edges: &mut EdgeList) -> u32 {
    let happened = |id: &crate::TransactionId| history.transaction(*id).outcome != Outcome::Fail;
    let mut ends: Vec<(u32, u32)> = history
        .ids()
        .filter(|id| history.transaction(*id).outcome == Outcome::Ok)
        .map(|id| (history.transaction(id).ended, id.0))
        .collect();
    ends.sort_unstable();
    let mut begins: Vec<(u32, u32)> =
        history.ids().filter(happened).map(|id| (history.transaction(id).began, id.0)).collect();
    begins.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    let mut barrier = None;
    for (began, id) in begins {
        let mut fresh = None;
        while let Some((_, ended)) = ends.next_if(|(ended, _)| *ended < began) {
            let node = *fresh.get_or_insert_with(|| {
                next_node += 1;
                next_node - 1
            });
            edges.add(ended, node, Label::RealTime);
        }
        if let Some(fresh) = fresh {
            if let Some(before) = barrier {
                edges.add(before, fresh, Label::RealTime);
            }
            barrier = Some(fresh);
        }
        if let Some(barrier) = barrier {
            edges.add(barrier, id, Label::RealTime);
        }
    }
    next_node
}

/// How many transactions that read and write have an edge to each of the others.
const DIRECT_MAX: usize = 16;

/// Adds that each of the readers read what each of the writers overwrote. Where they are many, the edges go
/// over a node of their own, numbered from `next_node` on.
pub(crate) fn add_overwritten(readers: &[u32], writers: &[u32], next_node: &mut u32, edges: &mut EdgeList) {
    if readers.len() * writers.len() <= 2 * (readers.len() + writers.len()) {
        for reader in readers {
            writers.iter().for_each(|writer| edges.add(*reader, *writer, Label::Rw));
        }
        return;
    }
    // A transaction that reads and writes would depend on itself over the common node, so it stays outside.
    let is_writer: FxHashSet<u32> = writers.iter().copied().collect();
    let (both, only_read): (Vec<u32>, Vec<u32>) = readers.iter().partition(|id| is_writer.contains(id));
    only_read.iter().for_each(|reader| edges.add(*reader, *next_node, Label::Rw));
    writers.iter().for_each(|writer| edges.add(*next_node, *writer, Label::Half));
    *next_node += 1;
    for (place, reader) in both.iter().enumerate() {
        if place < DIRECT_MAX {
            writers.iter().for_each(|writer| edges.add(*reader, *writer, Label::Rw));
        } else {
            // Each pair of them has lost an update already, and that is reported; a ring shows that they
            // depend on each other.
            edges.add(*reader, both[(place + 1) % both.len()], Label::Rw);
        }
    }
}
