//! Each fault of the store is found, as an anomaly of its kind; without a fault nothing is.

use shakedown_campaign::{Campaign, Silent};
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

/// Requests are made smaller, too, and two of them that append the same would be wrong whatever the store does.
#[test]
fn what_is_found_shrinks_to_the_transactions_that_show_it() {
    for (isolation, kind, transactions) in [
        // Its store draws a number for each transaction that begins, so those that draw before the right one are needed.
        (Isolation::Lagging, "G-single-realtime", 5),
        (Isolation::Snapshot, "G2-item", 2),
        (Isolation::ForgetsOwn, "internal", 1),
    ] {
        let target = target();
        let mut campaign = Campaign::new(&target);
        campaign.plan.config.options.set("isolation", isolation);
        let summary = campaign.run(&Silent).expect("the campaign runs");
        let failure = &summary.findings[0].failure;
        assert!(failure.violation.reason.starts_with(&format!("{kind}:")), "{}", failure.violation.reason);
        let requests =
            failure.schedule.steps.iter().filter(|step| matches!(step, Step::Request { .. })).count();
        assert_eq!(requests, transactions, "{isolation}: {}", failure.violation.reason);
    }
}

#[test]
fn without_a_fault_every_history_is_strictly_serializable() {
    assert_eq!(first_find(Isolation::StrictSerializable, "strict-serializable", 3_000), None);
}

#[test]
fn every_fault_is_found_as_an_anomaly_of_its_kind() {
    let cases: [(Isolation, &[&str]); 8] = [
        (Isolation::Lagging, &["G-single-realtime"]),
        (Isolation::Snapshot, &["G2-item"]),
        (Isolation::LostUpdates, &["lost-update", "G-single", "G2-item"]),
        (Isolation::ReadCommitted, &["internal", "lost-update", "G-single", "G2-item"]),
        (Isolation::ReadUncommitted, &["incompatible-order", "G1a", "G1b", "internal"]),
        (Isolation::Nothing, &["G0", "G1b", "G1c", "internal", "lost-update", "G1a"]),
        (Isolation::ForgetsOwn, &["internal"]),
        (Isolation::CommitsTwice, &["duplicate-elements"]),
    ];
    for (isolation, kinds) in cases {
        let found = first_find(isolation, "strict-serializable", 2_000);
        let (execution, reason) = found.unwrap_or_else(|| panic!("{isolation} is not found"));
        println!("{isolation}: execution {execution}, {reason}");
        let kind = reason.split(':').next().unwrap_or_default();
        assert!(kinds.contains(&kind), "{isolation}: {reason}");
    }
}

/// What a weaker model allows is no failure.
#[test]
fn a_weaker_model_allows_its_anomaly() {
    assert_eq!(first_find(Isolation::Lagging, "serializable", 1_000), None);
    assert_eq!(first_find(Isolation::Snapshot, "snapshot-isolation", 1_000), None);
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
