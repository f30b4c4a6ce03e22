//! Our own cover: the same targets with fewer steps.
//!
//! What a path costs beyond its targets is the way to them. Depth first pays for it with every path, and its
//! ways are long. Here a new path takes a shortest way to its first target, then goes from target to target;
//! where none leaves, it goes on to one near by if that is a shorter way than one from the beginning.
//!
//! Which targets are worth a way? If no more of them leave a state than lead to it, whoever comes by the ones
//! will take the others. So ways go to states that lack a way in. When there are none of these left, what is
//! left are cycles, and any state will do.

use super::bits::Bits;
use super::pending::Pending;
use super::region::{NONE, Region};
use super::{Path, StateGraph};

/// How many states are looked at for a target near by: what bounds the time of a search that finds nothing.
const NEAR_STATES_MAX: usize = 256;

/// A traversal that takes targets by the shortest ways it finds.
pub(super) struct Greedy {
    region: Region,
    pending: Pending,
    /// Open states before these places, by distance, lack nothing, or have no target left.
    nearest_lacking: usize,
    nearest: usize,
    /// The initial states that no path began in.
    unused: Bits,
    search: Search,
}

impl Greedy {
    pub(super) fn new(graph: &StateGraph, region: Region, pending: Pending) -> Greedy {
        let mut unused = Bits::new(graph.initial());
        for state in 0..graph.initial() {
            unused.insert(state);
        }
        let search = Search { seen: vec![0; graph.states() as usize], round: 0, queue: Vec::new() };
        Greedy { region, pending, nearest_lacking: 0, nearest: 0, unused, search }
    }

    /// The next path, and how many targets it is the first to cover.
    pub(super) fn next(&mut self, graph: &StateGraph) -> Option<(Path, u64)> {
        let Some(start) = self.start() else {
            let initial = (0..graph.initial()).find(|state| self.unused.has(*state))?;
            self.unused.remove(initial);
            return Some((Path { initial, edges: Vec::new() }, 0));
        };
        let mut edges = self.way_to(graph, start);
        let initial = edges.first().map_or(start, |edge| graph.from(*edge));
        self.unused.remove(initial);
        let mut covered = 0;
        for edge in &edges {
            covered += u64::from(self.pending.cover(graph, *edge));
        }
        let mut state = start;
        loop {
            let more = edges.len();
            match self.pending.of(state) {
                Some(edge) => edges.push(edge),
                None => {
                    let Greedy { region, pending, search, .. } = self;
                    let is_balanced = self.nearest_lacking == region.open.len();
                    let is_wanted =
                        |state| pending.lacks(state) || (is_balanced && pending.of(state).is_some());
                    search.nearest(graph, region, state, is_wanted, &mut edges);
                }
            }
            for edge in &edges[more..] {
                covered += u64::from(self.pending.cover(graph, *edge));
            }
            match edges[more..].last() {
                Some(last) if !self.region.stops(graph, *last) => state = graph.to(*last),
                _ => return Some((Path { initial, edges }, covered)),
            }
        }
    }

    /// The state nearest to the beginning that has to be come to: one that lacks a way in; if there is none,
    /// any that has a target.
    fn start(&mut self) -> Option<u32> {
        while let Some(state) = self.region.open.get(self.nearest_lacking) {
            if self.pending.lacks(*state) {
                return Some(*state);
            }
            self.nearest_lacking += 1;
        }
        while let Some(state) = self.region.open.get(self.nearest) {
            if self.pending.of(*state).is_some() {
                return Some(*state);
            }
            self.nearest += 1;
        }
        None
    }

    /// A shortest way to a state from an initial one.
    fn way_to(&self, graph: &StateGraph, mut state: u32) -> Vec<u32> {
        let mut edges = Vec::with_capacity(self.region.distance[state as usize] as usize);
        while self.region.parent[state as usize] != NONE {
            let edge = self.region.parent[state as usize];
            edges.push(edge);
            state = graph.from(edge);
        }
        edges.reverse();
        edges
    }
}

/// Looks for a target near a state, breadth first.
struct Search {
    /// For every state the round in which it was last seen.
    seen: Vec<u32>,
    round: u32,
    /// The states seen in this round: the edge that led there, and the place in the queue it came from.
    queue: Vec<(u32, u32)>,
}

impl Search {
    /// Adds the way to the nearest state that is wanted, if it is shorter than the way there from the
    /// beginning.
    fn nearest(
        &mut self,
        graph: &StateGraph,
        region: &Region,
        state: u32,
        mut is_wanted: impl FnMut(u32) -> bool,
        way: &mut Vec<u32>,
    ) {
        self.begin(state);
        let mut place = 0;
        let mut from = Some((state, 0));
        while let Some((state, length)) = from {
            for edge in graph.out(state) {
                let to = graph.to(edge);
                if region.stops(graph, edge) || self.seen[to as usize] == self.round {
                    continue;
                }
                self.seen[to as usize] = self.round;
                self.queue.push((edge, place));
                if length + 1 < region.distance[to as usize] && is_wanted(to) {
                    self.way_back(way);
                    return;
                }
            }
            from = None;
            if (place as usize) < self.queue.len().min(NEAR_STATES_MAX) {
                let (edge, _) = self.queue[place as usize];
                place += 1;
                from = Some((graph.to(edge), self.length(place)));
            }
        }
    }

    fn begin(&mut self, state: u32) {
        self.queue.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.seen.fill(0);
            1
        });
        self.seen[state as usize] = self.round;
    }

    /// How long the way to what stands before this place of the queue is.
    fn length(&self, mut place: u32) -> u32 {
        let mut length = 0;
        while place > 0 {
            place = self.queue[place as usize - 1].1;
            length += 1;
        }
        length
    }

    /// Adds the way to the state that was seen last.
    fn way_back(&self, way: &mut Vec<u32>) {
        let begin = way.len();
        let mut place = self.queue.len() as u32;
        while place > 0 {
            let (edge, from) = self.queue[place as usize - 1];
            way.push(edge);
            place = from;
        }
        way[begin..].reverse();
    }
}
