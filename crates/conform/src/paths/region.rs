//! What paths can come to without going on from an end.

use rustc_hash::FxHashSet;

use super::bits::Bits;
use super::{Ends, StateGraph};

/// No edge.
pub(super) const NONE: u32 = u32::MAX;

/// The part of a graph that paths can come to. They stop after an edge that is an end; so the edges that
/// leave a state which is only reached by such edges are no part of it.
pub(super) struct Region {
    /// The states that paths go on from, in the order of their distance from the initial states.
    pub(super) open: Vec<u32>,
    /// The states that paths come to: the open ones, and those that they stop in.
    pub(super) reached: u32,
    /// Is a state open?
    is_open: Bits,
    /// For every state the last edge of a shortest way to it; `NONE` for initial states and those that are
    /// not reached.
    pub(super) parent: Vec<u32>,
    /// The length of that way.
    pub(super) distance: Vec<u32>,
    /// The labels after which a path stops.
    end_labels: Bits,
    end_states: Bits,
}

impl Region {
    pub(super) fn new(graph: &StateGraph, ends: &Ends) -> Region {
        let names: FxHashSet<&str> = ends.actions.iter().map(String::as_str).collect();
        let mut end_labels = Bits::new(graph.labels().len() as u32);
        for (label, action) in (0u32..).zip(graph.labels()) {
            if names.contains(action.name.as_str()) {
                end_labels.insert(label);
            }
        }
        let mut end_states = Bits::new(graph.states());
        for state in ends.states.iter().filter(|state| **state < graph.states()) {
            end_states.insert(*state);
        }
        let mut region = Region {
            open: Vec::new(),
            reached: 0,
            is_open: Bits::new(graph.states()),
            parent: vec![NONE; graph.states() as usize],
            distance: vec![NONE; graph.states() as usize],
            end_labels,
            end_states,
        };
        region.spread(graph);
        region
    }

    /// Breadth first, so that the ways are shortest.
    fn spread(&mut self, graph: &StateGraph) {
        let mut reached = Bits::new(graph.states());
        for state in 0..graph.initial() {
            reached.insert(state);
            self.distance[state as usize] = 0;
            if !self.end_states.has(state) {
                self.is_open.insert(state);
                self.open.push(state);
            }
        }
        let mut next = 0;
        while let Some(from) = self.open.get(next).copied() {
            next += 1;
            for edge in graph.out(from) {
                let to = graph.to(edge);
                let opens = !self.stops(graph, edge) && self.is_open.insert(to);
                // A state that was only stopped in so far and can be gone on from gets the way that leads on.
                if (reached.insert(to) || opens) && to >= graph.initial() {
                    self.parent[to as usize] = edge;
                    self.distance[to as usize] = self.distance[from as usize] + 1;
                }
                if opens {
                    self.open.push(to);
                }
            }
        }
        self.reached = reached.count() as u32;
    }

    /// Does a path stop after this edge?
    #[inline]
    pub(super) fn stops(&self, graph: &StateGraph, edge: u32) -> bool {
        self.end_labels.has(graph.label(edge)) || self.end_states.has(graph.to(edge))
    }

    /// Do paths go on from this state, if they came to it by an edge that is no end?
    pub(super) fn is_open(&self, state: u32) -> bool {
        self.is_open.has(state)
    }

    /// All edges that paths can take.
    pub(super) fn edges(&self, graph: &StateGraph) -> Bits {
        let mut edges = Bits::new(graph.edges());
        for state in &self.open {
            for edge in graph.out(*state) {
                edges.insert(edge);
            }
        }
        edges
    }

    /// The edges of a tree that leads to every state.
    pub(super) fn tree(&self, graph: &StateGraph) -> Bits {
        let mut edges = Bits::new(graph.edges());
        for edge in self.parent.iter().filter(|edge| **edge != NONE) {
            edges.insert(*edge);
        }
        edges
    }
}
