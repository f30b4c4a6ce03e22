//! In omnipaxos 0.2.3 the decided index of a server goes back: a leader that finished its Prepare phase
//! without the promise of a follower that had decided more sends it an AcceptSync with a smaller decided
//! index.

use shakedown::Test;
use shakedown::campaign::{ConformRun, ConformSummary, Sameness, Silent};
use shakedown::cluster::Recording;
use shakedown::conform::compare::SPEC_CONFIG_OPTION;
use shakedown_omnipaxos::spec::MODELS;
use shakedown_omnipaxos::target;

#[test]
fn random_walks_find_that_the_decided_index_goes_back_within_two_thousand_executions() {
    for seed in 1..=5 {
        let finding =
            Test::new(target()).seed(seed).executions(2_000).expect_violation("decided-never-goes-back");
        let failure = &finding.failure;
        let (found, shrunk) = (failure.found.steps, failure.schedule.steps.len());
        println!("seed {seed}: execution {}, {found} steps, shrunk to {shrunk}", failure.found.execution);
        for _ in 0..100 {
            let replayed = failure.replay(&target(), Recording::Brief).expect("it replays");
            assert_eq!(replayed.same, Sameness::Exact);
        }
    }
}

#[test]
fn the_model_says_which_conjunct_the_decided_index_breaks() {
    let finding = Test::new(target())
        .set("oracles", "agreement")
        .set("conformance", true)
        .executions(2_000)
        .expect_violation("conforms-to-the-model");
    let reason = &finding.failure.violation.reason;
    assert!(reason.contains("AcceptSyncHandled"), "{reason}");
    assert!(reason.contains("decided'[i] = s.decided"), "{reason}");
}

/// Plays the paths of the model in which one server leads after another, with this in the place of its
/// constant.
fn paths_of_a_takeover(keeps_decided: &str) -> ConformSummary {
    let model = MODELS.iter().find(|model| model.name == "takeover").expect("there is such a model");
    let config = model.config.replace("KeepsDecided = TRUE", &format!("KeepsDecided = {keeps_decided}"));
    let target = target();
    let mut run = ConformRun::new(&target).expect("there are models");
    run.beside(model.name).config.options.set(SPEC_CONFIG_OPTION, &config);
    // Within so many paths the decided index goes back, by either of the two.
    run.paths = Some(3_500);
    run.shrink = None;
    run.run(&Silent).expect("the model can be walked")
}

#[test]
fn a_path_of_the_specification_ends_where_the_decided_index_goes_back() {
    let summary = paths_of_a_takeover("TRUE");
    let [finding] = &summary.findings[..] else { panic!("{summary:?}") };
    let violation = &finding.failure.violation;
    assert_eq!(violation.property, "inconsistent state: decided", "{}", violation.reason);
    assert!(violation.reason.contains("ReceiveAcceptSync"), "{}", violation.reason);
}

#[test]
fn a_specification_in_which_it_goes_back_is_conformed_to() {
    let summary = paths_of_a_takeover("FALSE");
    assert_eq!((summary.failed, summary.unknown.0, &summary.unplayed.1), (0, 0, &None), "{summary:?}");
    assert_eq!(summary.paths, 3_500);
}
