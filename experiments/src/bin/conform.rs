//! This Raft beside its specifications: the tables of docs/results/conform.md.
//!
//!     cargo run --release -p shakedown-experiments --bin conform
//!
//! Times are seconds of one core, as the system counts them, where it does (Linux); elsewhere those of a
//! clock.
//!
//! First every path of every model on the Raft that is right; then every fault beside the model that shows
//! it, with edge coverage, and with reduced paths; then the two specifications that are wrong on purpose.

use std::time::Instant;

use shakedown_campaign::{ConformRun, ConformSummary, ShrinkLimits, Silent, Target};
use shakedown_conform::paths::Shape;
use shakedown_planted_raft::{Fault, RaftNode, target};

/// The models on which the right Raft conforms.
const RIGHT: [&str; 7] = ["election", "four", "five", "crash", "change", "snapshot", "replication"];

/// Every fault, and the model that shows it.
const FAULTS: [(Fault, &str); 12] = [
    (Fault::QuorumThird, "four"),
    (Fault::VoteNotPersisted, "crash"),
    (Fault::TermNotPersisted, "crash"),
    (Fault::DuplicateVoteCounted, "five"),
    (Fault::CommitOlderTerm, "replication"),
    (Fault::NoTruncation, "replication"),
    (Fault::SnapshotOverNewer, "snapshot"),
    (Fault::StaleAppend, "replication"),
    (Fault::NoopInComparison, "election"),
    (Fault::ReconfigurationUnfixed, "change"),
    (Fault::TimerLostAtRestart, "crash"),
    (Fault::RemovedCampaigns, "change"),
];

fn main() {
    let target = target();
    println!("| model | states | edges | cover | paths | steps | a path | seconds | paths/s |");
    println!("|---|--:|--:|---|--:|--:|--:|--:|--:|");
    for model in RIGHT {
        for (name, reduce, shape) in [
            ("edges", false, Shape::DepthFirst),
            ("edges, reduced", true, Shape::DepthFirst),
            ("edges, greedy", false, Shape::Greedy),
        ] {
            let mut run = run(&target, model, Fault::None);
            (run.cover.reduce, run.cover.shape) = (reduce, shape);
            let (summary, seconds) = timed(&run);
            assert_eq!((summary.failed, summary.unplayed.0, summary.unknown.0), (0, 0, 0), "{summary:?}");
            println!(
                "| `{model}` | {} | {} | {name} | {} | {} | {:.1} | {:.1} | {:.0} |",
                summary.graph.states,
                summary.graph.edges,
                summary.paths,
                summary.steps,
                summary.steps as f64 / summary.paths as f64,
                seconds,
                summary.paths as f64 / seconds,
            );
        }
    }
    println!(
        "\n| what is wrong | model | finding | after | actions | shrunk to | paths run | seconds | reduced: paths run |"
    );
    println!("|---|---|---|---|--:|--:|--:|--:|--:|");
    for (fault, model) in FAULTS {
        report(&target, &format!("`{fault}`"), model, fault);
    }
    report(&target, "the specification: UpdateTerm", "update-term", Fault::None);
    report(&target, "the specification: no reply", "no-reply", Fault::None);
}

fn run<'a>(target: &'a Target<RaftNode>, model: &str, fault: Fault) -> ConformRun<'a> {
    let mut run = ConformRun::new(target).expect("there are models");
    run.beside(model).config.options.set("fault", fault);
    run.with_its_nodes().expect("the model is ours");
    run.shrink = None;
    run
}

/// What comes of all paths, and the seconds that it takes to run them; the state graph is there before.
fn timed(run: &ConformRun<'_>) -> (ConformSummary, f64) {
    run.target.suite(&run.config, run.states_max).expect("the model is ours");
    let (began, clock) = (cpu_seconds(), Instant::now());
    let summary = run.run(&Silent).expect("the model is ours");
    let seconds = began.zip(cpu_seconds()).map(|(began, now)| now - began);
    (summary, seconds.filter(|seconds| *seconds > 0.0).unwrap_or(clock.elapsed().as_secs_f64()))
}

/// How long this process has run, in seconds of one core, if the system tells.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name of the program, which may hold anything: user time and system time in hundredths of a
    // second.
    let fields: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// A line of the second table.
fn report(target: &Target<RaftNode>, what: &str, model: &str, fault: Fault) {
    let (found, seconds) = timed(&run(target, model, fault));
    let mut reduced = run(target, model, fault);
    reduced.cover.reduce = true;
    let (reduced, _) = timed(&reduced);
    let mut shrunk = run(target, model, fault);
    shrunk.shrink = Some(ShrinkLimits { executions: 20_000, time: None });
    let (shrunk, _) = timed(&shrunk);
    let (Some(finding), Some(shrunk)) = (found.findings.first(), shrunk.findings.first()) else {
        println!("| {what} | `{model}` | **nothing** | | | | {} | {seconds:.2} | |", found.paths);
        return;
    };
    let violation = &finding.failure.violation;
    let after = violation.reason.lines().next().unwrap_or_default();
    let after = after.split(['(', ',']).next().unwrap_or_default().split(' ').next_back().unwrap_or_default();
    println!(
        "| {what} | `{model}` | {} | `{after}` | {} | {} | {} | {:.2} | {} |",
        violation.property,
        finding.failure.found.steps,
        shrunk.failure.schedule.steps.len(),
        found.paths,
        seconds,
        if reduced.failed > 0 { reduced.paths.to_string() } else { "**nothing**".to_owned() },
    );
}
