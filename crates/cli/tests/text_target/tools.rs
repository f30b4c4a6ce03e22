//! What the tests need of other languages, and the commands that they run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The library of a language in this checkout.
pub fn library(language: &str) -> PathBuf {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients").join(language);
    library.canonicalize().expect("the library is there")
}

/// Whether what a test needs is there. Where it must be, its absence is a failure.
pub fn has(what: &str, probe: &[&str]) -> bool {
    let is_there =
        Command::new(probe[0]).args(&probe[1..]).output().is_ok_and(|output| output.status.success());
    if !is_there {
        leave_out(what);
    }
    is_there
}

/// Reports that a test is left out, or fails if nothing may be.
pub fn leave_out(what: &str) {
    assert!(std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "{what} is missing");
    eprintln!("left out: this test needs {what}");
}

/// Runs a program of another language in the folder; it must succeed.
pub fn builds(at: &Path, words: &[&str], variables: &[(&str, &OsStr)]) {
    let output = ran(at, words, variables);
    assert!(output.status.success(), "{words:?}: {output:?}");
}

/// What a program of another language came to in the folder.
pub fn ran(at: &Path, words: &[&str], variables: &[(&str, &OsStr)]) -> Output {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(at).envs(variables.iter().copied());
    command.output().unwrap_or_else(|error| panic!("{words:?}: {error}"))
}

/// Runs commands of Shakedown in the folder, each with its exit code and something that it prints.
pub fn all(at: &Path, commands: &[(&str, i32, &str)]) {
    all_with(at, &[], commands);
}

/// The same, with variables of the environment.
pub fn all_with(at: &Path, variables: &[(&str, &OsStr)], commands: &[(&str, i32, &str)]) {
    for (words, expected, has) in commands {
        let command: Vec<_> =
            [env!("CARGO_BIN_EXE_shakedown")].into_iter().chain(words.split_whitespace()).collect();
        let Output { status, stdout, stderr } = ran(at, &command, variables);
        let printed = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(*expected), "{words}: {printed}");
        assert!(printed.contains(has), "{words}: {printed}");
    }
}
