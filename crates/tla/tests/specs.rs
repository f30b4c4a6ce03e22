//! Every specification in `tests/specs`, `specs` and `specs/bench` gives what its `.expect` file says.
//!
//! A line is a fact: `distinct N`, `generated N`, `depth N`; `violation invariant NAME`, `violation deadlock`,
//! `violation assumption`, `violation property NAME`; `trace N`, the length of the shortest counterexample; `error TEXT`, a part
//! of the message. Lines that start with `#` are remarks.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::path::{Path, PathBuf};

use shakedown_tla::check::{Options, Outcome, Report, ViolationKind, check};
use shakedown_tla::{Config, Loader, Spec};

struct Folder(PathBuf);

impl Loader for Folder {
    fn module(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(format!("{name}.tla"))).ok()
    }
}

/// Models with more states are left to the benchmarks.
const DISTINCT_MAX: u64 = 20_000;

fn run(config: &Path, workers: usize) -> Result<Report, String> {
    let folder = config.parent().unwrap().to_path_buf();
    let stem = config.file_stem().unwrap().to_string_lossy().into_owned();
    let mut module = stem.clone();
    while !folder.join(format!("{module}.tla")).exists() {
        module = module.rsplit_once('-').ok_or("no module for the configuration")?.0.to_string();
    }
    let text = std::fs::read_to_string(config).map_err(|e| e.to_string())?;
    let parsed = Config::parse(&text).map_err(|e| e.to_string())?;
    let deadlock = parsed.check_deadlock;
    let spec = Spec::load(&module, parsed, &Folder(folder)).map_err(|e| e.to_string())?;
    Ok(check(&spec, &Options { workers, deadlock, ..Options::default() }))
}

/// What an outcome is, in the words of `.expect` files.
fn verdict(report: &Report) -> String {
    match &report.outcome {
        Outcome::Success => "success".to_string(),
        Outcome::Violation(violation) => match violation.kind {
            ViolationKind::Assumption => "violation assumption".to_string(),
            ViolationKind::Deadlock => "violation deadlock".to_string(),
            ViolationKind::Invariant => format!("violation invariant {}", violation.name),
            ViolationKind::InitialProperty | ViolationKind::StepProperty | ViolationKind::Liveness => {
                format!("violation property {}", violation.name)
            }
            ViolationKind::Assertion => format!("error Assert: {}", violation.message),
            ViolationKind::Postcondition => format!("error postcondition {}", violation.name),
        },
        Outcome::Error(error, _) => format!("error {error}"),
        Outcome::Limit(message) => format!("error {message}"),
    }
}

fn differences(result: &Result<Report, String>, expected: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let (outcome, report) = match result {
        Ok(report) => (verdict(report), Some(report)),
        Err(message) => (format!("error {message}"), None),
    };
    let mut success = true;
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let found = match word {
            "distinct" => report.map(|r| r.distinct.to_string()),
            "generated" => report.map(|r| r.generated.to_string()),
            "depth" => report.map(|r| r.depth.to_string()),
            "trace" => report.and_then(|r| match &r.outcome {
                Outcome::Violation(violation) => Some(violation.trace.steps.len().to_string()),
                Outcome::Error(_, trace) => Some(trace.steps.len().to_string()),
                _ => None,
            }),
            "violation" => {
                success = false;
                if outcome != line {
                    wrong.push(format!("expected {line}, got {outcome}"));
                }
                continue;
            }
            "error" => {
                success = false;
                let fits = outcome.starts_with("error")
                    && outcome["error".len()..].to_lowercase().contains(&rest.to_lowercase());
                if !fits {
                    wrong.push(format!("expected {line}, got {outcome}"));
                }
                continue;
            }
            _ => continue,
        };
        if found.as_deref() != Some(rest) {
            wrong.push(format!("expected {line}, got {}", found.unwrap_or_else(|| "nothing".to_string())));
        }
    }
    if success && outcome != "success" {
        wrong.push(format!("expected success, got {outcome}"));
    }
    wrong
}

fn check_folder(folder: &str, workers: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut configs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cfg") && path.with_extension("expect").exists())
        .collect();
    configs.sort();
    assert!(!configs.is_empty(), "no specifications in {}", folder.display());
    let mut failures = Vec::new();
    for config in &configs {
        let expected = std::fs::read_to_string(config.with_extension("expect")).unwrap();
        let states = expected.lines().find_map(|l| l.strip_prefix("distinct ")?.trim().parse::<u64>().ok());
        if states.is_some_and(|n| n > DISTINCT_MAX) {
            continue;
        }
        let wrong = differences(&run(config, workers), &expected);
        if !wrong.is_empty() {
            let name = config.file_stem().unwrap().to_string_lossy().into_owned();
            failures.push(format!("{name}: {}", wrong.join("; ")));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), configs.len(), failures.join("\n"));
}

#[test]
fn small_specifications_give_what_tlc_gives() {
    check_folder("tests/specs", 1);
}

#[test]
fn two_workers_count_the_same() {
    check_folder("../../specs", 2);
}

#[test]
fn protocol_models_give_what_tlc_gives() {
    check_folder("../../specs", 1);
}

#[test]
fn small_benchmarks_give_what_tlc_gives() {
    check_folder("../../specs/bench", 1);
}
