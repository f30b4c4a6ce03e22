//! Which edges need not be covered, because their actions are covered in another order.
//!
//! Two actions make a *diamond* in s0 if they lead to the same state in either order: s0 –a→ s1 –b→ s3 and s0
//! –b→ s2 –a→ s3. Then one order is enough (Mocket, section 4.2.2). Diamonds overlap, so leaving out one
//! order of each at random would leave out more than that: two edges may stand for each other and both be
//! gone, and a state may be cut off. What holds here is:
//!
//! - every state keeps a way to it that consists of targets;
//! - with [`Swaps::Single`], whatever is left out belongs to an order of some diamond whose other order, both
//!   edges of it, are targets;
//! - with [`Swaps::Chained`], the other order may itself be left out, if another diamond stands for it, and
//!   so on: the chain ends in targets. That is the equivalence that partial-order reduction is named after.
//!
//! The choice of orders is one order of all labels, drawn from the seed. Were all actions independent, a
//! state would keep the one edge into it whose label comes last, which is what sleep sets do; so the tree of
//! ways that is kept follows that rule, and edges are left out from the far end of the graph to its
//! beginning, for what stands for an edge is never farther away.

use std::cmp::Reverse;

use shakedown_cluster::Random;

use super::bits::Bits;
use super::region::{NONE, Region};
use super::{StateGraph, Swaps};

/// The edges that are left to be covered.
pub(super) fn targets(graph: &StateGraph, region: &Region, swaps: Swaps, seed: u64) -> Bits {
    let mut random = Random::new(seed);
    let mut ranks: Vec<u32> = (0..graph.labels().len() as u32).collect();
    random.shuffle(&mut ranks);
    let into = Into::new(graph, region);
    let fixed = tree(graph, region, &into, &ranks);
    let mut rest: Vec<u32> =
        (0..graph.edges()).filter(|edge| region.is_open(graph.from(*edge)) && !fixed.has(*edge)).collect();
    random.shuffle(&mut rest);
    let mut reduction = Reduction { graph, region, into, fixed, targets: region.edges(graph) };
    match swaps {
        Swaps::Chained => {
            rest.sort_by_key(|edge| Reverse(region.distance[graph.from(*edge) as usize]));
            reduction.leave_out_chained(&rest);
        }
        Swaps::Single => reduction.leave_out_single(&rest),
    }
    reduction.targets
}

/// A shortest way to every state; of several, the one whose last label comes last.
fn tree(graph: &StateGraph, region: &Region, into: &Into, ranks: &[u32]) -> Bits {
    let mut tree = Bits::new(graph.edges());
    for (state, parent) in (0u32..).zip(&region.parent).filter(|(_, parent)| **parent != NONE) {
        let distance = region.distance[graph.from(*parent) as usize];
        let stops = region.stops(graph, *parent);
        let ways = into.of(state).iter().filter(|edge| {
            region.distance[graph.from(**edge) as usize] == distance && region.stops(graph, **edge) == stops
        });
        let last = ways.max_by_key(|edge| ranks[graph.label(**edge) as usize]);
        tree.insert(*last.unwrap_or(parent));
    }
    tree
}

/// The edges that lead to a state.
struct Into {
    first: Vec<u32>,
    edges: Vec<u32>,
}

impl Into {
    fn new(graph: &StateGraph, region: &Region) -> Into {
        let mut first = vec![0; graph.states() as usize + 1];
        let edges = || region.open.iter().flat_map(|state| graph.out(*state));
        for edge in edges() {
            first[graph.to(edge) as usize + 1] += 1;
        }
        for state in 0..graph.states() as usize {
            first[state + 1] += first[state];
        }
        let mut next = first.clone();
        let mut into = vec![0; first[graph.states() as usize] as usize];
        for edge in edges() {
            let place = &mut next[graph.to(edge) as usize];
            into[*place as usize] = edge;
            *place += 1;
        }
        Into { first, edges: into }
    }

    fn of(&self, state: u32) -> &[u32] {
        &self.edges[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }
}

struct Reduction<'a> {
    graph: &'a StateGraph,
    region: &'a Region,
    into: Into,
    /// Edges that stay targets: the tree, and what must be there for others.
    fixed: Bits,
    targets: Bits,
}

impl Reduction<'_> {
    /// What stands for an edge is a target when the edge is left out. If it is left out later, something
    /// stands for it that was a target even then; so chains end.
    fn leave_out_chained(&mut self, edges: &[u32]) {
        for edge in edges {
            if self.other_order(*edge, |_| 0).is_some() {
                self.targets.remove(*edge);
            }
        }
    }

    /// What stands for an edge is fixed; the order that has most of it fixed already is taken, so few edges
    /// stand for many.
    fn leave_out_single(&mut self, edges: &[u32]) {
        for edge in edges {
            if self.fixed.has(*edge) {
                continue;
            }
            let not_fixed = |order: [u32; 2]| order.iter().filter(|kept| !self.fixed.has(**kept)).count();
            if let Some(order) = self.other_order(*edge, not_fixed) {
                self.targets.remove(*edge);
                for kept in order {
                    self.fixed.insert(kept);
                }
            }
        }
    }

    /// The other order of a diamond that the edge belongs to, both edges of it targets: the cheapest one.
    fn other_order(&self, edge: u32, cost: impl Fn([u32; 2]) -> usize) -> Option<[u32; 2]> {
        let graph = self.graph;
        let mut best: Option<(usize, [u32; 2])> = None;
        // True if there is no need to look further.
        let mut consider = |order: [u32; 2]| {
            if order.iter().all(|kept| *kept != edge && self.targets.has(*kept))
                && !self.region.stops(graph, order[0])
            {
                let cost = cost(order);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, order));
                }
                return cost == 0;
            }
            false
        };
        // As the second edge, s2 –a→ s3, after any b that leads to s2.
        let as_second =
            self.into.of(graph.from(edge)).iter().any(|first| {
                !self.region.stops(graph, *first) && self.each_swapped(*first, edge, &mut consider)
            });
        // As the first edge, s0 –b→ s2, before any a that leads on from there.
        if !as_second && !self.region.stops(graph, edge) {
            graph.out(graph.to(edge)).any(|second| self.each_swapped(edge, second, &mut consider));
        }
        best.map(|(_, order)| order)
    }

    /// For s0 –b→ s2 –a→ s3, every order s0 –a→ s1 –b→ s3, until enough are seen.
    fn each_swapped(&self, first: u32, second: u32, is_enough: &mut impl FnMut([u32; 2]) -> bool) -> bool {
        let graph = self.graph;
        let (a, b) = (graph.label(second), graph.label(first));
        if a == b {
            return false;
        }
        let end = graph.to(second);
        for other_first in graph.labelled(graph.from(first), a) {
            for other_second in graph.labelled(graph.to(other_first), b) {
                if graph.to(other_second) == end && is_enough([other_first, other_second]) {
                    return true;
                }
            }
        }
        false
    }
}
