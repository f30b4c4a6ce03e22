//! What is read from the process's environment, at run time.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// The value of `SHAKEDOWN_<NAME>`, if it is set.
///
/// # Panics
/// If the value cannot be read: a mistyped setting must not be ignored.
pub(crate) fn setting<T: FromStr<Err: Display>>(name: &str) -> Option<T> {
    let name = format!("SHAKEDOWN_{name}");
    let value = std::env::var(&name).ok().filter(|value| !value.is_empty())?;
    match value.parse() {
        Ok(value) => Some(value),
        Err(error) => panic!("{name} cannot be `{value}`: {error}"),
    }
}

/// Where tests put failure files: `SHAKEDOWN_OUT`, or the folder `shakedown` in Cargo's target folder, which
/// is found from the place of the running test program.
pub(crate) fn failure_folder() -> PathBuf {
    if let Some(folder) = setting::<PathBuf>("OUT") {
        return folder;
    }
    let program = std::env::current_exe().ok();
    // target/<profile>/deps/<program>, or target/<profile>/examples/<program>.
    let target = program.as_deref().and_then(|program| program.ancestors().nth(3));
    match target.filter(|target| target.join("CACHEDIR.TAG").exists()) {
        Some(target) => target.join("shakedown"),
        None => PathBuf::from("shakedown-out"),
    }
}

/// Where a campaign in a folder puts its failure files.
#[cfg(feature = "cli")]
pub(crate) fn failures_in(folder: &std::path::Path) -> PathBuf {
    folder.join("failures")
}
