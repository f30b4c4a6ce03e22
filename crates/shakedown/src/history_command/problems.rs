//! Histories with rules of their own: what is wrong with them, kind by kind.

use serde_json::{Value as Json, json};
use shakedown_histories::Operation;
use shakedown_histories::workloads::{Problem, Problems};
use shakedown_report::grouped;

use super::counted;
use crate::terminal::{paint, print_line};

/// How many lines of a problem are printed.
const LINES_SHOWN: usize = 6;

/// The name of a model in words: `ReadYourWrites` is read your writes.
pub(super) fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

/// Where a problem is to be seen.
pub(super) fn lines(problem: &Problem) -> String {
    let shown: Vec<String> = problem.lines.iter().take(LINES_SHOWN).map(usize::to_string).collect();
    let more = if problem.lines.len() > LINES_SHOWN { ", …" } else { "" };
    match problem.lines.len() {
        0 => String::new(),
        1 => format!(" (line {})", shown[0]),
        _ => format!(" (lines {}{more})", shown.join(", ")),
    }
}

pub(super) fn print(what: &str, history: &[Operation], found: &Problems) {
    let paint = paint();
    print_line!("{}", counted(history.len(), "operation", "operations"));
    for (kind, count) in &found.counts {
        let times = if *count == 1 { String::new() } else { format!(", {} times", grouped(*count as u64)) };
        print_line!("\n{}{times}", paint.bad(kind));
        let of_kind: Vec<&Problem> = found.problems.iter().filter(|problem| problem.kind == *kind).collect();
        for problem in &of_kind {
            print_line!("  {}{}", problem.text, lines(problem));
        }
        if *count > of_kind.len() {
            print_line!("  and {} more", grouped((*count - of_kind.len()) as u64));
        }
    }
    if let Some(undecided) = &found.undecided {
        print_line!("\nnot decided: {undecided}");
    }
    let verdict = match found.is_valid() {
        true if found.undecided.is_some() => {
            paint.good(format_args!("PASS: {what} allows this history, as far as it was decided"))
        }
        true => paint.good(format_args!("PASS: {what} allows this history")),
        false => paint.bad(format_args!("FAIL: {what} does not allow this history")),
    };
    print_line!("\n{verdict}");
}

pub(super) fn as_json(what: &str, history: &[Operation], found: &Problems) -> Json {
    let problem =
        |problem: &Problem| json!({ "kind": problem.kind, "text": problem.text, "lines": problem.lines });
    json!({
        "verdict": if found.is_valid() { "pass" } else { "fail" },
        "model": what,
        "operations": history.len(),
        "counts": found.counts,
        "problems": found.problems.iter().map(problem).collect::<Vec<_>>(),
        "undecided": found.undecided,
    })
}
