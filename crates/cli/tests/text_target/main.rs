//! The commands on a target that is all text, and the projects that `init` makes. A test needs the tools of
//! its language: without them it is left out, or fails if `SHAKEDOWN_REQUIRE_HOSTS` is set.

mod new_projects;
mod tools;

use std::ffi::OsStr;
use std::fs;

use tools::{all, builds, has, library};

#[test]
fn every_command_works_on_a_target_that_is_all_text() {
    if !has("Go", &["go", "version"]) {
        return;
    }
    let room = tempfile::tempdir().expect("a folder");
    let at = room.path();
    let sources = library("go").join("examples/register");
    for file in ["shakedown.toml", "Register.tla", "Register.cfg"] {
        fs::copy(sources.join(file), at.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let offline = [("GOPROXY", OsStr::new("off")), ("GOWORK", OsStr::new("off"))];
    builds(&sources, &["go", "build", "-o", &at.join("register").to_string_lossy(), "."], &offline);
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
    let replay = format!("replay {} --trace trace.jsonl", file.display());
    let validate = "validate trace.jsonl --spec Register.tla --config Register.cfg";
    all(at, &[(&replay, 1, ""), (validate, 1, "FAIL: not a behaviour of the specification")]);
}
