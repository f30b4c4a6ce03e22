//! One schedule on two libraries: etcd's raft in Go and its port to Rust, step by step, and where they part.
//!
//! ```text
//! targets/etcd-raft/build.sh
//! cargo run --release -p shakedown-experiments --bin differential -- [EXECUTIONS [STEPS [OPTION=VALUE …]]]
//! ```
//!
//! Steps are drawn at random from what etcd's library can do; the port does the same step. After each step
//! everything that both show of every node is compared: term, role, vote, leader, commit and applied index,
//! log, state machine and voters. An execution ends at the first difference, or at a message that only one of
//! them has sent. Both run with `fixed_timeout=true`, so that election time-outs are the same.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use shakedown_campaign::AnyTarget;
use shakedown_cluster::{
    CaughtPanics, Cluster, Contract, Environment, InProcess, Node, NodeId, Options, Random, Recording, Setup,
    Step, derive_seed,
};
use shakedown_etcd_raft::{EtcdRaft, HOSTS, command};
use shakedown_raft::{RaftNode, RaftView};
use shakedown_rafts::RaftState;
use shakedown_remote::{HostPool, RemoteNode};

const NODES: usize = 3;

fn main() -> ExitCode {
    let (mut numbers, mut options) = (Vec::new(), shakedown_raft::target().defaults().options.clone());
    options.set("fixed_timeout", true);
    options.set("library_invariants", false);
    for word in std::env::args().skip(1) {
        match (word.parse::<u64>(), word.split_once('=')) {
            (Ok(number), _) => numbers.push(number),
            (_, Some((name, value))) => options.set(name, value),
            _ => {
                eprintln!("error: `{word}` is neither a number nor OPTION=VALUE");
                return ExitCode::from(2);
            }
        }
    }
    let (executions, steps) =
        (numbers.first().copied().unwrap_or(1_000), numbers.get(1).copied().unwrap_or(200));
    let pool = Arc::new(HostPool::new(command(&HOSTS[0])));
    let mut ends: BTreeMap<String, (u64, u64, String)> = BTreeMap::new();
    let mut done = 0;
    for seed in 0..executions {
        match play(&pool, &options, seed, steps) {
            Ok(count) => done += count,
            Err(End { step, what, how }) => {
                done += step;
                ends.entry(what).or_insert((0, seed, how)).0 += 1;
            }
        }
    }
    let parted: u64 = ends.values().map(|(count, ..)| count).sum();
    println!("{executions} executions of at most {steps} steps, {done} steps in all: {parted} part\n");
    println!("| they part in | executions | the first of them |\n|---|---:|---|");
    for (what, (count, seed, how)) in ends {
        println!("| {what} | {count} | seed {seed}: {how} |");
    }
    ExitCode::SUCCESS
}

/// Where two executions parted.
struct End {
    step: u64,
    what: String,
    how: String,
}

fn boot<N: Node>(environment: Option<Arc<dyn Environment>>, options: &Options, seed: u64) -> InProcess<N> {
    let put = |number: u64| Arc::from(format!("{{\"put\":[{},{number}]}}", number % 4));
    let setup = Setup {
        nodes: NODES,
        contract: Contract::asynchronous(),
        options: Arc::new(options.clone()),
        workload: (1..=8).map(put).collect(),
        steps: 400,
        seed,
        recording: Recording::Full,
    };
    InProcess::boot_in(environment, &setup, CaughtPanics::Findings).unwrap_or_else(|error| panic!("{error}"))
}

fn play(pool: &Arc<HostPool>, options: &Options, seed: u64, steps: u64) -> Result<u64, End> {
    let pool: Arc<dyn Environment> = Arc::<HostPool>::clone(pool);
    let mut etcd: InProcess<RemoteNode<EtcdRaft>> = boot(Some(pool), options, seed);
    let mut port: InProcess<RaftNode> = boot(None, options, seed);
    let mut random = Random::new(derive_seed(seed, 1));
    for step in 1..=steps {
        let chosen = choose(&etcd, &mut random);
        if etcd.perform(&chosen).is_err() {
            continue;
        }
        let end =
            |what: String, how: String| End { step, what, how: format!("step {step}, `{chosen}`: {how}") };
        if let Err(refusal) = port.perform(&chosen) {
            let kind = match &chosen {
                Step::Deliver(_, kind) => format!("a message that only etcd's library sent: {kind}"),
                other => format!("a step that the port refuses: {}", other.kind().word()),
            };
            return Err(end(kind, refusal.to_string()));
        }
        for (library, stopped) in
            [("etcd's library", etcd.board().stopped()), ("the port", port.board().stopped())]
        {
            if let Some(stop) = stopped {
                return Err(end(format!("{library} stops"), format!("{stop:?}")));
            }
        }
        for node in NodeId::first(NODES) {
            let (a, b) = (&etcd.states()[node.index()], &port.states()[node.index()]);
            if let Some((field, a, b)) = difference(a, b) {
                return Err(end(
                    field.to_owned(),
                    format!("{node} has {a} with etcd's library, {b} with the port"),
                ));
            }
        }
    }
    Ok(steps)
}

fn choose(cluster: &InProcess<RemoteNode<EtcdRaft>>, random: &mut Random) -> Step {
    let board = cluster.board();
    let node = NodeId::from_index(random.index(NODES));
    let deliverable = board.deliverable();
    match random.below(100) {
        0..=54 if !deliverable.is_empty() => board.deliver(deliverable[random.index(deliverable.len())]),
        55 | 56 if !deliverable.is_empty() => {
            let (id, kind) = board.name_of(deliverable[random.index(deliverable.len())]);
            Step::Drop(id, kind)
        }
        57 if !deliverable.is_empty() => {
            let (id, kind) = board.name_of(deliverable[random.index(deliverable.len())]);
            Step::Duplicate(id, kind)
        }
        58..=61 => match board.next_request() {
            Some(request) => Step::Request(node, Arc::clone(request)),
            None => Step::Tick(node),
        },
        62 => Step::Crash { node, keep: 0 },
        63 | 64 => Step::Restart(node),
        _ => Step::Tick(node),
    }
}

/// The first field in which two views of a node differ.
fn difference(a: &RaftView, b: &RaftView) -> Option<(&'static str, String, String)> {
    let show = |view: &RaftView| {
        let log: Vec<_> =
            (view.log.first()..=view.log.last()).filter_map(|index| view.entry(index)).collect();
        [
            ("the term", view.term.to_string()),
            ("the role", view.role.name().to_owned()),
            ("the vote", format!("{:?}", view.vote)),
            ("the leader", format!("{:?}", view.leader)),
            ("the log", format!("{}: {log:?}", view.log.first())),
            ("the commit index", view.commit.to_string()),
            ("the applied index", view.applied.to_string()),
            ("the state machine", view.machine.to_string()),
            ("the voters", format!("{:?}", view.voters)),
        ]
    };
    show(a).into_iter().zip(show(b)).find(|(a, b)| a.1 != b.1).map(|((field, a), (_, b))| (field, a, b))
}
