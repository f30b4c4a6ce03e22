//! A real server in Go whose messages, timers, actions and clients go through the library: a campaign,
//! scenarios, crashes. It needs Go: without it, it is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use shakedown_campaign::{Beat, Campaign, ScenarioRun, Silent, follow};
use shakedown_cluster::{Fate, Recording, Schedule, Step};
use shakedown_target::{AnyTarget, Config, Verdict};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/go/examples/liveregister");

/// The program, built once; nothing where Go is missing.
fn program() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let is_there = Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
        assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "Go is missing");
        if !is_there {
            eprintln!("left out: this test needs Go (command: go)");
            return None;
        }
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("liveregister");
        let mut go = Command::new("go");
        let built = go.args(["build", "-o"]).arg(&file).arg(".").current_dir(SOURCES).output();
        let built = built.expect("go is there");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        Some(file)
    };
    BUILT.get_or_init(build).as_deref()
}

/// A folder with the program and its file, as a user has them; nothing where Go is missing.
fn folder() -> Option<tempfile::TempDir> {
    let program = program()?;
    let room = tempfile::tempdir().expect("a folder");
    let file = room.path().join("shakedown.toml");
    fs::copy(Path::new(SOURCES).join("shakedown.toml"), file).expect("it is there");
    fs::copy(program, room.path().join("liveregister")).expect("it was built");
    Some(room)
}

fn target(at: &Path) -> Box<dyn AnyTarget> {
    shakedown_target_file::load(&at.join("shakedown.toml"), Arc::new(|_| {}))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The options of the tests: a step waits until servers sleep, however busy this machine is.
fn config(target: &dyn AnyTarget) -> Config {
    let mut config = target.defaults().clone();
    config.options.set("quiet_ms", "10000");
    config.options.set("acknowledge_ms", "60000");
    config
}

/// These steps, one after the other, and the verdict.
fn done(target: &dyn AnyTarget, steps: &[&str]) -> (shakedown_cluster::Board, Verdict) {
    let steps = steps.iter().map(|step| step.parse().expect(step)).collect();
    let live = target.begin(&config(target), 1, Recording::Full).unwrap_or_else(|error| panic!("{error}"));
    let outcome =
        follow(live, &Schedule { steps }, &Beat::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outcome.trace.states.len(), outcome.trace.board.moments().len());
    assert_eq!(outcome.trace.message_texts.len(), outcome.trace.board.messages().len());
    (outcome.trace.board, outcome.verdict)
}

#[test]
fn a_server_in_go_is_driven_step_by_step() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    // A write of n1 up to its second phase, a crash of n3 in between, and the timer by which n1 asks again.
    let mut steps = vec![r#"request n1 {"write":[0,7]}"#];
    steps.extend(["deliver n1>n1#1 query", "deliver n1>n2#1 query", "deliver n1>n1#1 reply"]);
    steps.extend(["deliver n2>n1#1 reply", "crash n3", "restart n3", "fire n1 write"]);
    steps.extend(["deliver n1>n2#1 store", "deliver n1>n1#1 store"]);
    steps.extend(["tick n1"; 11]);
    steps.push("fire n1 resend");
    let (board, verdict) = done(target.as_ref(), &steps);
    assert_eq!(verdict, Verdict::Pass);
    let facts: Vec<String> = board.facts().map(ToString::to_string).collect();
    let place = |fact: &str| {
        let found = facts.iter().position(|known| known == fact);
        found.unwrap_or_else(|| panic!("no `{fact}` among {facts:?}"))
    };
    let order = [
        "asks action=write counter=1 writer=1",
        "write counter=1 writer=1",
        "holds counter=1 writer=1",
        "asks-again",
        "wrote counter=1 value=7",
    ];
    assert!(order.map(place).is_sorted(), "{facts:?}");
    assert!(!facts.iter().any(|fact| fact.starts_with("unacknowledged")), "{facts:?}");
    // The first query for n3 waited while it was down: the network of this target is asynchronous.
    let query = board.messages().iter().find(|message| message.id.to.number() == 3).expect("it was sent");
    assert!(matches!(query.fate, Fate::Received(_)), "{:?}", query.fate);
}

#[test]
fn a_campaign_over_a_register_that_is_right_finds_nothing() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    let mut campaign = Campaign::new(target.as_ref());
    (campaign.plan.executions, campaign.plan.shrink) = (2, None);
    campaign.plan.config.steps = 150;
    let summary = campaign.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
    let found = summary.findings.first().map(|finding| &finding.failure.violation);
    assert_eq!((found, summary.executions), (None, 2));
}

/// Two iterations of a scenario: how many succeed, and what is violated.
fn run_scenario(target: &dyn AnyTarget, name: &str, write_back: bool) -> (u64, BTreeSet<String>) {
    let mut run = ScenarioRun::new(target, name);
    run.iterations = 2;
    run.options = config(target).options;
    run.options.set("write-back", write_back);
    let summary = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
    (summary.successes, summary.violations.into_iter().map(|(_, violation)| violation.property).collect())
}

#[test]
fn scenarios_as_text_run_over_a_real_server_and_find_its_planted_bug() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    assert_eq!(run_scenario(target.as_ref(), "asks-again", true), (2, BTreeSet::new()));
    assert_eq!(run_scenario(target.as_ref(), "new-then-old", true), (2, BTreeSet::new()));
    let found = BTreeSet::from(["linearizability".to_owned()]);
    assert_eq!(run_scenario(target.as_ref(), "new-then-old", false), (0, found));
}

#[test]
fn a_server_that_never_registers_is_named() {
    let Some(room) = folder() else { return };
    let file = room.path().join("shakedown.toml");
    let text = fs::read_to_string(&file).expect("it is there");
    let text = text.replace("\"./liveregister\"", "\"sh\", \"-c\", \"exec sleep 1000\", \"sh\"");
    fs::write(&file, text.replace("[deployment]", "[deployment]\nready = { seconds = 1 }"))
        .expect("there is room");
    let target = target(room.path());
    let refused = target.begin(target.defaults(), 1, Recording::Brief).err().expect("it sleeps").to_string();
    assert!(
        refused.contains("n1 was not ready within 1 s (it has not registered at 127.0.0.1:"),
        "{refused}"
    );
}

#[test]
fn steps_that_servers_have_not_offered_are_refused() {
    let Some(room) = folder() else { return };
    let target = target(room.path());
    let live = target.begin(target.defaults(), 1, Recording::Brief).unwrap_or_else(|error| panic!("{error}"));
    let steps: Vec<Step> = vec!["fire n1 write".parse().expect("it is a step")];
    let refused = follow(live, &Schedule { steps }, &Beat::default()).err().expect("no action waits");
    assert!(refused.to_string().contains("n1 has no timer `write` that could go off now"), "{refused}");
}
