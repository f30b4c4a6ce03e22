//! What specifications are expected to give: the facts of `.expect` files.
//!
//! A line is a fact: `distinct N`, `generated N`, `depth N`; `violation invariant NAME`,
//! `violation deadlock`, `violation assumption`, `violation property NAME`; `warning TEXT`, a part of a
//! warning; `trace N`, the length of the shortest counterexample; `error TEXT`, a part of the message. Lines
//! that start with `#` are remarks. Anything else is an error.

use std::path::{Path, PathBuf};

use shakedown_cases::{files, read};
use shakedown_tla::check::{Options, Outcome, Report, ViolationKind, check};
use shakedown_tla::{Config, Loader, Spec};

/// The models that tests of other crates and the benchmarks use too.
pub const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");

/// Models with more states are left to the benchmarks.
const DISTINCT_MAX: u64 = 20_000;
struct Folder(PathBuf);

impl Loader for Folder {
    fn module(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(format!("{name}.tla"))).ok()
    }
}

pub fn load(config: &Path) -> Result<(Spec, Options), String> {
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
    Ok((spec, Options { deadlock, ..Options::default() }))
}

pub fn run(config: &Path, workers: usize) -> Result<Report, String> {
    let (spec, options) = load(config)?;
    Ok(check(&spec, &Options { workers, ..options }))
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

/// A line of an `.expect` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    Distinct(u64),
    Generated(u64),
    Depth(u64),
    Trace(usize),
    /// The words of `verdict`.
    Violation(String),
    /// A part of the message, in any case.
    Error(String),
    /// A part of a warning.
    Warning(String),
}

pub fn fact(line: &str) -> Result<Fact, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let number = || rest.parse().map_err(|_| format!("`{line}`: `{rest}` is no number"));
    let words: Vec<&str> = rest.split(' ').collect();
    match (word, &words[..]) {
        ("distinct", _) => Ok(Fact::Distinct(number()?)),
        ("generated", _) => Ok(Fact::Generated(number()?)),
        ("depth", _) => Ok(Fact::Depth(number()?)),
        ("trace", _) => Ok(Fact::Trace(number()? as usize)),
        ("violation", ["deadlock" | "assumption"] | ["invariant" | "property", _]) => {
            Ok(Fact::Violation(line.to_owned()))
        }
        ("error", _) if !rest.is_empty() => Ok(Fact::Error(rest.to_lowercase())),
        ("warning", _) if !rest.is_empty() => Ok(Fact::Warning(rest.to_owned())),
        _ => Err(format!("`{line}` is no fact")),
    }
}

/// The facts of an `.expect` file. There is at least one.
pub fn facts(text: &str) -> Result<Vec<Fact>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let facts: Vec<Fact> = lines.map(fact).collect::<Result<_, _>>()?;
    if facts.is_empty() { Err("there is no fact".to_owned()) } else { Ok(facts) }
}

/// What is wrong with a result, if the fact does not hold of it.
pub fn difference(result: &Result<Report, String>, fact: &Fact) -> Option<String> {
    let outcome = match result {
        Ok(report) => verdict(report),
        Err(message) => format!("error {message}"),
    };
    let report = result.as_ref().ok();
    let trace = report.and_then(|report| match &report.outcome {
        Outcome::Violation(violation) => Some(violation.trace.steps.len()),
        Outcome::Error(_, trace) => Some(trace.steps.len()),
        _ => None,
    });
    let holds = match fact {
        Fact::Distinct(number) => report.is_some_and(|report| report.distinct == *number),
        Fact::Generated(number) => report.is_some_and(|report| report.generated == *number),
        Fact::Depth(number) => report.is_some_and(|report| report.depth == *number),
        Fact::Trace(number) => trace == Some(*number),
        Fact::Violation(expected) => outcome == *expected,
        Fact::Warning(part) => {
            report.is_some_and(|report| report.warnings.iter().any(|warning| warning.contains(part)))
        }
        Fact::Error(part) => {
            outcome.strip_prefix("error").is_some_and(|message| message.to_lowercase().contains(part))
        }
    };
    let counts = report.map(|report| (report.distinct, report.generated, report.depth, trace));
    (!holds).then(|| format!("expected {fact:?}, got {outcome} with {counts:?}"))
}

pub fn check_facts(config: &Path, workers: usize) {
    let facts = facts(&read(&config.with_extension("expect"))).unwrap();
    let result = run(config, workers);
    let mut wrong: Vec<String> = facts.iter().filter_map(|fact| difference(&result, fact)).collect();
    let is_to_fail = facts.iter().any(|fact| matches!(fact, Fact::Violation(_) | Fact::Error(_)));
    let is_success = matches!(&result, Ok(report) if matches!(report.outcome, Outcome::Success));
    if !is_to_fail && !is_success {
        wrong.push(format!("expected success, got {:?}", result.as_ref().map(verdict)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("; "));
}

/// The configurations of a folder with an `.expect` file, but for those of large models.
pub fn configurations(folder: &str) -> Vec<PathBuf> {
    let is_small = |config: &PathBuf| {
        let expected = config.with_extension("expect");
        // What cannot be read as facts is a case, which fails.
        expected.exists() && distinct(&expected).is_none_or(|n| n <= DISTINCT_MAX)
    };
    files(folder, "cfg").into_iter().filter(is_small).collect()
}

/// How many distinct states an `.expect` file names.
pub fn distinct(expected: &Path) -> Option<u64> {
    facts(&read(expected)).ok()?.into_iter().find_map(|fact| match fact {
        Fact::Distinct(n) => Some(n),
        _ => None,
    })
}
