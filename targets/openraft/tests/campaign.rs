//! openraft 0.9.25: what it passes, and the stop that a buffered disk brings about.

mod finds;

use finds::{find, set};
use shakedown::Test;
use shakedown::prelude::Weights;
use shakedown_openraft::target;

#[test]
fn a_thousand_random_walks_find_nothing() {
    Test::new(target()).executions(1_000).jobs(2).run();
}

#[test]
fn the_campaign_with_membership_changes_in_which_0_9_24_fails_finds_nothing() {
    let weights = Weights::default().changed_by("request=20,cut=3").expect("these are weights");
    let test = Test::new(target()).steps(300).requests(40).set("membership", true);
    test.weights(weights).executions(1_000).jobs(2).run();
}

/// A leader waits for its log to be flushed; a replication task meets a higher vote meanwhile and ends; the
/// snapshot that is queued for it cannot be handed over, which is taken for an error of the storage.
#[test]
fn a_leader_stops_for_good_when_a_follower_has_a_higher_vote_while_the_log_is_flushed() {
    let reason = find("never-stops", 1_000, |campaign| {
        (campaign.plan.config.steps, campaign.plan.config.requests, campaign.plan.config.crashes) =
            (300, 40, 0);
        campaign.plan.weights =
            Weights::default().changed_by("request=20,flush=10,cut=3").expect("these are weights");
        set(campaign, &[("buffered", "true")]);
    });
    assert!(reason.contains("replication channel closed"), "{reason}");
}
