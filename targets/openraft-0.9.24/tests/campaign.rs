//! The bugs of openraft 0.9.24 that 0.9.25 does not have.

#[path = "../../openraft/tests/finds/mod.rs"]
mod finds;

use finds::{find, set};
use shakedown::prelude::Weights;

/// Upstream issue 1802. The followers' progress is not in order any more, and what is granted by a quorum is
/// computed wrongly.
#[test]
fn a_leader_of_seven_commits_what_no_quorum_holds() {
    find("durable-by-quorum", 500, |campaign| {
        let config = &mut campaign.plan.config;
        (config.nodes, config.steps, config.requests, config.crashes) = (7, 800, 40, 0);
        set(campaign, &[("snapshots", "false"), ("payload", "1")]);
    });
}

/// Upstream issue 1808.
#[test]
fn a_membership_that_is_gone_survives_a_snapshot() {
    find("membership-in-log", 1_000, |campaign| {
        (campaign.plan.config.steps, campaign.plan.config.requests) = (300, 40);
        campaign.plan.weights = Weights::default().changed_by("request=20,cut=3").expect("these are weights");
        set(campaign, &[("membership", "true"), ("oracles", "membership-in-log")]);
    });
}
