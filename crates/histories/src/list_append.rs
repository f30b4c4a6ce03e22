//! Histories of lists: transactions append unique elements and read whole lists.
//!
//! A list shows the order in which it was written, so the longest read of a key is the order of its versions,
//! and every read says which version it saw. From this follow the dependencies: who overwrote whom (`ww`),
//! who read from whom (`wr`), and whose read was overwritten by whom (`rw`). An element of a committed
//! transaction that no read returned was appended after all that were returned.

mod explain;
mod reads;
mod versions;

use crate::anomaly::Report;
use crate::cycles::add_cycles;
use crate::exact;
use crate::graph::{EdgeList, Label};
use crate::{Check, History, Key, Outcome, TransactionId};
use explain::Explainer;
use reads::Reads;
use versions::{NOBODY, Versions};

/// Finds what is wrong with a history of lists.
pub fn check(history: &History, check: Check) -> Report {
    let mut report = Report::default();
    let versions = Versions::infer(history);
    versions.report(history, check.most_of_a_kind, &mut report);
    let mut edges = EdgeList::with_capacity(history.op_count() * 2);
    add_write_order(history, &versions, &mut edges);
    let mut reads = Reads::new(&versions);
    for id in history.ids().filter(|id| history.transaction(*id).outcome == Outcome::Ok) {
        reads.take(history, id, check.most_of_a_kind, &mut edges, &mut report);
    }
    let next_node = reads.add_unobserved(history, &mut edges);
    let explainer = Explainer::new(history, &versions);
    add_cycles(history, check, next_node, edges, &mut report, &explainer);
    exact::decide(history, check, &mut report);
    report
}

/// Adds who overwrote whom, by the order of versions. What was aborted is left out.
fn add_write_order(history: &History, versions: &Versions, edges: &mut EdgeList) {
    for key in 0..history.key_count() as u32 {
        let mut last = None;
        for writer in versions.writers(Key(key)).filter(|writer| *writer != NOBODY) {
            if history.transaction(TransactionId(writer)).outcome == Outcome::Fail {
                continue;
            }
            if let Some(before) = last {
                edges.add(before, writer, Label::Ww);
            }
            last = Some(writer);
        }
        let Some(last) = last else { continue };
        versions.unobserved(history, Key(key)).for_each(|writer| edges.add(last, writer, Label::Ww));
    }
}
