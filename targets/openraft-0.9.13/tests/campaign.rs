//! openraft 0.9.13: a vote that is merely seen does not count as granted yet.

use shakedown::Test;
use shakedown_openraft::target;

#[test]
fn the_campaign_in_which_0_9_14_fails_finds_nothing() {
    Test::new(target()).set("snapshots", false).executions(500).jobs(2).run();
}
