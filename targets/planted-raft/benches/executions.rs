//! Whole executions a second, with strategy and invariants: `cargo bench -p shakedown-planted-raft`.

use shakedown_campaign::{Campaign, Silent};
use shakedown_planted_raft::target;

const EXECUTIONS: u64 = 5_000;
const TIMES: usize = 5;

fn main() {
    for (strategy, nodes, membership) in
        [("random", 3, false), ("random", 5, true), ("pctcp", 3, false), ("closure", 3, false)]
    {
        let mut times: Vec<_> = (0..TIMES).map(|_| measure(strategy, nodes, membership)).collect();
        times.sort_by(f64::total_cmp);
        println!("{strategy}, {nodes} nodes, membership {membership}: {:.0} executions/s", times[TIMES / 2]);
    }
}

fn measure(strategy: &str, nodes: usize, membership: bool) -> f64 {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    campaign.plan.executions = EXECUTIONS;
    campaign.plan.config.nodes = nodes;
    campaign.plan.config.steps = 300;
    campaign.plan.config.options.set("membership", membership);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    assert!(summary.findings.is_empty(), "nothing is wrong with this Raft");
    EXECUTIONS as f64 / summary.elapsed.as_secs_f64()
}
