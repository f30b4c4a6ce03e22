//! Sequential consistency of a recorded history: one order of everything explains every answer, and has the
//! operations of each client in the client's order. Real time does not count.
//!
//! Unlike linearizability, this is not a matter of each key alone, so the state is that of all keys.

use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasherDefault;

use shakedown_cluster::Fingerprinter;
use shakedown_histories::Operation as Recorded;

use super::model::ObjectState;
use super::understand::ObjectHistory;
use crate::limits::Budget;
use crate::{LimitHit, Model, SearchLimits};

/// An operation, by the place of its key and its place in the history of that key.
type Place = (usize, usize);

/// Whether a history is sequentially consistent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SequentialVerdict {
    /// This order explains it.
    Consistent(Vec<(usize, usize)>),
    /// No order does; this is the longest beginning of one that was found.
    Inconsistent(Vec<(usize, usize)>),
    /// It could not be determined within the limits.
    Unknown(LimitHit),
}

/// How far each client is, and what each key holds.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    done: Vec<u32>,
    states: Vec<ObjectState>,
}

/// Where the search came from, and which client it tries next.
struct Step {
    before: Position,
    next_client: usize,
    taken: Option<Place>,
}

struct Search<'h> {
    history: &'h ObjectHistory,
    clients: Vec<Vec<Place>>,
    tried: HashSet<Position, BuildHasherDefault<Fingerprinter>>,
    order: Vec<Place>,
    longest: Vec<Place>,
}

/// Whether one order explains every answer.
pub fn sequential(history: &ObjectHistory, recorded: &[Recorded], limits: SearchLimits) -> SequentialVerdict {
    let mut clients = BTreeMap::<i64, Vec<Place>>::new();
    for (key, places) in history.recorded.iter().enumerate() {
        for (place, at) in places.iter().enumerate() {
            clients.entry(recorded[*at].process).or_default().push((key, place));
        }
    }
    let mut clients: Vec<Vec<Place>> = clients.into_values().collect();
    for places in &mut clients {
        places.sort_by_key(|(key, place)| history.keys[*key].1[*place].called);
    }
    let mut search =
        Search { history, clients, tried: HashSet::default(), order: Vec::new(), longest: Vec::new() };
    match search.run(Budget::new(limits)) {
        Ok(true) => SequentialVerdict::Consistent(search.order),
        Ok(false) => SequentialVerdict::Inconsistent(search.longest),
        Err(limit) => SequentialVerdict::Unknown(limit),
    }
}

impl Search<'_> {
    fn run(&mut self, mut budget: Budget) -> Result<bool, LimitHit> {
        let states = vec![self.history.object.initial(); self.history.keys.len()];
        let mut position = Position { done: vec![0; self.clients.len()], states };
        let mut stack: Vec<Step> = Vec::new();
        let mut client = 0;
        let bytes = 64 + 8 * self.clients.len() + 48 * self.history.keys.len();
        while !self.is_over(&position) {
            budget.step(self.tried.len() * bytes)?;
            if client == 2 * self.clients.len() {
                let Some(step) = stack.pop() else { return Ok(false) };
                if step.taken.is_some() {
                    self.order.pop();
                }
                (position, client) = (step.before, step.next_client);
                continue;
            }
            let Some((after, taken, is_final)) = self.attempt(&position, client) else {
                client += 1;
                continue;
            };
            if !self.tried.insert(after.clone()) {
                client += 1;
                continue;
            }
            self.order.extend(taken);
            if self.order.len() > self.longest.len() {
                self.longest.clone_from(&self.order);
            }
            // What only looks hinders nothing: if it leads nowhere, nothing else does.
            let next_client = if is_final { 2 * self.clients.len() } else { client + 1 };
            stack.push(Step { before: std::mem::replace(&mut position, after), next_client, taken });
            client = 0;
        }
        Ok(true)
    }

    /// Whether all answers are explained.
    fn is_over(&self, position: &Position) -> bool {
        self.clients.iter().zip(&position.done).all(|(places, done)| {
            places[*done as usize..]
                .iter()
                .all(|(key, place)| self.history.keys[*key].1[*place].answered.is_none())
        })
    }

    /// Does the next operation of a client; in the second half of the choices, leaves out one without an
    /// answer. Gives the position after it, what was done, and whether it only looked.
    fn attempt(&self, position: &Position, choice: usize) -> Option<(Position, Option<Place>, bool)> {
        let (client, leaves_out) = (choice % self.clients.len(), choice >= self.clients.len());
        let &(key, place) = self.clients[client].get(position.done[client] as usize)?;
        let operation = &self.history.keys[key].1[place];
        let mut after = position.clone();
        after.done[client] += 1;
        if leaves_out {
            return operation.answered.is_none().then_some((after, None, false));
        }
        let answer = operation.answered.as_ref().map(|(_, answer)| answer);
        after.states[key] = self.history.object.step(&position.states[key], &operation.op, answer)?;
        let only_looks = answer.is_some_and(|answer| self.history.object.only_looks(&operation.op, answer));
        Some((after, Some((key, place)), only_looks))
    }
}
