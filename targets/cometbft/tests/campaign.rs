//! What campaigns find in CometBFT 0.38.17, and what they do not.

use shakedown::Test;
use shakedown::campaign::{Campaign, Sameness, Silent};
use shakedown::cluster::Recording;
use shakedown_cometbft::{UnlockIsJustified, are_built, target};

#[test]
fn executions_are_deterministic() {
    if !are_built() {
        return;
    }
    for strategy in ["random", "pctcp"] {
        Test::new(target()).strategy(strategy).executions(10).check_determinism().run();
    }
}

/// What survives a crash is needed: without the log, a validator forgets its lock; without the signer's
/// memory, it votes twice.
#[test]
fn what_a_validator_forgets_in_a_crash_is_found_and_replays() {
    if are_built() {
        finds("unlock-is-justified", &[("keep_log", "false"), ("oracles", "locks")]);
        finds(
            "no-equivocation",
            &[("keep_log", "false"), ("keep_signer", "false"), ("oracles", "equivocation")],
        );
    }
}

fn finds(property: &str, options: &[(&str, &str)]) {
    let target = target();
    let mut campaign = Campaign::new(&target);
    (campaign.plan.executions, campaign.plan.shrink) = (50, None);
    for (name, value) in [("heights", "1"), ("timers", "anytime")].iter().chain(options) {
        campaign.plan.config.options.set(*name, *value);
    }
    let summary = campaign.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
    let failure = &summary.findings.first().expect("it is found").failure;
    assert_eq!(failure.violation.property, property);
    for _ in 0..10 {
        let replayed = failure.replay(&target, Recording::Brief).expect("it can be replayed");
        assert_eq!(replayed.same, Sameness::Exact);
    }
}

/// Malachite forgets locks in a crash where values come after their proposals: see the target `tendermint`.
#[test]
fn the_oracle_on_locks_finds_one_that_malachite_forgets() {
    let malachite = shakedown_tendermint::target().oracles(|_| vec![Box::new(UnlockIsJustified::default())]);
    let test = Test::new(malachite).set("value_first", false).set("heights", 1).executions(5_000);
    test.expect_violation("unlock-is-justified");
}
