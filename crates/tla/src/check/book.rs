//! The books of a worker: what it found, counted and logged.

use std::sync::atomic::Ordering;

use super::Options;
use super::fingerprint::Fingerprint;
use super::frontier::Found;
use super::liveness::Recorder;
use super::shared::{Finding, FindingKind, NO_PARENT, Shared, WORKER_SHIFT, locked};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::eval::Machine;
use crate::model::{Model, Named};
use crate::symbol::Symbol;
use crate::value::Value;
use crate::value::dictionary::Encoder;
use crate::value::encode::encode_all;

/// A worker looks at the memory at least once in so many new states,
const LOOK_STATES: u64 = 1 << 12;
/// and at least once in so many bytes of them.
const LOOK_BYTES: usize = 1 << 20;
/// What a logged state takes: its fingerprint, and the number of the state it was reached from.
const LOG_BYTES: usize = 12;

/// How many states were generated, how many logged, and how many bytes they took.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    generated: u64,
    logged: u64,
    bytes: usize,
}

/// Counters and checks that the sink of a worker needs, apart from the machine.
pub(super) struct Book<'s> {
    pub shared: &'s Shared<'s>,
    pub print: Fingerprint,
    pub prints: Vec<u64>,
    pub parents: Vec<u32>,
    /// The logged states themselves, if the specification asks for the behaviour so far.
    pub states: Option<Vec<Vec<Value>>>,
    /// Which of the predicates that are to be possible were true.
    pub possible: Vec<bool>,
    pub coverage: Vec<(u64, u64)>,
    pub generated: u64,
    /// What the others were told last.
    pub published: Told,
    pub out: Found,
    pub encoder: Encoder<'s>,
    pub worker: u32,
    pub alone: bool,
    pub memory_bytes_max: usize,
    pub budget: Budget,
    pub recorder: Option<Recorder>,
}

impl Book<'_> {
    /// Adds what has changed since last time to everybody's counts.
    pub(super) fn publish(&mut self) {
        let now =
            Told { generated: self.generated, logged: self.prints.len() as u64, bytes: self.kept_bytes() };
        let counts = &self.shared.counts;
        counts.generated.fetch_add(now.generated - self.published.generated, Ordering::Relaxed);
        counts.distinct.fetch_add(now.logged - self.published.logged, Ordering::Relaxed);
        // Bytes may become fewer: the sum wraps around and comes out right.
        counts.kept_bytes.fetch_add(now.bytes.wrapping_sub(self.published.bytes), Ordering::Relaxed);
        self.published = now;
    }

    fn kept_bytes(&self) -> usize {
        let graph = self.recorder.as_ref().map_or(0, |recorder| recorder.bytes);
        self.out.heap_bytes() + self.prints.len() * LOG_BYTES + graph
    }

    pub(super) fn log(&mut self, print: u64, parent: u32) -> u32 {
        let index = self.prints.len() as u32;
        let published = self.published;
        if u64::from(index) >= published.logged + LOOK_STATES
            || self.kept_bytes() >= published.bytes + LOOK_BYTES
        {
            self.publish();
            self.look_at_memory();
        }
        self.prints.push(print);
        self.parents.push(parent);
        (self.worker << WORKER_SHIFT) | index
    }

    /// Looks whether what is to be possible is true in the state being made (or of the step to it).
    pub(super) fn look_at_possible(
        &mut self,
        machine: &mut Machine,
        model: &[(Named, bool)],
        steps: bool,
    ) -> Result<()> {
        for ((predicate, of_steps), seen) in model.iter().zip(&mut self.possible) {
            if *of_steps != steps || *seen {
                continue;
            }
            *seen = match steps {
                true => machine.holds_apart(&predicate.expr, predicate.place)?,
                false => machine.holds_in_next(&predicate.expr, predicate.place)?,
            };
        }
        Ok(())
    }

    /// The states from an initial one to this one, if the specification asks for them.
    pub(super) fn path_to(&self, id: u32) -> Vec<Vec<Value>> {
        let Some(states) = &self.states else { return Vec::new() };
        let mut path = Vec::new();
        let mut id = id;
        while id != NO_PARENT {
            let index = (id & ((1 << WORKER_SHIFT) - 1)) as usize;
            path.extend(states.get(index).cloned());
            id = self.parents.get(index).copied().unwrap_or(NO_PARENT);
        }
        path.reverse();
        path
    }

    /// Stops everybody when the memory for states is used up, in the middle of a level too: a level may be endless.
    pub(super) fn look_at_memory(&self) {
        if self.shared.memory_bytes() > self.memory_bytes_max || self.budget.is_exceeded() {
            *locked(&self.shared.limit) = Some(memory_limit(self.memory_bytes_max));
            self.shared.stop.store(true, Ordering::SeqCst);
        }
    }

    /// The graph for liveness grows with steps between known states, too.
    pub(super) fn look_at_graph(&self) {
        if self.recorder.is_some() {
            self.look_at_memory();
        }
    }

    /// The fingerprint of one of this worker's states; 0 for another's, whose fingerprints it does not see.
    pub(super) fn print_of(&self, id: u32) -> u64 {
        if id >> WORKER_SHIFT != self.worker {
            return 0;
        }
        self.prints.get((id & ((1 << WORKER_SHIFT) - 1)) as usize).copied().unwrap_or(0)
    }

    pub(super) fn keep(&mut self, machine: &mut Machine, id: u32, variables: &[Symbol]) -> Result<()> {
        let encoder = &mut self.encoder;
        let Machine { next, allowance, .. } = machine;
        let infinite = self.out.push(id, |out| encode_all(next, out, Some(encoder), allowance))?;
        let Some(index) = infinite else { return Ok(()) };
        let (name, value) = (variables[index], next[index].brief());
        Err(Box::new(Error::Evaluation {
            place: crate::error::Place::none(),
            message: format!("variable {name} has the value {value}, which is infinite"),
        }))
    }

    pub(super) fn deadlock(&self, options: &Options, model: &Model) -> bool {
        options.deadlock.unwrap_or(true) && model.next.is_some()
    }

    /// Remembers the finding with the least key; alone, stops at once.
    pub(super) fn find(&mut self, key: u64, kind: FindingKind, name: Symbol, state: u32, after: Option<u64>) {
        let mut best = locked(&self.shared.finding);
        if best.as_ref().is_none_or(|(known, _)| key < *known) {
            *best = Some((key, Finding { kind, name, message: String::new(), state, after }));
        }
        if self.alone {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Says that the memory is used up.
pub(super) fn memory_limit(bytes: usize) -> String {
    format!("memory reached its limit of {} MiB", bytes >> 20)
}
