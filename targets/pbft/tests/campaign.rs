//! What campaigns find in this target, and what they do not.

use shakedown::Test;
use shakedown::campaign::{Campaign, Sameness, Silent};
use shakedown::cluster::Recording;
use shakedown_pbft::target;

#[test]
fn replicas_agree_in_any_order_and_with_any_loss() {
    for strategy in ["random", "pctcp"] {
        Test::new(target()).strategy(strategy).executions(20_000).jobs(2).run();
    }
}

#[test]
fn replicas_agree_if_time_outs_come_at_any_time_and_whatever_leaders_choose() {
    for strategy in ["random", "pctcp", "pos"] {
        Test::new(target()).strategy(strategy).executions(2_000).set("timers", "anytime").run();
        Test::new(target()).strategy(strategy).executions(2_000).set("new_view_choice", "own").run();
        Test::new(target()).strategy(strategy).executions(500).nodes(7).set("liars", 2).run();
    }
}

#[test]
fn a_value_that_a_new_leader_forgets_is_found_without_any_lie() {
    let target = target();
    for strategy in ["random", "pctcp", "pos"] {
        let mut campaign = Campaign::new(&target);
        campaign.plan.config.options.set("new_view_check", false);
        campaign.plan.config.options.set("new_view_choice", "own");
        campaign.plan.strategy = strategy.parse().expect("this is a strategy");
        campaign.plan.executions = 2_000;
        campaign.plan.shrink = None;
        let summary = campaign.run(&Silent).expect("the campaign runs");
        let failure = &summary.findings.first().expect("it is found").failure;
        assert_eq!(failure.violation.property, "agreement");
        let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
        assert_eq!(replayed.same, Sameness::Exact);
    }
}

#[test]
fn an_execution_is_the_same_every_time() {
    for strategy in ["random", "pctcp", "pos"] {
        Test::new(target()).strategy(strategy).executions(300).check_determinism().run();
    }
}
