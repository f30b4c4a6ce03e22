//! How many deliveries a second openraft gets under Shakedown, on one core:
//! `cargo bench -p shakedown-openraft`.
//!
//! Random walks without crashes, brief traces; without oracles, and with all of them. The best of several
//! rounds, for other work on the machine only ever makes it slower.

use std::time::{Duration, Instant};

use shakedown_async::Async;
use shakedown_campaign::{AnyTarget, Beat, Campaign, Target, execute};
use shakedown_cluster::{Recording, StepKind, derive_seed};
use shakedown_explore::Execution;
use shakedown_openraft::{OpenRaft, target};

const EXECUTIONS: u64 = 300;
const ROUNDS: usize = 7;

fn main() {
    println!("the best of {ROUNDS} rounds of {EXECUTIONS} executions\n");
    println!("                             deliveries   deliveries a second   ns per step");
    for (nodes, requests) in [(3, 12), (3, 100), (5, 12)] {
        for (name, target) in [("no oracles", target().oracles(|_| Vec::new())), ("all oracles", target())] {
            let rounds = (0..ROUNDS).map(|_| round(&target, nodes, requests));
            let (time, deliveries, steps) = rounds.min().expect("there are rounds");
            println!(
                "{:<28} {deliveries:>10} {:>21.0} {:>13.0}",
                format!("{nodes} nodes, {requests} requests, {name}"),
                deliveries as f64 / time.as_secs_f64(),
                time.as_nanos() as f64 / steps as f64
            );
        }
    }
}

/// Runs all executions; how long that took, and how many deliveries and steps there were.
fn round(target: &Target<Async<OpenRaft>>, nodes: usize, requests: usize) -> (Duration, usize, usize) {
    let mut campaign = Campaign::new(target);
    (campaign.plan.config.nodes, campaign.plan.config.requests) = (nodes, requests);
    campaign.plan.config.crashes = 0;
    if requests > 50 {
        campaign.plan.weights = campaign.plan.weights.clone().with(StepKind::Request, 25);
    }
    let explorer = campaign.explorer().expect("there is a random walk");
    let (mut deliveries, mut steps) = (0, 0);
    let began = Instant::now();
    for number in 0..EXECUTIONS {
        let execution = campaign.execution(number);
        let live = target.begin(&campaign.plan.config, execution.seed, Recording::Brief);
        let live = live.expect("the defaults can be run");
        let mut strategy =
            explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
        let outcome = execute(live, strategy.as_mut(), campaign.plan.config.steps, &Beat::default());
        let done = outcome.trace.board.steps();
        deliveries += done.iter().filter(|step| step.kind() == StepKind::Deliver).count();
        steps += done.len();
    }
    (began.elapsed(), deliveries, steps)
}
