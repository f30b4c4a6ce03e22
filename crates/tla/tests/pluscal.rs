//! Every algorithm in `tests/pluscal` is translated to what the reference translator makes of it, with its
//! state space.
//!
//! A line of an `.expect` file is a fact. `checksums PCAL TLA` are those that the reference translator wrote:
//! the second is that of the whole text of the translation. `distinct N`, `generated N` and `depth N` are
//! what TLC found in the reference translation, and `violation …` what it reported instead.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use shakedown_cases::{cases, files, read};
use shakedown_tla::check::{Options as CheckOptions, Outcome, Report, ViolationKind, check};
use shakedown_tla::pluscal::{Options, Status, status, translate};
use shakedown_tla::{Config, Spec};

const ALGORITHMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pluscal");

/// The checksums behind `BEGIN TRANSLATION`.
fn checksums(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("BEGIN TRANSLATION")).unwrap();
    let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    quoted.join(" ")
}

fn verdict(report: &Report) -> String {
    match &report.outcome {
        Outcome::Success => "success".to_string(),
        Outcome::Violation(violation) => match violation.kind {
            ViolationKind::Deadlock => "violation deadlock".to_string(),
            ViolationKind::Invariant => format!("violation invariant {}", violation.name),
            ViolationKind::Liveness => "violation property".to_string(),
            ViolationKind::Assertion => "violation assertion".to_string(),
            other => format!("violation {other:?}"),
        },
        Outcome::Error(error, _) => format!("error {error}"),
        Outcome::Limit(message) => format!("error {message}"),
    }
}

fn is_as_the_reference_translates_it(config: &Path) {
    let module = config.file_stem().unwrap().to_string_lossy().into_owned();
    let text = read(&config.with_extension("tla"));
    let expected = read(&config.with_extension("expect"));
    assert_eq!(status(&text), Status::Untranslated);
    let translation = translate(&module, &text, &Options::default()).unwrap();
    assert_eq!(status(&translation.text), Status::Current);
    let again = translate(&module, &translation.text, &Options::default()).unwrap();
    assert_eq!(again.text, translation.text, "translated a second time");

    let parsed = Config::parse(&read(config)).unwrap();
    let deadlock = parsed.check_deadlock;
    let loader = HashMap::from([(module.clone(), translation.text.clone())]);
    let spec = Spec::load(&module, parsed, &loader).unwrap();
    let report = check(&spec, &CheckOptions { workers: 1, deadlock, ..CheckOptions::default() });
    let counts = [("distinct", report.distinct), ("generated", report.generated), ("depth", report.depth)];
    let mut found = vec![format!("checksums {}", checksums(&translation.text))];
    match verdict(&report).as_str() {
        "success" => found.extend(counts.map(|(name, count)| format!("{name} {count}"))),
        verdict => found.push(verdict.to_string()),
    }
    let expected: Vec<&str> = expected.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(found, expected, "{:?}", report.outcome);
}

/// What is wrong with an algorithm, with the place. The case is the text between lines of `====`.
fn refuses(algorithm: &str) -> String {
    let text = format!("---- MODULE M ----\n(*\n{algorithm}\n*)\n====\n");
    translate("M", &text, &Options::default()).unwrap_err().to_string()
}

fn errors_have_a_place() {
    for (algorithm, expected) in [
        ("--algorithm A\nbegin\na: x = 1;\nend algorithm", "M:5:9: syntax error: `:=` is expected, not `;`"),
        (
            "--algorithm A {\n  { a: skip; }",
            "M:5:1: syntax error: the algorithm ends too early: `}` is expected",
        ),
        (
            "--algorithm A\nvariable x = (1;\nbegin skip; end algorithm",
            "M:4:16: syntax error: an expression with an open",
        ),
        (
            "--algorithm A\nvariable x = 0;\nbegin a: goto b; end algorithm",
            "M:5:10: syntax error: `goto` leads to b",
        ),
        (
            "--algorithm A\nvariables x = 0, x = 1;\nbegin a: skip; end algorithm",
            "M:4:18: syntax error: global variable x",
        ),
        (
            "--algorithm A\nvariable x = 0;\nbegin a: y := 0; end algorithm",
            "M:5:10: syntax error: y is assigned and is no",
        ),
        (
            "--algorithm A\nvariable x = 0;\nbegin a: call p(); end algorithm",
            "M:5:10: syntax error: there is no procedure p",
        ),
        (
            "--algorithm A\nvariable x = 0;\nbegin a: m(1); end algorithm",
            "M:5:10: syntax error: there is no macro m",
        ),
        (
            "--algorithm A\nvariable x = 0;\nbegin a: return; end algorithm",
            "M:5:10: syntax error: `return` stands outside",
        ),
        (
            "--algorithm A\nvariable x = 0;\nbegin a: x := 1; x := 2; end algorithm",
            "M:5:18: syntax error: a label is missing",
        ),
        (
            "--algorithm A\nvariable x = \"\nbegin a: skip; end algorithm",
            "M:4:1: syntax error: a string in this line",
        ),
        (
            "--algorithm A\nvariable x = 0 \\foo 1;\nbegin a: skip; end algorithm",
            "M:4:16: syntax error: there is no symbol \\foo",
        ),
        ("algorithm A", "there is no algorithm"),
    ] {
        let message = refuses(algorithm);
        assert!(message.contains(expected), "{algorithm}\n{message}\n{expected}");
    }
}

fn hostile_algorithms_are_refused_in_time() {
    let deep = format!("--algorithm A {{ variable x = 0; {{ a: {} skip; }} }}", "if (x = 0) ".repeat(5_000));
    assert!(refuses(&deep).contains("nested more than"));
    let doubling: String =
        (1..40).map(|n| format!("macro m{n}() begin m{}(); m{}(); end macro\n", n - 1, n - 1)).collect();
    let macros = format!(
        "--algorithm A\nvariable x = 0;\nmacro m0() begin skip; end macro\n{doubling}begin a: m39(); end algorithm"
    );
    assert!(refuses(&macros).contains("macros make more than"));
    let sum = vec!["v"; 3_000].join(" + ");
    let big = format!(
        "--algorithm A\nvariable x = 0;\nmacro m(v) begin x := {sum}; end macro\nbegin a: m(({sum})); end algorithm"
    );
    assert!(refuses(&big).contains("has at most"));
    let words =
        format!("--algorithm A\nvariable x = {} 0;\nbegin a: skip; end algorithm", "0 + ".repeat(250_000));
    assert!(refuses(&words).contains("has at most"));
}

/// What looks like options in a translation was not there when it was made.
fn a_translation_holds_no_options() {
    let text = "---- MODULE M ----\n(*\n--algorithm A\nvariable x = 0;\nbegin a: x :=PlusCal options (wf);\n\
                end algorithm\n*)\n====\n";
    let once = translate("M", text, &Options::default()).unwrap();
    assert!(once.text.contains(" PlusCal options (wf)"), "{}", once.text);
    let twice = translate("M", &once.text, &Options::default()).unwrap();
    assert_eq!(twice.text, once.text);
}

/// A generator with a fixed algorithm: a number means the same case everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// An algorithm of the tests in which some words are gone, doubled, moved or replaced by others.
fn broken(seeds: &[String], number: u64) -> String {
    const WORDS: &[&str] = &[
        "begin",
        "end",
        "{",
        "}",
        "(",
        ")",
        ";",
        ":",
        ":=",
        "||",
        "if",
        "then",
        "else",
        "while",
        "with",
        "either",
        "or",
        "call",
        "return",
        "goto",
        "Done",
        "fair",
        "process",
        "procedure",
        "macro",
        "define",
        "\"",
        "(*",
        "*)",
        "\\*",
        "\n",
        "x",
        "self",
        "pc",
        "stack",
        "[",
        "]",
        "<<",
        ">>",
        ".",
        "=",
        "\\in",
        "BEGIN TRANSLATION",
        "END TRANSLATION",
        "--algorithm",
        "PlusCal options (label)",
        "é",
        "\t",
    ];
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let seed = &seeds[random.below(seeds.len())];
    let mut words: Vec<&str> = seed.split_inclusive([' ', '\n', ';', ',', ')', '(']).collect();
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(4) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words.insert(at, WORDS[random.below(WORDS.len())]),
            _ => words.swap(at, other),
        }
    }
    words.concat()
}

fn two_thousand_broken_algorithms_end_in_an_error_or_a_translation() {
    let seeds: Vec<String> = files(ALGORITHMS, "tla").iter().map(|file| read(file)).collect();
    let options = Options { label: true, ..Options::default() };
    let mut translated = 0;
    for number in 0..2_000 {
        let text = broken(&seeds, number);
        let Ok(translation) = translate("M", &text, &options) else { continue };
        translated += 1;
        let again = translate("M", &translation.text, &options);
        let is_same = again.is_ok_and(|again| again.text == translation.text);
        assert!(is_same, "case {number}: translated a second time, it is another\n{text}");
        assert!(
            matches!(status(&translation.text), Status::Current | Status::Unknown),
            "case {number}\n{text}"
        );
    }
    assert!(translated > 200, "only {translated} were translated");
}

fn a_change_is_noticed() {
    let text = read(&Path::new(ALGORITHMS).join("Count.tla"));
    let translated = translate("Count", &text, &Options::default()).unwrap().text;
    let changed = translated.replace("x + y;", "x + y + 1;");
    assert_eq!(status(&changed), Status::AlgorithmChanged);
    let changed = translated.replace("Init == ", "Init ==  ");
    assert_eq!(status(&changed), Status::TranslationChanged);
    // Markers without checksums tell nothing.
    let (before, behind) = translated.split_once(" (chksum").unwrap();
    let bare = format!("{before}\n{}", behind.split_once('\n').unwrap().1);
    assert_eq!(status(&bare), Status::Unknown);
    assert_eq!(status("---- MODULE M ----\n====\n"), Status::NoAlgorithm);
}

fn missing_labels_are_added_on_demand() {
    let text = "---- MODULE M ----\n(* --algorithm A\nvariable x = 0;\nbegin a: x := 1; x := 2; end algorithm *)\n====\n";
    let options = Options { label: true, label_root: "L".to_string(), ..Options::default() };
    let translation = translate("M", text, &options).unwrap();
    assert_eq!(translation.added.len(), 1);
    assert_eq!(translation.added[0].label, "L1");
    assert!(translation.lines.iter().any(|line| line.starts_with("L1 == ")));
}

fn main() -> ExitCode {
    cases![
        errors_have_a_place,
        hostile_algorithms_are_refused_in_time,
        two_thousand_broken_algorithms_end_in_an_error_or_a_translation,
        a_change_is_noticed,
        a_translation_holds_no_options,
        missing_labels_are_added_on_demand
    ]
    .and_files("algorithm", files(ALGORITHMS, "cfg"), is_as_the_reference_translates_it)
    .run()
}
