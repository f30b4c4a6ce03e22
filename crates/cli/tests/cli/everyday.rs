//! What a campaign is to its user from day to day: interrupted, extended, announced.

use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::command::{command, json, shakedown, text};

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("temporary folders have plain names").to_owned()
}

/// What must not depend on how a campaign came to its end.
fn what_counts(summary: &serde_json::Value) -> Vec<serde_json::Value> {
    ["executions", "failed", "fingerprint", "coverage", "steps", "properties", "verdict"]
        .iter()
        .map(|field| summary[field].clone())
        .collect()
}

#[cfg(unix)]
#[test]
fn an_interrupted_campaign_ends_with_its_summary_and_the_line_that_goes_on() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let kept = path(&folder, "kept");
    let fault = ["--nodes", "5", "--set", "fault=quorum-third", "--keep-going", "--shrink-budget", "50"];
    let run = [&["run", "planted-raft", "--executions", "100000000", "--keep", &kept][..], &fault].concat();
    let mut child =
        command(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    // It has begun, and has found something, when it reports a failure.
    let mut errors = child.stderr.take().expect("it is a pipe");
    let mut heard = Vec::new();
    let mut byte = [0];
    while !text(&heard).contains("shrinking\n") {
        assert_eq!(errors.read(&mut byte).expect("it can be read"), 1, "{}", text(&heard));
        heard.push(byte[0]);
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
    let reader = std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = errors.read_to_end(&mut rest);
        rest
    });
    let output = child.wait_with_output().expect("it ends");
    let errors = text(&reader.join().expect("it is read"));
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}{errors}");
    for part in ["is violated", "cut short by an interruption", "FAIL: ", &format!(" resume {kept}\n")] {
        assert!(printed.contains(part), "`{part}` in {printed}");
    }
    let listed = text(&shakedown(&["list", &kept]).stdout);
    assert!(listed.contains("to be resumed"), "{listed}");
}

#[test]
fn a_campaign_that_is_extended_is_the_one_that_was_longer_from_the_beginning() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let run = ["run", "planted-raft", "--measure", "state", "--json"];
    let (whole, short) = (path(&folder, "whole"), path(&folder, "short"));
    let whole = json(&[&run[..], &["--executions", "700", "--keep", &whole]].concat());
    json(&[&run[..], &["--executions", "300", "--keep", &short]].concat());
    let extended = json(&["resume", &short, "--executions", "700", "--json"]);
    assert_eq!(what_counts(&extended), what_counts(&whole));
    assert_eq!(extended["executions"], 700);
    let fewer = shakedown(&["resume", &short, "--executions", "600"]);
    assert_eq!(fewer.status.code(), Some(2));
    assert!(text(&fewer.stderr).contains("it has to be at least 700"), "{}", text(&fewer.stderr));
    // A campaign that ended with a failure has nothing to go on with.
    let failed = path(&folder, "failed");
    let fault = ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "--no-shrink"];
    assert_eq!(shakedown(&[&fault[..], &["--keep", &failed]].concat()).status.code(), Some(1));
    let more = shakedown(&["resume", &failed, "--executions", "5000"]);
    assert_eq!(more.status.code(), Some(2));
    assert!(text(&more.stderr).contains("--keep-going"), "{}", text(&more.stderr));
}

#[cfg(unix)]
#[test]
fn a_command_hears_of_every_finding_by_variables_alone() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (out, heard) = (path(&folder, "out"), path(&folder, "heard"));
    let hook =
        format!("echo \"$SHAKEDOWN_FOUND_PROPERTY|$SHAKEDOWN_FOUND_FILE|$SHAKEDOWN_FOUND_STEPS\" >> {heard}");
    let arguments = [
        "run",
        "planted-raft",
        "--nodes",
        "5",
        "--set",
        "fault=quorum-third",
        "--executions",
        "300",
        "--keep-going",
        "--shrink-budget",
        "300",
        "--out",
        &out,
        "--on-finding",
        &hook,
        "--json",
    ];
    let summary = json(&arguments);
    let findings = summary["findings"].as_array().expect("a list");
    let lines = std::fs::read_to_string(&heard).expect("the command was run");
    let expected: Vec<_> = findings
        .iter()
        .map(|finding| {
            let word = |name: &str| finding[name].as_str().expect("a text").to_owned();
            format!("{}|{}|{}", word("property"), word("file"), finding["steps_shrunk"])
        })
        .collect();
    assert!(findings.len() > 1, "several properties are violated");
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    // A command that fails is a warning, and changes nothing.
    let last = arguments.len() - 2;
    let mut failing = arguments;
    failing[last] = "exit 3";
    let output = shakedown(&failing);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("warning: --on-finding: the command ended with"));
}

#[test]
fn shrinking_within_a_budget_of_executions_says_so() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let out = path(&folder, "out");
    let fault =
        ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "--out", &out, "--json"];
    let summary = json(&[&fault[..], &["--shrink-budget", "20"]].concat());
    assert_eq!(summary["findings"][0]["shrink_cut_short"], "the limit of executions");
    assert!(summary["findings"][0]["shrink_executions"].as_u64() <= Some(20));
    let wrong = shakedown(&["run", "planted-raft", "--shrink-budget", "a week"]);
    assert_eq!(wrong.status.code(), Some(2));
}
