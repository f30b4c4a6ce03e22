//! Histories of lists: transactions append unique elements and read whole lists.
//!
//! A list shows the order in which it was written, so the longest read of a key is the order of its versions, and every read
//! says which version it saw. From this follow the dependencies: who overwrote whom (`ww`), who read from whom (`wr`), and
//! whose read was overwritten by whom (`rw`). An element of a committed transaction that no read returned was appended after
//! all that were returned.

mod reads;
mod versions;

use crate::anomaly::{Anomaly, AnomalyKind, Report};
use crate::cycles::find_cycles;
use crate::explain::Explainer;
use crate::graph::{EdgeList, Graph, Label};
use crate::order::{add_process_order, add_real_time};
use crate::{Check, History, Key, Outcome, TransactionId};
use reads::Reads;
use versions::NOBODY;
pub(crate) use versions::Versions;

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
    report.dependencies = edges.len();
    let (graph, orders) = with_orders(history, check, next_node, edges);
    let explainer = Explainer::new(history, &versions);
    find_cycles(&graph, history.len() as u32, &orders, |cycle| {
        report.add(check.most_of_a_kind, explainer.explain(cycle));
    });
    report.anomalies.sort_by_key(|anomaly| anomaly.kind);
    report
}

/// The graph of all dependencies, with the orders that are asked for.
fn with_orders(
    history: &History,
    check: Check,
    mut next_node: u32,
    mut edges: EdgeList,
) -> (Graph, Vec<crate::anomaly::Orders>) {
    use crate::anomaly::Orders;
    let mut orders = vec![Orders::Data];
    if check.process_order {
        add_process_order(history, &mut edges);
        orders.push(Orders::Process);
    }
    if check.real_time {
        next_node = add_real_time(history, next_node, &mut edges);
        orders.push(Orders::RealTime);
    }
    (edges.into_graph(next_node as usize), orders)
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

/// An anomaly that is no cycle.
fn plain(kind: AnomalyKind, transactions: &[u32], text: String) -> Anomaly {
    let transactions = transactions.iter().map(|id| TransactionId(*id)).collect();
    Anomaly { kind, transactions, text, links: Vec::new() }
}
