//! The commands on a target that is all text, and the projects that `init` makes. It needs Go: without it, it is left out, or fails if
//! `SHAKEDOWN_REQUIRE_HOSTS` is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn library() -> PathBuf {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/go");
    library.canonicalize().expect("the library is there")
}

fn has_go() -> bool {
    let is_there = Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "Go is missing");
    if !is_there {
        eprintln!("left out: this test needs Go (command: go)");
    }
    is_there
}

fn go(at: &Path, words: &[&str]) {
    let output =
        Command::new("go").args(words).current_dir(at).env("GOPROXY", "off").env("GOWORK", "off").output();
    let output = output.expect("go is there");
    assert!(output.status.success(), "go {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a command in the folder: its exit code and what it printed.
fn shakedown(at: &Path, words: &str) -> (Option<i32>, String) {
    let command = &mut Command::new(env!("CARGO_BIN_EXE_shakedown"));
    let Output { status, stdout, stderr } =
        command.args(words.split_whitespace()).current_dir(at).output().expect("it starts");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
}

/// Runs commands, each with its exit code and something that it prints.
fn all(at: &Path, commands: &[(&str, i32, &str)]) {
    for (words, expected, has) in commands {
        let (code, printed) = shakedown(at, words);
        assert_eq!(code, Some(*expected), "{words}: {printed}");
        assert!(printed.contains(has), "{words}: {printed}");
    }
}

#[test]
fn every_command_works_on_a_target_that_is_all_text() {
    if !has_go() {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let at = room.path();
    let sources = library().join("examples/register");
    for file in ["shakedown.toml", "Register.tla", "Register.cfg"] {
        fs::copy(sources.join(file), at.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    go(&sources, &["build", "-o", &at.join("register").to_string_lossy(), "."]);
    all(
        at,
        &[
            ("run register --executions 50", 0, "PASS"),
            ("run register --executions 20 --strategy fuzz:model --set spec=Register", 0, "PASS"),
            ("scenario list register", 0, "late-write"),
            ("scenario run late-write --target register --iterations 5", 0, "late-write"),
            (
                "conform register --nodes 2 --paths 10 --set versions=false --keep-going --no-shrink",
                1,
                "inconsistent state",
            ),
            (
                "run register --executions 400 --set versions=false --no-shrink --out found",
                1,
                "answered-writes-stay",
            ),
        ],
    );
    let file =
        fs::read_dir(at.join("found")).expect("something was found").flatten().next().expect("a file").path();
    let (code, printed) = shakedown(at, &format!("replay {} --trace trace.jsonl", file.display()));
    assert_eq!(code, Some(1), "{printed}");
    let validate = "validate trace.jsonl --spec Register.tla --config Register.cfg";
    all(at, &[(validate, 1, "FAIL: not a behaviour of the specification")]);
}

#[test]
fn a_new_project_in_go_runs_and_nothing_is_overwritten() {
    if !has_go() {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let init = format!("init --lang go demo --library {}", library().display());
    all(room.path(), &[(&init, 0, "go build -o demo")]);
    let at = room.path().join("demo");
    go(&at, &["mod", "tidy"]);
    go(&at, &["build", "-o", "demo"]);
    all(
        &at,
        &[
            ("run demo --executions 50", 0, "PASS"),
            ("scenario run late-write --iterations 5", 0, "late-write"),
        ],
    );
    all(room.path(), &[(&init, 2, "exists"), ("init --lang go Demo", 2, "use small letters")]);
}

#[test]
fn a_language_without_a_project_is_refused_by_name() {
    let room = tempfile::tempdir().expect("a folder");
    for language in ["java", "python", "c"] {
        let refused = format!("there is no project for `{language}` yet: there are go and rust");
        all(room.path(), &[(&format!("init --lang {language} demo"), 2, &refused)]);
    }
    all(room.path(), &[("init --lang rust demo", 0, "cargo test")]);
    let manifest = fs::read_to_string(room.path().join("demo/Cargo.toml")).expect("it was made");
    assert!(
        manifest.contains("name = \"demo\"") && manifest.contains("shakedown = { version = "),
        "{manifest}"
    );
}
