//! The runtime as openraft 0.9 wants it: name [`OpenraftRuntime`] as the `AsyncRuntime` of the type
//! configuration.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use ::openraft::async_runtime::AsyncOneshotSendExt;
use ::openraft::{AsyncRuntime, OptionalSend};
use tokio::sync::oneshot;

use crate::{Elapsed, Instant, Runtime, Sleep, Task, Timeout};

/// The runtime of the node that runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OpenraftRuntime;

/// A task that could not be waited for. There is none: a task that panics is a finding, and no task outlives
/// its node.
#[derive(Debug, thiserror::Error)]
pub enum NeverFails {}

/// The handle of a task, as openraft wants it.
pub struct Joined<T>(Task<T>);

impl<T> Future for Joined<T> {
    type Output = Result<T, NeverFails>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(Ok)
    }
}

/// The sending end of a channel for one value.
pub struct Sender<T>(oneshot::Sender<T>);

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

impl<T> AsyncOneshotSendExt<T> for Sender<T> {
    fn send(self, value: T) -> Result<(), T> {
        self.0.send(value)
    }
}

impl ::openraft::Instant for Instant {
    fn now() -> Instant {
        Runtime::current().now()
    }
}

/// The random numbers of the node that runs.
pub struct NodeRandom;

impl rand::RngCore for NodeRandom {
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        Runtime::current().random().next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl AsyncRuntime for OpenraftRuntime {
    type JoinError = NeverFails;
    type JoinHandle<T: OptionalSend + 'static> = Joined<T>;
    type Sleep = Sleep;
    type Instant = Instant;
    type TimeoutError = Elapsed;
    type Timeout<R, T: Future<Output = R> + OptionalSend> = Timeout<T>;
    type ThreadLocalRng = NodeRandom;
    type OneshotSender<T: OptionalSend> = Sender<T>;
    type OneshotReceiver<T: OptionalSend> = oneshot::Receiver<T>;
    type OneshotReceiverError = oneshot::error::RecvError;

    fn spawn<T>(future: T) -> Joined<T::Output>
    where
        T: Future + OptionalSend + 'static,
        T::Output: OptionalSend + 'static,
    {
        Joined(Runtime::current().spawn(future))
    }

    fn sleep(duration: Duration) -> Sleep {
        Runtime::current().sleep(duration)
    }

    fn sleep_until(deadline: Instant) -> Sleep {
        Runtime::current().sleep_until(deadline)
    }

    fn timeout<R, F: Future<Output = R> + OptionalSend>(duration: Duration, future: F) -> Timeout<F> {
        Runtime::current().timeout(duration, future)
    }

    fn timeout_at<R, F: Future<Output = R> + OptionalSend>(deadline: Instant, future: F) -> Timeout<F> {
        Runtime::current().timeout_at(deadline, future)
    }

    fn is_panic(error: &NeverFails) -> bool {
        match *error {}
    }

    fn thread_rng() -> NodeRandom {
        NodeRandom
    }

    fn oneshot<T: OptionalSend>() -> (Sender<T>, oneshot::Receiver<T>) {
        let (sender, receiver) = oneshot::channel();
        (Sender(sender), receiver)
    }
}
