//! Panics on threads that a target started.
//!
//! The hook runs on the thread that panics, and Rust does not report which thread started it. So every
//! execution has a number, and the caller brings a function that finds the number of the execution that the
//! current thread belongs to ([`attribute_threads_by`]). What it cannot attribute stays a panic like any
//! other: in a program of tests, other tests may panic at any time, and must never become findings of this
//! one.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::panics::{Caught, install_hook};

/// The most panics that wait for their executions to claim them: a target may leave threads behind that go on
/// panicking.
const PENDING_MAX: usize = 1_000;

/// Panics that no execution has claimed.
static PANICS: Mutex<Vec<ThreadPanic>> = Mutex::new(Vec::new());
/// How many these are.
static PENDING: AtomicUsize = AtomicUsize::new(0);
/// How many there ever were.
static EVER: AtomicU64 = AtomicU64::new(0);
static ATTRIBUTE: OnceLock<Attribute> = OnceLock::new();

thread_local! {
    /// The execution that runs on this thread; 0 for none.
    static RUNNING: Cell<u64> = const { Cell::new(0) };
}

/// To which execution the current thread belongs.
pub type Attribute = fn() -> Owner;

/// Which execution started a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The execution of this number.
    Execution(u64),
    /// One of those that run: this process runs nothing else.
    Any,
    /// None, or it is not known.
    Unknown,
}

/// A panic on a thread of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadPanic {
    /// The number of the execution that started the thread, if it is known exactly.
    pub execution: Option<u64>,
    /// The panic.
    pub panic: Caught,
}

/// Sets how threads are attributed to executions, once for the process.
pub fn attribute_threads_by(attribute: Attribute) {
    install_hook();
    ATTRIBUTE.get_or_init(|| attribute);
}

/// An execution of this number runs on this thread from now on; 0 for none. Gives the one before.
pub fn set_running_execution(number: u64) -> u64 {
    RUNNING.replace(number)
}

/// The number of the execution that runs on this thread; 0 for none.
pub fn running_execution() -> u64 {
    RUNNING.get()
}

/// Whether a thread of a target ever panicked in this process.
pub fn has_thread_panicked() -> bool {
    EVER.load(Ordering::Relaxed) > 0
}

/// Takes the panics of threads whose executions are over, out of these. The threads outlived them.
pub fn take_late_thread_panics(executions: impl Fn(u64) -> bool) -> Vec<ThreadPanic> {
    take(|panic| panic.execution.is_some_and(&executions))
}

/// Whether any panic waits to be claimed. Nearly always there is none, and this is all that is asked.
#[inline(always)]
pub fn are_pending() -> bool {
    // A thread that was joined has entered its panic before.
    PENDING.load(Ordering::Relaxed) > 0
}

/// Whether a panic waits to be claimed by the execution that runs on this thread.
pub fn is_thread_panic_pending_here() -> bool {
    let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    panics.iter().any(is_of(RUNNING.get()))
}

fn is_of(running: u64) -> impl Fn(&ThreadPanic) -> bool {
    move |panic| panic.execution.is_none_or(|execution| execution == running)
}

/// The first panic of the execution that runs on this thread. All later ones are forgotten.
pub(crate) fn claim() -> Option<Caught> {
    let running = RUNNING.get();
    if !are_pending() || running == 0 {
        return None;
    }
    let mine = take(is_of(running));
    mine.into_iter().next().map(|panic| panic.panic)
}

fn take(mut which: impl FnMut(&ThreadPanic) -> bool) -> Vec<ThreadPanic> {
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = panics.extract_if(.., |panic| which(panic)).collect();
    PENDING.store(panics.len(), Ordering::Release);
    taken
}

/// Records a panic of the current thread if it belongs to an execution.
pub(crate) fn record(panic: impl FnOnce() -> Caught) -> bool {
    // A panic on the thread that runs an execution, but outside of any call of a node, is not the target's.
    if RUNNING.try_with(Cell::get).is_ok_and(|running| running != 0) {
        return false;
    }
    let execution = match ATTRIBUTE.get().map_or(Owner::Unknown, |attribute| attribute()) {
        Owner::Execution(number) => Some(number),
        Owner::Any => None,
        Owner::Unknown => return false,
    };
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    EVER.fetch_add(1, Ordering::Relaxed);
    if panics.len() == PENDING_MAX {
        panics.remove(0);
    }
    panics.push(ThreadPanic { execution, panic: panic() });
    PENDING.store(panics.len(), Ordering::Release);
    true
}
