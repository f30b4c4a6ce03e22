//! The books of a worker: what it found, counted and logged.

use std::sync::atomic::Ordering;

use super::Options;
use super::fingerprint::Fingerprint;
use super::frontier::{Found, Mark};
use super::liveness::Recorder;
use super::shared::{Finding, FindingKind, NO_PARENT, Shared, WORKER_SHIFT, locked};
use super::spill::{Candidate, Disk, Log};
use super::visited::{Entry, word_of};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::eval::Machine;
use crate::model::{Model, Named};
use crate::symbol::Symbol;
use crate::value::Value;
use crate::value::dictionary::Encoder;
use crate::value::encode::encode_all;

/// A worker looks at the memory at least once in so many new states,
pub(super) const LOOK_STATES: u64 = 1 << 12;
/// and at least once in so many bytes of them.
const LOOK_BYTES: usize = 1 << 20;
/// The number of no action.
pub(super) const NO_LABEL: u32 = u32::MAX;
/// A worker logs fewer states than this: their numbers have so many bits.
const LOGGED_MAX: usize = (1 << WORKER_SHIFT) - 1;

/// How many states were generated, how many of them new, and how many bytes they took.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    pub generated: u64,
    distinct: u64,
    bytes: usize,
}

/// What is known of a state that was entered.
#[derive(Clone, Copy)]
pub(super) enum Entered {
    Known,
    /// Its number.
    New(u32),
    /// It may be known. Whether it is will be found out at the end of the level.
    Unsure(Mark),
}

impl Entered {
    pub(super) fn is_known(self) -> bool {
        matches!(self, Entered::Known)
    }

    /// How a behaviour that ends with the state is named: by its last logged state and the fingerprint after
    /// that.
    pub(super) fn end(self, parent: u32, print: u64) -> (u32, Option<u64>) {
        match self {
            Entered::New(id) => (id, None),
            Entered::Known | Entered::Unsure(_) => (parent, Some(print)),
        }
    }
}

/// Counters and checks that the sink of a worker needs, apart from the machine.
pub(super) struct Book<'s> {
    pub shared: &'s Shared<'s>,
    pub print: Fingerprint,
    pub log: Log,
    /// How many states were found that were new for sure, and how many that were not known for sure.
    pub distinct: u64,
    pub entered: u64,
    /// A worker looks at the memory at least once in so many new states.
    pub look_states: u64,
    /// How many states had been entered when it looked last, and how many bytes they took.
    pub looked: (u64, usize),
    /// The logged states themselves, if the specification asks for the behaviour so far.
    pub states: Option<Vec<Vec<Value>>>,
    /// How often each of the predicates that are to be possible was true.
    pub possible: Vec<u64>,
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
        let (generated, distinct) = (self.generated, self.distinct);
        let now = Told { generated, distinct, bytes: self.kept_bytes() };
        let counts = &self.shared.counts;
        counts.generated.fetch_add(now.generated - self.published.generated, Ordering::Relaxed);
        counts.distinct.fetch_add(now.distinct - self.published.distinct, Ordering::Relaxed);
        // Bytes may become fewer: the sum wraps around and comes out right.
        counts.kept_bytes.fetch_add(now.bytes.wrapping_sub(self.published.bytes), Ordering::Relaxed);
        self.published = now;
    }

    fn kept_bytes(&self) -> usize {
        let graph = self.recorder.as_ref().map_or(0, |recorder| recorder.bytes);
        self.out.heap_bytes() + self.log.heap_bytes() + graph
    }

    /// Enters a state that was reached from another by an action.
    #[inline]
    pub(super) fn enter(&mut self, print: u64, parent: u32, label: u32) -> Entered {
        match self.shared.visited.enter(self.worker as usize, print) {
            Entry::Known => Entered::Known,
            Entry::New => {
                self.look_sometimes();
                self.distinct += 1;
                Entered::New(self.log(print, parent))
            }
            Entry::Unsure => {
                self.look_sometimes();
                Entered::Unsure(self.note(print, label))
            }
        }
    }

    #[inline]
    fn look_sometimes(&mut self) {
        self.entered += 1;
        let (entered, bytes) = self.looked;
        if self.entered > entered + self.look_states || self.kept_bytes() >= bytes + LOOK_BYTES {
            self.publish();
            self.make_room();
            self.look_at_memory();
            self.looked = (self.entered, self.kept_bytes());
        }
    }

    /// Logs a state; its number.
    pub(super) fn log(&mut self, print: u64, parent: u32) -> u32 {
        let index = self.log.len();
        if index >= LOGGED_MAX {
            let message = format!("a worker found {LOGGED_MAX} states, the most that it can number");
            locked(&self.shared.limit).get_or_insert(message);
            self.shared.stop.store(true, Ordering::SeqCst);
            return NO_PARENT;
        }
        self.log.push(print, parent);
        (self.worker << WORKER_SHIFT) | index as u32
    }

    /// Notes a state that may be known.
    #[cold]
    fn note(&mut self, print: u64, label: u32) -> Mark {
        let number = self.out.note();
        if let Some(disk) = &self.shared.disk {
            let row =
                Candidate { word: word_of(print), number: (self.worker << WORKER_SHIFT) | number, label };
            let _ = self.shared.kept(disk.note(row));
        }
        Mark { print, number }
    }

    /// Moves states to the folder if they take too much memory.
    fn make_room(&mut self) {
        let shared = self.shared;
        if let Some(disk) = shared.disk.as_ref().filter(|_| self.states.is_none()) {
            let _ = shared.kept(self.make_room_in(disk));
        }
    }

    fn make_room_in(&mut self, disk: &Disk) -> std::io::Result<()> {
        let Shared { visited, rejected, .. } = self.shared;
        if !visited.is_partial() {
            if self.shared.memory_bytes() <= disk.memory_bytes {
                return Ok(());
            }
            disk.move_known(visited)?;
            rejected.clear();
        }
        if visited.len() > disk.cached_max() {
            visited.clear();
        }
        if rejected.len() > disk.cached_max() / 4 {
            rejected.clear();
        }
        let share = disk.memory_bytes / 8 / disk.workers();
        if self.log.heap_bytes() > share {
            disk.write_log(&mut self.log, false)?;
        }
        if self.out.heap_bytes() > share {
            self.out.spill(disk)?;
        }
        Ok(())
    }

    /// Looks whether what is to be possible is true in the state being made (or of the step to it).
    pub(super) fn look_at_possible(
        &mut self,
        machine: &mut Machine,
        model: &[(Named, bool)],
        steps: bool,
    ) -> Result<()> {
        for ((predicate, of_steps), times) in model.iter().zip(&mut self.possible) {
            if *of_steps != steps {
                continue;
            }
            *times += u64::from(match steps {
                true => machine.holds_apart(&predicate.expr, predicate.place)?,
                false => machine.holds_in_next(&predicate.expr, predicate.place)?,
            });
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
            id = self.log.get(index, None).map_or(NO_PARENT, |(_, parent)| parent);
        }
        path.reverse();
        path
    }

    /// Stops everybody when the memory for states is used up, in the middle of a level too: a level may be
    /// endless.
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
        let index = (id & ((1 << WORKER_SHIFT) - 1)) as usize;
        self.log.get(index, self.shared.folder()).map_or(0, |(print, _)| print)
    }

    /// Puts the state that was made into the queue; with a mark, the number is that of the state before.
    pub(super) fn keep(
        &mut self,
        machine: &mut Machine,
        entered: Entered,
        parent: u32,
        variables: &[Symbol],
    ) -> Result<()> {
        let (id, mark) = match entered {
            Entered::Known => return Ok(()),
            Entered::New(id) => (id, None),
            Entered::Unsure(mark) => (parent, Some(mark)),
        };
        let encoder = &mut self.encoder;
        let Machine { next, allowance, .. } = machine;
        let infinite = self.out.push(id, mark, |out| encode_all(next, out, Some(encoder), allowance))?;
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
