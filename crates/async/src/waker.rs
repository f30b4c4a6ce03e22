//! What wakes a task.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Wake;

/// The tasks that can go on, in the order in which they were woken. Wakers must be able to go to other
/// threads, hence the lock; nobody ever waits for it.
#[derive(Default)]
pub(crate) struct Ready(Mutex<VecDeque<usize>>);

impl Ready {
    pub fn queue(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes the task in one place of an executor. Whatever runs there later may be woken by it too, for nothing:
/// a future must always reckon with that.
pub(crate) struct TaskWaker {
    place: usize,
    is_queued: AtomicBool,
    ready: Arc<Ready>,
}

impl TaskWaker {
    pub fn new(place: usize, ready: &Arc<Ready>) -> TaskWaker {
        TaskWaker { place, is_queued: AtomicBool::new(false), ready: Arc::clone(ready) }
    }

    /// The task is polled now: from here on it may be woken again.
    pub fn begin(&self) {
        self.is_queued.store(false, Ordering::Release);
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::AcqRel) {
            self.ready.queue().push_back(self.place);
        }
    }
}
