//! Makes an ordinary node of one on tokio.

use std::panic::{catch_unwind, panic_any};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use shakedown_cluster::{Caught, Context, ForeignPanic, Loss, Node, NodeId, Random, RequestId};

use crate::TokioNode;
use crate::env::Effect;
use crate::life::{Birth, Done, Job, live};
use crate::packet::Packet;
use crate::pin::Share;
use crate::segment::Segment;
use crate::takeover::prepare;

/// A node on tokio as an ordinary one: what [`Target`](https://docs.rs/shakedown) and everything else of
/// Shakedown takes.
pub struct Tokio<N: TokioNode> {
    jobs: Sender<Job<N>>,
    done: Receiver<Done<N>>,
    thread: Option<JoinHandle<()>>,
    state: N::State,
    _share: Share,
}

impl<N: TokioNode> Tokio<N> {
    fn step(&mut self, job: Job<N>, ctx: &mut Context<'_, Self>) {
        // A thread that has ended has ended with a panic, which has been reported.
        let _ = self.jobs.send(job);
        if let Ok(done) = self.done.recv()
            && let Some(state) = carry_out(done, ctx)
        {
            self.state = state;
        }
    }
}

/// Carries out what a step came to, and gives what can be seen of the node.
fn carry_out<N: TokioNode>(done: Done<N>, ctx: &mut Context<'_, Tokio<N>>) -> Option<N::State> {
    let Done { effects, state, panic } = done;
    for effect in effects {
        match effect {
            Effect::Send(to, packet) => {
                check_loss(&packet, ctx);
                ctx.send(to, packet);
            }
            Effect::Write(write) => ctx.write(write),
            Effect::Flush => ctx.flush(),
            Effect::Emit(fact) => ctx.emit(fact),
            Effect::Answer(id, answer) => ctx.answer(id, &answer),
        }
    }
    if let Some((panic, has_unwound)) = panic {
        report(panic, has_unwound);
    }
    state
}

/// A connection does not lose one segment and deliver the next.
fn check_loss<N: TokioNode>(packet: &Packet<N>, ctx: &Context<'_, Tokio<N>>) {
    let is_datagram = matches!(packet, Packet::Segment(Segment::Datagram { .. }));
    let is_segment = matches!(packet, Packet::Segment(_)) && !is_datagram;
    assert!(
        !is_segment || ctx.contract().loss != Loss::Message,
        "connections lose no single segments: use a contract such as `Contract::sessions()`"
    );
}

/// A panic on the thread of the life is one of the call on this thread: one that left it, or one that was
/// caught inside.
fn report(Caught { message, place }: Caught, has_unwound: bool) {
    let raise = || panic_any(ForeignPanic { message, place });
    if has_unwound {
        raise();
    } else {
        let _ = catch_unwind(std::panic::AssertUnwindSafe(raise));
    }
}

impl<N: TokioNode> Node for Tokio<N> {
    type Message = Packet<N>;
    type Request = N::Request;
    type Answer = N::Answer;
    type State = N::State;
    type Disk = N::Disk;

    const HEARS_DISCONNECTED: bool = true;

    fn boot(disk: &N::Disk, ctx: &mut Context<'_, Self>) -> Self {
        if let Err(error) = prepare() {
            panic!("{} cannot be controlled: {error}", ctx.id());
        }
        let settings = N::settings(ctx.options());
        let ticks = u32::try_from(ctx.now()).unwrap_or(u32::MAX);
        let birth = Birth::<N> {
            id: ctx.id(),
            nodes: ctx.nodes().len(),
            life: ctx.life(),
            options: ctx.options().clone(),
            settings,
            disk: disk.clone(),
            random: Random::new(ctx.random().next_u64()),
            now: settings.tick.saturating_mul(ticks),
        };
        let ((jobs, jobs_here), (done_there, done)) = (channel(), channel());
        let share = Share::begin();
        let thread = std::thread::Builder::new()
            .spawn(move || live(birth, &jobs_here, &done_there))
            .unwrap_or_else(|error| panic!("the thread of {} cannot be started: {error}", ctx.id()));
        let booted = done.recv();
        let mut thread = Some(thread);
        match booted {
            Ok(done_booting) if done_booting.state.is_some() => {
                let state = done_booting.state.clone();
                carry_out(done_booting, ctx);
                match state {
                    Some(state) => Tokio { jobs, done, thread, state, _share: share },
                    None => unreachable!("it was looked at above"),
                }
            }
            booted => {
                drop(jobs);
                if let Some(thread) = thread.take() {
                    let _ = thread.join();
                }
                match booted.ok().and_then(|done| done.panic) {
                    Some((panic, _)) => report(panic, true),
                    None => panic!("the thread of {} ended before it had booted", ctx.id()),
                }
                unreachable!("a panic that left the call is reported by one")
            }
        }
    }

    fn receive(&mut self, from: NodeId, packet: Packet<N>, ctx: &mut Context<'_, Self>) {
        self.step(Job::Receive(from, packet), ctx);
    }

    fn request(&mut self, id: RequestId, request: N::Request, ctx: &mut Context<'_, Self>) {
        self.step(Job::Request(id, request), ctx);
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.step(Job::Tick, ctx);
    }

    fn flushed(&mut self, ctx: &mut Context<'_, Self>) {
        self.step(Job::GoOn, ctx);
    }

    fn reconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        self.step(Job::FindAgain(peer), ctx);
    }

    fn disconnected(&mut self, peer: NodeId, ctx: &mut Context<'_, Self>) {
        self.step(Job::Lose(peer), ctx);
    }

    fn observe(&self) -> N::State {
        self.state.clone()
    }
}

impl<N: TokioNode> Drop for Tokio<N> {
    /// The life is over: its thread ends.
    fn drop(&mut self) {
        let _ = self.jobs.send(Job::End);
        let ended = self.done.recv();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Ok(Done { panic: Some((panic, _)), .. }) = ended
            && !std::thread::panicking()
        {
            report(panic, true);
        }
    }
}
