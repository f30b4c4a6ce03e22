//! Real servers in Java, of a library that others wrote, whose messages, timers and clients go through
//! `dev.shakedown.live`. It needs what `targets/microraft/build.sh` builds, and Java: without them it is left
//! out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use shakedown_campaign::{ScenarioRun, Silent};
use shakedown_target::AnyTarget;

/// How often an iteration is tried: threads of real servers run as they like.
const TRIES_MAX: u64 = 3;

/// The target; nothing where what it needs is missing.
fn target() -> Option<Box<dyn AnyTarget>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let servers = ["0.7", "0.5"]
        .map(|release| format!("target/hosts/microraft-{release}/classes/microraft/LiveServer.class"));
    let mut java = Command::new("java");
    let java = java.arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_java_there = java.is_ok_and(|status| status.success());
    if !is_java_there || !servers.iter().all(|file| root.join(file).is_file()) {
        let missing =
            "this test needs Java (command: java), and the servers that targets/microraft/build.sh builds";
        assert!(std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "{missing}");
        eprintln!("left out: {missing}");
        return None;
    }
    let file = root.join("targets/microraft/live.toml");
    Some(shakedown_target_file::load(&file, Arc::new(|_| {})).unwrap_or_else(|error| panic!("{error}")))
}

/// An iteration of a scenario: whether it succeeded, and what it violated.
fn iteration(target: &dyn AnyTarget, release: &str, number: u64) -> (bool, BTreeSet<String>) {
    let mut run = ScenarioRun::new(target, "stale-read");
    (run.first, run.iterations) = (number, 1);
    // A step waits until servers sleep, however busy this machine is.
    run.options.set("quiet_ms", "10000");
    run.options.set("acknowledge_ms", "60000");
    run.options.set("release", release);
    let summary = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
    let violated = summary.violations.into_iter().map(|(_, violation)| violation.property).collect();
    (summary.successes == 1, violated)
}

#[test]
fn a_learner_confirms_a_stale_read_in_a_server_of_the_old_release() {
    let Some(target) = target() else { return };
    let violated =
        (0..TRIES_MAX).map(|number| iteration(target.as_ref(), "0.5", number).1).find(|one| !one.is_empty());
    assert_eq!(violated, Some(BTreeSet::from(["linearizability".to_owned()])));
}

#[test]
fn servers_of_the_new_release_elect_append_and_read_nothing_stale() {
    let Some(target) = target() else { return };
    let is_done = (0..TRIES_MAX).any(|number| {
        let (succeeded, violated) = iteration(target.as_ref(), "0.7", number);
        assert_eq!(violated, BTreeSet::new(), "iteration {number}");
        succeeded
    });
    assert!(is_done, "none of {TRIES_MAX} iterations came to its end");
}
