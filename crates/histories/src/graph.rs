//! Directed graphs with labelled edges, in compressed rows, and their strongly connected components.

/// What an edge stands for. The weaker ones come first: they are preferred in explanations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub(crate) enum Label {
    /// The second overwrote what the first wrote.
    Ww,
    /// The second read what the first wrote.
    Wr,
    /// The second overwrote what the first read.
    Rw,
    /// The same process did the first before.
    Process,
    /// The first had ended when the second began.
    RealTime,
    /// The second half of an edge that goes over a node of its own; its first half says what it stands for.
    Half,
}

/// A set of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Labels(u8);

impl Labels {
    pub const fn of(labels: &[Label]) -> Labels {
        let mut bits = 0;
        let mut place = 0;
        while place < labels.len() {
            bits |= 1 << labels[place] as u8;
            place += 1;
        }
        Labels(bits)
    }

    pub const fn with(self, other: Labels) -> Labels {
        Labels(self.0 | other.0)
    }

    #[inline]
    pub const fn has(self, label: Label) -> bool {
        self.0 & 1 << label as u8 != 0
    }
}

/// An edge to a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub to: u32,
    pub label: Label,
}

/// Edges by their origin.
pub(crate) struct Graph {
    first: Vec<u32>,
    edges: Vec<Edge>,
}

/// Gathers edges in any order.
#[derive(Default)]
pub(crate) struct EdgeList(Vec<(u32, Edge)>);

impl EdgeList {
    pub fn with_capacity(edges: usize) -> EdgeList {
        EdgeList(Vec::with_capacity(edges))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds an edge. One from a node to itself is no dependency.
    #[inline]
    pub fn add(&mut self, from: u32, to: u32, label: Label) {
        if from != to {
            self.0.push((from, Edge { to, label }));
        }
    }

    /// The graph of these edges. Those of one node stay in the order in which they were added.
    pub fn into_graph(self, nodes: usize) -> Graph {
        let mut first = vec![0_u32; nodes + 1];
        for (from, _) in &self.0 {
            first[*from as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut edges = vec![Edge { to: 0, label: Label::Ww }; self.0.len()];
        let mut next = first.clone();
        for (from, edge) in self.0 {
            let place = &mut next[from as usize];
            edges[*place as usize] = edge;
            *place += 1;
        }
        Graph { first, edges }
    }
}

impl Graph {
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    pub fn edges(&self, node: u32) -> &[Edge] {
        &self.edges[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The strongly connected components of more than one node, by edges of these labels; each sorted, in the
    /// order of their lowest nodes. Tarjan's algorithm, without recursion.
    pub fn components(&self, labels: Labels) -> Vec<Vec<u32>> {
        components(self.len(), |node, place| {
            let edges = self.edges(node);
            let mut place = place;
            while let Some(edge) = edges.get(place) {
                place += 1;
                if labels.has(edge.label) {
                    return Some((edge.to, place));
                }
            }
            None
        })
    }
}

const NOT_SEEN: u32 = u32::MAX;

/// Tarjan's algorithm on a graph that is given by its successors: `next(node, place)` is the first successor
/// at this place or later, and the place to go on from.
pub(crate) fn components(nodes: usize, next: impl Fn(u32, usize) -> Option<(u32, usize)>) -> Vec<Vec<u32>> {
    // The lowest number that is reached; nodes whose component is complete have the highest.
    let mut low = vec![NOT_SEEN; nodes];
    let mut stack: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32, usize)> = Vec::new();
    let mut number = 0;
    let mut found = Vec::new();
    const DONE: u32 = u32::MAX - 1;
    for root in 0..nodes as u32 {
        if low[root as usize] != NOT_SEEN {
            continue;
        }
        calls.push((root, number, 0));
        low[root as usize] = number;
        number += 1;
        stack.push(root);
        while let Some((node, own, place)) = calls.last_mut() {
            let (node, own) = (*node, *own);
            if let Some((to, after)) = next(node, *place) {
                *place = after;
                match low[to as usize] {
                    NOT_SEEN => {
                        calls.push((to, number, 0));
                        low[to as usize] = number;
                        number += 1;
                        stack.push(to);
                    }
                    DONE => {}
                    reached => low[node as usize] = low[node as usize].min(reached),
                }
                continue;
            }
            calls.pop();
            let lowest = low[node as usize];
            if let Some((parent, ..)) = calls.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(lowest);
            }
            if lowest == own {
                let from = stack.iter().rposition(|&member| member == node).unwrap_or(0);
                let mut component: Vec<u32> = stack.drain(from..).collect();
                component.iter().for_each(|&member| low[member as usize] = DONE);
                if component.len() > 1 {
                    component.sort_unstable();
                    found.push(component);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(u32, u32, Label)]) -> Graph {
        let mut list = EdgeList::default();
        edges.iter().for_each(|&(from, to, label)| list.add(from, to, label));
        list.into_graph(nodes)
    }

    #[test]
    fn components_are_those_that_reach_each_other() {
        use Label::{Rw, Wr, Ww};
        let graph = graph(
            7,
            &[(0, 1, Ww), (1, 2, Wr), (2, 0, Rw), (2, 3, Ww), (3, 4, Ww), (4, 3, Ww), (5, 5, Ww), (6, 0, Ww)],
        );
        assert_eq!(graph.components(Labels::of(&[Ww, Wr, Rw])), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(graph.components(Labels::of(&[Ww, Wr])), [vec![3, 4]]);
        assert!(graph.components(Labels::of(&[Rw])).is_empty());
    }

    /// Every pair of nodes is in one component if and only if each reaches the other, on a thousand random
    /// graphs.
    #[test]
    fn components_agree_with_reachability() {
        let mut state = 1_u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for _ in 0..1_000 {
            let nodes = 2 + random(7) as usize;
            let edges: Vec<_> = (0..random(14))
                .map(|_| (random(nodes as u64) as u32, random(nodes as u64) as u32, Label::Ww))
                .collect();
            let mut reach = vec![vec![false; nodes]; nodes];
            edges.iter().for_each(|&(from, to, _)| reach[from as usize][to as usize] = true);
            for via in 0..nodes {
                for from in 0..nodes {
                    for to in 0..nodes {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            let components = graph(nodes, &edges).components(Labels::of(&[Label::Ww]));
            let pairs = (0..nodes).flat_map(|a| (0..a).map(move |b| (a, b)));
            for (a, b) in pairs {
                let together = components.iter().any(|c| c.contains(&(a as u32)) && c.contains(&(b as u32)));
                assert_eq!(together, reach[a][b] && reach[b][a], "{edges:?}");
            }
        }
    }
}
