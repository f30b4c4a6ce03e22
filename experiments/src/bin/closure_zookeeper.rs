//! Prints the tables of docs/closure.md beside tables 6 and 7 of the paper: the harnesses for ZooKeeper on
//! `zab`, with its bug, in steps of two stages, judged as the paper judges. `cargo run --release -p
//! shakedown-experiments --bin closure_zookeeper`.

use std::sync::Arc;
use std::thread;

use shakedown_campaign::{AnyTarget, Campaign};
use shakedown_check::sequential_consistency::{self, SequentialConsistency};
use shakedown_check::{Registers, SearchLimits, history};
use shakedown_cluster::{Cluster, InProcess, NodeId, Recording, Setup, derive_seed};
use shakedown_explore::{Execution, Explorer, Insight, Sight};
use shakedown_zab::{CALM_ROUNDS, Role, Server, View, target, understand};

const EXECUTIONS: u64 = 1_000;
/// The paper has twelve harnesses of 1 000 executions each; here every execution has a harness of its own.
const SAMPLED: u64 = 12_000;

fn main() {
    for (harness, steps, most) in [("h-div", 3, 9), ("h-sc", 5, 15)] {
        println!("\n### {harness}, executions of {EXECUTIONS}\n");
        let heads: Vec<_> = (0..=most).map(|d| d.to_string()).collect();
        println!("| | {} | crashing |\n|---|{}", heads.join(" | "), "---:|".repeat(most + 2));
        let closure = (0..=most).map(|d| in_steps(harness, steps, d));
        let strategies = closure.chain([crashing(harness, steps)]);
        let counts: Vec<Count> = strategies.map(|strategy| count(&strategy, EXECUTIONS)).collect();
        print(&counts);
    }
    println!("\n### sampled harnesses, executions of {SAMPLED}\n");
    println!("| | 2 requests, 3 steps, d = 4 | 4 requests, 5 steps, d = 6 |\n|---|---:|---:|");
    let strategies = [in_steps("sampled-2", 3, 4), in_steps("sampled-4", 5, 6)];
    print(&strategies.map(|strategy| count(&strategy, SAMPLED)));
}

/// Communication closure as the paper has it for ZooKeeper: servers are started, some are stopped, then
/// clients ask.
fn in_steps(harness: &str, steps: usize, isolations: usize) -> String {
    format!(
        "closure:rounds={},isolations={isolations},level=c,stages=2,by=crash,asked=work,harness={harness},recovery={}",
        2 * steps,
        2 * CALM_ROUNDS
    )
}

/// The paper's baseline: a step every five seconds, a crash every two on average. A phase is one tick here,
/// and a step ten of them.
fn crashing(harness: &str, steps: usize) -> String {
    format!(
        "crashing:rounds={},interval=40,down=20,harness={harness}-slow,recovery={}",
        100 * steps,
        2 * CALM_ROUNDS
    )
}

/// What executions came to.
#[derive(Clone, Copy, Default)]
struct Count {
    divergence: u64,
    no_order: u64,
    /// No server leads in the end, or some do not follow, so that there is nothing to judge.
    unsuccessful: u64,
}

fn print(counts: &[Count]) {
    type Row = (&'static str, fn(&Count) -> u64);
    let rows: [Row; 3] = [
        ("divergence", |count| count.divergence),
        ("failure of sequential consistency", |count| count.no_order),
        ("unsuccessful", |count| count.unsuccessful),
    ];
    for (name, value) in rows {
        let cells: Vec<_> = counts.iter().map(|count| value(count).to_string()).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
}

/// What lock step may know of the nodes: who leads.
struct Roles<'a>(&'a [View]);

impl Insight for Roles<'_> {
    fn serves(&self, node: NodeId) -> bool {
        self.0[node.index()].role == Role::Leading
    }
}

/// Runs the executions on two threads; each execution has its own seed, so the threads make no difference.
fn count(strategy: &str, executions: u64) -> Count {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    campaign.plan.config.options.set("truncate", false);
    let explorer = campaign.explorer().expect("the strategy exists");
    let setup = Setup {
        nodes: 3,
        contract: AnyTarget::contract(&target, &campaign.plan.config.options).expect("the options are right"),
        options: Arc::new(campaign.plan.config.options.clone()),
        workload: Vec::new(),
        steps: 20_000,
        seed: 0,
        recording: Recording::Brief,
    };
    let half = |first: u64| {
        let mut sum = Count::default();
        for number in (first..executions).step_by(2) {
            let one = execute(number, &setup, &*explorer);
            sum.divergence += one.divergence;
            sum.no_order += one.no_order;
            sum.unsuccessful += one.unsuccessful;
        }
        sum
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let (mine, other) = (half(0), other.join().expect("the other half counts"));
        Count {
            divergence: mine.divergence + other.divergence,
            no_order: mine.no_order + other.no_order,
            unsuccessful: mine.unsuccessful + other.unsuccessful,
        }
    })
}

fn execute(number: u64, setup: &Setup, explorer: &dyn Explorer) -> Count {
    let setup = Setup { seed: derive_seed(number, 2), ..setup.clone() };
    let mut cluster = InProcess::<Server>::boot(&setup).expect("nodes boot");
    let mut strategy =
        explorer.strategy(&Execution { number, seed: derive_seed(number, 1), steps_max: setup.steps });
    while let Some(step) = strategy.next(&Sight::new(cluster.board(), &Roles(cluster.states()))) {
        cluster.perform(&step).expect("lock step chooses possible steps");
    }
    let states = cluster.states();
    if !states.iter().all(|view| matches!(view.role, Role::Leading | Role::Following)) {
        return Count { unsuccessful: 1, ..Count::default() };
    }
    let finals: Vec<_> = NodeId::first(3).zip(states.iter().map(|view| view.values.clone())).collect();
    let asked = history::<Registers>(cluster.board(), &understand).expect("every answer is understood");
    match sequential_consistency::check(&Registers, &asked, &finals, SearchLimits::default()) {
        SequentialConsistency::Consistent(_) => Count::default(),
        SequentialConsistency::Divergence(..) => Count { divergence: 1, ..Count::default() },
        SequentialConsistency::NoOrder(_) => Count { no_order: 1, ..Count::default() },
        SequentialConsistency::Unknown(limit) => panic!("execution {number}: {limit}"),
    }
}
