//! Every operator of the standard and the community's modules gives the value that TLC gives it.
//!
//! The expressions and their values stand in `operators.txt`; `scripts/tla-operators.py` confirms them with
//! TLC. Each module is a case, and each of its lines is a specification of one assumption.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::sync::Arc;

use shakedown_tla::check::{Options, Outcome, check};
use shakedown_tla::{Config, Files, Loader, Spec};

const LIST: &str = include_str!("operators.txt");

/// The files that expressions read; `scripts/tla-operators.py` writes the same for TLC.
const DATA: &[(&str, &str)] = &[
    ("data.json", "{\"a\": [1, 2.7, true], \"b\": \"x\"}\n"),
    ("data.ndjson", "{\"a\": 1}\n\n{\"a\": 2}\n"),
    ("data.csv", "1,2\n3,4\n"),
    ("data.txt", "hello"),
];

struct Probe(HashMap<String, String>);

impl Loader for Probe {
    fn module(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    fn files(&self) -> Arc<dyn Files> {
        Arc::new(Data)
    }
}

struct Data;

impl Files for Data {
    fn read(&self, path: &str) -> Result<String, String> {
        let found = DATA.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.to_string()).ok_or_else(|| format!("there is no file {path}"))
    }
}

/// What checking a module with one assumption gives.
fn outcome(module: &str, assumption: &str) -> Outcome {
    let text = format!(
        "---- MODULE Probe ----\nEXTENDS Integers, TLC, {module}\nProbed == 5\nASSUME {assumption}\n====\n"
    );
    let loader = Probe(HashMap::from([("Probe".to_string(), text)]));
    match Spec::load("Probe", Config::parse("").unwrap(), &loader) {
        Ok(spec) => check(&spec, &Options::default()).outcome,
        Err(error) => Outcome::Error(*error, Default::default()),
    }
}

/// What is wrong with a line, if anything.
fn problem(module: &str, expression: &str, value: &str) -> Option<String> {
    let found = match value {
        "any" | "refused" | "TLC fails" => outcome(module, &format!("PrintT({expression})")),
        value => outcome(module, &format!("({expression}) = ({value})")),
    };
    let holds = match (&found, value) {
        (Outcome::Error(error, _), "refused") => error.to_string().contains("is refused"),
        (_, "refused") => false,
        (found, "TLC fails") => matches!(found, Outcome::Error(..)),
        (found, _) => matches!(found, Outcome::Success),
    };
    (!holds).then(|| format!("{expression} is to be {value}, but: {found:?}"))
}

fn operators_of(module: &str, lines: &[(&str, &str)]) {
    let wrong: Vec<String> =
        lines.iter().filter_map(|(expression, value)| problem(module, expression, value)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn every_line_has_a_value() {
    let lines = modules();
    let count: usize = lines.values().map(Vec::len).sum();
    assert!(count >= 289, "only {count} expressions");
    for (module, lines) in lines {
        for (expression, value) in lines {
            assert!(!value.is_empty(), "{module}: {expression} has no value");
        }
    }
}

fn a_wrong_value_is_found() {
    assert!(problem("Naturals", "1 + 1", "3").is_some());
    assert!(problem("Naturals", "1 + 1", "refused").is_some());
    assert!(problem("Naturals", "1 + 1", "TLC fails").is_some());
}

/// The lines of each module.
fn modules() -> BTreeMap<&'static str, Vec<(&'static str, &'static str)>> {
    let mut modules: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    let mut module = "";
    for line in LIST.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            module = name.trim();
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let (expression, value) = line.split_once(" --> ").unwrap_or((line, ""));
            modules.entry(module).or_default().push((expression.trim(), value.trim()));
        }
    }
    modules
}

fn main() -> ExitCode {
    let mut cases = shakedown_cases::cases![every_line_has_a_value, a_wrong_value_is_found];
    for (module, lines) in modules() {
        cases = cases.and(module, move || operators_of(module, &lines));
    }
    cases.run()
}
