//! Makes an ordinary node of an async one.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::task::{Poll, Waker};

use shakedown_cluster::{Context, DiskModel, Name, Node, NodeId, NodeSet, Random, RequestId, Timers};

use crate::env::{Effect, Shared};
use crate::executor::{Executor, TimerChange};
use crate::wire::{Wire, reply_kind};
use crate::{AsyncNode, Env, Instant, Runtime};

/// The node, once it has booted, and who waits for that.
struct Booted<N> {
    node: OnceCell<Rc<N>>,
    waiting: RefCell<Vec<Waker>>,
}

impl<N> Booted<N> {
    fn set(&self, node: N) {
        let _ = self.node.set(Rc::new(node));
        self.waiting.take().into_iter().for_each(Waker::wake);
    }

    /// Waits for the node.
    fn get(self: &Rc<Self>) -> impl Future<Output = Rc<N>> + use<N> {
        let booted = Rc::clone(self);
        poll_fn(move |cx| match booted.node.get() {
            Some(node) => Poll::Ready(Rc::clone(node)),
            None => {
                booted.waiting.borrow_mut().push(cx.waker().clone());
                Poll::Pending
            }
        })
    }
}

/// An async node as an ordinary one: what [`Target`](https://docs.rs/shakedown) and everything else of
/// Shakedown takes.
pub struct Async<N: AsyncNode> {
    env: Env<N>,
    booted: Rc<Booted<N>>,
    /// What it shows until it has booted.
    starting: Option<N::State>,
}

impl<N: AsyncNode> Async<N> {
    /// The node itself, if it has booted.
    pub fn node(&self) -> Option<&N> {
        self.booted.node.get().map(|node| &**node)
    }

    fn runtime(&self) -> &Runtime {
        &self.env.0.runtime
    }

    /// Lets the node do something, runs its tasks until none can go on, and carries out what they did.
    fn step(&self, ctx: &mut Context<'_, Self>, act: impl FnOnce(&Executor)) {
        let runtime = self.runtime();
        let entered = runtime.enter();
        act(&runtime.0);
        runtime.0.settle();
        drop(entered);
        self.carry_out(ctx);
    }

    fn carry_out(&self, ctx: &mut Context<'_, Self>) {
        let shared = &self.env.0;
        let mut effects = std::mem::take(&mut *shared.effects.borrow_mut());
        for effect in effects.drain(..) {
            match effect {
                Effect::Send(to, wire) => ctx.send(to, wire),
                Effect::Write(write) => ctx.write(write),
                Effect::Flush => ctx.flush(),
                Effect::Emit(fact) => ctx.emit(fact),
                Effect::Answer(id, answer) => ctx.answer(id, &answer),
            }
        }
        // The room is used again.
        *shared.effects.borrow_mut() = effects;
        let executor = &self.runtime().0;
        for change in executor.take_timer_changes() {
            match change {
                TimerChange::Set(name, end) => {
                    let wait = (end - executor.now()).as_nanos().div_ceil(executor.tick().as_nanos().max(1));
                    ctx.set_timer(name, u64::try_from(wait).unwrap_or(u64::MAX));
                }
                TimerChange::Cancel(name) => ctx.cancel_timer(name),
            }
        }
    }
}

impl<N: AsyncNode> Node for Async<N> {
    type Message = Wire<N>;
    type Request = N::Request;
    type Answer = N::Answer;
    type State = N::State;
    type Disk = N::Disk;

    const HEARS_DISCONNECTED: bool = true;

    fn boot(disk: &N::Disk, ctx: &mut Context<'_, Self>) -> Self {
        let settings = N::settings(ctx.options());
        let ticks = u32::try_from(ctx.now()).unwrap_or(u32::MAX);
        let now = Instant::BEGIN + settings.tick.saturating_mul(ticks);
        let random = Random::new(ctx.random().next_u64());
        let has_timers = ctx.contract().timers == Timers::Anytime;
        let executor = Executor::new(settings, now, has_timers, random);
        let env = Env(Rc::new(Shared {
            id: ctx.id(),
            nodes: ctx.nodes().len(),
            life: ctx.life(),
            options: ctx.options().clone(),
            is_buffered: ctx.contract().disk == DiskModel::Buffered,
            runtime: Runtime(Rc::new(executor)),
            effects: RefCell::default(),
            calls: RefCell::default(),
            calls_made: Cell::new(0),
            lost: Cell::new(NodeSet::default()),
            written: Cell::new(0),
            durable: Cell::new(0),
            flushing: RefCell::default(),
        }));
        let booted = Rc::new(Booted { node: OnceCell::new(), waiting: RefCell::default() });
        let node = Async { env: env.clone(), booted: Rc::clone(&booted), starting: N::starting(disk) };
        let disk = disk.clone();
        node.step(ctx, |executor| {
            executor.spawn(Box::pin(async move { booted.set(N::boot(disk, env).await) }));
        });
        assert!(
            node.node().is_some() || node.starting.is_some(),
            "`boot` waits for something: implement `AsyncNode::starting` to have something to show meanwhile"
        );
        node
    }

    fn receive(&mut self, from: NodeId, message: Wire<N>, ctx: &mut Context<'_, Self>) {
        let (node, env) = (self.booted.get(), self.env.clone());
        self.step(ctx, |executor| match message {
            Wire::Reply(id, _, reply) => env.take_reply(id, reply),
            Wire::OneWay(message) => {
                executor.spawn(Box::pin(async move { node.await.receive(from, message).await }));
            }
            Wire::Call(id, call) => executor.spawn(Box::pin(async move {
                let kind = reply_kind(shakedown_cluster::Message::kind(&call));
                let reply = node.await.serve(from, call).await;
                env.act(Effect::Send(from, Wire::Reply(id, kind, reply)));
            })),
        });
    }

    fn request(&mut self, id: RequestId, request: N::Request, ctx: &mut Context<'_, Self>) {
        let (node, env) = (self.booted.get(), self.env.clone());
        self.step(ctx, |executor| {
            executor.spawn(Box::pin(async move {
                if let Some(answer) = node.await.request(id, request).await {
                    env.answer(id, answer);
                }
            }));
        });
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.step(ctx, |executor| executor.advance(executor.tick()));
    }

    fn fire(&mut self, timer: Name, ctx: &mut Context<'_, Self>) {
        self.step(ctx, |executor| executor.fire(timer));
    }

    fn flushed(&mut self, ctx: &mut Context<'_, Self>) {
        self.step(ctx, |_| self.env.became_durable());
    }

    fn reconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        let mut lost = self.env.0.lost.get();
        lost.remove(peer);
        self.env.0.lost.set(lost);
        self.step(ctx, |_| {});
    }

    fn disconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        let mut lost = self.env.0.lost.get();
        lost.insert(peer);
        self.env.0.lost.set(lost);
        self.step(ctx, |_| self.env.lose_session(peer));
    }

    fn observe(&self) -> N::State {
        match (self.node(), &self.starting) {
            (Some(node), _) => node.observe(),
            (None, Some(starting)) => starting.clone(),
            (None, None) => unreachable!("`boot` has made sure that there is something to show"),
        }
    }

    fn observe_again(&self, state: &mut N::State) -> bool {
        match self.node() {
            Some(node) => node.observe_again(state),
            None => false,
        }
    }
}

impl<N: AsyncNode> Drop for Async<N> {
    /// The life is over: tasks go first, then the node, which they share.
    fn drop(&mut self) {
        let runtime = self.runtime().clone();
        let _entered = runtime.enter();
        let closed = catch_unwind(AssertUnwindSafe(|| runtime.0.close()));
        self.env.0.effects.take();
        self.env.0.calls.take();
        self.env.0.flushing.take();
        self.booted.waiting.take();
        if let Some(booted) = Rc::get_mut(&mut self.booted) {
            let node = booted.node.take();
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(node)));
            if let (Ok(()), Err(panic)) = (&closed, dropped) {
                resume_unwind(panic);
            }
        }
        if let Err(panic) = closed {
            resume_unwind(panic);
        }
    }
}
