//! Runs a runtime until it is quiet, or until its clock has come to an instant and it is quiet then.
//!
//! A runtime that has nothing to do parks: it looks for events of sockets and of timers. The hooks of a
//! runtime wake the future that it blocks on before it parks and after it has, and so this future learns
//! whether there were any. The clock is paused. It moves only if nothing wakes this future while the runtime
//! parks: then tokio sets it to the next timer. So time moves only when the node is quiet.
//!
//! A runtime that always has something to do never parks, but still looks for events now and then. These
//! looks are counted, and when there were too many, this future is woken to stop it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::takeover::Machine;

/// How many times in a row a runtime must have parked for nothing: tasks that the first time woke run before
/// the second.
const QUIET_ROUNDS: u32 = 2;

/// What the hooks and the future share.
#[derive(Default)]
struct Signals {
    waker: Option<Waker>,
    /// The instant at which the clock stands while it may move; none if it may not.
    moving_from: Option<Instant>,
    has_parked: bool,
}

/// The hooks of a runtime.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Arc<Mutex<Signals>>);

impl Hooks {
    /// Sets the hooks of the runtimes that this builder makes.
    pub fn set(&self, builder: &mut Builder) {
        let (before, after) = (self.clone(), self.clone());
        builder.on_thread_park(move || before.before_park());
        builder.on_thread_unpark(move || after.after_park());
    }

    fn signals(&self) -> std::sync::MutexGuard<'_, Signals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn before_park(&self) {
        let mut signals = self.signals();
        signals.has_parked = true;
        let waker = if signals.moving_from.is_none() { signals.waker.clone() } else { None };
        drop(signals);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn after_park(&self) {
        let mut signals = self.signals();
        if signals.moving_from.is_some_and(|from| Instant::now() == from) {
            // What woke the runtime was a wake-up from before: it parks once more, and then the clock moves.
            return;
        }
        signals.moving_from = None;
        let waker = signals.waker.clone();
        drop(signals);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// See the module's text.
pub(crate) struct Quiet<'a, F> {
    machine: &'a Machine,
    hooks: &'a Hooks,
    /// What is done first, in the context of the runtime.
    act: Option<F>,
    until: Option<Pin<Box<Sleep>>>,
    quiet_rounds: u32,
}

impl<'a, F: FnOnce()> Quiet<'a, F> {
    pub fn new(machine: &'a Machine, hooks: &'a Hooks, act: F) -> Quiet<'a, F> {
        Quiet { machine, hooks, act: Some(act), until: None, quiet_rounds: 0 }
    }

    /// The clock moves on by so much. In the context of a runtime only.
    pub fn advance(mut self, by: Duration) -> Quiet<'a, F> {
        self.until = Some(Box::pin(sleep_until(Instant::now() + by)));
        self
    }

    /// Whether the last round found nothing, and those before it.
    fn was_quiet(&mut self) -> bool {
        let mut signals = self.hooks.signals();
        let found_nothing = std::mem::take(&mut signals.has_parked) && self.machine.events.replace(0) == 0;
        self.quiet_rounds = if found_nothing { self.quiet_rounds + 1 } else { 0 };
        self.quiet_rounds >= QUIET_ROUNDS
    }
}

/// Nothing in it is pinned but the sleep, which has a box of its own.
impl<F> Unpin for Quiet<'_, F> {}

impl<F: FnOnce()> Future for Quiet<'_, F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        if let Some(act) = this.act.take() {
            *this.hooks.signals() = Signals { waker: Some(cx.waker().clone()), ..Signals::default() };
            this.machine.events.set(0);
            this.machine.restart_looks(cx.waker());
            act();
            return Poll::Pending;
        }
        assert!(
            !this.machine.has_looked_too_often(),
            "it never goes quiet: after {} looks for events in one step, tasks can go on still",
            this.machine.looks_max()
        );
        if !this.was_quiet() {
            return Poll::Pending;
        }
        this.quiet_rounds = 0;
        match this.until.as_mut().map(|until| until.as_mut().poll(cx)) {
            Some(Poll::Pending) => {
                // Nothing wakes this before the clock has moved to the next timer.
                this.machine.restart_looks(cx.waker());
                this.hooks.signals().moving_from = Some(Instant::now());
                Poll::Pending
            }
            Some(Poll::Ready(())) => {
                // What ends at the same instant has not run yet.
                this.until = None;
                Poll::Pending
            }
            None => {
                this.hooks.signals().waker = None;
                Poll::Ready(())
            }
        }
    }
}
