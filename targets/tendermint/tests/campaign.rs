//! What campaigns find in the consensus library of Malachite 0.5.0, and what they do not.

use shakedown::Test;
use shakedown::campaign::Sameness;
use shakedown::cluster::Recording;
use shakedown::explore::Weights;
use shakedown_tendermint::target;

#[test]
fn as_long_as_nobody_lies_a_thousand_executions_by_each_strategy_agree() {
    for strategy in ["random", "pctcp", "pos"] {
        for timers in ["when-due", "anytime"] {
            let test = Test::new(target()).strategy(strategy).executions(1_000).jobs(2);
            test.set("timers", timers).set("oracles", "agreement").run();
        }
    }
}

#[test]
fn as_long_as_nobody_crashes_nobody_equivocates() {
    for timers in ["when-due", "anytime"] {
        let weights = Weights::default().changed_by("crash=0").expect("these are weights");
        Test::new(target()).weights(weights).executions(1_000).jobs(2).set("timers", timers).run();
    }
}

/// Upstream issue 1445: certificates are not in the write-ahead log. What a validator did because of one, it
/// does otherwise after a crash.
#[test]
fn a_certificate_that_a_crash_makes_forgotten_leads_to_equivocation() {
    let test = Test::new(target()).set("timers", "anytime").set("rebroadcast", false).set("heights", 1);
    finds("no-equivocation", test.set("oracles", "equivocation"));
}

/// A value whose proposal is there already does not get into the write-ahead log (upstream logs every value
/// since).
#[test]
fn a_value_that_comes_after_its_proposal_and_a_crash_lead_to_equivocation_and_lost_locks() {
    let test = || Test::new(target()).set("value_first", false).set("heights", 1);
    finds("no-equivocation", test().set("oracles", "equivocation"));
    finds("lock-is-kept", test().set("oracles", "locks"));
}

fn finds(property: &str, test: Test) {
    let finding = test.executions(5_000).expect_violation(property);
    let failure = &finding.failure;
    let shrunk = failure.schedule.steps.len();
    println!("execution {}, {} steps, shrunk to {shrunk}", failure.found.execution, failure.found.steps);
    assert!(shrunk <= 40, "{shrunk} steps are not easy to read");
    for _ in 0..100 {
        let replayed = failure.replay(&target(), Recording::Brief).expect("it replays");
        assert_eq!(replayed.same, Sameness::Exact);
    }
}

#[test]
fn executions_are_deterministic() {
    for strategy in ["random", "pctcp"] {
        let test = Test::new(target()).strategy(strategy).executions(200);
        test.set("oracles", "agreement").check_determinism().run();
    }
}
