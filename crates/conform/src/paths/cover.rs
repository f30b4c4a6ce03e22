//! What paths are wanted, and the paths.

use super::bits::Bits;
use super::depth_first::DepthFirst;
use super::greedy::Greedy;
use super::pending::Pending;
use super::region::Region;
use super::{StateGraph, reduction};
use shakedown_cluster::derive_seed;

/// What has to be covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Covers {
    /// Every action in every state, as published.
    #[default]
    Edges,
    /// Every state.
    Nodes,
}

/// How paths are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Depth first, as published: a path ends where no uncovered edge leaves, and the next one branches off
    /// as late as possible.
    #[default]
    DepthFirst,
    /// Our own, with fewer steps in all: a path goes on to an uncovered edge near by instead of ending, and a
    /// new one takes a shortest way to its first uncovered edge.
    Greedy,
}

/// What stands for an order of actions that a reduction leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swaps {
    /// An order that comes of it by swapping independent neighbours, as often as it takes. Few paths are
    /// left.
    #[default]
    Chained,
    /// An order that comes of it by swapping two neighbours once. More is left: the choice for those who do
    /// not trust that what is independent in the model is so in the implementation.
    Single,
}

/// Where paths stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Names of actions: a path stops after any of them.
    pub actions: Vec<String>,
    /// States: a path stops in any of them.
    pub states: Vec<u32>,
}

/// What paths are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// What has to be covered.
    pub what: Covers,
    /// How paths are found.
    pub shape: Shape,
    /// Of two actions that lead to the same state in either order, only one order is a target. (It changes
    /// nothing for nodes, which are all covered either way.)
    pub reduce: bool,
    /// How far the order that is a target may be from the one that is not.
    pub swaps: Swaps,
    /// Where paths stop. Edges that leave a state which can only be stopped in are no targets.
    pub ends: Ends,
    /// Which of two orders, and which edge first.
    pub seed: u64,
}

/// A path: where it begins, and its edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The initial state that it begins in.
    pub initial: u32,
    /// Its edges, each beginning where the one before ends. It may be empty: then it is about the initial
    /// state alone.
    pub edges: Vec<u32>,
}

/// How far paths have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The states of the graph that paths can come to.
    pub states: u64,
    /// The edges of the graph that paths can take.
    pub edges: u64,
    /// How many of these edges, or states, are to be covered.
    pub targets: u64,
    /// How many of them are covered so far.
    pub covered: u64,
    /// Paths so far.
    pub paths: u64,
    /// The edges of all these paths together.
    pub steps: u64,
}

impl Cover {
    /// The paths through a graph: the same ones for the same seed.
    pub fn paths<'a>(&self, graph: &'a StateGraph) -> Paths<'a> {
        let region = Region::new(graph, &self.ends);
        let edges = region.edges(graph);
        let mut statistics =
            Statistics { states: u64::from(region.reached), edges: edges.count(), ..Statistics::default() };
        let targets = match self.what {
            Covers::Edges if self.reduce => {
                reduction::targets(graph, &region, self.swaps, derive_seed(self.seed, 0))
            }
            Covers::Edges => edges,
            Covers::Nodes => region.tree(graph),
        };
        statistics.targets = match self.what {
            Covers::Edges => targets.count(),
            Covers::Nodes => statistics.states,
        };
        let pending = Pending::new(graph, targets, derive_seed(self.seed, 1));
        let walk = match self.shape {
            Shape::DepthFirst => Walk::DepthFirst(DepthFirst::new(region, pending)),
            Shape::Greedy => Walk::Greedy(Greedy::new(graph, region, pending)),
        };
        let states = match self.what {
            Covers::Edges => None,
            Covers::Nodes => Some(Bits::new(graph.states())),
        };
        Paths { graph, walk, states, statistics }
    }
}

enum Walk {
    DepthFirst(DepthFirst),
    Greedy(Greedy),
}

/// The paths of a [`Cover`], one by one. None is kept.
pub struct Paths<'a> {
    graph: &'a StateGraph,
    walk: Walk,
    /// The states that are covered, if that is what counts.
    states: Option<Bits>,
    statistics: Statistics,
}

impl Paths<'_> {
    /// How far the paths have come.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Iterator for Paths<'_> {
    type Item = Path;

    fn next(&mut self) -> Option<Path> {
        let (path, covered) = match &mut self.walk {
            Walk::DepthFirst(walk) => walk.next(self.graph)?,
            Walk::Greedy(walk) => walk.next(self.graph)?,
        };
        self.statistics.paths += 1;
        self.statistics.steps += path.edges.len() as u64;
        self.statistics.covered += match &mut self.states {
            None => covered,
            Some(states) => {
                let ends = path.edges.iter().map(|edge| self.graph.to(*edge));
                std::iter::once(path.initial).chain(ends).filter(|state| states.insert(*state)).count() as u64
            }
        };
        Some(path)
    }
}
