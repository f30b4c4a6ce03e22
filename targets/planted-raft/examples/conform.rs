//! This Raft beside its specifications: the tables of docs/conform.md.
//!
//!     cargo run --release -p shakedown-planted-raft --example conform
//!
//! First every path of every model on the Raft that is right; then every fault beside the model that shows it, with edge
//! coverage, and with reduced paths; then the two specifications that are wrong on purpose.

use std::time::Duration;

use shakedown_campaign::{ConformRun, ConformSummary, ShrinkLimits, Silent, Target};
use shakedown_conform::paths::Shape;
use shakedown_planted_raft::{Fault, RaftNode, target};

/// The models on which the right Raft conforms.
const RIGHT: [&str; 7] = ["election", "four", "five", "crash", "change", "snapshot", "replication"];

/// Every fault, and the model that shows it.
const FAULTS: [(Fault, &str); 10] = [
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
];

fn main() {
    let target = target();
    println!("| model | states | edges | cover | paths | steps | a path | to build | to run | paths/s |");
    println!("|---|--:|--:|---|--:|--:|--:|--:|--:|--:|");
    for model in RIGHT {
        for (name, reduce, shape) in [
            ("edges", false, Shape::DepthFirst),
            ("edges, reduced", true, Shape::DepthFirst),
            ("edges, greedy", false, Shape::Greedy),
        ] {
            let mut run = run(&target, model, Fault::None);
            (run.cover.reduce, run.cover.shape) = (reduce, shape);
            let summary = summary(&run);
            assert_eq!((summary.failed, summary.unplayed.0, summary.unknown.0), (0, 0, 0), "{summary:?}");
            println!(
                "| `{model}` | {} | {} | {name} | {} | {} | {:.1} | {} | {} | {:.0} |",
                summary.graph.states,
                summary.graph.edges,
                summary.paths,
                summary.steps,
                summary.steps as f64 / summary.paths as f64,
                seconds(summary.building),
                seconds(summary.running),
                summary.paths as f64 / summary.running.as_secs_f64(),
            );
        }
    }
    println!(
        "\n| what is wrong | model | finding | after | actions | shrunk to | paths run | time | reduced: paths run |"
    );
    println!("|---|---|---|---|--:|--:|--:|--:|--:|");
    for (fault, model) in FAULTS {
        tell(&target, &format!("`{fault}`"), model, fault);
    }
    tell(&target, "the specification: UpdateTerm", "update-term", Fault::None);
    tell(&target, "the specification: no reply", "no-reply", Fault::None);
}

fn run<'a>(target: &'a Target<RaftNode>, model: &str, fault: Fault) -> ConformRun<'a> {
    let mut run = ConformRun::new(target).expect("there are models");
    run.beside(model).config.options.set("fault", fault);
    run.with_its_nodes().expect("the model is ours");
    run.shrink = None;
    run
}

fn summary(run: &ConformRun<'_>) -> ConformSummary {
    run.run(&Silent).expect("the model is ours")
}

/// A line of the second table.
fn tell(target: &Target<RaftNode>, what: &str, model: &str, fault: Fault) {
    let found = summary(&run(target, model, fault));
    let mut reduced = run(target, model, fault);
    reduced.cover.reduce = true;
    let reduced = summary(&reduced);
    let mut shrunk = run(target, model, fault);
    shrunk.shrink = Some(ShrinkLimits { executions: 20_000, time: Some(Duration::from_secs(60)) });
    let shrunk = summary(&shrunk);
    let (Some(finding), Some(shrunk)) = (found.findings.first(), shrunk.findings.first()) else {
        println!(
            "| {what} | `{model}` | **nothing** | | | | {} | {} | |",
            found.paths,
            seconds(found.running)
        );
        return;
    };
    let violation = &finding.failure.violation;
    let after = violation.reason.lines().next().unwrap_or_default();
    let after = after.split(['(', ',']).next().unwrap_or_default().split(' ').next_back().unwrap_or_default();
    println!(
        "| {what} | `{model}` | {} | `{after}` | {} | {} | {} | {} | {} |",
        violation.property,
        finding.failure.found.steps,
        shrunk.failure.schedule.steps.len(),
        found.paths,
        seconds(found.running),
        if reduced.failed > 0 { reduced.paths.to_string() } else { "**nothing**".to_owned() },
    );
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
