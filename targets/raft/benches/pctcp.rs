//! What PCTCP costs as executions grow: `cargo bench -p shakedown-raft --bench pctcp`.
//!
//! The cost of a delivery under PCTCP, beyond that of a random walk with the same number of steps, beside the
//! number of chains: it should grow no faster than they do.

use std::time::Instant;

use shakedown_campaign::{AnyTarget, Beat, Campaign, execute};
use shakedown_cluster::{Recording, StepKind, derive_seed};
use shakedown_explore::Execution;
use shakedown_raft::target;

/// Executions of about this many messages, and how many of them.
const SIZES: [(usize, u64); 3] = [(100, 2_000), (1_000, 400), (10_000, 40)];

struct Cost {
    messages: f64,
    ns_per_delivery: f64,
    chains: f64,
}

fn main() {
    let target = target().oracles(|_| Vec::new());
    println!(" messages   random ns/delivery   pctcp ns/delivery   difference   chains   difference/chain");
    for (messages, executions) in SIZES {
        // In turns, and the best of five of each: the machine may be busy with other things.
        let best = |strategy: &str| {
            let costs = (0..5).map(|_| measure(&target, strategy, messages, executions));
            costs.min_by(|a, b| a.ns_per_delivery.total_cmp(&b.ns_per_delivery)).expect("five were measured")
        };
        let (random, pctcp) = (best("random"), best("pctcp"));
        let difference = pctcp.ns_per_delivery - random.ns_per_delivery;
        println!(
            "{:>9.0} {:>20.0} {:>19.0} {difference:>12.0} {:>8.1} {:>18.1}",
            pctcp.messages,
            random.ns_per_delivery,
            pctcp.ns_per_delivery,
            pctcp.chains,
            difference / pctcp.chains
        );
    }
}

fn measure(target: &dyn AnyTarget, strategy: &str, messages: usize, executions: u64) -> Cost {
    let mut campaign = Campaign::new(target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    // An execution of this target sends about two messages in three steps.
    campaign.plan.config.steps = messages * 3 / 2;
    campaign.plan.config.requests = messages / 50;
    let explorer = campaign.explorer().expect("the strategy is there");
    let (mut sent, mut delivered, mut chains) = (0, 0, 0);
    let began = Instant::now();
    for number in 0..executions {
        let execution = campaign.execution(number);
        let live = target
            .begin(&campaign.plan.config, execution.seed, Recording::Brief)
            .expect("the target can be run");
        let mut strategy =
            explorer.strategy(&Execution { seed: derive_seed(execution.seed, 1), ..execution });
        let outcome = execute(live, strategy.as_mut(), campaign.plan.config.steps, &Beat::default());
        sent += outcome.trace.board.messages().len();
        delivered +=
            outcome.trace.board.steps().iter().filter(|step| step.kind() == StepKind::Deliver).count();
        chains += *strategy.experience(&outcome.trace).downcast::<usize>().unwrap_or_default();
    }
    let ns = began.elapsed().as_nanos() as f64;
    Cost {
        messages: sent as f64 / executions as f64,
        ns_per_delivery: ns / delivered as f64,
        chains: chains as f64 / executions as f64,
    }
}
