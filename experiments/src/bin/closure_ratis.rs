//! Prints the table of docs/results/closure.md beside tables 3 to 5 of the paper: P1 to P3 in the harness for
//! Ratis, on the crate raft, by what clients do that wait for an answer. `cargo run --release -p
//! shakedown-experiments --bin closure_ratis`.

use std::sync::Arc;
use std::thread;

use shakedown_campaign::{AnyTarget, Campaign};
use shakedown_cluster::{Clients, Cluster, Fact, InProcess, NodeId, Recording, Setup, derive_seed};
use shakedown_explore::{Execution, Explorer, Insight, Sight};
use shakedown_raft::{CALM_ROUNDS, RaftNode, RaftView, target};
use shakedown_rafts::{RaftState, Role, end_of_log};

const EXECUTIONS: u64 = 1_000;
const ISOLATIONS: std::ops::RangeInclusive<usize> = 1..=7;
const LOSSES: [&str; 3] = ["0.125", "0.25", "0.5"];
const CLIENTS: [Clients; 3] = [Clients::Once, Clients::Redirected, Clients::Retrying];

fn main() {
    let recovery = format!("recovery={}", CALM_ROUNDS + 10);
    let short = "rounds=8,period=2,harness=ratis-p3";
    let long = "rounds=80,period=20,harness=ratis-slow";
    println!("| executions of {EXECUTIONS} that violate | clients | {} |", heads("d = ", ISOLATIONS));
    println!("|---|---|{}", "---:|".repeat(7));
    for (name, shape, level) in [
        ("r = 8, k = 2, level b", short, "b"),
        ("level a", long, "a"),
        ("level b", long, "b"),
        ("level c, cut off", long, "c"),
        ("level c, crashed", long, "c,by=crash"),
        ("level c in two stages, cut off", short, "c,stages=2"),
        ("level c in two stages, crashed", short, "c,stages=2,by=crash"),
    ] {
        let strategies =
            ISOLATIONS.map(|d| format!("closure:{shape},isolations={d},level={level},{recovery}")).collect();
        rows(name, strategies);
    }
    println!("\n| executions of {EXECUTIONS} that violate | clients | {} |", heads("p = ", LOSSES));
    println!("|---|---|{}", "---:|".repeat(LOSSES.len()));
    rows(
        "messages lost",
        LOSSES.map(|loss| format!("lossy:rounds=80,loss={loss},harness=ratis-slow,{recovery}")).into(),
    );
}

fn heads(prefix: &str, values: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let heads: Vec<_> = values.into_iter().map(|value| format!("{prefix}{value}")).collect();
    heads.join(" | ")
}

/// How many executions violate each property, and how the clients of all of them fared.
#[derive(Clone, Copy, Default)]
struct Count {
    violated: [u64; 3],
    requests: u64,
    unanswered: u64,
    retries: u64,
    /// In how many of them more than one term had a leader.
    deposed: u64,
}

impl Count {
    fn add(&mut self, other: Count) {
        for (sum, more) in self.violated.iter_mut().zip(other.violated) {
            *sum += more;
        }
        self.requests += other.requests;
        self.unanswered += other.unanswered;
        self.retries += other.retries;
        self.deposed += other.deposed;
    }
}

fn rows(name: &str, strategies: Vec<String>) {
    for clients in CLIENTS {
        let counts: Vec<Count> = strategies.iter().map(|strategy| count(strategy, clients)).collect();
        // What nodes do among themselves hardly depends on clients, so P1 and P2 are shown once.
        let properties = if clients == Clients::Retrying { 0..3 } else { 2..3 };
        for property in properties {
            let cells: Vec<_> = counts.iter().map(|count| count.violated[property].to_string()).collect();
            println!("| {name}: P{} | {clients} | {} |", property + 1, cells.join(" | "));
        }
        let mut all = Count::default();
        counts.iter().for_each(|count| all.add(*count));
        eprintln!(
            "{name}, {clients}: {} of {} requests without an answer, {} retries, leaders changed in {} executions",
            all.unanswered, all.requests, all.retries, all.deposed
        );
    }
}

/// What lock step may know of the nodes: who leads.
struct Roles<'a>(&'a [RaftView]);

impl Insight for Roles<'_> {
    fn serves(&self, node: NodeId) -> bool {
        self.0[node.index()].role() == Role::Leader
    }
}

/// Runs the executions on two threads; each execution has its own seed, so the threads make no difference.
fn count(strategy: &str, clients: Clients) -> Count {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    let options = &mut campaign.plan.config.options;
    options.set("library_invariants", false);
    options.set("clients", clients);
    let explorer = campaign.explorer().expect("the strategy exists");
    let setup = Setup {
        nodes: 3,
        contract: AnyTarget::contract(&target, &campaign.plan.config.options).expect("the options are right"),
        options: Arc::new(campaign.plan.config.options.clone()),
        workload: Vec::new(),
        steps: 2_000,
        seed: 0,
        recording: Recording::Brief,
    };
    let half = |first: u64| {
        let mut sum = Count::default();
        (first..EXECUTIONS).step_by(2).for_each(|number| sum.add(execute(number, &setup, &*explorer)));
        sum
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut sum = half(0);
        sum.add(other.join().expect("the other half counts"));
        sum
    })
}

fn execute(number: u64, setup: &Setup, explorer: &dyn Explorer) -> Count {
    let setup = Setup { seed: derive_seed(number, 2), ..setup.clone() };
    let mut cluster = InProcess::<RaftNode>::boot(&setup).expect("nodes boot");
    let mut strategy =
        explorer.strategy(&Execution { number, seed: derive_seed(number, 1), steps_max: 10_000 });
    while let Some(step) = strategy.next(&Sight::new(cluster.board(), &Roles(cluster.states()))) {
        cluster.perform(&step).expect("lock step chooses possible steps");
    }
    let states = cluster.states();
    let requests = cluster.board().requests();
    let is_led = states.iter().any(|view| view.role() == Role::Leader);
    let are_equal = states.iter().all(|view| end_of_log::<RaftView>(view) == end_of_log(&states[0]));
    let is_leader = |fact: &&Fact| {
        fact.name.as_str() == "role" && fact.fields.iter().any(|(_, v)| v.to_string() == "leader")
    };
    let leaders = cluster.board().facts().filter(is_leader).count();
    // A client that is told that its request was dropped has got no reply.
    let is_open = |answer: Option<&str>| answer.is_none_or(|answer| answer == "\"dropped\"");
    let unanswered = requests.iter().filter(|request| is_open(request.answer.as_deref())).count() as u64;
    Count {
        violated: [!is_led, !are_equal, unanswered > 0].map(u64::from),
        requests: requests.len() as u64,
        unanswered,
        deposed: u64::from(leaders > 1),
        retries: requests.iter().map(|request| u64::from(request.tries) - 1).sum(),
    }
}
