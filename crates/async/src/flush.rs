//! Waiting for the disk.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::AsyncNode;
use crate::env::Shared;

/// Waits until everything that was written before is durable.
pub struct Flush<N: AsyncNode> {
    pub(crate) shared: Rc<Shared<N>>,
    /// How many writes have to be durable.
    pub(crate) writes: u64,
}

impl<N: AsyncNode> Future for Flush<N> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.shared.durable.get() >= self.writes {
            return Poll::Ready(());
        }
        self.shared.flushing.borrow_mut().push(cx.waker().clone());
        Poll::Pending
    }
}
