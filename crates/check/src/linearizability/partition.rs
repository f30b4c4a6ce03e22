//! Histories in parts that share no key, and the orders of the parts as one order of the whole.

use std::collections::BTreeMap;

use super::Operation;
use crate::Model;

/// The parts of the history: two operations with a common key are in the same one, directly or through
/// others. Each is in the order of the history. One part, if an operation does not know its keys.
pub(super) fn parts<M: Model>(model: &M, history: &[Operation<M::Op, M::Answer>]) -> Vec<Vec<usize>> {
    let Some(keys) = history.iter().map(|operation| model.keys(&operation.op)).collect::<Option<Vec<_>>>()
    else {
        return vec![(0..history.len()).collect()];
    };
    let mut links = Links((0..history.len()).collect());
    let mut first_of: BTreeMap<u64, usize> = BTreeMap::new();
    for (place, keys) in keys.iter().enumerate() {
        for key in keys {
            let first = *first_of.entry(*key).or_insert(place);
            links.join(first, place);
        }
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for place in 0..history.len() {
        parts.entry(links.root(place)).or_default().push(place);
    }
    parts.into_values().collect()
}

/// For every operation another one of its part; the root of a part links to itself (union-find).
struct Links(Vec<usize>);

impl Links {
    fn root(&mut self, mut place: usize) -> usize {
        while self.0[place] != place {
            self.0[place] = self.0[self.0[place]];
            place = self.0[place];
        }
        place
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (first, second) = (a.min(b), a.max(b));
        self.0[second] = first;
    }
}

/// One order of everything, given an order for every part.
///
/// In the order of answers, the part of each operation is gone on with until the operation is there. What
/// comes before it in its part was not called after its answer, and all with earlier answers are there
/// already: so nothing comes before something that was answered before its call.
pub(super) fn join<Op, Answer>(history: &[Operation<Op, Answer>], orders: &[Vec<usize>]) -> Vec<usize> {
    let mut part_of = vec![0; history.len()];
    for (part, order) in orders.iter().enumerate() {
        order.iter().for_each(|&place| part_of[place] = part);
    }
    let mut by_answer: Vec<(u32, usize)> = Vec::with_capacity(history.len());
    by_answer.extend((0..history.len()).filter_map(|place| Some((history[place].returned()?, place))));
    by_answer.sort_unstable();
    let mut joined = Vec::with_capacity(history.len());
    let mut is_there = vec![false; history.len()];
    let mut rest: Vec<_> = orders.iter().map(|order| order.iter()).collect();
    for (_, place) in by_answer {
        while !is_there[place] {
            let Some(&next) = rest[part_of[place]].next() else { break };
            is_there[next] = true;
            joined.push(next);
        }
    }
    joined
}
