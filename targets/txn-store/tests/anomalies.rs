//! Each fault of the store is found, as an anomaly of its kind; without a fault nothing is.

use std::collections::BTreeSet;

use shakedown_campaign::{Campaign, ShrinkLimits, Silent};
use shakedown_cluster::{Random, Step};
use shakedown_histories::generate::{Generator, Shape};
use shakedown_target::Config;
use shakedown_txn_store::{Isolation, Request, target};

/// Runs a campaign on a fault; gives the execution that found something, and why.
fn first_find(isolation: Isolation, model: &str, executions: u64) -> Option<(u64, String)> {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = executions;
    campaign.plan.shrink = None;
    campaign.plan.config.options.set("isolation", isolation);
    campaign.plan.config.options.set("model", model);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let finding = summary.findings.into_iter().next()?;
    Some((finding.failure.found.execution, finding.failure.violation.reason))
}

/// Each fault, the strongest model under which nothing else of it is seen, and the kinds that it is found as.
const FAULTS: [(Isolation, &str, &[&str]); 19] = [
    (Isolation::Lagging, "strict-serializable", &["G-single-realtime"]),
    (Isolation::Snapshot, "serializable", &["G2-item"]),
    (Isolation::Forks, "snapshot-isolation", &["G-nonadjacent"]),
    (Isolation::LostUpdates, "cursor-stability", &["lost-update"]),
    (Isolation::ReadCommitted, "consistent-view", &["G-single", "lost-update"]),
    (Isolation::ForgetsOwn, "read-atomic", &["internal"]),
    (Isolation::LeaksAborts, "read-committed", &["G1a", "dirty-update"]),
    (Isolation::CutsCommits, "read-committed", &["G1b"]),
    (Isolation::Peeks, "read-committed", &["G0", "G1b", "G1c"]),
    (Isolation::Shuffles, "read-committed", &["incompatible-order"]),
    (Isolation::ReadUncommitted, "read-committed", &["incompatible-order", "G1a", "G1b", "G0"]),
    (Isolation::Nothing, "read-committed", &["G1a", "G1b", "G0", "G1c", "dirty-update"]),
    (Isolation::TearsCommits, "read-uncommitted", &["G0"]),
    (Isolation::Invents, "read-uncommitted", &["garbage-read"]),
    (Isolation::CommitsTwice, "read-uncommitted", &["duplicate-elements"]),
    (Isolation::Announces, "read-committed", &["G1c"]),
    (Isolation::MixesSnapshots, "consistent-view", &["G-single"]),
    (Isolation::Foresees, "read-committed", &["future-read"]),
    (Isolation::BuriesAborts, "read-committed", &["dirty-update"]),
];

/// The transactions that a reason names: `T5 read 1 = [], without T6's 7` names two.
fn named(reason: &str) -> usize {
    let words = reason.split(|c: char| !c.is_alphanumeric());
    let is_name = |word: &&str| word.strip_prefix('T').is_some_and(|number| number.parse::<u32>().is_ok());
    words.filter(is_name).collect::<BTreeSet<&str>>().len()
}

/// What is left is named by the anomaly: the transactions of the cycle, and those whose reads show it.
/// Requests are made smaller, too, and two of them that append the same would be wrong whatever the store
/// does.
#[test]
fn what_is_found_shrinks_to_the_transactions_that_show_it() {
    for (isolation, model, _) in FAULTS {
        let target = target();
        let mut campaign = Campaign::new(&target);
        campaign.plan.executions = 3_000;
        // Without a limit of time the result is the same on a slow machine.
        campaign.plan.shrink = Some(ShrinkLimits { time: None, ..ShrinkLimits::default() });
        campaign.plan.config.options.set("isolation", isolation);
        campaign.plan.config.options.set("model", model);
        let summary = campaign.run(&Silent).expect("the campaign runs");
        let failure = &summary.findings[0].failure;
        // Of several anomalies that one fault brings, another than the first may need the fewest steps.
        let reason = &failure.violation.reason;
        let requests =
            failure.schedule.steps.iter().filter(|step| matches!(step, Step::Request { .. })).count();
        println!("{isolation}: {requests} transactions: {reason}");
        assert!(requests <= named(reason), "{isolation}: {requests} transactions: {reason}");
    }
}

#[test]
fn without_a_fault_every_history_is_strictly_serializable() {
    assert_eq!(first_find(Isolation::StrictSerializable, "strict-serializable", 3_000), None);
}

#[test]
fn every_fault_is_found_as_an_anomaly_of_its_kind() {
    assert_eq!(FAULTS.len() + 1, Isolation::ALL.len());
    for (isolation, model, kinds) in FAULTS {
        let found = first_find(isolation, model, 3_000);
        let (execution, reason) = found.unwrap_or_else(|| panic!("{isolation} is not found"));
        println!("{isolation} {model}: execution {execution}, {reason}");
        let kind = reason.split(':').next().unwrap_or_default();
        assert!(kinds.contains(&kind), "{isolation}: {reason}");
    }
}

/// What a weaker model allows is no failure.
#[test]
fn a_weaker_model_allows_its_anomaly() {
    assert_eq!(first_find(Isolation::Lagging, "serializable", 1_000), None);
    assert_eq!(first_find(Isolation::Snapshot, "snapshot-isolation", 1_000), None);
    assert_eq!(first_find(Isolation::Forks, "parallel-snapshot-isolation", 1_000), None);
}

/// Requests of the common generator are requests of this target: keys are retired, and write skew is found.
#[test]
fn requests_of_the_generator_find_write_skew() {
    let target = target().workload(12, |config: &Config, random: &mut Random| {
        let shape = Shape { keys: 2, writes_per_key: 8, ops: 3, skew: 0 };
        let mut generator = Generator::of("list-append", shape).expect("it is known");
        let request = |_| serde_json::from_value(generator.next(&mut |bound| random.below(bound)).1);
        (0..config.requests).map(request).collect::<Result<Vec<Request>, _>>().expect("they are requests")
    });
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 2_000;
    campaign.plan.shrink = None;
    campaign.plan.config.options.set("isolation", Isolation::Snapshot);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let reason = &summary.findings[0].failure.violation.reason;
    assert!(reason.starts_with("G2-item:"), "{reason}");
}
