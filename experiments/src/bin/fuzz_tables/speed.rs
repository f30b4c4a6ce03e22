//! How fast `raft` runs with the model and without.

use std::error::Error;
use std::time::Instant;

use shakedown_campaign::Silent;

use crate::{Outcome, raft_campaign};

/// Measures the time that this process has had on a processor, where the system says so, for others may use
/// the machine too; otherwise the time that has gone by.
struct Timer {
    began: Instant,
    had: Option<f64>,
}

impl Timer {
    fn start() -> Timer {
        Timer { began: Instant::now(), had: processor_seconds() }
    }

    fn seconds(&self) -> f64 {
        match (self.had, processor_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.began.elapsed().as_secs_f64(),
        }
    }
}

/// User and system time of this process, in hundredths of a second, from Linux.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

/// Executions of `raft` a second with the model and without, the same ones, interleaved.
pub fn speed(executions: u64) -> Outcome {
    let target = shakedown_raft::target();
    let run = |strategy: &str, measures: &[&str], seed: u64| -> Result<(f64, f64), Box<dyn Error>> {
        let mut campaign = raft_campaign(&target, strategy, seed, executions);
        campaign.plan.measures = measures.iter().map(|&guide| guide.to_owned()).collect();
        let began = Timer::start();
        let summary = campaign.run(&Silent)?;
        let steps = summary.tally.all_steps() as f64 / executions as f64;
        Ok((executions as f64 / began.seconds(), steps))
    };
    println!("raft, horizon 50, {executions} executions on one core, five times");
    for seed in 1..=5 {
        let (bare, steps) = run("fuzz:none", &[], seed)?;
        let (with, _) = run("fuzz:none", &["model"], seed)?;
        let (guided, guided_steps) = run("fuzz:model", &[], seed)?;
        println!(
            "random inputs {bare:.0} a second ({steps:.0} steps), with the model {with:.0}: {:.0} % of the time in it; \
             guided by it {guided:.0} a second ({guided_steps:.0} steps)",
            100.0 * (1.0 - with / bare)
        );
    }
    Ok(())
}
