//! The cluster as a transition system with few states and few actions (section 4.2 of the thesis).
//!
//! A state is a multiset of parts, each a multiset of colours, with a bounded count of how often the same
//! state was seen again and the number of requests that are still to be sent. The actions are: keep the
//! partition; part the running nodes anew, by their colours; crash a node of a colour; restart a node; send a
//! request.

use shakedown_cluster::{Board, NodeId, derive_seed};

use super::{Waypoints, multiset_partitions};
use crate::Sight;

/// In which order the messages of a round are delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// Any order, each with equal chance.
    Any,
    /// As they were sent: the same actions then lead to the same states more often.
    Sent,
}

/// The parameters of the transition system.
#[derive(Clone, PartialEq, Debug)]
pub struct Partitions {
    /// How many actions make an episode.
    pub horizon: usize,
    /// How many rounds of deliveries and ticks an action takes that keeps or changes the partition.
    pub ticks: usize,
    /// Up to how often it is counted that a state was seen again.
    pub same: u32,
    /// The most crashes of an episode.
    pub crashes: usize,
    /// How many nodes may be down at once, if the contract allows as many.
    pub down: usize,
    /// The most partitions that are offered: those of the fewest parts.
    pub choices: usize,
    /// The order of deliveries.
    pub delivery: Delivery,
    /// The predicates that lead to the target of the search.
    pub waypoints: Waypoints,
    /// Predicates that are only looked at, to compare what strategies come to that are led by others; at
    /// most 64.
    pub watched: Waypoints,
}

impl Default for Partitions {
    /// What the thesis uses.
    fn default() -> Partitions {
        Partitions {
            horizon: 25,
            ticks: 4,
            same: 5,
            crashes: 3,
            down: 1,
            choices: 64,
            delivery: Delivery::Any,
            waypoints: Waypoints::default(),
            watched: Waypoints::default(),
        }
    }
}

/// Something that can be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Time passes.
    Keep,
    /// The running nodes are parted anew: for every place in [`View::running`], its part.
    Part(Vec<u8>),
    /// A node of this colour crashes.
    Crash(u64),
    /// A node that is down restarts.
    Restart,
    /// A client asks.
    Request,
}

/// What is seen of the cluster when an action is to be chosen.
pub(crate) struct View {
    /// The colour of every node.
    pub colours: Vec<u64>,
    /// The running nodes, those of one colour together.
    pub running: Vec<NodeId>,
    /// Stands for the parts and their colours.
    pub parts: u64,
    /// Stands for the colours alone.
    pub covered: u64,
    /// How many requests are still to be sent.
    pub requests: usize,
}

impl View {
    /// Looks at a cluster whose nodes are in these parts.
    pub fn of(sight: &Sight<'_>, part_of: &[u8]) -> View {
        let board = sight.board();
        let colours: Vec<u64> = NodeId::first(board.size())
            .map(|node| derive_seed(sight.colour(node), u64::from(board.is_up(node))))
            .collect();
        let mut running: Vec<_> = board.up().collect();
        running.sort_by_key(|node| colours[node.index()]);
        let mut all = colours.clone();
        all.sort_unstable();
        let covered = fold(all.into_iter());
        View {
            running,
            parts: parts(&colours, part_of),
            covered,
            requests: board.workload().len().saturating_sub(board.requests().len()),
            colours,
        }
    }

    fn colour(&self, node: NodeId) -> u64 {
        self.colours[node.index()]
    }

    /// What can be done now, each with a number that means the same whenever the colours are the same.
    pub fn actions(&self, space: &Partitions, sight: &Sight<'_>, actions: &mut Vec<(u64, Action)>) {
        let board = sight.board();
        actions.clear();
        let different = self.different();
        if !self.running.is_empty() {
            actions.push((KEEP, Action::Keep));
            let counts: Vec<u8> = different.iter().map(|(_, count)| *count).collect();
            for partition in multiset_partitions(&counts, space.choices) {
                actions.push(self.part(&different, &partition));
            }
        }
        let down_max = space.down.min(board.contract().down_max(board.size()));
        if board.crash_count() < space.crashes && board.down_count() < down_max {
            let crash = |(colour, _): &(u64, u8)| (derive_seed(*colour, CRASH), Action::Crash(*colour));
            actions.extend(different.iter().map(crash));
        }
        if board.down_count() > 0 {
            actions.push((RESTART, Action::Restart));
        }
        if board.next_request().is_some() && serving(sight).next().is_some() {
            actions.push((REQUEST, Action::Request));
        }
    }

    /// The colours of the running nodes, each once, with how many have it.
    fn different(&self) -> Vec<(u64, u8)> {
        let mut different: Vec<(u64, u8)> = Vec::new();
        for &node in &self.running {
            match different.last_mut() {
                Some((colour, count)) if *colour == self.colour(node) => *count += 1,
                _ => different.push((self.colour(node), 1)),
            }
        }
        different
    }

    fn part(&self, different: &[(u64, u8)], partition: &[Vec<u8>]) -> (u64, Action) {
        let name = partition.iter().fold(PART, |name, part| {
            let of_part = part.iter().zip(different).fold(PART, |of_part, (count, (colour, _))| {
                derive_seed(derive_seed(of_part, *colour), u64::from(*count))
            });
            derive_seed(name, of_part)
        });
        let mut part_of = Vec::with_capacity(self.running.len());
        for colour in 0..different.len() {
            for (number, part) in (0..).zip(partition) {
                part_of.extend(std::iter::repeat_n(number, usize::from(part[colour])));
            }
        }
        (name, Action::Part(part_of))
    }

    /// Stands for the whole state.
    pub fn state(&self, repeats: u32) -> u64 {
        derive_seed(derive_seed(self.parts, u64::from(repeats)), self.requests as u64)
    }
}

const KEEP: u64 = 1;
const PART: u64 = 2;
const CRASH: u64 = 3;
const RESTART: u64 = 4;
const REQUEST: u64 = 5;

/// The running nodes that clients ask.
pub(crate) fn serving<'a>(sight: &'a Sight<'_>) -> impl Iterator<Item = NodeId> + Clone + 'a {
    sight.board().up().filter(|&node| sight.serves(node))
}

/// A number for a sequence of numbers.
fn fold(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, derive_seed)
}

/// A number for a multiset of multisets of colours.
fn parts(colours: &[u64], part_of: &[u8]) -> u64 {
    let mut members: Vec<(u8, u64)> = part_of.iter().copied().zip(colours.iter().copied()).collect();
    members.sort_unstable();
    let is_same = |a: &(u8, u64), b: &(u8, u64)| a.0 == b.0;
    let mut parts: Vec<u64> =
        members.chunk_by(is_same).map(|part| fold(part.iter().map(|(_, colour)| *colour))).collect();
    parts.sort_unstable();
    fold(parts.into_iter())
}

/// The pairs of nodes whose link is to be cut or healed so that nodes hear each other if and only if they are
/// in one part.
pub(crate) fn changes<'a>(
    board: &'a Board,
    part_of: &'a [u8],
) -> impl Iterator<Item = (NodeId, NodeId, bool)> + 'a {
    NodeId::first(board.size()).flat_map(move |a| {
        let later = NodeId::first(board.size()).filter(move |&b| a < b);
        later.filter_map(move |b| {
            let is_apart = part_of[a.index()] != part_of[b.index()];
            (is_apart != board.is_cut(a, b)).then_some((a, b, is_apart))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_do_not_know_nodes_nor_the_numbers_of_parts() {
        let (red, blue) = (11, 22);
        assert_eq!(parts(&[red, red, blue], &[0, 1, 1]), parts(&[blue, red, red], &[7, 3, 7]));
        assert_ne!(parts(&[red, red, blue], &[0, 1, 1]), parts(&[red, red, blue], &[0, 0, 1]));
        assert_ne!(parts(&[red, red, blue], &[0, 0, 0]), parts(&[red, blue, blue], &[0, 0, 0]));
        assert_ne!(parts(&[red, blue], &[0, 1]), parts(&[red, blue], &[0, 0]));
    }
}
