//! The handle of a node's runtime, and the runtime of the node that runs now.

use std::cell::{RefCell, RefMut};
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use shakedown_cluster::Random;

use crate::executor::Executor;
use crate::sleep::{Interval, Sleep, Timeout};
use crate::{Instant, Task};

thread_local! {
    static CURRENT: RefCell<Option<Rc<Executor>>> = const { RefCell::new(None) };
}

/// The runtime of one life of a node: tasks, time, random numbers. It knows nothing of messages and disks, so
/// that libraries which want a runtime and no more can have it; [`crate::Env`] has all of it too.
#[derive(Clone)]
pub struct Runtime(pub(crate) Rc<Executor>);

/// Makes a runtime that of the node that runs, until it is dropped.
pub(crate) struct Entered(Option<Rc<Executor>>);

impl Drop for Entered {
    fn drop(&mut self) {
        let before = self.0.take();
        CURRENT.with_borrow_mut(|current| *current = before);
    }
}

impl Runtime {
    /// The runtime of the node that runs now, for libraries whose functions get no handle.
    ///
    /// # Panics
    /// If no node runs on this thread.
    pub fn current() -> Runtime {
        let current = CURRENT.with_borrow(Option::clone);
        Runtime(current.expect("no node runs on this thread: tasks are spawned by tasks of a node"))
    }

    pub(crate) fn enter(&self) -> Entered {
        Entered(CURRENT.with_borrow_mut(|current| current.replace(Rc::clone(&self.0))))
    }

    /// Runs the future beside the task that spawned it, until it is done or the node crashes. Dropping the
    /// handle changes nothing.
    pub fn spawn<F: Future + 'static>(&self, future: F) -> Task<F::Output> {
        let (task, work) = Task::of(future);
        self.0.spawn(Box::pin(work));
        task
    }

    /// The node's clock.
    pub fn now(&self) -> Instant {
        self.0.now()
    }

    /// Random numbers that come from the seed of the execution. Give it back before the next `.await`.
    pub fn random(&self) -> RefMut<'_, Random> {
        self.0.random()
    }

    /// Waits until the clock has gone on this far.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.now() + duration)
    }

    /// Waits until the clock has come to this instant.
    pub fn sleep_until(&self, end: Instant) -> Sleep {
        Sleep::new(&self.0, end)
    }

    /// Waits for the future, but not longer than this.
    pub fn timeout<F: Future>(&self, duration: Duration, future: F) -> Timeout<F> {
        self.timeout_at(self.now() + duration, future)
    }

    /// Waits for the future, but not beyond this instant.
    pub fn timeout_at<F: Future>(&self, end: Instant, future: F) -> Timeout<F> {
        Timeout::new(self.sleep_until(end), future)
    }

    /// Something that happens again and again, for the first time after one period.
    pub fn interval(&self, period: Duration) -> Interval {
        Interval::new(self.clone(), period)
    }
}
