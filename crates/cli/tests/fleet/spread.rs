//! Work that is no campaign of its own: candidates of a shrinking, iterations of a scenario, paths of a state
//! graph, trials of a comparison, keys of a history. Spread over workers, the result is that of one process.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use shakedown_store::Store;

use crate::processes::{Process, SHAKEDOWN, arguments_of, worker};
use crate::server::{Server, program, wait_until};

/// The exit code of a command, and what it prints in JSON without how long it took.
fn outcome(command: &str, arguments: &[&str], folder: &Path) -> (Option<i32>, Value) {
    let output = Command::new(SHAKEDOWN)
        .args(command.split(' '))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    let printed = serde_json::from_slice(&output.stdout);
    let mut printed = printed.unwrap_or_else(|_| panic!("`{command}` prints no JSON: {error}"));
    forget_times(&mut printed);
    (output.status.code(), printed)
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !key.contains("seconds"));
            object.values_mut().for_each(forget_times);
        }
        Value::Array(all) => all.iter_mut().for_each(forget_times),
        _ => {}
    }
}

fn fleet(folder: &Path) -> Option<(Server, [Process; 2])> {
    let server = Server::start(&program()?, &folder.join("nats"), &[]);
    let url = server.url();
    Some((server, [worker(&url), worker(&url)]))
}

/// A history of many keys, of which the last one read what nobody wrote, if it is to be spoilt.
fn history(is_spoilt: bool) -> String {
    let line = |process: usize, kind: &str, f: &str, key: usize, value: &str| {
        format!("{{\"process\":{process},\"type\":\"{kind}\",\"f\":\"{f}\",\"value\":[{key},{value}]}}\n")
    };
    let mut text = String::new();
    for key in 0..40 {
        for value in 0..10 {
            text += &line(1, "invoke", "write", key, &value.to_string());
            text += &line(2, "invoke", "read", key, "null");
            text += &line(1, "ok", "write", key, &value.to_string());
            let read = if is_spoilt && (key, value) == (39, 9) { 77 } else { value };
            text += &line(2, "ok", "read", key, &read.to_string());
        }
    }
    text
}

#[test]
fn spread_over_workers_the_result_is_that_of_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some((server, _workers)) = fleet(folder) else { return };
    for (name, is_spoilt) in [("good", false), ("spoilt", true)] {
        std::fs::write(folder.join(name), history(is_spoilt)).expect("it is written");
    }
    let compare = "compare planted-raft --set fault=vote-not-persisted --strategies random,bonusmax --trials 2 -n 200 --json";
    for (command, code) in [
        ("scenario run ConfChangeBug --target planted-raft --set fault=reconfiguration-unfixed --json", 1),
        ("conform planted-raft --paths 3000 --json", 0),
        (
            "conform planted-raft --model four --set fault=quorum-third --keep-going --shrink-budget 300 --json",
            1,
        ),
        (compare, 0),
        ("check-history good --model linearizable:register --keyed --json", 0),
        ("check-history spoilt --model linearizable:register --keyed --json", 1),
    ] {
        let kept = |name: &str| match command.starts_with("compare") {
            true => vec!["--keep".to_owned(), name.to_owned()],
            false => Vec::new(),
        };
        let (here, there) = (kept("here"), kept("there"));
        let here: Vec<&str> = here.iter().map(String::as_str).collect();
        let there: Vec<&str> = there.iter().map(String::as_str).collect();
        let local = outcome(command, &here, folder);
        assert_eq!(local.0, Some(code), "{command}: {}", local.1);
        let url = server.url();
        let spread = outcome(command, &[&there[..], &["--fleet", &url]].concat(), folder);
        assert_eq!(spread, local, "{command}");
    }
}

#[test]
fn a_comparison_that_was_killed_goes_on_by_workers_and_comes_to_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some((server, _workers)) = fleet(folder) else { return };
    let compare = "compare planted-raft --strategies random,bonusmax:generation=32 --trials 3 -n 1000 --json";
    let (code, local) = outcome(compare, &["--keep", "here"], folder);
    let begun = Command::new(SHAKEDOWN)
        .args(compare.split(' '))
        .args(["--jobs", "1", "--keep", "there"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .spawn();
    let begun = Process::of(begun.expect("it starts"));
    let there = folder.join("there");
    wait_until("a trial has begun", || {
        Store::is_in(&there)
            && Store::look_at(&there)
                .and_then(|store| store.campaigns())
                .is_ok_and(|all| all.iter().any(|trial| trial.standing.is_some()))
    });
    drop(begun);
    let resumed = outcome("resume there --json", &["--fleet", &server.url()], folder);
    assert_eq!(resumed, (code, local));
}

#[test]
fn a_failure_that_is_shrunk_by_workers_is_shrunk_to_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some((server, _workers)) = fleet(folder) else { return };
    let found = "planted-raft --set fault=vote-not-persisted -n 2000 --no-shrink --out found";
    let found = Command::new(SHAKEDOWN).args(arguments_of("run", found)).current_dir(folder).output();
    assert_eq!(found.expect("it starts").status.code(), Some(1));
    let mut files = std::fs::read_dir(folder.join("found")).expect("there is a finding");
    let file = files.next().expect("it has a file").expect("it can be read").path();
    let shrunk = |out: &str, fleet: &[&str]| {
        let limits = ["--out", out, "-n", "12000", "--time", "600", "--quiet"];
        let output = Command::new(SHAKEDOWN)
            .arg("shrink")
            .arg(&file)
            .args(limits)
            .args(fleet)
            .current_dir(folder)
            .output();
        let output = output.expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(folder.join(out)).expect("it is written")
    };
    assert_eq!(shrunk("there", &["--jobs", "1", "--fleet", &server.url()]), shrunk("here", &["--jobs", "1"]));
}
