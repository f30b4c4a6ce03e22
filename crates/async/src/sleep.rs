//! Futures that wait for the clock.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::executor::{Executor, SleepKey};
use crate::{Instant, Runtime};

/// Waits until the clock of the node has come to an instant.
pub struct Sleep {
    executor: Rc<Executor>,
    end: Instant,
    /// Its key, once it has been waited for.
    key: Option<SleepKey>,
}

impl Sleep {
    pub(crate) fn new(executor: &Rc<Executor>, end: Instant) -> Sleep {
        Sleep { executor: Rc::clone(executor), end, key: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.executor.now() >= self.end {
            return Poll::Ready(());
        }
        let key = match self.key {
            Some(key) => key,
            None => (self.end, self.executor.sleep_number()),
        };
        self.key = Some(key);
        self.executor.remember_sleep(key, cx.waker());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            drop(self.executor.forget_sleep(key));
        }
    }
}

/// The time is up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the time is up")]
pub struct Elapsed;

/// Waits for a future, but not too long.
pub struct Timeout<F> {
    sleep: Sleep,
    future: Pin<Box<F>>,
}

impl<F> Timeout<F> {
    pub(crate) fn new(sleep: Sleep, future: F) -> Timeout<F> {
        Timeout { sleep, future: Box::pin(future) }
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.future.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => Pin::new(&mut self.sleep).poll(cx).map(|()| Err(Elapsed)),
        }
    }
}

/// Something that happens again and again.
pub struct Interval {
    runtime: Runtime,
    period: Duration,
    next: Instant,
}

impl Interval {
    pub(crate) fn new(runtime: Runtime, period: Duration) -> Interval {
        let next = runtime.now() + period;
        Interval { runtime, period, next }
    }

    /// Waits for the next time. One that was missed is made up for at once, once.
    pub async fn tick(&mut self) -> Instant {
        self.runtime.sleep_until(self.next).await;
        let now = self.runtime.now();
        self.next = (self.next + self.period).max(now);
        now
    }
}
