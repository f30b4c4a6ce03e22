//! A peer as a client of its own: what libraries want that make one connection for each peer.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use shakedown_cluster::NodeId;

use crate::{AsyncNode, Call, Env};

/// A peer that can be called.
pub struct Peer<N: AsyncNode> {
    env: Env<N>,
    id: NodeId,
}

impl<N: AsyncNode> Env<N> {
    /// A handle for calls to one node.
    pub fn peer(&self, id: NodeId) -> Peer<N> {
        Peer { env: self.clone(), id }
    }
}

impl<N: AsyncNode> Peer<N> {
    /// The world of the node that calls.
    pub fn env(&self) -> &Env<N> {
        &self.env
    }

    /// The node that is called.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Calls the peer; see [`Env::call`].
    pub fn call(&self, message: N::Message) -> Call<N> {
        self.env.call(self.id, message)
    }

    /// Calls the peer and waits for the reply, but not longer than this, and only until `cancel` is done:
    /// then the result is what that came to. Without a reply it is none.
    pub async fn call_until<C: Future>(
        &self,
        cancel: C,
        longest: Duration,
        message: N::Message,
    ) -> Result<Option<N::Reply>, C::Output> {
        let mut call = pin!(self.env.timeout(longest, self.call(message)));
        let mut cancel = pin!(cancel);
        poll_fn(|cx| match cancel.as_mut().poll(cx) {
            Poll::Ready(cancelled) => Poll::Ready(Err(cancelled)),
            Poll::Pending => call.as_mut().poll(cx).map(|done| Ok(done.ok().and_then(Result::ok))),
        })
        .await
    }
}
