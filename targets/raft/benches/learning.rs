//! How fast strategies that learn go, and what their tables take:
//! `cargo bench -p shakedown-raft --bench learning`.
//!
//! One core, with learning and Raft's invariants, as in docs/results/learning.md: 3 nodes, 5 requests,
//! horizon 25, ticks 4. Partitions at random come between, to tell what learning costs.

use std::time::Instant;

use shakedown_campaign::{Campaign, Silent};
use shakedown_explore::learning::{Agent, BonusMax, Learner, Partitions, Table, Uniform};
use shakedown_raft::target;

const EPISODES: u64 = 10_000;
const TIMES: usize = 5;

fn main() {
    let mut rates = [Vec::new(), Vec::new()];
    let (mut entries, mut memory) = (0, 0);
    for _ in 0..TIMES {
        rates[0].push(actions_a_second(&mut Learner::new(Partitions::default(), Uniform, 1)));
        let (alpha, gamma, epsilon) = BonusMax::THESIS;
        let mut learner = Learner::new(Partitions::default(), BonusMax::new(alpha, gamma, epsilon), 1);
        rates[1].push(actions_a_second(&mut learner));
        entries = learner.agent().tables().into_iter().map(Table::len).sum();
        memory = learner.agent().tables().into_iter().map(Table::memory).sum();
    }
    for (agent, rates) in ["partitions", "bonusmax"].into_iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        let (least, median, most) = (rates[0], rates[TIMES / 2], rates[TIMES - 1]);
        println!("{agent}: {median:.0} actions a second ({least:.0} to {most:.0})");
    }
    let per_million = memory as f64 / entries as f64 * 1e6 / f64::from(1 << 20);
    println!("bonusmax: {entries} entries, {per_million:.0} MiB for a million");
}

fn actions_a_second<A: Agent>(learner: &mut Learner<A>) -> f64 {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = "partitions".parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.plan.config.requests) = (EPISODES, 5);
    for (option, value) in [("election_tick", "10"), ("heartbeat_tick", "3"), ("compaction", "false")] {
        campaign.plan.config.options.set(option, value);
    }
    // A violation ends an episode: the known one of the library's own book-keeping is not looked for.
    campaign.plan.config.options.set("library_invariants", false);
    campaign.plan.config.steps =
        campaign.steps_wanted().expect("the strategy is known").expect("it has episodes");
    let began = Instant::now();
    let summary = campaign.run_with(learner, &Silent).expect("the campaign runs");
    assert_eq!((summary.executions, summary.failed), (EPISODES, 0));
    (EPISODES * Partitions::default().horizon as u64) as f64 / began.elapsed().as_secs_f64()
}
