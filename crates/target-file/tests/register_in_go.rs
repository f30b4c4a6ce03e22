//! A whole target of a Go program in `shakedown.toml`: invariants, a scenario, a model and the mapping to it,
//! colours and waypoints, all as text. It needs Go: without it, it is left out, or fails if
//! `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use shakedown_campaign::{
    Beat, Campaign, ConformRun, ConformSummary, Failure, ScenarioRun, Silent, Summary, follow,
};
use shakedown_check::SpecTrace;
use shakedown_cluster::Recording;
use shakedown_conform::validate::{Limits, Verdict, validate};
use shakedown_target::AnyTarget;
use shakedown_tla::{Config, Spec};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/go/examples/register");

/// A folder with the program and its files, as a user has them; nothing where Go is missing.
fn folder() -> Option<tempfile::TempDir> {
    let is_there = Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "Go is missing");
    if !is_there {
        eprintln!("left out: this test needs Go (command: go)");
        return None;
    }
    let room = tempfile::tempdir().expect("a folder");
    for file in ["shakedown.toml", "Register.tla", "Register.cfg"] {
        fs::copy(Path::new(SOURCES).join(file), room.path().join(file)).expect("it is there");
    }
    let mut go = Command::new("go");
    let built =
        go.args(["build", "-o"]).arg(room.path().join("register")).arg(".").current_dir(SOURCES).output();
    let built = built.expect("go is there");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(room)
}

fn target(at: &Path) -> Box<dyn AnyTarget> {
    shakedown_target_file::load(&at.join("shakedown.toml"), Arc::new(|_| {}))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn run(target: &dyn AnyTarget, strategy: &str, executions: u64, options: &[(&str, &str)]) -> Summary {
    let mut campaign = Campaign::new(target);
    (campaign.plan.executions, campaign.plan.shrink) = (executions, None);
    campaign.plan.strategy = strategy.parse().unwrap_or_else(|error| panic!("{strategy}: {error}"));
    options.iter().for_each(|(name, value)| campaign.plan.config.options.set(*name, value));
    campaign.run(&Silent).unwrap_or_else(|error| panic!("{strategy}: {error}"))
}

/// The property that a run finds violated.
fn found(summary: &Summary) -> Option<&str> {
    summary.findings.first().map(|finding| finding.failure.violation.property.as_str())
}

#[test]
fn a_program_is_explored_with_invariants_colours_waypoints_and_a_model_that_are_text() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    let wrong = [("versions", "false")];
    assert_eq!(found(&run(target.as_ref(), "random", 200, &[])), None);
    assert_eq!(found(&run(target.as_ref(), "random", 200, &wrong)), Some("answered-writes-stay"));
    for strategy in ["fuzz:model", "fuzz:state"] {
        assert_eq!(found(&run(target.as_ref(), strategy, 60, &[])), None, "{strategy}");
    }
    // With the specification as an oracle, every event has to be an action that is possible there.
    assert_eq!(found(&run(target.as_ref(), "fuzz:model", 60, &[("spec", "Register")])), None);
}

#[test]
fn waypoints_of_the_file_lead_a_strategy_that_learns() {
    let Some(room) = folder() else { return };
    // Such a strategy cuts links, which loses messages: the register does not bear that, and is not asked to.
    let file = room.path().join("shakedown.toml");
    let text = fs::read_to_string(&file).expect("it is there");
    let text = text.replace("base = \"reliable\"", "base = \"sessions\"\ncrashes = \"never\"");
    fs::write(&file, text).expect("it can be written");
    let target = target(room.path());
    let summary =
        run(target.as_ref(), "waypoint:waypoints=[BackupIsBehind(1), BackupIsBehind(2)],horizon=20", 20, &[]);
    assert_eq!((found(&summary), summary.executions), (None, 20));
}

#[test]
fn a_scenario_of_the_file_runs_and_finds_the_bug() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    let mut run = ScenarioRun::new(target.as_ref(), "late-write");
    run.iterations = 20;
    let right = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((right.successes, right.violations.len()), (20, 0), "{right:?}");
    run.options.set("versions", "false");
    let wrong = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
    assert!(!wrong.violations.is_empty(), "{wrong:?}");
}

fn conform(target: &dyn AnyTarget, versions: &str) -> ConformSummary {
    let mut run = ConformRun::new(target).expect("it has a specification");
    run.config.nodes = 2;
    run.config.options.set("versions", versions);
    run.run(&Silent).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_path_of_the_specification_is_played_on_the_program() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    let right = conform(target.as_ref(), "true");
    assert_eq!((right.failed, right.unplayed.0, right.unknown.0), (0, 0, 0), "{right:?}");
    assert!(right.paths > 0 && right.edges == right.graph.edges, "{right:?}");
    let wrong = conform(target.as_ref(), "false");
    let finding = &wrong.findings.first().expect("an old write overwrites a newer one").failure.violation;
    assert!(finding.property.starts_with("inconsistent state: v"), "{finding:?}");
}

/// Whether the trace of a failure is a behaviour of the specification.
fn is_behaviour(target: &dyn AnyTarget, failure: &Failure, at: &Path) -> bool {
    let trace = SpecTrace::default();
    let live = target.begin_traced(&failure.config, failure.seed, Recording::Brief, &trace);
    let live = live.unwrap_or_else(|error| panic!("{error}"));
    follow(live, &failure.schedule, &Beat::default()).unwrap_or_else(|error| panic!("{error}"));
    let text = trace.take().join("\n");
    let read = |file: &str| fs::read_to_string(at.join(file)).expect("it is there");
    let modules = HashMap::from([("Register".to_owned(), read("Register.tla"))]);
    let mut config = Config::parse(&read("Register.cfg")).expect("a configuration");
    let load = |header: &shakedown_conform::validate::Header| {
        header.apply(&mut config);
        Spec::load("Register", config, &modules).map_err(|error| error.to_string())
    };
    let verdict = validate(&mut text.as_bytes(), load, &[], Limits::default());
    match verdict.unwrap_or_else(|error| panic!("{error}: {text}")) {
        Verdict::Explained(summary) => {
            assert!(summary.events > 0, "{text}");
            true
        }
        Verdict::Refused(..) => false,
        Verdict::Unknown(..) => panic!("inconclusive: {text}"),
    }
}

#[test]
fn traces_of_the_program_are_validated_against_its_specification() {
    let Some(room) = folder() else { return };
    let at = room.path();
    let wrong = target(at);
    let summary = run(wrong.as_ref(), "random", 200, &[("versions", "false")]);
    assert!(!is_behaviour(wrong.as_ref(), &summary.findings[0].failure, at));
    // Something that the specification knows nothing of fails in the right form too: its trace is a
    // behaviour.
    let file = at.join("shakedown.toml");
    let text = fs::read_to_string(&file).expect("it is there");
    let text = text.replace("[invariants]\n", "[invariants]\nno-second-write = 'state[2].version < 2'\n");
    fs::write(&file, text).expect("it can be written");
    let right = target(at);
    let summary = run(right.as_ref(), "random", 200, &[]);
    assert_eq!(found(&summary), Some("no-second-write"));
    assert!(is_behaviour(right.as_ref(), &summary.findings[0].failure, at));
}
