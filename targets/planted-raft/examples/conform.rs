//! This Raft beside its specification: the table of docs/conform.md.
//!
//!     cargo run --release -p shakedown-planted-raft --example conform

use shakedown_campaign::{ConformRun, Silent};
use shakedown_planted_raft::{Fault, target};

fn main() {
    let target = target();
    for fault in Fault::ALL {
        let mut run = ConformRun::new(&target).expect("there are models");
        run.config.options.set("fault", fault);
        run.with_its_nodes().expect("the model is ours");
        let summary = run.run(&Silent).expect("the model is ours");
        println!(
            "{fault}: {:?} {} paths {} steps {:?} {:?} {:?}",
            summary.graph, summary.paths, summary.steps, summary.building, summary.running, summary.unplayed
        );
        for finding in &summary.findings {
            println!(
                "  {} {} {}\n{}",
                finding.failure.violation.property,
                finding.failure.found.steps,
                finding.failure.schedule.steps.len(),
                finding.failure.violation.reason
            );
            for step in &finding.failure.schedule.steps {
                println!("    {step}");
            }
        }
    }
}
