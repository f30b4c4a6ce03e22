//! The check that seeds fix executions: every target of a program with every strategy, every execution twice
//! with two jobs in one process, then once with one job in another process. One case for each combination.
//!
//! Each binary is checked by a test of its own package, which Cargo gives the path of the binary: the command
//! in `crates/cli`, the old versions of omnipaxos in their own workspaces.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::Cases;

/// How many executions each combination of nodes in this process is checked with.
pub const EXECUTIONS: usize = 150;

/// Strategies with parameters that take another path than their defaults.
const VARIANTS: [&str; 4] =
    ["fuzz:mode=published", "closure:level=b", "closure:level=c", "closure:level=c,by=crash"];

/// What is to be checked of one program.
pub struct Expected {
    /// The path of the program.
    pub program: &'static str,
    /// How many executions each combination is checked with.
    pub executions: usize,
    /// How many combinations of a target and a strategy can run.
    pub checked: usize,
    /// The targets with strategies that cannot run, and why: a part of the error message.
    pub ruled_out: &'static [(&'static str, &'static [&'static str], &'static str)],
}

/// One case for each combination of a target and a strategy, and one for their number.
pub fn cases(expected: Expected) -> Cases {
    let Expected { program, executions, .. } = expected;
    let names = |list: &str| names(program, list);
    let (targets, mut strategies) = (names("targets"), names("strategies"));
    strategies.extend(VARIANTS.map(str::to_owned));
    let mut cases = Cases::default();
    let (mut checked, mut left_out) = (0, 0);
    for target in targets {
        for strategy in &strategies {
            let text = with_waypoints(expected.program, &target, strategy);
            let combination =
                Combination { program, executions, file: None, target: target.clone(), strategy: text };
            let why = expected.ruled_out.iter().find_map(|(of, which, why)| {
                (*of == target && which.contains(&strategy.as_str())).then_some(*why)
            });
            let name = format!("{target}::{strategy}");
            cases = match why {
                Some(why) => {
                    left_out += 1;
                    cases.and(format!("{name}_is_ruled_out"), move || combination.is_ruled_out(why))
                }
                None => {
                    checked += 1;
                    cases.and(name, move || combination.is_deterministic())
                }
            };
        }
    }
    let ruled_out: usize = expected.ruled_out.iter().map(|(_, strategies, _)| strategies.len()).sum();
    cases.and("the_number_of_combinations", move || {
        assert_eq!((checked, left_out), (expected.checked, ruled_out), "checked, ruled out");
    })
}

/// A target that a file describes: nodes in another program, and no crate.
pub struct TargetFile {
    /// The path of the command.
    pub program: &'static str,
    /// The path of the file, from the root of the checkout.
    pub file: &'static str,
    /// The target's name.
    pub target: &'static str,
    /// How many executions each strategy is checked with: a call of another program costs more than one of a
    /// function.
    pub executions: usize,
    /// The strategies with which it cannot run, and why: a part of the error message.
    pub ruled_out: &'static [(&'static str, &'static str)],
}

/// One case for each strategy.
pub fn cases_of_file(cases: Cases, of: &TargetFile) -> Cases {
    let (program, executions) = (of.program, of.executions);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join(of.file);
    assert!(file.is_file(), "{} is not there", of.file);
    let mut strategies = names(program, "strategies");
    strategies.extend(VARIANTS.map(str::to_owned));
    strategies.into_iter().fold(cases, |cases, strategy| {
        let name = format!("{}::{strategy}", of.target);
        let why = of.ruled_out.iter().find(|(which, _)| *which == strategy).map(|(_, why)| *why);
        let (file, target) = (Some(file.clone()), of.target.to_owned());
        let combination = Combination { program, executions, file, target, strategy };
        match why {
            Some(why) => cases.and(format!("{name}_is_ruled_out"), move || combination.is_ruled_out(why)),
            None => cases.and(name, move || combination.is_deterministic()),
        }
    })
}

/// The names that `program targets` or `program strategies` lists.
fn names(program: &str, list: &str) -> Vec<String> {
    let output = Command::new(program).args([list, "--json"]).output();
    let output =
        output.unwrap_or_else(|error| panic!("{program} does not start, `cargo build` makes it: {error}"));
    let listed: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{program} {list} --json: {error}: {output:?}"));
    let names = listed.as_array().into_iter().flatten().map(|one| one["name"].as_str().map(str::to_owned));
    names.collect::<Option<Vec<String>>>().unwrap_or_else(|| panic!("{program} {list} --json has no names"))
}

/// The strategy, with a way over the first predicate that the target offers if it needs one.
fn with_waypoints(program: &str, target: &str, strategy: &str) -> String {
    if strategy != "waypoint" {
        return strategy.to_owned();
    }
    let output = Command::new(program).args(["targets", target, "--json"]).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let listed: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{program} targets {target} --json: {error}"));
    let listed = listed.get(0).unwrap_or(&listed);
    match listed["waypoints"][0]["name"].as_str() {
        Some(predicate) => format!("waypoint:waypoints=[{predicate}(1)]"),
        None => strategy.to_owned(),
    }
}

struct Combination {
    program: &'static str,
    executions: usize,
    file: Option<PathBuf>,
    target: String,
    strategy: String,
}

impl Combination {
    fn run(&self, more: &[&str]) -> Output {
        let out = tempfile::tempdir().expect("there is room for a folder");
        let mut command = Command::new(self.program);
        if let Some(file) = &self.file {
            command.arg("--target-file").arg(file);
        }
        command
            .args(["run", &self.target, "--strategy", &self.strategy])
            .args(["--executions", &self.executions.to_string()])
            .args(["--keep-going", "--no-shrink", "--json", "--out"])
            .arg(out.path())
            .args(more)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.program))
    }

    /// The summary of a campaign. Failures may be found; a violation of determinism must not.
    fn summary(&self, more: &[&str]) -> Value {
        let output = self.run(more);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{more:?}: {}: {errors}", output.status);
        let summary: Value = serde_json::from_slice(&output.stdout).expect("the summary is JSON");
        summary
    }

    fn is_deterministic(&self) {
        let here = self.summary(&["--jobs", "2", "--check-determinism"]);
        let findings = here["findings"].as_array().expect("a summary lists its findings");
        let differing = findings.iter().find(|finding| finding["property"] == "determinism");
        assert_eq!(differing, None, "two runs of one seed differ");
        let there = self.summary(&["--jobs", "1"]);
        assert!(
            here["fingerprint"].is_string() && here["fingerprint"] == there["fingerprint"],
            "another process with one job comes to {}, not {}",
            there["fingerprint"],
            here["fingerprint"]
        );
    }

    fn is_ruled_out(&self, why: &str) {
        let output = self.run(&[]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(why), "{}: {errors}", output.status);
    }
}
