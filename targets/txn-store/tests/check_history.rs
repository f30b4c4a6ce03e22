//! The command `check-history` from the outside: exit codes, what it prints, pages.

use std::path::Path;
use std::process::{Command, Output};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates");

fn check(file: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shakedown-txn-store"))
        .args(["check-history", &format!("{CASES}/{file}")])
        .args(more)
        .output()
        .expect("the program can be started")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn exit_codes_are_the_verdicts() {
    for (file, model, code, part) in [
        ("queue.edn", "linearizable:queue", 0, "PASS: an order explains every answer"),
        ("queue-twice.edn", "linearizable:queue", 1, "FAIL: not linearizable: the answer in line 9 cannot"),
        (
            "queue.edn",
            "linearizable:stack",
            2,
            "line 9: the operation `enqueue` is unknown: a stack has push, pop",
        ),
        ("queue.edn", "linearizable:heap", 2, "the object is one of register, cas, queue"),
        ("queue.edn", "strict-serializable", 2, "line 4: the operation `enqueue` is unknown"),
    ] {
        let output = check(&format!("check/tests/objects/{file}"), &["--model", model]);
        assert_eq!(output.status.code(), Some(code), "{file} {model}: {}", printed(&output));
        assert!(printed(&output).contains(part), "{file} {model}: {}", printed(&output));
    }
}

#[test]
fn workloads_and_models_of_sessions_have_verdicts() {
    for (file, words, code, part) in [
        ("set-lost", "--workload set", 1, "2 is missing, though it was there before the read began"),
        ("set-lost", "--workload set --json", 1, "\"lost\": 1"),
        ("bank", "--workload bank", 0, "PASS: the workload bank allows this history"),
        ("bank", "--workload set", 2, "line 4: {…} is no set"),
        ("causal", "--model causal --keyed", 1, "client 2 reads nothing of x, though it depends on 1 of x"),
        ("convergent", "--model convergence --keyed", 0, "PASS: convergence allows this history"),
        ("causal", "--model sequential:register --keyed", 1, "FAIL: no order explains every answer"),
        ("sessions", "--model sessions --keyed", 0, "PASS: sessions allows this history"),
        ("stale", "--model bounded-staleness:-1", 2, "it is one of read-uncommitted"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let output = check(&format!("histories/tests/rules/{file}.edn"), &words);
        assert_eq!(output.status.code(), Some(code), "{file} {words:?}: {}", printed(&output));
        assert!(printed(&output).contains(part), "{file} {words:?}: {}", printed(&output));
    }
}

#[test]
fn log_lines_are_recognised() {
    let output = check("check/tests/objects/etcd.log", &["--model", "linearizable:cas", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("\"line\": 8"), "{}", printed(&output));
}

#[test]
fn a_history_that_takes_too_much_memory_is_refused_with_a_figure() {
    for (file, model, times) in [
        ("histories/tests/list_append/g0.edn", "serializable", 4),
        ("check/tests/objects/queue.edn", "linearizable:queue", 32),
    ] {
        let output = check(file, &["--model", model, "--memory", "0"]);
        assert_eq!(output.status.code(), Some(2));
        let part = format!("has more than 0 MiB, and a history takes up to {times} times its text");
        assert!(printed(&output).contains(&part), "{}", printed(&output));
    }
}

#[test]
fn pages_are_drawn() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (file, model, part) in [
        ("histories/tests/list_append/write-skew.edn", "serializable", "class=\"dependency\""),
        ("check/tests/objects/stack.edn", "linearizable:stack", "class=\"op culprit\""),
    ] {
        let page = folder.join("page.html");
        let output = check(file, &["--model", model, "--html", &page.display().to_string()]);
        assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
        let text = std::fs::read_to_string(&page).expect("the page is there");
        assert!(text.contains(part), "{file}");
    }
}

/// A failure file is a history: what clients asked and were answered when it is replayed.
#[test]
fn failure_files_are_replayed_and_checked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("executions");
    let program = || Command::new(env!("CARGO_BIN_EXE_shakedown-txn-store"));
    let run = program()
        .args(["run", "txn-store", "--set", "isolation=snapshot", "--json", "--out"])
        .arg(&folder)
        .output()
        .expect("the program can be started");
    let summary: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it prints JSON");
    let file = summary["findings"][0]["file"].as_str().expect("it has found something").to_owned();
    let lines = folder.join("history.jsonl");
    let replay = program().args(["replay", &file, "--json", "--history"]).arg(&lines).output();
    assert_eq!(replay.expect("it replays").status.code(), Some(1));
    for (history, model, code, part) in [
        (file.as_str(), "serializable", 1, "G2-item: a cycle with overwritten reads (write skew)"),
        (&lines.display().to_string(), "serializable", 1, "FAIL: serializable does not allow this history"),
        (&lines.display().to_string(), "PL-SI", 0, "PASS: snapshot-isolation allows this history"),
        (
            &lines.display().to_string(),
            "linearizable:register",
            2,
            "the operation `txn` is unknown: a register has read",
        ),
    ] {
        let output = program().args(["check-history", history, "--model", model]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{history} {model}: {}", printed(&output));
        assert!(printed(&output).contains(part), "{history} {model}: {}", printed(&output));
    }
    let trace = folder.join("trace.jsonl");
    std::fs::write(&trace, "{\"format\": \"shakedown-trace\", \"version\": 1}\n").expect("it can be written");
    let output = program().arg("check-history").arg(&trace).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(printed(&output).contains("is a trace for a specification"), "{}", printed(&output));
}
