//! The trait that an async protocol implements to be tested.

use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shakedown_cluster::{Disk, Message, NodeId, Options, RequestId};

use crate::{Env, Settings};

/// One process of an async protocol under test. Methods that return a future can be written as `async fn`.
///
/// Whatever a node does must follow from its disk, its calls and its [`Env`]: no wall clock, no thread, no
/// other runtime, no hash map's order.
pub trait AsyncNode: Sized + 'static {
    /// What nodes send each other: calls, and messages without a reply.
    type Message: Message;
    /// What a call is replied with; its `Debug` text stands for it in fingerprints and diagrams.
    type Reply: Clone + Debug + 'static;
    /// What clients ask; it travels as JSON.
    type Request: Serialize + DeserializeOwned;
    /// What clients are answered; it travels as JSON.
    type Answer: Serialize;
    /// What can be seen of a node from outside: invariants are stated over it, reports show it.
    type State: Clone + Debug + Hash + Serialize + 'static;
    /// What survives a crash.
    type Disk: Disk;

    /// Starts the node, on an empty disk or on what survived its crash.
    fn boot(disk: Self::Disk, env: Env<Self>) -> impl Future<Output = Self>;

    /// A peer calls, and waits for the reply.
    fn serve(self: Rc<Self>, from: NodeId, call: Self::Message) -> impl Future<Output = Self::Reply>;

    /// A client asks something: any node that runs, whatever its role. None is no answer at all: what was
    /// asked may have happened or not.
    fn request(
        self: Rc<Self>,
        id: RequestId,
        request: Self::Request,
    ) -> impl Future<Output = Option<Self::Answer>>;

    /// What can be seen of the node.
    fn observe(&self) -> Self::State;

    /// Brings what was seen of the node up to date, and reports whether it may have changed; see
    /// [`shakedown_cluster::Node::observe_again`].
    fn observe_again(&self, state: &mut Self::State) -> bool {
        *state = self.observe();
        true
    }

    /// A message without a reply arrives.
    fn receive(self: Rc<Self>, _from: NodeId, message: Self::Message) -> impl Future<Output = ()> {
        let kind = message.kind();
        async move { panic!("a {kind} was sent one way: implement `AsyncNode::receive` to take it") }
    }

    /// What a node shows that is booting still. A node whose [`boot`](AsyncNode::boot) waits for a sleep, a
    /// peer or a flush must have it; calls and requests wait meanwhile.
    fn starting(_disk: &Self::Disk) -> Option<Self::State> {
        None
    }

    /// How the runtime works.
    fn settings(_options: &Options) -> Settings {
        Settings::default()
    }
}
