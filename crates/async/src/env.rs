//! What an async node is handed: who it is, and the ways to act on the world.

use std::cell::{Cell, RefCell, RefMut};
use std::fmt::Display;
use std::future::Future;
use std::rc::Rc;
use std::str::FromStr;
use std::task::Waker;
use std::time::Duration;

use shakedown_cluster::{Disk, Fact, NodeId, NodeSet, Options, Random, RequestId};

use crate::call::{Call, CallFailed, Pending};
use crate::sleep::{Interval, Sleep, Timeout};
use crate::wire::{CallId, Wire};
use crate::{AsyncNode, Flush, Instant, Runtime, Task};

/// Something that a node did, which takes place when its step is over.
pub(crate) enum Effect<N: AsyncNode> {
    Send(NodeId, Wire<N>),
    Write(<N::Disk as Disk>::Write),
    Flush,
    Emit(Fact),
    Answer(RequestId, N::Answer),
}

/// What all handles of one life share.
pub(crate) struct Shared<N: AsyncNode> {
    pub id: NodeId,
    pub nodes: usize,
    pub life: u32,
    pub options: Options,
    /// Whether writes are durable only when flushed.
    pub is_buffered: bool,
    pub runtime: Runtime,
    pub effects: RefCell<Vec<Effect<N>>>,
    pub calls: RefCell<Vec<Pending<N::Reply>>>,
    pub calls_made: Cell<u32>,
    /// Peers whose sessions are lost.
    pub lost: Cell<NodeSet>,
    /// How many writes there were, and how many of them are durable.
    pub written: Cell<u64>,
    pub durable: Cell<u64>,
    pub flushing: RefCell<Vec<Waker>>,
}

/// The world of an async node: its peers, its clock, its disk, its tasks. It may be cloned and moved into
/// tasks; it belongs to one life of the node, and does nothing any more when that is over.
pub struct Env<N: AsyncNode>(pub(crate) Rc<Shared<N>>);

impl<N: AsyncNode> Clone for Env<N> {
    fn clone(&self) -> Env<N> {
        Env(Rc::clone(&self.0))
    }
}

impl<N: AsyncNode> Env<N> {
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

    /// The value of an option of the target. All of them are read before any node boots.
    ///
    /// # Panics
    /// If there is no such option, or it is of another type: a finding.
    pub fn option<T: FromStr<Err: Display>>(&self, name: &str) -> T {
        self.options().get(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The runtime alone, for libraries that want no more.
    pub fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn act(&self, effect: Effect<N>) {
        if !self.0.runtime.0.is_closed() {
            self.0.effects.borrow_mut().push(effect);
        }
    }

    /// Calls a peer: sends the message now, and waits for the reply. The message is sent whether or not the
    /// call is waited for.
    pub fn call(&self, to: NodeId, message: N::Message) -> Call<N> {
        let shared = &self.0;
        let number = shared.calls_made.get() + 1;
        shared.calls_made.set(number);
        let is_lost = shared.lost.get().contains(to);
        let outcome = is_lost.then_some(Err(CallFailed { peer: to }));
        if !shared.runtime.0.is_closed() {
            shared.calls.borrow_mut().push(Pending { number, to, outcome, waiting: None });
        }
        if !is_lost {
            let id = CallId { life: shared.life, number };
            self.act(Effect::Send(to, Wire::Call(id, message)));
        }
        Call { shared: Rc::clone(shared), number }
    }

    /// Sends a message without a reply.
    pub fn send(&self, to: NodeId, message: N::Message) {
        self.act(Effect::Send(to, Wire::OneWay(message)));
    }

    /// Sends such a message to every other node.
    pub fn broadcast(&self, message: &N::Message) {
        for peer in self.peers() {
            self.send(peer, message.clone());
        }
    }

    /// Answers a request, in place of [`AsyncNode::request`]. Any node may, and the first answer counts.
    pub fn answer(&self, id: RequestId, answer: N::Answer) {
        self.act(Effect::Answer(id, answer));
    }

    /// Reports something that happened inside the node.
    pub fn emit(&self, fact: Fact) {
        self.act(Effect::Emit(fact));
    }

    /// Writes to the disk. Durable at once, or when flushed, as the target's contract has it.
    pub fn write(&self, write: <N::Disk as Disk>::Write) {
        let shared = &self.0;
        shared.written.set(shared.written.get() + 1);
        if !shared.is_buffered {
            shared.durable.set(shared.written.get());
        }
        self.act(Effect::Write(write));
    }

    /// Waits until everything written so far is durable. Where the disk is buffered, this is when a step of
    /// the tester flushes it; otherwise at once.
    pub fn flush(&self) -> Flush<N> {
        Flush { shared: Rc::clone(&self.0), writes: self.0.written.get() }
    }

    /// Makes everything written so far durable before the step is over: like a program that stands still
    /// until its disk has done its work.
    pub fn flush_now(&self) {
        self.act(Effect::Flush);
        self.became_durable();
    }

    /// How many writes of this life are durable, of how many. What a node shows of it, oracles can see.
    pub fn durable(&self) -> (u64, u64) {
        (self.0.durable.get(), self.0.written.get())
    }

    /// Everything written so far is durable.
    pub(crate) fn became_durable(&self) {
        self.0.durable.set(self.0.written.get());
        let waiting = std::mem::take(&mut *self.0.flushing.borrow_mut());
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The reply to a call arrives. One that nobody waits for is dropped.
    pub(crate) fn take_reply(&self, id: CallId, reply: N::Reply) {
        let mut calls = self.0.calls.borrow_mut();
        let is_meant = |call: &&mut Pending<N::Reply>| call.number == id.number && call.outcome.is_none();
        let call = calls.iter_mut().find(is_meant).filter(|_| id.life == self.0.life);
        let waiting = call.and_then(|call| {
            call.outcome = Some(Ok(reply));
            call.waiting.take()
        });
        drop(calls);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The session with a peer is lost, and with it the calls that wait for the peer.
    pub(crate) fn lose_session(&self, peer: NodeId) {
        let mut waiting = Vec::new();
        for call in self.0.calls.borrow_mut().iter_mut() {
            if call.to == peer && call.outcome.is_none() {
                call.outcome = Some(Err(CallFailed { peer }));
                waiting.extend(call.waiting.take());
            }
        }
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Runs the future beside the task that spawned it, until it is done or the node crashes. Dropping the
    /// handle changes nothing.
    pub fn spawn<F: Future + 'static>(&self, future: F) -> Task<F::Output> {
        self.0.runtime.spawn(future)
    }

    /// The node's clock.
    pub fn now(&self) -> Instant {
        self.0.runtime.now()
    }

    /// Random numbers that come from the seed of the execution. Give it back before the next `.await`.
    pub fn random(&self) -> RefMut<'_, Random> {
        self.0.runtime.random()
    }

    /// Waits until the clock has gone on this far.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.0.runtime.sleep(duration)
    }

    /// Waits until the clock has come to this instant.
    pub fn sleep_until(&self, end: Instant) -> Sleep {
        self.0.runtime.sleep_until(end)
    }

    /// Waits for the future, but not longer than this.
    pub fn timeout<F: Future>(&self, duration: Duration, future: F) -> Timeout<F> {
        self.0.runtime.timeout(duration, future)
    }

    /// Something that happens again and again, for the first time after one period.
    pub fn interval(&self, period: Duration) -> Interval {
        self.0.runtime.interval(period)
    }
}
