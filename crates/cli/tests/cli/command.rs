//! Running the command, for tests of it.

use std::process::{Command, Output};

/// The command with these arguments.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shakedown"));
    // On GitHub, `run` would write for its job.
    command.args(arguments).env_remove("GITHUB_ACTIONS");
    command
}

/// What comes of the command.
pub fn shakedown(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command starts")
}

/// What was printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the command prints text")
}

/// The JSON that the command prints.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    let output = shakedown(arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}
