//! The program of one's own has the whole command line.

use std::process::Command;

fn own_binary(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_own-binary")).args(arguments).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn it_lists_its_targets_and_finds_the_planted_bug() {
    let (code, targets) = own_binary(&["targets"]);
    assert_eq!(code, Some(0));
    for name in ["register", "own-raft", "token-ring"] {
        assert!(targets.contains(name), "{name} is missing in {targets}");
    }
    let out = std::env::temp_dir().join("shakedown-example-own-binary");
    let out = out.to_string_lossy();
    let arguments = ["run", "register", "--set", "versions=false", "--no-shrink", "--out", &out];
    let (code, report) = own_binary(&arguments);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("never-goes-back"), "{report}");
}
