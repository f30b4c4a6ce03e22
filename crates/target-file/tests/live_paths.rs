//! Paths of a specification on a real server, which asks by its own clock for actions that steps choose by
//! their parameters.

use std::path::Path;
use std::sync::Arc;

use shakedown_campaign::{ConformRun, ConformSummary, Silent};

fn summary(settings: &[(&str, &str)]) -> ConformSummary {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adder/adder.toml");
    let target =
        shakedown_target_file::load(&file, Arc::new(|_| {})).unwrap_or_else(|error| panic!("{error}"));
    let mut run = ConformRun::new(target.as_ref()).expect("it has a model");
    run.with_its_nodes().expect("its number of nodes is known");
    run.shrink = None;
    for (option, value) in settings {
        run.config.options.set(*option, value);
    }
    run.run(&Silent).expect("paths can be run")
}

#[test]
fn paths_choose_among_actions_that_wait_by_their_parameters() {
    let summary = summary(&[]);
    let unplayed = summary.unplayed.1.as_ref().map(|unplayed| unplayed.reason.as_str());
    assert_eq!((summary.verdict().word(), unplayed), ("pass", None), "{:?}", summary.findings);
    assert_eq!((summary.paths, summary.edges, summary.graph.edges), (2, 4, 4));
}

#[test]
fn a_server_that_does_something_else_is_found() {
    let summary = summary(&[("wrong", "true")]);
    let found: Vec<_> =
        summary.findings.iter().map(|finding| finding.failure.violation.property.as_str()).collect();
    assert_eq!(found, ["inconsistent state: total"]);
}

#[test]
fn what_a_server_does_late_is_missed_where_a_step_does_not_wait_for_it() {
    let summary = summary(&[("still_ms", "0"), ("quiet_ms", "0"), ("acknowledge_ms", "0")]);
    let found: Vec<_> =
        summary.findings.iter().map(|finding| finding.failure.violation.property.as_str()).collect();
    assert_eq!(found, ["missing action: Add"]);
}
