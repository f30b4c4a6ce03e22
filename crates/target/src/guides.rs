//! The guides that every target has: abstract states, and the order of what happened. A target adds its own,
//! such as the states of a specification.

use rustc_hash::FxHashSet;
use shakedown_check::Guide;
use shakedown_cluster::{Cluster, Fingerprinter, NodeId};
use shakedown_explore::order_of;

use crate::live::ColourOf;

/// A guide that can be chosen by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuideInfo {
    /// Its name.
    pub name: &'static str,
    /// One line on what it counts.
    pub about: &'static str,
}

/// Counts abstract states of the cluster: the colours of its nodes, without their identities, and which of
/// them are down.
pub(crate) const STATE: GuideInfo =
    GuideInfo { name: "state", about: "abstract states: the multiset of the nodes' colours" };

/// Counts executions that differ in the order of what depends on each other (Mazurkiewicz traces).
pub(crate) const TRACE: GuideInfo =
    GuideInfo { name: "trace", about: "orders of events that depend on each other (Mazurkiewicz traces)" };

/// The name of the guide that follows a specification, in targets that are mapped onto one: reports show what
/// it tells.
pub const MODEL: &str = "model";

/// See [`STATE`].
pub(crate) struct States<S> {
    colour_of: ColourOf<S>,
    /// The colour of every node, as of its last moment.
    colours: Vec<u64>,
    /// Room for the colours in order.
    sorted: Vec<(u64, bool)>,
    /// The last state: most steps change nothing that matters.
    last: u64,
    seen: FxHashSet<u64>,
}

impl<S> States<S> {
    pub fn new(colour_of: ColourOf<S>) -> States<S> {
        States { colour_of, colours: Vec::new(), sorted: Vec::new(), last: 0, seen: FxHashSet::default() }
    }
}

impl<S> Guide<S> for States<S> {
    fn after_step(&mut self, cluster: &dyn Cluster<State = S>, fresh_from: usize) {
        let (board, states) = (cluster.board(), cluster.states());
        if self.colours.is_empty() {
            self.colours = states.iter().map(|state| (self.colour_of)(state)).collect();
        }
        for moment in &board.moments()[fresh_from..] {
            let node = moment.node.index();
            self.colours[node] = (self.colour_of)(&states[node]);
        }
        self.sorted.clear();
        self.sorted.extend(
            self.colours
                .iter()
                .zip(NodeId::first(board.size()))
                .map(|(colour, node)| (*colour, board.is_up(node))),
        );
        self.sorted.sort_unstable();
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.add(&self.sorted);
        let state = fingerprinter.finish().0 as u64;
        if state != self.last {
            self.last = state;
            self.seen.insert(state);
        }
    }

    fn covered(&mut self, _cluster: &dyn Cluster<State = S>) -> Vec<u64> {
        let mut seen: Vec<_> = self.seen.drain().collect();
        seen.sort_unstable();
        seen
    }
}

/// See [`TRACE`].
pub(crate) struct Traces;

impl<S> Guide<S> for Traces {
    fn covered(&mut self, cluster: &dyn Cluster<State = S>) -> Vec<u64> {
        vec![order_of(cluster.board())]
    }
}
