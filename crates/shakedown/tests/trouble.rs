//! Nodes that misbehave, under the whole command line: a clear message, the right exit code, nothing lost.
//!
//! The test program starts itself again; then it is the command line of the target below.

mod second_process;

use std::process::{ExitCode, Output};

use shakedown::prelude::*;
use shakedown_cases::cases;
use shakedown_toys::Pinger;

fn target() -> Target<Pinger> {
    Target::<Pinger>::new("troubled")
        .about("misbehaves")
        .requests(3, |_, _| ())
        .option("trouble", "none".to_owned(), "how it misbehaves")
        .option("bound", 1_000_000u64, "how much a node may hear")
        .oracles(|config| {
            let bound: u64 = config.options.get("bound").expect("checked when the execution began");
            vec![invariant("bound", move |seen: &Seen<'_, u64>| {
                // An oracle may also just assert.
                assert!(seen.states().iter().all(|heard| *heard < bound), "too much was heard");
                Ok(())
            })]
        })
}

fn troubled(arguments: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let arguments: Vec<&str> = arguments.split(' ').chain(["--out", &out]).collect();
    let Output { status, stdout, stderr } = second_process::run(&arguments);
    let files = std::fs::read_dir(folder.path()).map_or(0, Iterator::count);
    (
        status.code(),
        format!("{}{}{files} files", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)),
    )
}

fn check(arguments: &str, code: i32, expected: &[&str]) {
    let (found, printed) = troubled(arguments);
    assert_eq!(found, Some(code), "{arguments}: {printed}");
    for words in expected {
        assert!(printed.contains(words), "{arguments}: `{words}` is missing in {printed}");
    }
}

fn no_trouble_is_no_failure() {
    check("run troubled", 0, &["PASS", "0 files"]);
}

fn a_panic_is_a_failure_with_a_file_wherever_it_comes_from() {
    check(
        "run troubled --set trouble=boot",
        1,
        &["panicked in boot", "cannot boot", "pinger.rs:", "1 files"],
    );
    check("run troubled --set trouble=receive", 1, &["panicked in receive", "cannot receive", "1 files"]);
    check("run troubled --set trouble=observe", 1, &["panicked in observe", "cannot be observed", "1 files"]);
    check("run troubled --set trouble=nowhere", 1, &["sends to n40, which does not exist", "1 files"]);
    check("run troubled --set bound=2", 1, &["bound is violated", "too much was heard", "1 files"]);
}

fn a_node_that_never_goes_quiet_is_stopped() {
    check("run troubled --set trouble=flood", 2, &["UNKNOWN", "more than 10000 messages in one step"]);
    check("run troubled --set trouble=chatter", 0, &["PASS"]);
}

fn a_node_that_never_comes_back_ends_the_run_with_2_and_its_execution() {
    check(
        "run troubled --set trouble=hang --step-time 1 --jobs 2",
        2,
        &["does not come back from its call", "--first ", "--executions 1"],
    );
}

fn main() -> ExitCode {
    if let Some(code) = second_process::command_line(target(), str::to_owned) {
        return code;
    }
    cases![
        no_trouble_is_no_failure,
        a_panic_is_a_failure_with_a_file_wherever_it_comes_from,
        a_node_that_never_goes_quiet_is_stopped,
        a_node_that_never_comes_back_ends_the_run_with_2_and_its_execution,
    ]
    .run()
}
