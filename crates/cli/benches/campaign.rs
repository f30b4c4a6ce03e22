//! What it costs to keep a campaign: the size of its file and of its report, the memory, and the share of
//! time that keeping and reporting take.
//!
//! `cargo bench -p shakedown-cli --bench campaign [-- EXECUTIONS]`: 1 000 000 executions unless told
//! otherwise.

use std::time::Instant;

use shakedown_campaign::{AnyTarget, Campaign, Silent};
use shakedown_report::grouped;
use shakedown_report::html::{self, HtmlReport};
use shakedown_store::Store;

const EXECUTIONS: u64 = 1_000_000;

fn main() {
    let executions =
        std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(EXECUTIONS);
    println!("{} executions each, one job, kept, with what the guide sees\n", grouped(executions));
    println!(
        "target, strategy, guide                 seconds   keeping   report   share   file MiB   report KiB   memory MiB"
    );
    // A target that runs so fast that everything else weighs most, and a real one.
    let raft = shakedown_raft::target();
    let figure1 = shakedown_figure1::target();
    measure(&figure1, "closure", &["state"], executions);
    measure(&figure1, "closure", &["state", "trace"], executions);
    measure(&raft, "random", &["state", "trace"], executions);
}

fn measure(target: &dyn AnyTarget, strategy: &str, guides: &[&str], executions: u64) {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let mut campaign = Campaign::new(target);
    (campaign.plan.strategy, campaign.plan.executions) =
        (strategy.parse().expect("this is a strategy"), executions);
    campaign.plan.measures = guides.iter().map(|guide| (*guide).to_owned()).collect();
    campaign.plan.keep_going = true;
    let (store, ids) = Store::create(folder.path(), &[campaign.plan.clone()]).expect("the folder is new");
    let began = Instant::now();
    let summary = store.go_on(ids[0], &campaign, &Silent).expect("the campaign runs");
    let ran = began.elapsed();
    let began = Instant::now();
    let page = html::render(&HtmlReport::of_campaign(&campaign, &summary, Vec::new()));
    let reported = began.elapsed();
    let share = (summary.keeping + reported).as_secs_f64() / (ran + reported).as_secs_f64();
    println!(
        "{:<38} {:>8.1} {:>9.2} {:>8.2} {:>6.1} % {:>10.1} {:>12.0} {:>12.0}",
        format!("{}, {strategy}, {}", target.name(), guides.join("+")),
        ran.as_secs_f64(),
        summary.keeping.as_secs_f64(),
        reported.as_secs_f64(),
        100.0 * share,
        store.size().expect("the store is there") as f64 / 1_048_576.0,
        page.len() as f64 / 1024.0,
        memory_peak_mib()
    );
}

/// The most resident memory that this process has had, where the system tells.
fn memory_peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}
