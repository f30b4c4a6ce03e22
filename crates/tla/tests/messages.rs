//! Errors name what is wrong, where it is, and what was being evaluated.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::collections::HashMap;

use shakedown_tla::check::{Options, Outcome, check};
use shakedown_tla::{Config, Spec};

/// The message of the error that a module ends with.
fn message(body: &str, config: &str) -> String {
    let text = format!("---- MODULE M ----\nEXTENDS Naturals\n{body}\n====\n");
    let modules = HashMap::from([("M".to_string(), text)]);
    let loaded = Config::parse_file("M.cfg", config).and_then(|config| Spec::load("M", config, &modules));
    match loaded {
        Err(error) => error.to_string(),
        Ok(spec) => match check(&spec, &Options::default()).outcome {
            Outcome::Error(error, _) => error.to_string(),
            other => panic!("no error, but {other:?}"),
        },
    }
}

const COUNTER: &str = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nStep == x' = x + 1\nNext == Step\n";

#[test]
fn a_variable_without_a_value_is_named_with_its_action() {
    let found = message(COUNTER, "INIT Init NEXT Next");
    assert_eq!(found, "M:5:1: variable y' is not assigned a value by action Step\n  in action Step, M:5:1");
}

#[test]
fn an_invariant_without_a_truth_value_is_named() {
    let found = message(&format!("{COUNTER}Weight == x + y"), "INIT Init NEXT Next INVARIANT Weight");
    assert_eq!(found, "M:7:1: 0 is an integer, not a boolean\n  in invariant Weight, M:7:1");
}

#[test]
fn a_name_that_a_configuration_gets_wrong_has_its_line() {
    let found = message(COUNTER, "INIT Init\nNEXT Next\nINVARIANTS\n  Missing");
    assert_eq!(found, "M.cfg:4:3: INVARIANT Missing is not defined in module M");
    let found = message(COUNTER, "INIT Init\nNEXT Next\nINIT Init");
    assert_eq!(found, "M.cfg:3:1: INIT is given twice");
}

#[test]
fn all_unknown_names_are_reported_at_once() {
    let found = message("A == B\nC == D + E(1)\n", "");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 3, "{found}");
    assert_eq!(lines[0], "M:3:6: unknown operator `B`");
}

#[test]
fn an_error_in_an_action_names_it() {
    let body = "VARIABLE x\nInit == x = 0\nDouble == x' = x.field\nNext == Double\n";
    let found = message(body, "INIT Init NEXT Next");
    assert!(found.ends_with("\n  in action Double, M:5:1"), "{found}");
}
