//! Which edges need not be covered, because their actions are covered in another order.
//!
//! Two actions make a *diamond* in s0 if they lead to the same state in either order: s0 –a→ s1 –b→ s3 and s0 –b→ s2 –a→ s3.
//! Then one order is enough (Mocket, section 4.2.2). Diamonds overlap, so leaving out one order of each at random would leave out
//! more than that: an edge that stands for another one may itself be left out, and a state may be cut off. Here:
//!
//! 1. every state keeps a way to it that consists of targets;
//! 2. an edge is left out only if it belongs to an order of some diamond whose other order, both edges of it, are targets.
//!
//! Edges that are kept for 1. or 2. are *fixed*. The others are left out where a diamond has a fixed order already, and only then
//! are further orders fixed, so that few edges stand for many.

use shakedown_cluster::Random;

use super::StateGraph;
use super::bits::Bits;
use super::region::{NONE, Region};

/// The edges that are left to be covered.
pub(super) fn targets(graph: &StateGraph, region: &Region, seed: u64) -> Bits {
    let mut random = Random::new(seed);
    let into = Into::new(graph, region);
    let fixed = tree(graph, region, &into, &mut random);
    let mut reduction = Reduction { graph, region, into, fixed, targets: region.edges(graph) };
    let mut order: Vec<u32> =
        (0..graph.edges()).filter(|e| reduction.targets.has(*e) && !reduction.fixed.has(*e)).collect();
    random.shuffle(&mut order);
    for cost in 0..=2 {
        for edge in &order {
            if !reduction.fixed.has(*edge) && reduction.targets.has(*edge) {
                reduction.leave_out(*edge, cost);
            }
        }
    }
    reduction.targets
}

/// A shortest way to every state, any of them.
fn tree(graph: &StateGraph, region: &Region, into: &Into, random: &mut Random) -> Bits {
    let mut tree = Bits::new(graph.edges());
    let mut last = Vec::new();
    for (state, parent) in (0u32..).zip(&region.parent).filter(|(_, parent)| **parent != NONE) {
        let distance = region.distance[graph.from(*parent) as usize];
        let stops = region.stops(graph, *parent);
        last.clear();
        last.extend(into.of(state).iter().copied().filter(|edge| {
            region.distance[graph.from(*edge) as usize] == distance && region.stops(graph, *edge) == stops
        }));
        tree.insert(last[random.index(last.len())]);
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
        let mut into = vec![0; *first.last().unwrap_or(&0) as usize];
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
    /// Edges that stay targets.
    fixed: Bits,
    targets: Bits,
}

impl Reduction<'_> {
    /// Leaves an edge out if that takes fixing `cost` further edges at most.
    fn leave_out(&mut self, edge: u32, cost: u32) {
        if let Some(order) = self.other_order(edge, cost) {
            self.targets.remove(edge);
            for kept in order {
                self.fixed.insert(kept);
            }
        }
    }

    /// The other order of a diamond that the edge belongs to, both of its edges targets and at most `cost` not yet fixed.
    fn other_order(&self, edge: u32, cost: u32) -> Option<[u32; 2]> {
        let graph = self.graph;
        let fits = |order: [u32; 2]| {
            order.iter().all(|kept| *kept != edge && self.targets.has(*kept))
                && order.iter().filter(|kept| !self.fixed.has(**kept)).count() as u32 <= cost
                && !self.region.stops(graph, order[0])
        };
        // As the first edge, s0 –b→ s2: any a that leads on from there and could come first.
        if !self.region.stops(graph, edge) {
            for second in graph.out(graph.to(edge)) {
                if let Some(order) = self.swapped(edge, second, &fits) {
                    return Some(order);
                }
            }
        }
        // As the second edge, s2 –a→ s3: any b that leads to s2.
        for first in self.into.of(graph.from(edge)) {
            if !self.region.stops(graph, *first)
                && let Some(order) = self.swapped(*first, edge, &fits)
            {
                return Some(order);
            }
        }
        None
    }

    /// For s0 –b→ s2 –a→ s3, an order s0 –a→ s1 –b→ s3 that fits.
    fn swapped(&self, first: u32, second: u32, fits: &impl Fn([u32; 2]) -> bool) -> Option<[u32; 2]> {
        let graph = self.graph;
        let (a, b) = (graph.label(second), graph.label(first));
        if a == b {
            return None;
        }
        let end = graph.to(second);
        for other_first in graph.labelled(graph.from(first), a) {
            for other_second in graph.labelled(graph.to(other_first), b) {
                let order = [other_first, other_second];
                if graph.to(other_second) == end && fits(order) {
                    return Some(order);
                }
            }
        }
        None
    }
}
