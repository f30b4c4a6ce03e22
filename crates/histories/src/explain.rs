//! Cycles as anomalies, with a reason for each link.

use crate::TransactionId;
use crate::anomaly::{Anomaly, AnomalyKind, Link};
use crate::cycles::Cycle;
use crate::graph::Label;

/// The anomaly that a cycle is; `why` gives the reason for a dependency.
pub(crate) fn explain(cycle: &Cycle, why: impl Fn(u32, u32, Label) -> String) -> Anomaly {
    let transactions: Vec<TransactionId> = cycle.path.iter().map(|(id, _)| TransactionId(*id)).collect();
    let links: Vec<Link> = (0..cycle.path.len())
        .map(|place| {
            let (from, label) = cycle.path[place];
            let (to, _) = cycle.path[(place + 1) % cycle.path.len()];
            let why = match label {
                Label::Process => format!("the process of T{to} had run T{from} before"),
                Label::RealTime => format!("T{from} had ended when T{to} began"),
                label => why(from, to, label),
            };
            Link { from, to, label: word(label), why }
        })
        .collect();
    let kind = AnomalyKind::Cycle(cycle.kind, cycle.orders);
    let text = links.iter().map(|link| link.why.as_str()).collect::<Vec<_>>().join("; ");
    Anomaly { kind, transactions, text, links, also: cycle.also.clone() }
}

fn word(label: Label) -> &'static str {
    match label {
        Label::Ww => "ww",
        Label::Wr => "wr",
        Label::Rw | Label::Half => "rw",
        Label::Process => "process",
        Label::RealTime => "real-time",
    }
}
