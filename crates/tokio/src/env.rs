//! What a node is handed beside tokio: who it is, its peers, its disk.

use std::collections::BTreeMap;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shakedown_cluster::{Disk, Fact, NodeId, NodeSet, Options, RequestId};
use tokio::sync::oneshot;

use crate::TokioNode;
use crate::network::address_of;
use crate::packet::{CallId, Packet};

/// Something that a node did, which takes place when its step is over.
pub(crate) enum Effect<N: TokioNode> {
    Send(NodeId, Packet<N>),
    Write(<N::Disk as Disk>::Write),
    Flush,
    Emit(Fact),
    Answer(RequestId, N::Answer),
}

/// The session with the peer was lost before a reply came: the call may have arrived or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the connection to {peer} is lost")]
pub struct CallFailed {
    /// The peer that was called.
    pub peer: NodeId,
}

/// A call that has no reply yet.
type Pending<N> = (NodeId, oneshot::Sender<Result<<N as TokioNode>::Reply, CallFailed>>);

pub(crate) struct Changing<N: TokioNode> {
    pub effects: Vec<Effect<N>>,
    calls: BTreeMap<u32, Pending<N>>,
    calls_made: u32,
    lost: NodeSet,
    pub is_over: bool,
}

pub(crate) struct Shared<N: TokioNode> {
    pub id: NodeId,
    pub nodes: usize,
    pub life: u32,
    pub options: Options,
    changing: Mutex<Changing<N>>,
}

/// The world of a node beside tokio. It may be cloned and moved into tasks; it belongs to one life of the
/// node, and does nothing any more when that is over.
pub struct Env<N: TokioNode>(pub(crate) Arc<Shared<N>>);

impl<N: TokioNode> Clone for Env<N> {
    fn clone(&self) -> Env<N> {
        Env(Arc::clone(&self.0))
    }
}

impl<N: TokioNode> Env<N> {
    pub(crate) fn new(id: NodeId, nodes: usize, life: u32, options: Options) -> Env<N> {
        let changing = Changing {
            effects: Vec::new(),
            calls: BTreeMap::new(),
            calls_made: 0,
            lost: NodeSet::default(),
            is_over: false,
        };
        Env(Arc::new(Shared { id, nodes, life, options, changing: Mutex::new(changing) }))
    }

    pub(crate) fn changing(&self) -> MutexGuard<'_, Changing<N>> {
        self.0.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This node.
    pub fn id(&self) -> NodeId {
        self.0.id
    }

    /// Every node of the cluster, this one too, in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<N> {
        NodeId::first(self.0.nodes)
    }

    /// Every node of the cluster but this one, in order.
    pub fn peers(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<N> {
        let id = self.0.id;
        NodeId::first(self.0.nodes).filter(move |&node| node != id)
    }

    /// Which life of the node this is: 1 until its first crash.
    pub fn life(&self) -> u32 {
        self.0.life
    }

    /// The options of the target.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// The address of a node: `10.0.0.1` for n1. A node binds its sockets to that, to `0.0.0.0` or to `[::]`;
    /// `127.0.0.1` is the node itself.
    pub fn ip(&self, node: NodeId) -> IpAddr {
        address_of(node).into()
    }

    /// The address of a port of a node.
    pub fn address(&self, node: NodeId, port: u16) -> SocketAddr {
        SocketAddr::new(self.ip(node), port)
    }

    pub(crate) fn act(&self, effect: Effect<N>) {
        let mut changing = self.changing();
        if !changing.is_over {
            changing.effects.push(effect);
        }
    }

    /// Calls a peer past sockets: sends the message now, and waits for the reply. It does not give up by
    /// itself.
    pub fn call(
        &self,
        to: NodeId,
        message: N::Message,
    ) -> impl Future<Output = Result<N::Reply, CallFailed>> + Send + use<N> {
        let (sender, receiver) = oneshot::channel();
        let mut changing = self.changing();
        if changing.lost.contains(to) {
            let _ = sender.send(Err(CallFailed { peer: to }));
        } else if !changing.is_over {
            changing.calls_made += 1;
            let number = changing.calls_made;
            changing.calls.insert(number, (to, sender));
            let id = CallId { life: self.0.life, number };
            changing.effects.push(Effect::Send(to, Packet::Call(id, message)));
        }
        drop(changing);
        // The sender goes only when the life is over.
        async move { receiver.await.unwrap_or(Err(CallFailed { peer: to })) }
    }

    /// Writes to the disk. Durable at once, or when flushed, as the target's contract says.
    pub fn write(&self, write: <N::Disk as Disk>::Write) {
        self.act(Effect::Write(write));
    }

    /// Makes everything written so far durable before anything that this step sends leaves the node.
    pub fn flush(&self) {
        self.act(Effect::Flush);
    }

    /// Reports something that happened inside the node.
    pub fn emit(&self, fact: Fact) {
        self.act(Effect::Emit(fact));
    }

    /// Answers a request. The first answer counts.
    pub fn answer(&self, id: RequestId, answer: N::Answer) {
        self.act(Effect::Answer(id, answer));
    }

    pub(crate) fn take_reply(&self, id: CallId, reply: N::Reply) {
        if id.life == self.0.life {
            let call = self.changing().calls.remove(&id.number);
            if let Some((_, waiting)) = call {
                // Nobody may wait any more.
                let _ = waiting.send(Ok(reply));
            }
        }
    }

    pub(crate) fn lose(&self, peer: NodeId) {
        let mut changing = self.changing();
        changing.lost.insert(peer);
        let of_peer = |(number, (to, _)): (&u32, &Pending<N>)| (*to == peer).then_some(*number);
        let numbers: Vec<u32> = changing.calls.iter().filter_map(of_peer).collect();
        let lost: Vec<Pending<N>> =
            numbers.iter().filter_map(|number| changing.calls.remove(number)).collect();
        drop(changing);
        for (peer, waiting) in lost {
            let _ = waiting.send(Err(CallFailed { peer }));
        }
    }

    pub(crate) fn find_again(&self, peer: NodeId) {
        self.changing().lost.remove(peer);
    }

    /// The life is over: nothing takes effect any more.
    pub(crate) fn end(&self) {
        let mut changing = self.changing();
        changing.is_over = true;
        changing.effects.clear();
        let calls = std::mem::take(&mut changing.calls);
        drop(changing);
        drop(calls);
    }
}
