//! One life of a node, on a thread of its own.
//!
//! A thread of its own, because crates keep things in thread-locals that outlive an execution: the generator
//! of `rand::thread_rng`, the hash keys of the standard library. They begin anew with every life, as they do
//! in a process.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use shakedown_cluster::{Caught, NodeId, Options, Random, RequestId, note_panics};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::env::{Effect, Env};
use crate::network::Network;
use crate::packet::{Packet, reply_kind};
use crate::quiet::{Hooks, Quiet};
use crate::takeover::{Entered, Machine, seed};
use crate::{Settings, TokioNode, Uncontrolled};

/// What a life begins with.
pub(crate) struct Birth<N: TokioNode> {
    pub id: NodeId,
    pub nodes: usize,
    pub life: u32,
    pub options: Options,
    pub settings: Settings,
    pub disk: N::Disk,
    pub random: Random,
    /// How long the node has been running, over all its lives.
    pub now: Duration,
}

/// A command to a life.
pub(crate) enum Job<N: TokioNode> {
    Receive(NodeId, Packet<N>),
    Request(RequestId, N::Request),
    Tick,
    Lose(NodeId),
    FindAgain(NodeId),
    /// Nothing in particular, such as after a flush.
    GoOn,
    End,
}

/// What came of it.
pub(crate) struct Done<N: TokioNode> {
    pub effects: Vec<Effect<N>>,
    /// What can be seen of the node now; nothing if it panicked.
    pub state: Option<N::State>,
    /// The first panic, and whether it left the call.
    pub panic: Option<(Caught, bool)>,
}

/// The node, once it has booted, and who waits for that.
struct Booted<N> {
    node: OnceLock<Arc<N>>,
    notify: Notify,
}

impl<N> Booted<N> {
    async fn get(&self) -> Arc<N> {
        loop {
            let notified = self.notify.notified();
            if let Some(node) = self.node.get() {
                return Arc::clone(node);
            }
            notified.await;
        }
    }
}

/// See the module's text. Fields are dropped in this order.
struct Life<N: TokioNode> {
    runtime: Option<Runtime>,
    booted: Arc<Booted<N>>,
    env: Env<N>,
    starting: Option<N::State>,
    hooks: Hooks,
    settings: Settings,
    /// When the runtime began, and how long the node had been running then.
    began: (Instant, Duration),
    machine: Rc<Machine>,
    _entered: Entered,
}

/// Lives: carries out commands until the one that ends it.
pub(crate) fn live<N: TokioNode>(birth: Birth<N>, jobs: &Receiver<Job<N>>, done: &Sender<Done<N>>) {
    let mut life = None;
    let booted = note_panics(|| {
        let mut begun = Life::begin(birth);
        let outcome = begun.boot();
        life = Some(begun);
        outcome
    });
    let mut outcome = booted;
    while done.send(Done::of(outcome)).is_ok() {
        outcome = match jobs.recv() {
            Ok(Job::End) | Err(_) => break,
            Ok(job) => note_panics(|| life.as_mut().map(|life| life.perform(job)).unwrap_or_default()),
        };
    }
    let ended = note_panics(|| {
        if let Some(life) = life {
            life.end();
        }
        Outcome::default()
    });
    let _ = done.send(Done::of(ended));
}

/// What a step came to.
struct Outcome<N: TokioNode> {
    effects: Vec<Effect<N>>,
    state: Option<N::State>,
}

impl<N: TokioNode> Default for Outcome<N> {
    fn default() -> Outcome<N> {
        Outcome { effects: Vec::new(), state: None }
    }
}

impl<N: TokioNode> Done<N> {
    fn of((outcome, panic): (Option<Outcome<N>>, Option<Caught>)) -> Done<N> {
        let has_unwound = outcome.is_none();
        let Outcome { effects, state } = outcome.unwrap_or_default();
        Done { effects, state, panic: panic.map(|panic| (panic, has_unwound)) }
    }
}

impl<N: TokioNode> Life<N> {
    fn begin(birth: Birth<N>) -> Life<N> {
        let Birth { id, nodes, life, options, settings, disk, mut random, now } = birth;
        let network = Network::new(id, nodes, life, settings.segment_max)
            .unwrap_or_else(|error| panic!("the network of {id} cannot be made: {error}"));
        let seed_of_runtime = random.next_u64();
        let machine = Rc::new(Machine::new(random, now, network, settings.looks_max));
        let entered = machine.enter().unwrap_or_else(|error| panic!("{id} cannot be controlled: {error}"));
        let hooks = Hooks::default();
        let mut builder = Builder::new_current_thread();
        builder.enable_all().start_paused(true);
        hooks.set(&mut builder);
        seed(&mut builder, seed_of_runtime)
            .unwrap_or_else(|error| panic!("{id} cannot be controlled: {error}"));
        let runtime =
            builder.build().unwrap_or_else(|error| panic!("the runtime of {id} cannot be made: {error}"));
        let began = (runtime.block_on(async { Instant::now() }), now);
        let env = Env::new(id, nodes, life, options);
        let booted = Arc::new(Booted { node: OnceLock::new(), notify: Notify::new() });
        let starting = N::starting(&disk);
        let (own, handle) = (Arc::clone(&booted), env.clone());
        runtime.spawn(async move {
            let _ = own.node.set(Arc::new(N::boot(disk, handle).await));
            own.notify.notify_waiters();
        });
        Life {
            runtime: Some(runtime),
            booted,
            env,
            starting,
            hooks,
            settings,
            began,
            machine,
            _entered: entered,
        }
    }

    fn boot(&mut self) -> Outcome<N> {
        let outcome = self.step(|| {}, None);
        assert!(
            outcome.state.is_some() || std::thread::panicking(),
            "`boot` waits for something: implement `TokioNode::starting` to have something to show meanwhile"
        );
        outcome
    }

    fn perform(&mut self, job: Job<N>) -> Outcome<N> {
        let (env, booted) = (self.env.clone(), Arc::clone(&self.booted));
        let machine = Rc::clone(&self.machine);
        match job {
            Job::Receive(from, Packet::Segment(segment)) => {
                self.step(|| machine.with_network(|network| network.receive(from, segment)), None)
            }
            Job::Receive(from, Packet::Call(id, call)) => self.step(
                || {
                    tokio::spawn(async move {
                        let kind = reply_kind(shakedown_cluster::Message::kind(&call));
                        let reply = booted.get().await.serve(from, call).await;
                        env.act(Effect::Send(from, Packet::Reply(id, kind, reply)));
                    });
                },
                None,
            ),
            Job::Receive(_, Packet::Reply(id, _, reply)) => self.step(|| env.take_reply(id, reply), None),
            Job::Request(id, request) => self.step(
                || {
                    tokio::spawn(async move {
                        if let Some(answer) = booted.get().await.request(id, request).await {
                            env.answer(id, answer);
                        }
                    });
                },
                None,
            ),
            Job::Tick => self.step(|| {}, Some(self.settings.tick)),
            Job::Lose(peer) => self.step(
                || {
                    machine.with_network(|network| network.lose(peer));
                    env.lose(peer);
                },
                None,
            ),
            Job::FindAgain(peer) => self.step(
                || {
                    machine.with_network(|network| network.find_again(peer));
                    env.find_again(peer);
                },
                None,
            ),
            Job::GoOn | Job::End => self.step(|| {}, None),
        }
    }

    /// Lets the node do something, runs its tasks until none can go on, and gathers what they did.
    fn step(&self, act: impl FnOnce(), by: Option<Duration>) -> Outcome<N> {
        self.run(act, by);
        let mut exchanges = 0;
        while self.machine.with_network(Network::exchange) {
            exchanges += 1;
            assert!(
                exchanges < self.settings.looks_max,
                "it never goes quiet: it goes on writing and reading"
            );
            self.run(|| {}, None);
        }
        let uncontrolled = self.machine.take_uncontrolled();
        if let Some(first) = uncontrolled.first()
            && self.settings.uncontrolled == Uncontrolled::Finding
        {
            panic!("{first}, which is not controlled (`Settings::uncontrolled`)");
        }
        let mut effects = std::mem::take(&mut self.env.changing().effects);
        let out = self.machine.with_network(Network::take_out);
        effects.extend(out.into_iter().map(|(to, segment)| Effect::Send(to, Packet::Segment(segment))));
        let state = match self.booted.node.get() {
            Some(node) => Some(node.observe()),
            None => self.starting.clone(),
        };
        Outcome { effects, state }
    }

    fn run(&self, act: impl FnOnce(), by: Option<Duration>) {
        let Some(runtime) = &self.runtime else { return };
        let machine = &*self.machine;
        machine.set_runtime_clock(Some(self.began));
        let now = runtime.block_on(async {
            let quiet = Quiet::new(machine, &self.hooks, act);
            match by {
                Some(by) => quiet.advance(by).await,
                None => quiet.await,
            }
            machine.now()
        });
        machine.set_runtime_clock(None);
        machine.set_now(now);
    }

    /// Ends the life: every task is dropped, and nothing of it takes effect.
    fn end(mut self) {
        self.env.end();
        self.machine.set_runtime_clock(None);
        if let Some(runtime) = self.runtime.take() {
            // A thread of the target may never end.
            runtime.shutdown_background();
        }
        self.env.end();
    }
}
