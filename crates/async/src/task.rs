//! Handles of tasks.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

struct Outcome<T> {
    value: Option<T>,
    waiting: Option<Waker>,
}

/// A task that was spawned. Waiting for it gives what it came to; a task that panics is a finding, so nobody
/// ever waits for one that has.
pub struct Task<T>(Rc<RefCell<Outcome<T>>>);

impl<T: 'static> Task<T> {
    /// The handle of a future, and what has to run.
    pub(crate) fn of<F>(future: F) -> (Task<T>, impl Future<Output = ()> + 'static)
    where
        F: Future<Output = T> + 'static,
    {
        let outcome = Rc::new(RefCell::new(Outcome { value: None, waiting: None }));
        let kept = Rc::clone(&outcome);
        let work = async move {
            let value = future.await;
            let waiting = {
                let mut outcome = kept.borrow_mut();
                outcome.value = Some(value);
                outcome.waiting.take()
            };
            if let Some(waker) = waiting {
                waker.wake();
            }
        };
        (Task(outcome), work)
    }
}

impl<T> Future for Task<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut outcome = self.0.borrow_mut();
        match outcome.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                outcome.waiting = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
