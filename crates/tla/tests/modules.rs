//! Modules of a specification that have the names of standard ones.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::collections::HashMap;

use shakedown_tla::check::{Options, Outcome, check};
use shakedown_tla::{Config, Result, Spec};

/// Names that TLC has in Java, with other definitions, and one that only this module has.
const OWN: &str = "---- MODULE TLC ----
EXTENDS Naturals, Sequences
Print(out, value) == {}
ToString(v) == \"a text\"
d :> e == 1
Shortest(s) == IF Len(s) > 2 THEN SubSeq(s, 1, 2) ELSE s
====
";

fn load(body: &str) -> Result<Spec> {
    let root = format!("---- MODULE M ----\nEXTENDS TLC\n{body}\n====\n");
    let modules = HashMap::from([("M".to_string(), root), ("TLC".to_string(), OWN.to_string())]);
    Spec::load("M", Config::parse("INIT Init NEXT Next INVARIANT Fine")?, &modules)
}

#[test]
fn a_module_that_is_brought_takes_the_place_of_the_standard_one_but_for_its_native_operators() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n\
                Fine == /\\ Print(x, TRUE)\n        /\\ ToString(x + 10) \\in {\"10\", \"11\", \"12\"}\n\
                \x20       /\\ (x :> 2)[x] = 2\n        /\\ Shortest(<<1, 2, 3>>) = <<1, 2>>";
    let report = check(&load(body).unwrap(), &Options::default());
    assert!(matches!(report.outcome, Outcome::Success), "{:?}", report.outcome);
}

#[test]
fn what_the_module_does_not_define_is_not_known() {
    let error = load("VARIABLE x\nInit == x = 0\nNext == x' = x\nFine == PrintT(x)").err().unwrap();
    assert_eq!(error.to_string(), "M:6:9: unknown operator `PrintT`");
}
