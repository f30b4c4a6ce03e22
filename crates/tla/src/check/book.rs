//! The books of a worker: what it found, counted and logged.

use std::sync::atomic::Ordering;

use super::Options;
use super::fingerprint::Fingerprint;
use super::frontier::Found;
use super::liveness::Recorder;
use super::shared::{Finding, FindingKind, Shared, WORKER_SHIFT, locked};
use crate::error::{Error, Result};
use crate::eval::Machine;
use crate::model::Model;
use crate::symbol::Symbol;
use crate::value::dictionary::Encoder;

/// How many new states a worker finds between two looks at the memory.
const LOOK_EVERY: u32 = 1 << 14;

/// Counters and checks that the sink of a worker needs, apart from the machine.
pub(super) struct Book<'s> {
    pub shared: &'s Shared<'s>,
    pub print: Fingerprint,
    pub prints: Vec<u64>,
    pub parents: Vec<u32>,
    pub coverage: Vec<(u64, u64)>,
    pub generated: u64,
    /// How many states were generated and how many logged when the others were told.
    pub told: (u64, u64),
    pub out: Found,
    pub encoder: Encoder<'s>,
    pub worker: u32,
    pub alone: bool,
    pub memory_bytes_max: usize,
    pub recorder: Option<Recorder>,
}

impl Book<'_> {
    /// Adds what was generated and logged since last time to everybody's counts.
    pub(super) fn tell(&mut self) {
        let (generated, logged) = (self.generated, self.prints.len() as u64);
        self.shared.counts.generated.fetch_add(generated - self.told.0, Ordering::Relaxed);
        self.shared.counts.distinct.fetch_add(logged - self.told.1, Ordering::Relaxed);
        self.told = (generated, logged);
    }

    pub(super) fn log(&mut self, print: u64, parent: u32) -> u32 {
        let index = self.prints.len() as u32;
        if index.is_multiple_of(LOOK_EVERY) {
            self.look_at_memory();
        }
        self.prints.push(print);
        self.parents.push(parent);
        (self.worker << WORKER_SHIFT) | index
    }

    /// Stops everybody when the memory for states is used up, in the middle of a level too: a level may be endless.
    pub(super) fn look_at_memory(&self) {
        let bytes = self.shared.visited.bytes() + self.shared.rejected.bytes() + self.out.heap_bytes();
        if bytes > self.memory_bytes_max {
            let message =
                format!("memory for states reached its limit of {} MiB", self.memory_bytes_max >> 20);
            *locked(&self.shared.limit) = Some(message);
            self.shared.stop.store(true, Ordering::SeqCst);
        }
    }

    /// The fingerprint of one of this worker's states; 0 for another's, whose fingerprints it does not see.
    pub(super) fn print_of(&self, id: u32) -> u64 {
        if id >> WORKER_SHIFT != self.worker {
            return 0;
        }
        self.prints.get((id & ((1 << WORKER_SHIFT) - 1)) as usize).copied().unwrap_or(0)
    }

    pub(super) fn keep(&mut self, machine: &Machine, id: u32, variables: &[Symbol]) -> Result<()> {
        let mut failed = None;
        let encoder = &mut self.encoder;
        let kept = self.out.push(id, |out| {
            for (index, value) in machine.next.iter().enumerate() {
                if encoder.encode(value, out).is_none() {
                    failed = Some(index);
                    return None;
                }
            }
            Some(())
        });
        if kept {
            return Ok(());
        }
        let name = failed.map_or("", |index| variables[index].as_str());
        let value = failed.map_or_else(String::new, |index| machine.next[index].brief());
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
