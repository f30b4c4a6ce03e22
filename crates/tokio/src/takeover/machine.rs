//! The world of the node that runs on the current thread.
#![expect(
    unsafe_code,
    reason = "functions of the C library are handed no context: a pointer of the thread must be enough"
)]

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::task::Waker;
use std::time::{Duration, Instant};

use shakedown_cluster::Random;

use super::TakeoverError;
use crate::network::Network;

thread_local! {
    /// The machine that functions answer from; null if they are the real ones.
    static CURRENT: Cell<*const Machine> = const { Cell::new(std::ptr::null()) };
}

/// What a clock of the node shows when it begins: its monotonic clock one day, so that a program may look
/// back.
pub(super) const UPTIME: Duration = Duration::from_secs(24 * 60 * 60);
/// 1 January 2026, in seconds since 1970.
pub(super) const DATE: Duration = Duration::from_secs(1_767_225_600);

/// The world of one life of a node, as far as the C library shows it.
pub(crate) struct Machine {
    random: RefCell<Random>,
    /// How long the node has been running, over all its lives, while no runtime knows it better.
    now: Cell<Duration>,
    /// When the runtime began, and how long the node had been running then; only while the runtime runs.
    runtime_began: Cell<Option<(tokio::time::Instant, Duration)>>,
    network: RefCell<Network>,
    /// How many events of sockets the runtime was handed since this was last set to zero.
    pub events: Cell<usize>,
    /// How often the runtime may look for events, how often it has, and who stops it when it was too often.
    looks_max: u32,
    looks: Cell<u32>,
    stopper: RefCell<Option<Waker>>,
    uncontrolled: RefCell<Vec<String>>,
    /// Whether any of the functions was called, by this machine's own trial.
    pub(super) was_asked: Cell<bool>,
}

/// The time in which a machine is that of the current thread.
pub(crate) struct Entered(
    #[expect(dead_code, reason = "it keeps the machine that the pointer points to")] Rc<Machine>,
);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(std::ptr::null());
    }
}

impl Machine {
    pub fn new(random: Random, now: Duration, network: Network, looks_max: u32) -> Machine {
        Machine {
            random: RefCell::new(random),
            now: Cell::new(now),
            runtime_began: Cell::new(None),
            network: RefCell::new(network),
            events: Cell::new(0),
            looks_max,
            looks: Cell::new(0),
            stopper: RefCell::default(),
            uncontrolled: RefCell::default(),
            was_asked: Cell::new(false),
        }
    }

    /// Makes this the machine of the current thread, which must run nothing else. The first on a thread
    /// decides its hash keys.
    pub fn enter(self: &Rc<Self>) -> Result<Entered, TakeoverError> {
        CURRENT.set(Rc::as_ptr(self));
        let entered = Entered(Rc::clone(self));
        super::symbols::link();
        self.tried("getrandom", || {
            RandomState::new().hash_one(0);
        })?;
        self.tried("clock_gettime", || {
            std::hint::black_box(Instant::now());
        })?;
        Ok(entered)
    }

    /// Whether a function that is called meanwhile is ours.
    fn tried(&self, function: &'static str, work: impl FnOnce()) -> Result<(), TakeoverError> {
        self.was_asked.set(false);
        work();
        if self.was_asked.get() { Ok(()) } else { Err(TakeoverError::Symbol(function)) }
    }

    /// Random bytes of the node.
    pub fn fill(&self, bytes: &mut [u8]) {
        let mut random = self.random.borrow_mut();
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&random.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }

    /// How long the node has been running.
    pub fn now(&self) -> Duration {
        match self.runtime_began.get() {
            Some((began, before)) => before + tokio::time::Instant::now().duration_since(began),
            None => self.now.get(),
        }
    }

    /// The node has been running for so long.
    pub fn set_now(&self, now: Duration) {
        self.now.set(now);
    }

    /// The clock of the runtime is that of the node as long as `work` runs.
    pub fn set_runtime_clock(&self, began: Option<(tokio::time::Instant, Duration)>) {
        self.runtime_began.set(began);
    }

    /// The runtime has looked for events, and found this many.
    pub(super) fn count_look(&self, events: usize) {
        self.events.set(self.events.get() + events);
        self.looks.set(self.looks.get().saturating_add(1));
        if self.has_looked_too_often()
            && let Some(stopper) = self.stopper.take()
        {
            stopper.wake();
        }
    }

    /// Looks are counted from here on.
    pub fn restart_looks(&self, stopper: &Waker) {
        self.looks.set(0);
        self.stopper.replace(Some(stopper.clone()));
    }

    /// Whether the runtime has looked for events too often since they were counted.
    pub fn has_looked_too_often(&self) -> bool {
        self.looks.get() > self.looks_max
    }

    /// How often it may.
    pub fn looks_max(&self) -> u32 {
        self.looks_max
    }

    /// Uses the network. Functions that this calls are the real ones.
    pub fn with_network<T>(&self, work: impl FnOnce(&mut Network) -> T) -> T {
        let _real = Real::begin();
        work(&mut self.network.borrow_mut())
    }

    /// Something happens that is not controlled: what, and where.
    pub fn note(&self, what: &str) {
        let _real = Real::begin();
        let trace = Backtrace::force_capture().to_string();
        self.uncontrolled.borrow_mut().push(format!("{what} in {}", place_in(&trace)));
    }

    /// What was not controlled since this was last asked.
    pub fn take_uncontrolled(&self) -> Vec<String> {
        self.uncontrolled.take()
    }
}

/// The first function of a trace that belongs neither to the standard library nor to the runtime nor to this
/// crate.
fn place_in(trace: &str) -> String {
    const OTHERS: [&str; 12] = [
        "std::",
        "core::",
        "alloc::",
        "tokio::",
        "shakedown_cluster::",
        "shakedown_tokio::",
        "_",
        "pthread_create",
        "start_thread",
        "clock_nanosleep",
        "nanosleep",
        "clone",
    ];
    let mut lines = trace.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((_, function)) = line.trim_start().split_once(": ") else { continue };
        // A method of a trait is `<Type as Trait>::method`.
        let path = function.trim_start_matches(['<', '&']);
        if OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let place = lines.peek().and_then(|next| next.trim_start().strip_prefix("at "));
        return place.map_or_else(|| function.to_owned(), |place| format!("{function} ({place})"));
    }
    "a place that only debug information shows".to_owned()
}

/// A time in which functions are the real ones, on a thread that has a machine.
struct Real(*const Machine);

impl Real {
    fn begin() -> Real {
        Real(CURRENT.replace(std::ptr::null()))
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Asks the machine of the current thread, if it has one. What is called meanwhile is the real thing.
pub(super) fn ask<T>(question: impl FnOnce(&Machine) -> T) -> Option<T> {
    if CURRENT.get().is_null() {
        return None;
    }
    let real = Real::begin();
    // SAFETY: the pointer is that of an `Entered`, which holds the machine, and whose drop sets the pointer
    // to null on the thread that both belong to.
    let machine = unsafe { &*real.0 };
    machine.was_asked.set(true);
    Some(question(machine))
}
