//! Lists of test cases that are made when the test program starts: one case for each file of a folder, so
//! that `cargo test` prints a line for each file and `cargo test NAME` runs one of them.
//!
//! A test program that uses this crate has `harness = false` in its manifest and a `main` that ends in
//! [`Cases::run`]. Functions that are no cases, such as the command line that a test program is when it
//! starts itself again, are called by that `main`, and are not counted as tests.

pub mod determinism;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A list of test cases, each with a name. A case fails if it panics.
#[derive(Default)]
pub struct Cases(Vec<(String, Box<dyn FnOnce() + Send>)>);

/// The cases of a test program that are plain functions, by their names. What is added later are its files.
///
/// Without the harness of the compiler a function with `#[test]` would silently be left out, so a source file
/// that calls this macro must have none: that is a case, too.
#[macro_export]
macro_rules! cases {
    ($($(#[$condition:meta])* $case:ident),* $(,)?) => {{
        let cases = $crate::Cases::default().and("no_test_is_left_out", || {
            $crate::check_no_test_is_left_out(env!("CARGO_MANIFEST_DIR"), file!());
        });
        $(
            $(#[$condition])*
            let cases = cases.and(stringify!($case), $case);
        )*
        cases
    }};
}

/// The case that [`cases!`] adds. The name of a source file is relative to the root of its workspace.
///
/// # Panics
///
/// If a function of the file has the attribute `#[test]`, or if the file cannot be found.
pub fn check_no_test_is_left_out(package: &str, file: &str) {
    let source = Path::new(package).ancestors().map(|folder| folder.join(file)).find(|path| path.exists());
    let source = read(&source.unwrap_or_else(|| panic!("{file} is not found above {package}")));
    let left_out = source.lines().position(|line| line.trim() == "#[test]");
    assert_eq!(
        left_out.map(|index| index + 1),
        None,
        "{file}: list the function in `cases!`: this line has no effect"
    );
}

impl Cases {
    /// Adds a case.
    pub fn and(mut self, name: impl Into<String>, case: impl FnOnce() + Send + 'static) -> Cases {
        self.0.push((name.into(), Box::new(case)));
        self
    }

    /// Adds a case for each of these files, named `GROUP::FILE` without the extension of the file.
    pub fn and_files(mut self, group: &str, files: Vec<PathBuf>, check: fn(&Path)) -> Cases {
        for file in files {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            self = self.and(format!("{group}::{stem}"), move || check(&file));
        }
        self
    }

    /// Adds a case for each script of a folder: a text that is read and played, and holds what comes of it.
    /// With `UPDATE_EXPECT=1` in the environment the scripts are written anew.
    pub fn and_scripts(self, folder: &str, play: fn(&str) -> String) -> Cases {
        let mut cases = self;
        for file in files(folder, "txt") {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            cases = cases.and(format!("script::{stem}"), move || {
                expect_test::expect_file![&file].assert_eq(&play(&read(&file)));
            });
        }
        cases
    }

    /// Runs the cases as `cargo test` asks for it, and gives the exit code of the program.
    ///
    /// # Panics
    ///
    /// If there is no case, or if two cases have the same name.
    pub fn run(self) -> ExitCode {
        assert!(!self.0.is_empty(), "there are no test cases");
        let mut names = BTreeSet::new();
        let trials: Vec<Trial> = self
            .0
            .into_iter()
            .map(|(name, case)| {
                assert!(names.insert(name.clone()), "two test cases are called {name}");
                Trial::test(name, || {
                    case();
                    Ok(())
                })
            })
            .collect();
        libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
    }
}

/// The files of a folder with this extension, by name.
///
/// # Panics
///
/// If the folder cannot be read, or if there is no such file.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.unwrap_or_else(|error| panic!("{folder}: {error}")).path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    assert!(!files.is_empty(), "{folder}: there is no file with the extension {extension}");
    files
}

/// The text of a file.
///
/// # Panics
///
/// If the file cannot be read.
pub fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::check_no_test_is_left_out;

    #[test]
    #[should_panic(expected = "has no effect")]
    fn a_test_that_the_compiler_leaves_out_is_found() {
        check_no_test_is_left_out(env!("CARGO_MANIFEST_DIR"), file!());
    }
}
