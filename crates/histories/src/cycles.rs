//! Finds cycles, and names them by the dependencies that they have.
//!
//! Strongly connected components show in linear time where cycles are; nearly always there are none. Within a component, a
//! dependency lies on a cycle of a kind if and only if it lies within a component by the labels that the kind allows, so that
//! shortest ways are sought only where there is one.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::anomaly::{CycleKind, Orders, Report};
use crate::explain::explain;
use crate::graph::{Edge, EdgeList, Graph, Label, Labels, components};
use crate::order::{add_process_order, add_real_time};
use crate::{Check, History};

/// Adds the orders that are asked for to the dependencies, and reports the cycles. Nodes up to `next_node` are taken.
pub(crate) fn add_cycles(
    history: &History,
    check: Check,
    mut next_node: u32,
    mut edges: EdgeList,
    report: &mut Report,
    why: impl Fn(u32, u32, Label) -> String,
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
    find_cycles(&graph, history.len() as u32, &orders, |cycle| {
        report.add(check.most_of_a_kind, explain(&cycle, &why));
    });
    report.anomalies.sort_by_key(|anomaly| anomaly.kind);
}

/// A cycle: each transaction with the label of its dependency to the next one, the last to the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cycle {
    pub kind: CycleKind,
    pub orders: Orders,
    pub path: Vec<(u32, Label)>,
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

/// Finds a cycle of each kind in each component, first without orders, then with each of those given. Nodes from
/// `transactions` on are no transactions.
fn find_cycles(graph: &Graph, transactions: u32, orders: &[Orders], mut found: impl FnMut(Cycle)) {
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
            for (kind, path) in component.cycles(extra) {
                let known = shown.entry(kind).or_default();
                // With an order more, the same cycle would be found again, or one around it.
                let is_known = component.members.iter().any(|member| known.contains(member));
                known.extend(component.members.iter().filter(|member| **member < transactions));
                if !is_known {
                    found(Cycle { kind, orders, path: component.named(&path, transactions) });
                }
            }
        }
    }
}

/// A component as a graph of its own.
struct Component {
    members: Vec<u32>,
    edges: Vec<Vec<Edge>>,
}

/// A way in a component: nodes with the label of the edge to the next one.
type Path = Vec<(u32, Label)>;

impl Component {
    /// The component of these nodes, which are sorted, with the edges of these labels between them.
    fn new<'e>(edges: impl Fn(u32) -> &'e [Edge], members: Vec<u32>, labels: Labels) -> Component {
        let place = |node: u32| members.binary_search(&node).ok().map(|place| place as u32);
        let edges = members
            .iter()
            .map(|&member| {
                let inside = edges(member).iter().filter(|edge| labels.has(edge.label));
                inside.filter_map(|edge| Some(Edge { to: place(edge.to)?, label: edge.label })).collect()
            })
            .collect();
        Component { members, edges }
    }

    /// The components that are left with the edges of these labels only.
    fn within(&self, labels: Labels) -> Vec<Component> {
        let parts = self.components(labels);
        let part = |inner: Vec<u32>| {
            let names = inner.iter().map(|node| self.members[*node as usize]).collect();
            Component { members: names, ..Component::new(|node| &self.edges[node as usize], inner, labels) }
        };
        parts.into_iter().map(part).collect()
    }

    fn components(&self, labels: Labels) -> Vec<Vec<u32>> {
        components(self.len(), |node, place| {
            let edges = &self.edges[node as usize][place..];
            let at = edges.iter().position(|edge| labels.has(edge.label))?;
            Some((edges[at].to, place + at + 1))
        })
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    /// The edges, with their origins.
    fn all_edges(&self) -> impl Iterator<Item = (u32, Edge)> + '_ {
        (0..).zip(&self.edges).flat_map(|(from, edges)| edges.iter().map(move |edge| (from, *edge)))
    }

    /// For each node the number of its component by these labels; nodes alone have one that nobody shares.
    fn parts(&self, labels: Labels) -> Vec<u32> {
        let parts = self.components(labels);
        let mut part_of: Vec<u32> = (0..self.len() as u32).map(|node| node + parts.len() as u32).collect();
        for (number, part) in (0..).zip(&parts) {
            part.iter().for_each(|node| part_of[*node as usize] = number);
        }
        part_of
    }

    /// A shortest cycle of each kind that the component has; of those with overwritten reads only the gravest.
    fn cycles(&self, extra: Labels) -> Vec<(CycleKind, Path)> {
        let mut cycles = Vec::new();
        let writes = WRITES.with(extra);
        if let Some(path) = self.shortest_within(writes, |label| label == Label::Ww) {
            cycles.push((CycleKind::G0, path));
        }
        let reads = READS.with(extra);
        if let Some(path) = self.shortest_within(reads, |label| label == Label::Wr) {
            cycles.push((CycleKind::G1c, path));
        }
        let overwritten = self
            .with_one_overwritten(reads)
            .map(|path| (CycleKind::GSingle, path))
            .or_else(|| self.nonadjacent().map(|path| (CycleKind::GNonadjacent, path)))
            .or_else(|| {
                let path = self.shortest_within(ALL.with(extra), |label| label == Label::Rw)?;
                Some((CycleKind::G2Item, path))
            });
        cycles.extend(overwritten);
        cycles
    }

    /// A shortest cycle by these labels through an edge with a certain one.
    fn shortest_within(&self, labels: Labels, through: impl Fn(Label) -> bool) -> Option<Path> {
        let part_of = self.parts(labels);
        let candidates = self.all_edges().filter(|(from, edge)| {
            through(edge.label) && part_of[*from as usize] == part_of[edge.to as usize]
        });
        self.shortest(candidates.take(TRIES), |label| labels.has(label))
    }

    /// The shortest of the cycles that begin with these edges.
    fn shortest(
        &self,
        first: impl Iterator<Item = (u32, Edge)>,
        allowed: impl Fn(Label) -> bool,
    ) -> Option<Path> {
        let mut best: Option<Path> = None;
        for (from, edge) in first {
            let Some(mut path) = self.way(edge.to, from, &allowed) else { continue };
            path.insert(0, (from, edge.label));
            if best.as_ref().is_none_or(|best| path.len() < best.len()) {
                best = Some(path);
            }
        }
        best
    }

    /// The shortest way from a node to another.
    fn way(&self, from: u32, to: u32, allowed: impl Fn(Label) -> bool) -> Option<Path> {
        let mut before: FxHashMap<u32, (u32, Label)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for edge in self.edges[node as usize].iter().filter(|edge| allowed(edge.label)) {
                if edge.to != from && !before.contains_key(&edge.to) {
                    before.insert(edge.to, (node, edge.label));
                    queue.push_back(edge.to);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let (previous, label) = *before.get(&node)?;
            path.push((previous, label));
            node = previous;
        }
        path.reverse();
        Some(path)
    }

    /// A shortest cycle with exactly one overwritten read. An edge over a node of its own counts as one.
    fn with_one_overwritten(&self, reads: Labels) -> Option<Path> {
        let overwritten: Vec<(u32, Edge)> =
            self.all_edges().filter(|(_, edge)| edge.label == Label::Rw).collect();
        let order = self.order_of_parts(reads);
        // 64 edges at a time: a bit of a node says that the edge's end reaches it.
        let mut closing = Vec::new();
        for block in overwritten.chunks(64) {
            let mut reached = vec![0_u64; order.count];
            for (bit, (_, edge)) in block.iter().enumerate() {
                for end in self.ends(*edge) {
                    reached[order.part_of[end as usize] as usize] |= 1 << bit;
                }
            }
            for part in (0..order.count).rev() {
                if reached[part] != 0 {
                    order.after[part].iter().for_each(|&after| reached[after as usize] |= reached[part]);
                }
            }
            for (bit, (from, edge)) in block.iter().enumerate() {
                if reached[order.part_of[*from as usize] as usize] & 1 << bit != 0 {
                    closing.push((*from, *edge));
                }
            }
            if closing.len() >= TRIES {
                break;
            }
        }
        self.shortest(closing.into_iter().take(TRIES), |label| reads.has(label) || label == Label::Half)
            .filter(|path| path.iter().filter(|(_, label)| *label == Label::Rw).count() == 1)
    }

    /// Where an edge leads to: itself, or the transactions behind a node of its own.
    fn ends(&self, edge: Edge) -> Vec<u32> {
        let behind: Vec<u32> = self.edges[edge.to as usize]
            .iter()
            .filter(|edge| edge.label == Label::Half)
            .map(|edge| edge.to)
            .collect();
        if behind.is_empty() { vec![edge.to] } else { behind }
    }

    /// The components by these labels, numbered so that edges between them lead to lower numbers.
    fn order_of_parts(&self, labels: Labels) -> PartOrder {
        let part_of = self.parts(labels);
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        // A depth-first search finishes a part before those that lead to it.
        let mut finished = Vec::new();
        let mut state = FxHashMap::<u32, bool>::default();
        let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (node, part) in (0..).zip(&part_of) {
            members.entry(*part).or_default().push(node);
        }
        let after = |part: u32| -> Vec<u32> {
            let mut after: Vec<u32> = members[&part]
                .iter()
                .flat_map(|&node| &self.edges[node as usize])
                .filter(|edge| labels.has(edge.label))
                .map(|edge| part_of[edge.to as usize])
                .filter(|to| *to != part)
                .collect();
            after.sort_unstable();
            after.dedup();
            after
        };
        let mut roots: Vec<u32> = members.keys().copied().collect();
        roots.sort_unstable();
        for root in roots {
            if state.contains_key(&root) {
                continue;
            }
            let mut calls = vec![(root, after(root))];
            state.insert(root, false);
            while let Some((part, rest)) = calls.last_mut() {
                match rest.pop() {
                    Some(next) if !state.contains_key(&next) => {
                        state.insert(next, false);
                        calls.push((next, after(next)));
                    }
                    Some(_) => {}
                    None => {
                        finished.push(*part);
                        calls.pop();
                    }
                }
            }
        }
        for (number, part) in (0..).zip(&finished) {
            numbers.insert(*part, number);
        }
        let renamed = |part: u32| numbers[&part];
        let after: Vec<Vec<u32>> =
            finished.iter().map(|&part| after(part).into_iter().map(renamed).collect()).collect();
        let part_of = part_of.iter().map(|&part| numbers[&part]).collect();
        PartOrder { count: finished.len(), part_of, after }
    }

    /// A cycle in which no two overwritten reads follow each other. A node is looked at twice: as reached by an overwritten read
    /// or otherwise.
    fn nonadjacent(&self) -> Option<Path> {
        let edges: Vec<Vec<Edge>> = (0..2 * self.len() as u32)
            .map(|state| {
                let (node, is_after_read) = (state / 2, state % 2 == 1);
                let onward = self.edges[node as usize].iter();
                let allowed = onward.filter(|edge| !(is_after_read && edge.label == Label::Rw));
                let state_after = |edge: &Edge| match edge.label {
                    Label::Rw => 1,
                    // The node between the halves of an edge was reached by an overwritten read.
                    Label::Half => 1,
                    _ => 0,
                };
                allowed.map(|edge| Edge { to: 2 * edge.to + state_after(edge), label: edge.label }).collect()
            })
            .collect();
        let twice = Component { members: (0..2 * self.len() as u32).collect(), edges };
        let any = ALL.with(order_labels(Orders::RealTime));
        let path = twice.shortest_within(any, |label| label == Label::Rw)?;
        Some(path.into_iter().map(|(state, label)| (state / 2, label)).collect())
    }

    /// The path with transactions for nodes; nodes that are none are left out.
    fn named(&self, path: &[(u32, Label)], transactions: u32) -> Path {
        let named = path.iter().map(|&(node, label)| (self.members[node as usize], label));
        let mut named: Path = named.collect();
        // It begins with a transaction.
        if let Some(first) = named.iter().position(|(node, _)| *node < transactions) {
            named.rotate_left(first);
        }
        named.retain(|(node, _)| *node < transactions);
        named
    }
}

struct PartOrder {
    count: usize,
    part_of: Vec<u32>,
    after: Vec<Vec<u32>>,
}
