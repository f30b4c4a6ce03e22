//! The targets that no path has taken yet.

use shakedown_cluster::Random;

use super::StateGraph;
use super::bits::Bits;

/// The edges that are to be covered, by the state that they leave, in a seeded order.
pub(super) struct Pending {
    targets: Bits,
    edges: Vec<u32>,
    /// For every state where its edges begin; one more at the end.
    first: Vec<u32>,
    /// For every state the first of its edges that may be left.
    next: Vec<u32>,
}

impl Pending {
    pub(super) fn new(graph: &StateGraph, targets: Bits, seed: u64) -> Pending {
        let mut random = Random::new(seed);
        let mut edges = Vec::with_capacity(targets.count() as usize);
        let mut first = Vec::with_capacity(graph.states() as usize + 1);
        first.push(0);
        for state in 0..graph.states() {
            let begin = edges.len();
            edges.extend(graph.out(state).filter(|edge| targets.has(*edge)));
            random.shuffle(&mut edges[begin..]);
            first.push(edges.len() as u32);
        }
        let next = first[..graph.states() as usize].to_vec();
        Pending { targets, edges, first, next }
    }

    /// An edge that leaves this state and has still to be covered.
    #[inline]
    pub(super) fn of(&mut self, state: u32) -> Option<u32> {
        let end = self.first[state as usize + 1];
        let next = &mut self.next[state as usize];
        while *next < end {
            let edge = self.edges[*next as usize];
            if self.targets.has(edge) {
                return Some(edge);
            }
            *next += 1;
        }
        None
    }

    /// An edge has been covered; true if it was to be.
    #[inline]
    pub(super) fn cover(&mut self, edge: u32) -> bool {
        let is_new = self.targets.has(edge);
        self.targets.remove(edge);
        is_new
    }
}
