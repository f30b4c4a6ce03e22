//! What must come before what among operations, and the circles in it.

use rustc_hash::FxHashMap;

use crate::graph::{EdgeList, Label, Labels};
use crate::{Operation, Outcome};

/// Gathers what must come before what. Operations are nodes by their places; further nodes stand for moments.
pub(super) struct Order {
    edges: EdgeList,
    operations: u32,
    next: u32,
}

impl Order {
    pub fn new(operations: usize) -> Order {
        let operations = operations as u32;
        Order { edges: EdgeList::default(), operations, next: operations }
    }

    /// A moment.
    pub fn moment(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// The first comes before the second.
    pub fn add(&mut self, first: u32, second: u32) {
        self.edges.add(first, second, Label::Ww);
    }

    /// What had ended before another operation began comes before it. These operations are in the order of
    /// their beginnings.
    pub fn add_real_time(&mut self, history: &[Operation], is_in: impl Fn(u32) -> bool) {
        let places = || (0..).zip(history).filter(|(place, _)| is_in(*place));
        let mut ends: Vec<(u32, u32)> = places()
            .filter(|(_, operation)| operation.outcome == Outcome::Ok)
            .filter_map(|(place, operation)| Some((operation.ended?, place)))
            .collect();
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        let mut now = self.moment();
        for (place, operation) in places() {
            if ends.peek().is_some_and(|(ended, _)| *ended < operation.began) {
                let before = std::mem::replace(&mut now, self.moment());
                self.add(before, now);
            }
            while let Some((_, ended)) = ends.next_if(|(ended, _)| *ended < operation.began) {
                self.add(ended, now);
            }
            self.add(now, place);
        }
    }

    /// A circle in each group of operations that must come before each other, as places.
    pub fn circles(self) -> Vec<Vec<usize>> {
        let graph = self.edges.into_graph(self.next as usize);
        let groups = graph.components(Labels::of(&[Label::Ww]));
        let circle = |group: Vec<u32>| {
            let start = group[0];
            let mut before = FxHashMap::<u32, u32>::default();
            let mut queue = std::collections::VecDeque::from([start]);
            while let Some(node) = queue.pop_front() {
                for edge in graph.edges(node).iter().filter(|edge| group.binary_search(&edge.to).is_ok()) {
                    before.entry(edge.to).or_insert_with(|| {
                        queue.push_back(edge.to);
                        node
                    });
                }
                if before.contains_key(&start) {
                    break;
                }
            }
            let mut circle = vec![start];
            let mut node = before.get(&start).copied();
            while let Some(at) = node.filter(|at| *at != start) {
                circle.push(at);
                node = before.get(&at).copied();
            }
            circle.reverse();
            circle.retain(|node| *node < self.operations);
            circle.into_iter().map(|node| node as usize).collect()
        };
        groups.into_iter().map(circle).collect()
    }
}
