//! Depth first, as published (Mocket, Algorithm 1), without recursion.

use super::pending::Pending;
use super::region::Region;
use super::{Path, StateGraph};

/// A traversal that takes every target once. A path ends where it cannot go on by an edge that is still to be
/// covered; the next one shares its beginning up to the last state that has such an edge.
pub(super) struct DepthFirst {
    region: Region,
    pending: Pending,
    /// The initial state that the path begins in, and its edges so far: what the published algorithm keeps on
    /// its stack.
    path: Path,
    /// Has the path just got longer? Then it has to be handed out before anything is taken off.
    has_grown: bool,
    /// Targets taken since the last path.
    covered: u64,
}

impl DepthFirst {
    pub(super) fn new(region: Region, pending: Pending) -> DepthFirst {
        DepthFirst { region, pending, path: Path::default(), has_grown: true, covered: 0 }
    }

    /// The next path, and how many targets it is the first to cover.
    pub(super) fn next(&mut self, graph: &StateGraph) -> Option<(Path, u64)> {
        while self.path.initial < graph.initial() {
            let (state, may_go_on) = match self.path.edges.last() {
                Some(edge) => (graph.to(*edge), !self.region.stops(graph, *edge)),
                None => (self.path.initial, self.region.is_open(self.path.initial)),
            };
            if may_go_on && let Some(edge) = self.pending.of(state) {
                self.pending.cover(graph, edge);
                self.covered += 1;
                self.path.edges.push(edge);
                self.has_grown = true;
            } else if self.has_grown {
                self.has_grown = false;
                return Some((self.path.clone(), std::mem::take(&mut self.covered)));
            } else if self.path.edges.pop().is_none() {
                self.path.initial += 1;
                self.has_grown = true;
            }
        }
        None
    }
}
