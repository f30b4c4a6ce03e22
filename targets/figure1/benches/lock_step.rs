//! What this target costs: a step, with everything that a cluster keeps and with its oracle, but without a
//! strategy; and a whole execution of a campaign with communication closure. One core:
//! `cargo bench -p shakedown-figure1`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use shakedown_campaign::{AnyTarget, Campaign, Silent};
use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{Cluster, InProcess, NodeId, Recording, Setup, Step};
use shakedown_figure1::{OutputsComparable, Process, target};

const EXECUTIONS: usize = 10_000;
const TIMES: usize = 9;
const ROUNDS: usize = 16;

fn main() {
    let mut times: Vec<_> = (0..TIMES).map(|_| measure()).collect();
    times.sort();
    let (time, steps) = times[TIMES / 2];
    println!(
        "3 processes, {ROUNDS} rounds, no faults: {:.0} ns a step, {} steps and {:.1} µs an execution, {:.0} executions/s",
        time.as_nanos() as f64 / (steps * EXECUTIONS) as f64,
        steps,
        time.as_micros() as f64 / EXECUTIONS as f64,
        EXECUTIONS as f64 / time.as_secs_f64(),
    );
    let mut rates: Vec<_> = (0..TIMES).map(|_| campaign()).collect();
    rates.sort_by(f64::total_cmp);
    println!("closure, {ROUNDS} rounds, period 4, 5 isolations: {:.0} executions/s", rates[TIMES / 2]);
}

/// Executions a second of a campaign with communication closure.
fn campaign() -> f64 {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy =
        format!("closure:rounds={ROUNDS},period=4,isolations=5").parse().expect("this is a strategy");
    campaign.plan.executions = EXECUTIONS as u64;
    let summary = campaign.run(&Silent).expect("the campaign runs");
    assert_eq!(summary.failed, 0, "the protocol is right");
    summary.executions as f64 / summary.elapsed.as_secs_f64()
}

/// The time of all executions, and the steps of one.
fn measure() -> (Duration, usize) {
    let began = Instant::now();
    let mut steps = 0;
    let setup = setup();
    for _ in 0..EXECUTIONS {
        steps = black_box(execution(&setup));
    }
    (began.elapsed(), steps)
}

fn setup() -> Setup {
    let target = target();
    let options = target.defaults().options.clone();
    Setup {
        nodes: 3,
        contract: AnyTarget::contract(&target, &options).expect("the defaults are right"),
        options: options.into(),
        workload: Vec::new(),
        steps: 130,
        seed: 1,
        recording: Recording::Brief,
    }
}

fn execution(setup: &Setup) -> usize {
    let mut cluster = InProcess::<Process>::boot(setup).expect("processes boot");
    let mut oracle = OutputsComparable::default();
    let mut perform = |cluster: &mut InProcess<Process>, step: &Step| {
        let fresh = cluster.board().moments().len();
        cluster.perform(step).expect("the step is possible");
        oracle.after_step(&Seen::new(cluster, fresh)).expect("the protocol is right");
    };
    for _ in 0..ROUNDS {
        let sent = cluster.board().messages().len();
        NodeId::first(3).for_each(|node| perform(&mut cluster, &Step::Tick(node)));
        for index in sent..cluster.board().messages().len() {
            let message = &cluster.board().messages()[index];
            let step = Step::Deliver(message.id, message.kind);
            perform(&mut cluster, &step);
        }
    }
    NodeId::first(3).for_each(|node| perform(&mut cluster, &Step::Tick(node)));
    Box::new(cluster).finish().board.steps().len()
}
