//! Calls to peers.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use shakedown_cluster::NodeId;

use crate::AsyncNode;
use crate::env::Shared;

/// A call that has no reply yet, or one that nobody has taken.
pub(crate) struct Pending<R> {
    pub number: u32,
    pub to: NodeId,
    pub outcome: Option<Result<R, CallFailed>>,
    pub waiting: Option<Waker>,
}

/// The session with the peer was lost before a reply came: the call may have arrived or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the connection to {peer} is lost")]
pub struct CallFailed {
    /// The peer that was called.
    pub peer: NodeId,
}

/// Waits for the reply to a call. It does not give up by itself: put it into a
/// [timeout](crate::Env::timeout).
pub struct Call<N: AsyncNode> {
    pub(crate) shared: Rc<Shared<N>>,
    pub(crate) number: u32,
}

impl<N: AsyncNode> Future for Call<N> {
    type Output = Result<N::Reply, CallFailed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut calls = self.shared.calls.borrow_mut();
        let Some(place) = calls.iter().position(|call| call.number == self.number) else {
            return Poll::Pending;
        };
        if calls[place].outcome.is_some() {
            let call = calls.swap_remove(place);
            return call.outcome.map_or(Poll::Pending, Poll::Ready);
        }
        let waiting = &mut calls[place].waiting;
        if !waiting.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
            *waiting = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl<N: AsyncNode> Drop for Call<N> {
    /// Nobody waits any more: a reply that comes later is dropped.
    fn drop(&mut self) {
        let mut calls = self.shared.calls.borrow_mut();
        let place = calls.iter().position(|call| call.number == self.number);
        let call = place.map(|place| calls.swap_remove(place));
        drop(calls);
        drop(call);
    }
}
