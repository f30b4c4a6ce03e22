//! What the workers of an exploration share, and what each hands back.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError, RwLock};

use super::apart::Apart;
use super::frontier::{FoundStates, Level};
use super::outcome::{Progress, Violation, ViolationKind};
use super::spill::{Disk, Folder, Log};
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
    /// Bytes of what the workers keep of states: those they found for the next level, their logs, the graph
    /// for liveness.
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
    pub results: Vec<Mutex<FoundStates>>,
    /// How often each worker has seen each of the predicates that are to be possible.
    pub possible: Vec<Mutex<Vec<u64>>>,
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
    /// Where states go when they take too much memory.
    pub disk: Option<Disk>,
    /// Whether a counterexample could not be read from the folder.
    pub unread: AtomicBool,
}

impl<'w> Shared<'w> {
    pub(super) fn new(workers: usize, watch: Watch<'w>, disk: Option<Disk>) -> Shared<'w> {
        Shared {
            visited: Visited::new(workers),
            rejected: Visited::new(workers),
            dictionary: Dictionary::default(),
            frontier: RwLock::default(),
            results: (0..workers).map(|_| Mutex::default()).collect(),
            possible: (0..workers).map(|_| Mutex::default()).collect(),
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
            disk,
            unread: AtomicBool::new(false),
        }
    }

    /// The folder for states, if there is one.
    pub(super) fn folder(&self) -> Option<&dyn Folder> {
        self.disk.as_ref().map(|disk| &*disk.folder)
    }

    /// Ends the check because the folder cannot be used.
    #[cold]
    pub(super) fn fail(&self, error: &std::io::Error) {
        locked(&self.limit).get_or_insert_with(|| format!("the folder for states cannot be used: {error}"));
        self.stop.store(true, Ordering::SeqCst);
    }

    /// What comes of a use of the folder; none if that failed.
    pub(super) fn kept<T>(&self, result: std::io::Result<T>) -> Option<T> {
        result.map_err(|error| self.fail(&error)).ok()
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
    pub log: Log,
    pub coverage: Vec<(Symbol, u64, u64)>,
    pub output: Vec<String>,
    pub liveness: Option<Result<Option<Violation>>>,
    /// The first postcondition that does not hold, or cannot be evaluated.
    pub postcondition: Option<Result<Symbol>>,
    /// How often each of the predicates that are to be possible was true.
    pub possible: Vec<u64>,
}
