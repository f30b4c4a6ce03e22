//! The trait that a protocol implements to be tested, and what it is handed while it works.

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::payloads::Payloads;
use crate::{Contract, Fact, Message, Name, NodeId, Options, Random, Redirect, RequestId};

/// The most messages that a node may send in one activation; a node that sends more is stopped.
pub const SENDS_MAX: usize = 10_000;

/// One process of the protocol under test.
///
/// A node is a state machine: it is called, and it answers through its [`Context`]. It must not look at a
/// wall clock, an unseeded random source, a thread or a hash map's order: whatever it does must follow from
/// its disk, its calls and [`Context::random`].
pub trait Node: Sized {
    /// What nodes send each other.
    type Message: Message;
    /// What clients ask; it travels as JSON.
    type Request: Serialize + DeserializeOwned;
    /// The answer to a request; it travels as JSON.
    type Answer: Serialize;
    /// What can be seen of a node from outside: invariants are stated over it, reports show it.
    type State: Clone + Debug + Hash + Serialize + 'static;
    /// What survives a crash. `()` for nothing, [`Saved<T>`] for a value that is written whole.
    type Disk: Disk;

    /// Starts the node, on an empty disk or on what survived its crash.
    fn boot(disk: &Self::Disk, ctx: &mut Context<'_, Self>) -> Self;

    /// A message arrives.
    fn receive(&mut self, from: NodeId, message: Self::Message, ctx: &mut Context<'_, Self>);

    /// What can be seen of the node.
    fn observe(&self) -> Self::State;

    /// Brings what was seen of the node up to date, and says whether it may have changed. It is called after
    /// every step; the default does `*state = self.observe()` and says yes, a node with a large state may do
    /// it at less cost.
    fn observe_again(&self, state: &mut Self::State) -> bool {
        *state = self.observe();
        true
    }

    /// The clock goes on by one.
    fn tick(&mut self, _ctx: &mut Context<'_, Self>) {}

    /// A timer that the node had set goes off.
    fn fire(&mut self, _timer: Name, _ctx: &mut Context<'_, Self>) {}

    /// A client asks something: any node that runs, whatever its role. Answer with [`Context::answer`], now
    /// or later, or pass it on; a request that is never answered may have happened or not. Where clients ask
    /// again ([`crate::Clients`]), a request may come more than once, to several nodes, with the same number:
    /// that is its session.
    fn request(&mut self, _id: RequestId, _request: Self::Request, _ctx: &mut Context<'_, Self>) {}

    /// Everything written so far is durable now, by a step of the tester. Only where the contract's disk is
    /// buffered ([`crate::DiskModel::Buffered`]), and not after [`Context::flush`], which the node knows of.
    fn flushed(&mut self, _ctx: &mut Context<'_, Self>) {}

    /// The connection to a peer is back after it was lost (only where the contract has sessions).
    fn reconnected(&mut self, _peer: NodeId, _ctx: &mut Context<'_, Self>) {}

    /// Whether [`Node::disconnected`] is called. Each call is an activation of its own, so nodes that do not
    /// care are left alone.
    const HEARS_DISCONNECTED: bool = false;

    /// The connection to a peer is lost: the link was cut or the peer crashed, or it was so already when this
    /// node booted (only where the contract has sessions, and only with [`Node::HEARS_DISCONNECTED`]).
    fn disconnected(&mut self, _peer: NodeId, _ctx: &mut Context<'_, Self>) {}
}

/// What the nodes of a target share beyond an execution, such as the programs that they run in. It must not
/// change what a node does.
pub trait Environment: Any + Send + Sync {
    /// Called before each execution begins, on the thread that it runs on. The error keeps the execution from
    /// beginning.
    fn prepare(&self) -> Result<(), String>;
}

/// What survives a crash, and how a write changes it. Implement it where writing the whole value each time
/// ([`Saved`]) would hide what a crash can do, as with a log of which a crash loses the end:
///
/// ```
/// use shakedown_cluster::Disk;
///
/// #[derive(Clone, Default)]
/// struct Log(Vec<u64>);
///
/// impl Disk for Log {
///     type Write = u64; // one entry: `ctx.write(entry)`
///
///     fn apply(&mut self, entry: u64) {
///         self.0.push(entry);
///     }
/// }
/// ```
pub trait Disk: Clone + Default {
    /// One write.
    type Write;

    /// The write becomes durable.
    fn apply(&mut self, write: Self::Write);
}

impl Disk for () {
    type Write = ();

    fn apply(&mut self, (): ()) {}
}

/// A disk that holds one value, written whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Saved<T>(pub T);

impl<T: Clone + Default> Disk for Saved<T> {
    type Write = T;

    fn apply(&mut self, write: T) {
        self.0 = write;
    }
}

/// What a node is handed while it works: who it is, and the ways to act on the world.
pub struct Context<'a, N: Node> {
    pub(crate) id: NodeId,
    pub(crate) nodes: usize,
    pub(crate) now: u64,
    pub(crate) life: u32,
    pub(crate) contract: &'a Contract,
    pub(crate) options: &'a Options,
    pub(crate) environment: Option<&'a dyn Environment>,
    pub(crate) random: &'a mut Random,
    pub(crate) effects: &'a mut Effects<N>,
    /// The contents of messages: what is sent goes straight to its place.
    pub(crate) payloads: &'a mut Payloads<N::Message>,
}

/// What a node did in one activation, in order.
pub(crate) struct Effects<N: Node> {
    /// To whom messages were sent, and the places of their contents.
    pub sends: Vec<(NodeId, u32)>,
    pub facts: Vec<Fact>,
    pub answers: Vec<(RequestId, Arc<str>)>,
    pub redirects: Vec<(RequestId, Redirect)>,
    pub timers: Vec<TimerChange>,
    pub disk: Vec<DiskChange<<N::Disk as Disk>::Write>>,
    pub flooded: bool,
}

pub(crate) enum TimerChange {
    Set(Name, u64),
    Cancel(Name),
}

pub(crate) enum DiskChange<W> {
    Write(W),
    Flush,
}

impl<N: Node> Default for Effects<N> {
    fn default() -> Effects<N> {
        Effects {
            sends: Vec::new(),
            facts: Vec::new(),
            answers: Vec::new(),
            redirects: Vec::new(),
            timers: Vec::new(),
            disk: Vec::new(),
            flooded: false,
        }
    }
}

impl<N: Node> Effects<N> {
    pub fn clear(&mut self) {
        self.sends.clear();
        self.facts.clear();
        self.answers.clear();
        self.redirects.clear();
        self.timers.clear();
        self.disk.clear();
        self.flooded = false;
    }
}

impl<N: Node> Context<'_, N> {
    /// This node.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Every node of the cluster, this one too, in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<N> {
        NodeId::first(self.nodes)
    }

    /// Every node of the cluster but this one, in order.
    pub fn peers(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<N> {
        let id = self.id;
        NodeId::first(self.nodes).filter(move |&node| node != id)
    }

    /// How many ticks this node has seen since the cluster began, over all its lives.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Which life of the node this is: 1 until its first crash, then one more with every restart.
    pub fn life(&self) -> u32 {
        self.life
    }

    /// What the network, the disks and the clocks may do.
    pub fn contract(&self) -> &Contract {
        self.contract
    }

    /// The options of the target.
    pub fn options(&self) -> &Options {
        self.options
    }

    /// What the nodes of the target share beyond an execution, if it is of this type.
    pub fn environment<E: Environment>(&self) -> Option<&E> {
        (self.environment? as &dyn Any).downcast_ref()
    }

    /// Random numbers that come from the seed of the execution.
    pub fn random(&mut self) -> &mut Random {
        self.random
    }

    /// Sends a message.
    ///
    /// # Panics
    /// If there is no such node: a finding, like every panic of a node.
    pub fn send(&mut self, to: NodeId, message: N::Message) {
        assert!(to.index() < self.nodes, "{} sends to {to}, which does not exist", self.id);
        if self.effects.sends.len() < SENDS_MAX {
            let place = self.payloads.put(message);
            self.effects.sends.push((to, place));
        } else {
            self.effects.flooded = true;
        }
    }

    /// Sends a message to every other node.
    pub fn broadcast(&mut self, message: &N::Message) {
        for peer in self.peers() {
            self.send(peer, message.clone());
        }
    }

    /// Answers a request. Any node may, not only the one that was asked; the first answer counts.
    pub fn answer(&mut self, id: RequestId, answer: &N::Answer) {
        let text =
            serde_json::to_string(answer).unwrap_or_else(|error| format!("\"answer without JSON: {error}\""));
        self.effects.answers.push((id, text.into()));
    }

    /// Sends the client of a request elsewhere: to the node that leads, if one is known. Only for clients
    /// that ask again ([`crate::Clients`]); to one that asks once this is no answer.
    pub fn redirect(&mut self, id: RequestId, to: Option<NodeId>) {
        let to = to.filter(|node| node.index() < self.nodes);
        self.effects.redirects.push((id, Redirect(to)));
    }

    /// Tells something that happened inside the node.
    pub fn emit(&mut self, fact: Fact) {
        self.effects.facts.push(fact);
    }

    /// Sets a timer, or sets it anew, to go off after this many ticks. Names that are made up while the node
    /// runs come from [`Name::intern`] or [`Name::numbered`].
    ///
    /// # Panics
    /// If the timer's name is not one word (see [`Name::check`]): a finding, like every panic of a node.
    pub fn set_timer(&mut self, timer: impl Into<Name>, ticks: u64) {
        let timer = timer.into();
        if let Err(error) = Name::check(timer.as_str()) {
            panic!("a timer needs a name: {error}");
        }
        self.effects.timers.push(TimerChange::Set(timer, self.now.saturating_add(ticks)));
    }

    /// Takes a timer back.
    pub fn cancel_timer(&mut self, timer: impl Into<Name>) {
        self.effects.timers.push(TimerChange::Cancel(timer.into()));
    }

    /// Writes to the disk. Durable at once, or when flushed, as the target's contract says.
    pub fn write(&mut self, write: <N::Disk as Disk>::Write) {
        self.effects.disk.push(DiskChange::Write(write));
    }

    /// Makes everything written so far durable before anything that this activation sends leaves the node.
    /// [`Node::flushed`] is not called for it.
    pub fn flush(&mut self) {
        self.effects.disk.push(DiskChange::Flush);
    }
}
