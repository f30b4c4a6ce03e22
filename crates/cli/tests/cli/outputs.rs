//! Outputs that take nothing: readers that have gone away, and devices that are full. The exit code stays
//! right, there is at most one line on standard error, and nothing panics.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{command, shakedown, text};

/// A pipe whose reader has gone away.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// A device that takes nothing.
fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("Linux has a device that is always full").into()
}

/// Commands of every kind; `home` holds what they work on, and `new` is a folder that is not there yet.
fn commands(home: &Path, new: &str) -> Vec<(i32, Vec<String>)> {
    let at = |name: &str| home.join(name).display().to_string();
    let (failure, fails, passes) = (at("failure.json"), at("fails"), at("passes"));
    let (compared, fuzzed, new) = (at("compared"), at("fuzzed"), at(new));
    let (spec, actions, trace) = (at("Clock.tla"), at("actions.json"), at("trace.jsonl"));
    let history = at("history.edn");
    let all: Vec<(i32, Vec<&str>)> = vec![
        (0, vec!["--help"]),
        (0, vec!["--version"]),
        (0, vec!["run", "--help"]),
        (0, vec!["targets"]),
        (0, vec!["targets", "--json"]),
        (0, vec!["strategies"]),
        (0, vec!["run", "figure1", "-n", "5"]),
        (
            1,
            vec![
                "run",
                "planted-raft",
                "--nodes",
                "5",
                "--set",
                "fault=quorum-third",
                "-n",
                "50",
                "--no-shrink",
                "--out",
                &new,
            ],
        ),
        (
            1,
            vec![
                "run",
                "planted-raft",
                "--nodes",
                "5",
                "--set",
                "fault=quorum-third",
                "-n",
                "50",
                "--no-shrink",
                "--keep",
                &new,
                "--json",
            ],
        ),
        (2, vec!["run", "figure1", "-n", "5", "--time", "0"]),
        (0, vec!["space", "figure1"]),
        (0, vec!["scenario", "list"]),
        (0, vec!["scenario", "run", "ReVote", "-n", "3"]),
        (0, vec!["conform", "planted-raft", "--list"]),
        (0, vec!["conform", "planted-raft", "--model", "four", "--paths", "20"]),
        (1, vec!["replay", &failure]),
        (1, vec!["replay", &failure, "--json"]),
        (0, vec!["shrink", &failure, "--out", &new, "-n", "5"]),
        (1, vec!["resume", &fails]),
        (0, vec!["resume", &passes, "--json"]),
        (1, vec!["resume", &compared]),
        (
            1,
            vec![
                "compare",
                "planted-raft",
                "--nodes",
                "5",
                "--set",
                "fault=quorum-third",
                "-n",
                "40",
                "--trials",
                "2",
                "--strategies",
                "random,pos",
                "--keep",
                &new,
            ],
        ),
        (1, vec!["report", &fails]),
        (0, vec!["report", &passes]),
        (1, vec!["show", &failure]),
        (0, vec!["list", &fails]),
        (0, vec!["merge", &passes, &passes, "--into", &new]),
        (0, vec!["corpus", "min", &fuzzed, "--into", &new]),
        (0, vec!["corpus", "merge", &fuzzed, &fuzzed, "--into", &new]),
        (0, vec!["corpus", "replay", &fuzzed]),
        (0, vec!["tla", "check", &spec]),
        (0, vec!["tla", "graph", &spec]),
        (0, vec!["tla", "simulate", &spec, "--behaviours", "2", "--depth", "3"]),
        (0, vec!["tla", "run", &spec, &actions]),
        (0, vec!["tla", "paths", &spec]),
        (0, vec!["validate", &trace, "--spec", &spec]),
        (1, vec!["check-history", &history]),
        (2, vec!["run", "nothing"]),
        (2, vec!["replay", "nowhere.json"]),
        (2, vec!["list", "nowhere"]),
    ];
    all.into_iter().map(|(code, words)| (code, words.into_iter().map(str::to_owned).collect())).collect()
}

/// What the commands work on.
fn prepare(home: &Path) {
    let at = |name: &str| home.join(name).display().to_string();
    let failing =
        ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "-n", "50", "--no-shrink"];
    assert_eq!(shakedown(&[&failing[..], &["--keep", &at("fails")]].concat()).status.code(), Some(1));
    let file = std::fs::read_dir(home.join("fails/failures")).expect("there is a finding").next();
    let file = file.expect("a file").expect("an entry").path();
    std::fs::copy(file, home.join("failure.json")).expect("it can be copied");
    assert_eq!(shakedown(&["run", "figure1", "-n", "5", "--keep", &at("passes")]).status.code(), Some(0));
    let fuzz = ["run", "figure1", "-n", "20", "--strategy", "fuzz", "--keep", &at("fuzzed")];
    assert_eq!(shakedown(&fuzz).status.code(), Some(0));
    for (name, text) in [
        ("Clock.tla", "---- MODULE Clock ----\nVARIABLE up\nInit == up = TRUE\nTick == up' = ~up\n====\n"),
        ("Clock.cfg", "INIT Init NEXT Tick\n"),
        ("actions.json", "[\"Tick\"]\n"),
        ("history.edn", "{:type :ok, :f :txn, :process 0, :value [[:r x [1]]]}\n"),
        ("trace.jsonl", "{\"action\": \"Tick\", \"state\": {\"up\": false}}\n"),
    ] {
        std::fs::write(home.join(name), text).expect("it can be written");
    }
    let compare = ["compare", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "-n", "40"];
    let compare = [&compare[..], &["--trials", "2", "--strategies", "random,pos", "--keep", &at("compared")]];
    assert_eq!(shakedown(&compare.concat()).status.code(), Some(1));
}

/// Runs a command with these outputs: the exit code, and what is on standard error if that is open.
fn run(arguments: &[String], set: impl FnOnce(&mut Command)) -> (Option<i32>, String) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = command(&arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    set(&mut command);
    let output = command.spawn().expect("it starts").wait_with_output().expect("it ends");
    (output.status.code(), text(&output.stderr))
}

/// The lines on standard error but for those that a slow machine prints of its progress.
fn remarks(errors: &str) -> impl Iterator<Item = &str> {
    errors.lines().filter(|line| !line.ends_with(" found"))
}

#[cfg(target_os = "linux")]
#[test]
fn every_command_exits_as_it_should_when_its_outputs_are_closed_or_full() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    prepare(home.path());
    let count = commands(home.path(), "").len();
    for number in 0..count {
        let of = |way: &str| commands(home.path(), &format!("{way}-{number}")).swap_remove(number);
        // Whoever reads the output may have read enough: the verdict stays.
        let (expected, arguments) = of("closed");
        let (code, errors) = run(&arguments, |command| {
            command.stdout(closed());
        });
        assert_eq!(code, Some(expected), "{arguments:?}, stdout closed: {errors}");
        let lines_max = usize::from(expected == 2 && !arguments.contains(&"--time".to_owned()));
        assert!(remarks(&errors).count() <= lines_max, "{arguments:?}: {errors}");
        // What cannot be printed though it is waited for is no pass.
        let (expected, arguments) = of("full");
        let (code, errors) = run(&arguments, |command| {
            command.stdout(full());
        });
        assert_eq!(code, Some(2), "{arguments:?}, stdout full: {errors}");
        assert_eq!(remarks(&errors).count(), 1, "{arguments:?}: {errors}");
        let is_error = |line: &str| line.to_lowercase().starts_with("error: ");
        assert!(remarks(&errors).all(is_error), "{arguments:?}: {errors}");
        // Standard error is for remarks: without it, all else goes on.
        for (way, device) in [("no-errors", closed as fn() -> Stdio), ("full-errors", full)] {
            let again = of(way).1;
            let (code, _) = run(&again, |command| {
                command.stderr(device());
            });
            assert_eq!(code, Some(expected), "{again:?}, stderr {way}");
        }
        let again = of("nothing").1;
        let (code, _) = run(&again, |command| {
            command.stdout(closed()).stderr(closed());
        });
        assert_eq!(code, Some(expected), "{again:?}, both closed");
    }
}

/// Progress is on standard error, and so are warnings about versions.
#[test]
fn progress_that_cannot_be_printed_changes_nothing() {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let out = home.path().display().to_string();
    let shrinks = ["run", "planted-raft", "--nodes", "5", "--set", "fault=quorum-third", "-n", "50"];
    let shrinks = [&shrinks[..], &["--shrink-budget", "500", "--out", &out]].concat();
    let shrinks: Vec<_> = shrinks.into_iter().map(str::to_owned).collect();
    let (code, errors) = run(&shrinks, |_| {});
    assert_eq!(code, Some(1));
    assert!(errors.contains("; shrinking"), "there is progress: {errors}");
    let (code, _) = run(&shrinks, |command| {
        command.stderr(closed());
    });
    assert_eq!(code, Some(1));
    let file =
        std::fs::read_dir(home.path()).expect("a folder").next().expect("a file").expect("an entry").path();
    let other = std::fs::read_to_string(&file).expect("it can be read").replacen("\"0.1.0\"", "\"0.0.1\"", 1);
    std::fs::write(&file, other).expect("it can be written");
    let replay = ["replay".to_owned(), file.display().to_string()];
    let (code, errors) = run(&replay, |_| {});
    assert_eq!((code, errors.lines().count()), (Some(1), 1), "a warning: {errors}");
    let (code, _) = run(&replay, |command| {
        command.stderr(closed());
    });
    assert_eq!(code, Some(1));
}
