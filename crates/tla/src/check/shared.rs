//! What the workers of an exploration share, and what each hands back.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError, RwLock};

use super::apart::Apart;
use super::frontier::{Level, Segment};
use super::outcome::{Progress, Violation, ViolationKind};
use super::visited::Visited;
use crate::error::{Error, Result};
use crate::symbol::Symbol;
use crate::value::dictionary::Dictionary;

/// A state's number has the worker that found it in its upper bits.
pub(super) const WORKER_SHIFT: u32 = 28;
/// Most workers.
pub(super) const WORKERS_MAX: usize = 16;
/// An initial state is reached from nowhere.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// Takes notice of how far a check has come.
pub(super) type Watch<'w> = &'w (dyn Fn(&Progress) + Sync);

/// Something found that ends the exploration.
pub(super) struct Finding {
    pub kind: FindingKind,
    pub name: Symbol,
    pub message: String,
    /// The last logged state, and the fingerprint of one more after it that is not logged.
    pub state: u32,
    pub after: Option<u64>,
}

pub(super) enum FindingKind {
    Violation(ViolationKind),
    Error(Box<Error>),
}

/// How many states there are, as far as the workers have told.
#[derive(Default)]
pub(super) struct Counts {
    pub distinct: AtomicU64,
    pub generated: AtomicU64,
    /// Bytes of what the workers keep of states: those they found for the next level, their logs, the graph for liveness.
    pub kept_bytes: AtomicUsize,
}

/// What the workers share.
pub(super) struct Shared<'w> {
    pub visited: Visited,
    /// States outside the constraints, whose invariants have been checked.
    pub rejected: Visited,
    pub dictionary: Dictionary,
    pub frontier: RwLock<Level>,
    /// What each worker has found for the next level.
    pub results: Vec<Mutex<Vec<Segment>>>,
    pub barrier: Barrier,
    /// Nobody takes another segment.
    pub stop: AtomicBool,
    /// Whether the specification has asked to end.
    pub exits: AtomicBool,
    /// Nobody starts another level.
    pub done: AtomicBool,
    pub finding: Mutex<Option<(u64, Finding)>>,
    pub limit: Mutex<Option<String>>,
    pub level: AtomicU64,
    pub left: AtomicU64,
    /// Bytes of the level that is being expanded.
    pub level_bytes: AtomicUsize,
    pub counts: Apart<Counts>,
    /// Who wants to know how far the check has come.
    pub watch: Watch<'w>,
}

impl<'w> Shared<'w> {
    pub(super) fn new(workers: usize, watch: Watch<'w>) -> Shared<'w> {
        Shared {
            visited: Visited::new(workers),
            rejected: Visited::new(workers),
            dictionary: Dictionary::default(),
            frontier: RwLock::default(),
            results: (0..workers).map(|_| Mutex::default()).collect(),
            barrier: Barrier::new(workers),
            stop: AtomicBool::new(false),
            exits: AtomicBool::new(false),
            done: AtomicBool::new(false),
            finding: Mutex::new(None),
            limit: Mutex::new(None),
            level: AtomicU64::new(1),
            left: AtomicU64::new(0),
            level_bytes: AtomicUsize::new(0),
            counts: Apart(Counts::default()),
            watch,
        }
    }

    /// How many bytes the states take, as far as the workers have told.
    pub(super) fn memory_bytes(&self) -> usize {
        self.visited.bytes()
            + self.rejected.bytes()
            + self.level_bytes.load(Ordering::Relaxed)
            + self.counts.kept_bytes.load(Ordering::Relaxed)
    }

    /// Tells how far the check has come.
    pub(super) fn publish(&self) {
        (self.watch)(&Progress {
            generated: self.counts.generated.load(Ordering::Relaxed),
            distinct: self.counts.distinct.load(Ordering::Relaxed),
            depth: self.level.load(Ordering::Relaxed),
            queue: self.left.load(Ordering::Relaxed),
        });
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a worker hands back.
#[derive(Default)]
pub(super) struct Harvest {
    pub prints: Vec<u64>,
    pub parents: Vec<u32>,
    pub coverage: Vec<(Symbol, u64, u64)>,
    pub output: Vec<String>,
    pub liveness: Option<Result<Option<Violation>>>,
    /// The first postcondition that does not hold, or cannot be evaluated.
    pub postcondition: Option<Result<Symbol>>,
    /// Which of the predicates that are to be possible were true.
    pub possible: Vec<bool>,
}
