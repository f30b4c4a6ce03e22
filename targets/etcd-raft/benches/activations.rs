//! How many activations a second: the Rust port in this process, and etcd's library in Go by both encodings
//! of the node protocol, with the host on the same core as its caller and on any core.
//!
//! All are measured in one run, in turns: `targets/etcd-raft/build.sh && cargo bench -p shakedown-etcd-raft`.
//! Each does the same executions by the random strategy from the same seeds, with the same oracles. An
//! activation is one call of a node.

use std::time::{Duration, Instant};

use shakedown_campaign::{AnyTarget, Beat, Campaign, execute};
use shakedown_cluster::{Recording, derive_seed};
use shakedown_etcd_raft::{HOSTS, are_built, command, target_with};
use shakedown_explore::Execution;
use shakedown_remote::Encoding;

const ROUNDS: usize = 7;
const EXECUTIONS: u64 = 60;

fn main() {
    if !are_built() {
        return;
    }
    let go =
        |encoding, is_pinned| target_with(&HOSTS[0], command(&HOSTS[0]).encoding(encoding).pinned(is_pinned));
    let targets: [(&str, Box<dyn AnyTarget>); 5] = [
        ("Rust, in this process", Box::new(shakedown_raft::target())),
        ("Go, MessagePack, one core", Box::new(go(Encoding::MsgPack, true))),
        ("Go, JSON, one core", Box::new(go(Encoding::Json, true))),
        ("Go, MessagePack, any core", Box::new(go(Encoding::MsgPack, false))),
        ("Go, JSON, any core", Box::new(go(Encoding::Json, false))),
    ];
    let mut rates: [Vec<f64>; 5] = Default::default();
    for _ in 0..ROUNDS {
        for ((_, target), rates) in targets.iter().zip(&mut rates) {
            // The first execution starts the host.
            run(target.as_ref(), 0);
            let (activations, time) = (0..EXECUTIONS).fold((0, Duration::ZERO), |(sum, time), number| {
                let (activations, took) = run(target.as_ref(), number);
                (sum + activations, time + took)
            });
            rates.push(activations as f64 / time.as_secs_f64());
        }
    }
    println!(
        "{ROUNDS} rounds of {EXECUTIONS} executions each, in turns, 3 nodes, 400 steps, all oracles of the target\n"
    );
    println!("{:<28}{:>16}{:>12}{:>12}{:>12}", "activations a second", "median", "least", "most", "share");
    let mut whole = None;
    for ((name, _), rates) in targets.iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        let (least, median, most) = (rates[0], rates[ROUNDS / 2], rates[ROUNDS - 1]);
        let whole = *whole.get_or_insert(median);
        println!("{name:<28}{median:>16.0}{least:>12.0}{most:>12.0}{:>11.1}%", 100.0 * median / whole);
    }
}

/// Runs one execution; how many activations there were, and how long they took.
fn run(target: &dyn AnyTarget, number: u64) -> (u64, Duration) {
    let campaign = Campaign::new(target);
    let explorer = campaign.explorer().expect("there is a random walk");
    let execution = campaign.execution(number);
    let began = Instant::now();
    let live = target.begin(&campaign.plan.config, execution.seed, Recording::Brief);
    let live = live.unwrap_or_else(|error| panic!("{error}"));
    let mut strategy = explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
    let outcome = execute(live, strategy.as_mut(), campaign.plan.config.steps, &Beat::default());
    (outcome.trace.board.moments().len() as u64, began.elapsed())
}
