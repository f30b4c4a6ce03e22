//! The program that holds the validators.

use std::path::{Path, PathBuf};

use shakedown_remote::HostCommand;

const PROGRAM: &str = "cometbft";

/// What a user does about a program that is missing.
pub(crate) const HINT: &str = "targets/cometbft/build.sh, which needs Go, builds it";

/// Where the program is: `SHAKEDOWN_HOSTS`, or the folder `hosts` beside the folder of this program, or
/// `target/hosts`.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("SHAKEDOWN_HOSTS") {
        return folder.into();
    }
    let beside = |program: PathBuf| {
        let folders = program.ancestors().skip(1).map(|folder| folder.join("hosts"));
        folders.take(4).find(|folder| folder.is_dir())
    };
    std::env::current_exe().ok().and_then(beside).unwrap_or_else(|| Path::new("target").join("hosts"))
}

/// How the program is started.
pub fn command() -> HostCommand {
    HostCommand::new(folder().join(PROGRAM)).hint(HINT)
}

/// Whether the program has been built. For tests: where it is missing, they print that they are left out, or
/// fail if `SHAKEDOWN_REQUIRE_HOSTS` is set.
///
/// # Panics
/// If the program is missing and required.
pub fn are_built() -> bool {
    if folder().join(PROGRAM).exists() {
        return true;
    }
    let message = format!("{PROGRAM} is not built: {HINT}");
    assert!(std::env::var_os("SHAKEDOWN_REQUIRE_HOSTS").is_none(), "{message}");
    eprintln!("left out: {message}");
    false
}
