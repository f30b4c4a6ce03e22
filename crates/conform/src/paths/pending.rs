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
    /// For every state how many more of its edges are left than of those that lead to it.
    lack: Vec<i32>,
}

impl Pending {
    pub(super) fn new(graph: &StateGraph, targets: Bits, seed: u64) -> Pending {
        let mut random = Random::new(seed);
        let mut edges = Vec::with_capacity(targets.count() as usize);
        let mut first = Vec::with_capacity(graph.states() as usize + 1);
        first.push(0);
        let mut lack = vec![0; graph.states() as usize];
        for state in 0..graph.states() {
            let begin = edges.len();
            edges.extend(graph.out(state).filter(|edge| targets.has(*edge)));
            random.shuffle(&mut edges[begin..]);
            lack[state as usize] += (edges.len() - begin) as i32;
            for edge in &edges[begin..] {
                lack[graph.to(*edge) as usize] -= 1;
            }
            first.push(edges.len() as u32);
        }
        let next = first[..graph.states() as usize].to_vec();
        Pending { targets, edges, first, next, lack }
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

    /// Do more targets leave a state than lead to it? Then not all of them are taken by walking from target
    /// to target.
    #[inline]
    pub(super) fn lacks(&self, state: u32) -> bool {
        self.lack[state as usize] > 0
    }

    /// An edge has been covered; true if it was to be.
    #[inline]
    pub(super) fn cover(&mut self, graph: &StateGraph, edge: u32) -> bool {
        let is_new = self.targets.has(edge);
        if is_new {
            self.targets.remove(edge);
            self.lack[graph.from(edge) as usize] -= 1;
            self.lack[graph.to(edge) as usize] += 1;
        }
        is_new
    }
}
