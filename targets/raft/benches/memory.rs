//! What a long campaign keeps in memory: `cargo bench -p shakedown-raft --bench memory`.
//!
//! Resident memory after every tenth of 100 000 executions; it should not grow.

use std::sync::Mutex;

use shakedown_campaign::{Campaign, Progress};
use shakedown_raft::target;

const EXECUTIONS: u64 = 100_000;

fn main() {
    if resident_kib().is_none() {
        println!("skipped: this system does not tell a process's resident memory in /proc/self/status");
        return;
    }
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = EXECUTIONS;
    campaign.plan.config.options.set("library_invariants", false);
    println!("executions   resident KiB");
    let summary = campaign.run(&Watch(Mutex::new(0))).expect("the target can be run");
    println!("{} executions, {} failed", summary.executions, summary.failed);
}

/// Prints a line after every tenth.
struct Watch(Mutex<u64>);

impl Progress for Watch {
    fn executions(&self, done: u64, total: u64, _findings: usize) {
        let mut printed = self.0.lock().expect("only this thread prints");
        if done * 10 / total > *printed {
            *printed = done * 10 / total;
            println!("{done:>10}   {:>12}", resident_kib().unwrap_or(0));
        }
    }
}

fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
