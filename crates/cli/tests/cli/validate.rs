//! `replay --trace` and `validate`: exit codes, and what is printed.

use std::path::{Path, PathBuf};

use crate::command::{command, text};

fn spec() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/RaftEvents.tla")
}

/// The trace of the first failure of a target with these settings.
fn trace_of(arguments: &[&str], folder: &Path) -> PathBuf {
    let run = [&["run"], arguments, &["--no-shrink", "--out", "found"]].concat();
    let output = command(&run).current_dir(folder).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let mut found = std::fs::read_dir(folder.join("found")).expect("something was found");
    let file = found.next().expect("there is a file").expect("it can be read").path();
    let file = file.to_string_lossy().into_owned();
    let replay = command(&["replay", &file, "--trace", "trace.jsonl"]).current_dir(folder).output();
    assert_eq!(replay.expect("it starts").status.code(), Some(1));
    folder.join("trace.jsonl")
}

fn validate(trace: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let (trace, spec) = (trace.to_string_lossy().into_owned(), spec().to_string_lossy().into_owned());
    let arguments = [&["validate", &trace, "--spec", &spec], more].concat();
    let output = command(&arguments).output().expect("it starts");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn of_a_trace_without_events_nothing_is_told() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trace = folder.path().join("trace.jsonl");
    std::fs::write(&trace, "").expect("it can be written");
    let (code, _, error) = validate(&trace, &[]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("has no events"), "{error}");
}

#[test]
fn the_trace_of_a_right_raft_is_explained() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    // What fails here is a promise of the library's own, of which the model knows nothing.
    let trace = trace_of(&["raft"], folder.path());
    let (code, out, _) = validate(&trace, &[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.starts_with("PASS: all "), "{out}");
}

#[test]
fn the_trace_of_a_wrong_raft_is_refused_with_the_conjunct() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trace = trace_of(&["planted-raft", "--set", "fault=quorum-third", "--nodes", "4"], folder.path());
    let (code, out, _) = validate(&trace, &[]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("is blocked at Raft:") && out.contains("IsQuorum(S) =="), "{out}");
    let (code, json, _) = validate(&trace, &["--json"]);
    assert_eq!(code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["verdict"], "refused");
    assert!(json["refusal"]["obstacles"][0]["conjunct"].as_str().is_some_and(|c| c.contains("IsQuorum")));
    assert!(json["refusal"]["states"][0]["votesGranted"].is_array());
}

#[test]
fn what_cannot_be_told_exits_with_2_and_a_reason() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trace = folder.path().join("trace.jsonl");
    let cases = [
        (
            "{\"action\": \"Timeout\", \"args\": [1]}\n{\"actoin\": 1}",
            &[][..],
            "line 2: `actoin` is not known",
        ),
        (
            "{\"action\": \"Timeout\"}\n{\"state\": {\"role\": {\"3\": \"leader\"}}}",
            &["--max-candidates", "2"],
            "UNKNOWN",
        ),
        ("{}", &["--hidden", "Nothing"], "no part called `Nothing`"),
        ("{}", &["--config", "nowhere.cfg"], "nowhere.cfg cannot be read"),
    ];
    for (lines, more, reason) in cases {
        std::fs::write(&trace, lines).expect("there is room for a file");
        let (code, out, err) = validate(&trace, more);
        assert_eq!(code, Some(2), "{lines}: {out}{err}");
        assert!(out.contains(reason) || err.contains(reason), "{lines}: {out}{err}");
    }
}

#[test]
fn a_specification_reads_files_outside_its_folder_only_if_that_is_allowed() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
        std::fs::write(&path, text).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    let data = write("data/first", "[1]");
    let module = format!(
        "---- MODULE Reads ----\nEXTENDS Json\nVARIABLE x\nInit == x = JsonDeserialize(\"{data}\")\nNext == x' = x\n====\n"
    );
    let spec = write("spec/Reads.tla", &module);
    write("spec/Reads.cfg", "INIT Init\nNEXT Next\n");
    let trace = write("trace.jsonl", "{\"initial\": {\"x\": [1]}}\n{\"action\": \"Next\"}\n");
    let validate = |more: &[&str]| {
        let arguments = [&["validate", &trace, "--spec", &spec], more].concat();
        let output = command(&arguments).output().expect("it starts");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, printed) = validate(&[]);
    assert_eq!(code, Some(2), "{printed}");
    assert!(printed.contains("Reads:4:13: ") && printed.contains("--allow-read"), "{printed}");
    let (code, printed) = validate(&["--allow-read", &folder.path().join("data").to_string_lossy()]);
    assert_eq!(code, Some(0), "{printed}");
}
