//! Finds cycles, and names them by the dependencies that they have.
//!
//! Strongly connected components show in linear time where cycles are; nearly always there are none. Within a
//! component, a dependency lies on a cycle of a kind if and only if it lies within a component by the labels
//! that the kind allows, so that shortest ways are sought only where there is one.

mod component;
mod updates;
mod views;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::anomaly::{AnomalyKind, CycleKind, Orders, Report};
use crate::explain::explain;
use crate::graph::{EdgeList, Graph, Label, Labels};
use crate::order::{add_process_order, add_real_time};
use crate::{Check, History, Op, TransactionId};
use component::{Component, Path};

/// What a workload knows of the dependencies between transactions.
pub(crate) trait Dependencies {
    /// Why the second transaction depends on the first, in words.
    fn why(&self, from: u32, to: u32, label: Label) -> String;

    /// The first operation of the second transaction that read or overwrote what the first wrote, at the
    /// earliest.
    fn entry(&self, from: u32, to: u32, label: Label) -> Option<usize>;

    /// The last operation of a reader that returned an older version than what the writer wrote there.
    fn missed(&self, reader: u32, writer: u32) -> Option<usize>;
}

/// Adds the orders that are asked for to the dependencies, and reports the cycles. Nodes up to `next_node`
/// are taken.
pub(crate) fn add_cycles(
    history: &History,
    check: Check,
    mut next_node: u32,
    mut edges: EdgeList,
    report: &mut Report,
    dependencies: &impl Dependencies,
) {
    report.dependencies = edges.len();
    let mut orders = vec![Orders::Data];
    if check.process_order {
        add_process_order(history, &mut edges);
        orders.push(Orders::Process);
    }
    if check.real_time {
        next_node = add_real_time(history, next_node, &mut edges);
        orders.push(Orders::RealTime);
    }
    let graph = edges.into_graph(next_node as usize);
    find_cycles(&graph, history, &orders, dependencies, |cycle| {
        let anomaly = explain(&cycle, |from, to, label| dependencies.why(from, to, label));
        match cycle.is_further {
            false => report.add(check.most_of_a_kind, anomaly),
            true => report.add_besides(check.most_of_a_kind, anomaly),
        }
    });
    report.anomalies.sort_by_key(|anomaly| anomaly.kind);
}

/// A cycle: each transaction with the label of its dependency to the next one, the last to the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cycle {
    pub kind: CycleKind,
    pub orders: Orders,
    pub path: Vec<(u32, Label)>,
    /// What it shows besides.
    pub also: Vec<AnomalyKind>,
    /// Whether its group has another cycle of the kind.
    pub is_further: bool,
}

/// In a component, how many dependencies are tried as the beginning of a shortest cycle.
const TRIES: usize = 64;

const WRITES: Labels = Labels::of(&[Label::Ww]);
const READS: Labels = Labels::of(&[Label::Ww, Label::Wr]);
const ALL: Labels = Labels::of(&[Label::Ww, Label::Wr, Label::Rw, Label::Half]);

fn order_labels(orders: Orders) -> Labels {
    match orders {
        Orders::Data => Labels::of(&[]),
        Orders::Process => Labels::of(&[Label::Process]),
        Orders::RealTime => Labels::of(&[Label::Process, Label::RealTime]),
    }
}

/// Finds a cycle of each kind in each component, first without orders, then with each of those given.
fn find_cycles(
    graph: &Graph,
    history: &History,
    orders: &[Orders],
    dependencies: &impl Dependencies,
    mut found: impl FnMut(Cycle),
) {
    let transactions = history.len() as u32;
    // The transactions that were shown to be in a cycle of a kind already.
    let mut shown: FxHashMap<CycleKind, FxHashSet<u32>> = FxHashMap::default();
    // Where there is no cycle with all orders, there is none with fewer: one pass over the whole suffices.
    let strongest = orders.iter().map(|orders| ALL.with(order_labels(*orders))).fold(ALL, Labels::with);
    let whole: Vec<Component> = graph
        .components(strongest)
        .into_iter()
        .map(|members| Component::new(|node| graph.edges(node), members, strongest))
        .collect();
    for &orders in orders {
        let extra = order_labels(orders);
        for component in whole.iter().flat_map(|component| component.within(ALL.with(extra))) {
            let mut cycles: Vec<Shown> =
                component.cycles(extra).into_iter().map(|(kind, path)| Shown::new(kind, path)).collect();
            if orders == Orders::Data {
                look_closer(&component, history, dependencies, &mut cycles);
            }
            for Shown { kind, path, also, is_further } in cycles {
                let known = shown.entry(kind).or_default();
                // With an order more, the same cycle would be found again, or one around it.
                let is_known = !is_further && component.members.iter().any(|member| known.contains(member));
                known.extend(component.members.iter().filter(|member| **member < transactions));
                if !is_known {
                    let path = component.named(&path, transactions);
                    found(Cycle { kind, orders, path, also, is_further });
                }
            }
        }
    }
}

/// A cycle of a component that is to be shown.
struct Shown {
    kind: CycleKind,
    path: Path,
    also: Vec<AnomalyKind>,
    is_further: bool,
}

impl Shown {
    fn new(kind: CycleKind, path: Path) -> Shown {
        Shown { kind, path, also: Vec::new(), is_further: false }
    }
}

/// Looks whether cycles with overwritten reads show more than their kind. A cycle that does is shown in place
/// of one that does not.
fn look_closer(
    component: &Component,
    history: &History,
    dependencies: &impl Dependencies,
    cycles: &mut Vec<Shown>,
) {
    let Some(place) = cycles.iter().position(|shown| {
        matches!(shown.kind, CycleKind::GSingle | CycleKind::GNonadjacent | CycleKind::G2Item)
    }) else {
        return;
    };
    if cycles[place].kind == CycleKind::GSingle {
        for (number, (path, also)) in views::find(component, dependencies).into_iter().enumerate() {
            let shown = Shown { also, is_further: number > 0, ..Shown::new(CycleKind::GSingle, path) };
            match number {
                0 => cycles[place] = shown,
                _ => cycles.push(shown),
            }
        }
        return;
    }
    let writes_nothing = |node: u32| {
        let is_write = |op: Op<'_>| matches!(op, Op::Append(..) | Op::Write(..));
        (node as usize) < history.len() && !history.ops(TransactionId(node)).any(is_write)
    };
    match updates::find(component, &cycles[place].path, writes_nothing) {
        updates::Found::SameCycle => cycles[place].also = vec![AnomalyKind::GUpdate],
        updates::Found::Other(path) => {
            let also = vec![AnomalyKind::GUpdate];
            let shown = Shown { also, ..Shown::new(CycleKind::G2Item, path) };
            match cycles[place].kind {
                CycleKind::G2Item => cycles[place] = shown,
                // The other kind was found first, and rules out more: both are shown.
                _ => cycles.push(shown),
            }
        }
        updates::Found::Nothing => {}
    }
}
