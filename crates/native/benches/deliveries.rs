//! How many deliveries a second: the register of `clients/c/examples` in C by the C interface, and the same
//! logic in Rust. A node in Rust describes a message when it is drawn; one in C describes each message or
//! none, so both are measured.
//!
//! All are measured in one run, in turns, by the same random executions: `cargo bench -p shakedown-native`.
//! Needs a C compiler.

#[path = "../tests/libraries/compiled.rs"]
mod compiled;

use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_campaign::{AnyTarget, Beat, Campaign, execute};
use shakedown_cluster::{
    Context, Contract, Message, Node, NodeId, Recording, RequestId, StepKind, derive_seed,
};
use shakedown_explore::Execution;
use shakedown_native::{NativeNode, SharedLibrary};
use shakedown_remote::Value;
use shakedown_target::Target;

const ROUNDS: usize = 9;
const EXECUTIONS: u64 = 400;
const REQUESTS: usize = 60;
const STEPS: usize = 400;
const PRIMARY: usize = 1;

#[derive(Clone, Debug, Hash)]
enum Sent {
    Replicate { version: u64, value: u64 },
    Ack { version: u64 },
}

impl Message for Sent {
    fn kind(&self) -> &'static str {
        match self {
            Sent::Replicate { .. } => "Replicate",
            Sent::Ack { .. } => "Ack",
        }
    }

    fn digest<H: std::hash::Hasher>(&self, hasher: &mut H) {
        std::hash::Hash::hash(self, hasher);
    }
}

/// A write that not all backups hold yet.
struct Pending {
    version: u64,
    client: RequestId,
    acks: usize,
}

#[derive(Default)]
struct Register {
    version: u64,
    value: u64,
    pending: Vec<Pending>,
}

impl Node for Register {
    type Message = Sent;
    type Request = u64;
    type Answer = u64;
    type State = (u64, u64);
    type Disk = ();

    fn boot((): &(), _ctx: &mut Context<'_, Register>) -> Register {
        Register::default()
    }

    fn request(&mut self, client: RequestId, value: u64, ctx: &mut Context<'_, Register>) {
        if ctx.id() == NodeId::new(PRIMARY) {
            (self.version, self.value) = (self.version + 1, value);
            self.pending.push(Pending { version: self.version, client, acks: 0 });
            ctx.broadcast(&Sent::Replicate { version: self.version, value });
        }
    }

    fn receive(&mut self, from: NodeId, message: Sent, ctx: &mut Context<'_, Register>) {
        match message {
            Sent::Replicate { version, value } => {
                (self.version, self.value) = (version, value);
                ctx.send(from, Sent::Ack { version });
            }
            Sent::Ack { version } => {
                let backups = ctx.nodes().len() - 1;
                self.pending.retain_mut(|write| {
                    write.acks += usize::from(write.version == version);
                    if write.acks == backups {
                        ctx.answer(write.client, &version);
                    }
                    write.acks < backups
                });
            }
        }
    }

    fn observe(&self) -> (u64, u64) {
        (self.version, self.value)
    }
}

fn main() {
    if !compiled::has_compiler() {
        return;
    }
    let library = |name, texts| compiled::library("clients/c/examples/register.c", name, &["-O2", texts]);
    let in_rust = Target::<Register>::new("register-in-rust")
        .contract(Contract::reliable())
        .steps(STEPS)
        .requests(REQUESTS, |number, _| number as u64);
    let in_c = |library| {
        Target::<NativeNode>::new("register-in-c")
            .contract(Contract::reliable())
            .steps(STEPS)
            .requests(REQUESTS, |number, _| Value::Integer(number as i64))
            .environment(Arc::new(SharedLibrary::new(library)))
    };
    let plain = in_c(library("register-bench", "-DTEXTS=0"));
    let with_texts = in_c(library("register-texts-bench", "-DTEXTS=1"));
    let targets: [(&str, &dyn AnyTarget); 3] =
        [("Rust", &in_rust), ("C", &plain), ("C, a text a message", &with_texts)];
    let mut rates: [Vec<f64>; 3] = Default::default();
    let mut delivered = [0; 3];
    for _ in 0..ROUNDS {
        for (place, (_, target)) in targets.iter().enumerate() {
            run(*target, 0);
            let (deliveries, time) = (0..EXECUTIONS).fold((0, Duration::ZERO), |(sum, time), number| {
                let (deliveries, took) = run(*target, number);
                (sum + deliveries, time + took)
            });
            delivered[place] = deliveries;
            rates[place].push(deliveries as f64 / time.as_secs_f64());
        }
    }
    assert!(delivered.iter().all(|count| *count == delivered[0]), "all do the same: {delivered:?}");
    println!(
        "{ROUNDS} rounds of {EXECUTIONS} executions each, in turns, 3 nodes, {STEPS} steps, {REQUESTS} requests\n"
    );
    println!("{:<24}{:>12}{:>12}{:>12}{:>9}", "deliveries a second", "median", "least", "most", "share");
    let mut whole = None;
    for ((name, _), rates) in targets.iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        let (least, median, most) = (rates[0], rates[ROUNDS / 2], rates[ROUNDS - 1]);
        let whole = *whole.get_or_insert(median);
        println!("{name:<24}{median:>12.0}{least:>12.0}{most:>12.0}{:>9.2}", median / whole);
    }
}

/// Runs one execution; how many messages were delivered, and how long it took.
fn run(target: &dyn AnyTarget, number: u64) -> (usize, Duration) {
    let campaign = Campaign::new(target);
    let explorer = campaign.explorer().expect("there is a random walk");
    let execution = campaign.execution(number);
    let began = Instant::now();
    let live = target.begin(&campaign.plan.config, execution.seed, Recording::Brief);
    let live = live.unwrap_or_else(|error| panic!("{error}"));
    let mut strategy = explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
    let outcome = execute(live, strategy.as_mut(), campaign.plan.config.steps, &Beat::default());
    let took = began.elapsed();
    let is_delivery = |step: &&shakedown_cluster::Step| step.kind() == StepKind::Deliver;
    (outcome.trace.schedule().steps.iter().filter(is_delivery).count(), took)
}
