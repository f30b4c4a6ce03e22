//! Test programs that start themselves again: as the command line of a target of their own.
//!
//! `main` asks [`command_line`] first, so the second process is no test and is not counted as one.

use std::process::{Command, ExitCode, Output};

use shakedown::AnyTarget;

/// Holds the arguments of the second process.
const ARGUMENTS: &str = "ARGUMENTS";

/// Stands between two arguments.
const BETWEEN: char = '\u{1f}';

/// In the second process: what the command line comes to. Each argument is changed by `change` first: what an
/// environment variable cannot hold has a name there.
pub fn command_line(target: impl AnyTarget + 'static, change: impl Fn(&str) -> String) -> Option<ExitCode> {
    let arguments = std::env::var(ARGUMENTS).ok()?;
    let arguments = arguments.split(BETWEEN).map(change);
    let arguments = std::iter::once("program".to_owned()).chain(arguments).map(Into::into);
    Some(shakedown::main_with(vec![Box::new(target)], arguments))
}

/// The second process with these arguments.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test knows its own program"));
    command.env(ARGUMENTS, arguments.join(&BETWEEN.to_string()));
    command
}

/// What the second process prints for these arguments, and its exit code.
pub fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}
