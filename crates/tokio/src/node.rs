//! The trait that a protocol on tokio implements to be tested.

use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shakedown_cluster::{Disk, Message, NodeId, Options, RequestId};

use crate::{Env, Settings};

/// One process of a protocol that names tokio. Methods that return a future can be written as `async fn`.
///
/// It may spawn tasks, sleep, open sockets, draw random numbers and look at clocks as it does anywhere else.
/// What it must not do is start threads, `spawn_blocking` among them.
pub trait TokioNode: Sized + Send + Sync + 'static {
    /// What nodes send each other past sockets, where the protocol leaves that to its caller; [`NoCalls`] for
    /// nothing.
    type Message: Message + Send;
    /// What a call is replied with; its `Debug` text stands for it in fingerprints and diagrams.
    type Reply: Clone + Debug + Send + 'static;
    /// What clients ask; it travels as JSON.
    type Request: Serialize + DeserializeOwned + Send;
    /// What clients are answered; it travels as JSON.
    type Answer: Serialize + Send;
    /// What can be seen of a node from outside: invariants are stated over it, reports show it.
    type State: Clone + Debug + Hash + Serialize + Send + 'static;
    /// What survives a crash.
    type Disk: Disk<Write: Send> + Send;

    /// Starts the node, on an empty disk or on what survived its crash.
    fn boot(disk: Self::Disk, env: Env<Self>) -> impl Future<Output = Self> + Send;

    /// A client asks something: any node that runs, whatever its role. None is no answer at all: what was
    /// asked may have happened or not.
    fn request(
        self: Arc<Self>,
        id: RequestId,
        request: Self::Request,
    ) -> impl Future<Output = Option<Self::Answer>> + Send;

    /// What can be seen of the node. It is asked after every step, while no task runs.
    fn observe(&self) -> Self::State;

    /// A peer calls past sockets, and waits for the reply.
    fn serve(
        self: Arc<Self>,
        _from: NodeId,
        call: Self::Message,
    ) -> impl Future<Output = Self::Reply> + Send {
        let kind = call.kind();
        async move { panic!("a {kind} was called: implement `TokioNode::serve` to take it") }
    }

    /// What a node shows that is booting still. A node whose [`boot`](TokioNode::boot) waits for a sleep or a
    /// peer must have it; requests and calls wait meanwhile.
    fn starting(_disk: &Self::Disk) -> Option<Self::State> {
        None
    }

    /// The kind of a message that carries these bytes of a connection to `port` (the one that its opener
    /// connected to), so that diagrams and scenarios have the protocol's own names. One word.
    fn kind_of(_port: u16, _bytes: &[u8]) -> &'static str {
        "Data"
    }

    /// How the runtime works.
    fn settings(_options: &Options) -> Settings {
        Settings::default()
    }
}

/// The message type of protocols whose nodes have nothing but sockets.
#[derive(Clone, Copy, Debug)]
pub enum NoCalls {}

impl Message for NoCalls {
    fn kind(&self) -> &'static str {
        match *self {}
    }
}
