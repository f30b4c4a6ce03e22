//! Groups of transactions that depend on each other, and the shortest cycles in them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{ALL, READS, TRIES, WRITES, order_labels};
use crate::anomaly::{CycleKind, Orders};
use crate::graph::{Edge, Label, Labels, components};

/// A component as a graph of its own.
pub(super) struct Component {
    pub members: Vec<u32>,
    pub edges: Vec<Vec<Edge>>,
}

/// A way in a component: nodes with the label of the edge to the next one.
pub(super) type Path = Vec<(u32, Label)>;

impl Component {
    /// The component of these nodes, which are sorted, with the edges of these labels between them.
    pub fn new<'e>(edges: impl Fn(u32) -> &'e [Edge], members: Vec<u32>, labels: Labels) -> Component {
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
    pub fn within(&self, labels: Labels) -> Vec<Component> {
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

    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The edges, with their origins.
    pub fn all_edges(&self) -> impl Iterator<Item = (u32, Edge)> + '_ {
        (0..).zip(&self.edges).flat_map(|(from, edges)| edges.iter().map(move |edge| (from, *edge)))
    }

    /// For each node the number of its component by these labels; nodes alone have one that nobody shares.
    pub fn parts(&self, labels: Labels) -> Vec<u32> {
        let parts = self.components(labels);
        let mut part_of: Vec<u32> = (0..self.len() as u32).map(|node| node + parts.len() as u32).collect();
        for (number, part) in (0..).zip(&parts) {
            part.iter().for_each(|node| part_of[*node as usize] = number);
        }
        part_of
    }

    /// A shortest cycle of each kind that the component has; of those with overwritten reads only the
    /// gravest.
    pub fn cycles(&self, extra: Labels) -> Vec<(CycleKind, Path)> {
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
    pub fn shortest_within(&self, labels: Labels, through: impl Fn(Label) -> bool) -> Option<Path> {
        let part_of = self.parts(labels);
        let candidates = self.all_edges().filter(|(from, edge)| {
            through(edge.label) && part_of[*from as usize] == part_of[edge.to as usize]
        });
        self.shortest(candidates.take(TRIES), |label| labels.has(label))
    }

    /// The shortest of the cycles that begin with these edges.
    pub fn shortest(
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
    pub fn way(&self, from: u32, to: u32, allowed: impl Fn(Label) -> bool) -> Option<Path> {
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
        let mut closing = Vec::new();
        self.close(reads, |block| {
            closing.extend(block.iter().map(|close| (close.from, close.edge)));
            closing.len() < TRIES
        });
        self.shortest(closing.into_iter().take(TRIES), |label| reads.has(label) || label == Label::Half)
            .filter(|path| path.iter().filter(|(_, label)| *label == Label::Rw).count() == 1)
    }

    /// Gives the overwritten reads from whose end these labels lead back to their beginning, 64 candidates at
    /// a time, for as long as `take` wants more.
    pub fn close(&self, reads: Labels, mut take: impl FnMut(&[Closing<'_>]) -> bool) {
        let overwritten: Vec<(u32, Edge)> =
            self.all_edges().filter(|(_, edge)| edge.label == Label::Rw).collect();
        let order = self.order_of_parts(reads);
        for block in overwritten.chunks(64) {
            // A bit of a node says that the edge's end reaches it.
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
            let closing: Vec<Closing<'_>> = block
                .iter()
                .enumerate()
                .map(|(bit, (from, edge))| Closing {
                    from: *from,
                    edge: *edge,
                    bit,
                    reached: &reached,
                    part_of: &order.part_of,
                })
                .filter(|closing| closing.reaches(closing.from))
                .collect();
            if !take(&closing) {
                return;
            }
        }
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
        let count = part_of.iter().max().map_or(0, |highest| *highest as usize + 1);
        // Which parts follow each part; some numbers stand for no part, and nothing follows them.
        let mut after = vec![Vec::new(); count];
        for (from, edge) in self.all_edges().filter(|(_, edge)| labels.has(edge.label)) {
            let (from, to) = (part_of[from as usize], part_of[edge.to as usize]);
            if from != to {
                after[from as usize].push(to);
            }
        }
        for after in &mut after {
            after.sort_unstable();
            after.dedup();
        }
        // A depth-first search finishes a part before those that lead to it.
        let mut finished = Vec::with_capacity(count);
        let mut is_seen = vec![false; count];
        for root in 0..count as u32 {
            if std::mem::replace(&mut is_seen[root as usize], true) {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((part, place)) = calls.last_mut() {
                match after[*part as usize].get(*place) {
                    Some(&next) => {
                        *place += 1;
                        if !std::mem::replace(&mut is_seen[next as usize], true) {
                            calls.push((next, 0));
                        }
                    }
                    None => {
                        finished.push(*part);
                        calls.pop();
                    }
                }
            }
        }
        let mut numbers = vec![0; count];
        for (number, part) in (0..).zip(&finished) {
            numbers[*part as usize] = number;
        }
        let renamed = |part: &u32| numbers[*part as usize];
        let after = finished.iter().map(|part| after[*part as usize].iter().map(renamed).collect()).collect();
        PartOrder { count, part_of: part_of.iter().map(renamed).collect(), after }
    }

    /// A cycle in which no two overwritten reads follow each other. A node is looked at twice: as reached by
    /// an overwritten read or otherwise.
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
    pub fn named(&self, path: &[(u32, Label)], transactions: u32) -> Path {
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

/// An overwritten read that lies on a cycle with no other one.
pub(super) struct Closing<'o> {
    pub from: u32,
    pub edge: Edge,
    bit: usize,
    reached: &'o [u64],
    part_of: &'o [u32],
}

impl Closing<'_> {
    /// Whether the end of the edge leads to this node.
    pub fn reaches(&self, node: u32) -> bool {
        self.reached[self.part_of[node as usize] as usize] & 1 << self.bit != 0
    }
}
