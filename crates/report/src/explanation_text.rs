//! An explanation on a terminal: a paragraph, the diagram with its strip, and the nearest passing execution
//! beside the failing one.

use shakedown_campaign::{Explanation, Failure, Need};
use shakedown_cluster::Trace;

use crate::alignment::Alignment;
use crate::beside::beside;
use crate::diagram::{DiagramStyle, Marks, marked_diagram, shorten};
use crate::explained::{Explained, change_words, ranges};
use crate::strip::Strip;
use crate::text::{Paint, Text};
use crate::{Reproduction, grouped, line};

/// Why a failure failed. `trace` is its replay, recorded in full.
pub fn explanation(failure: &Failure, explained: &Explained, trace: &Trace, style: DiagramStyle) -> Text {
    let mut text = Text::new();
    let (subject, words) = Reproduction::Violated.headline(&failure.violation);
    line!(text, "{}", Paint.bad(format!("{} {words}", shorten(&subject, 200)).trim_end()));
    for line in wrapped(
        &failure.violation.reason.lines().next().map(|line| shorten(line, 400)).unwrap_or_default(),
        style.width - 2,
    ) {
        line!(text, "  {}", Paint.faint(line));
    }
    text.blank();
    for line in wrapped(&explained.paragraph(), style.width - 2) {
        line!(text, "  {line}");
    }
    text.blank();
    let strip = Strip(&explained.explanation);
    let forbidden = explained.forbidden.as_ref().map(|step| step.number);
    text.append(marked_diagram(trace, style, Marks { strip: Some(&strip), forbidden }));
    text.blank();
    text.append(legend(&explained.explanation, forbidden.is_some(), style.width));
    if let (Some(nearest), Some(passing)) = (&explained.explanation.nearest, &explained.passing) {
        text.blank();
        let words = format!("The nearest execution that passes: {}", change_words(&nearest.change));
        for line in wrapped(&words, style.width - 2) {
            line!(text, "  {}", Paint.strong(line));
        }
        text.append(beside(&Alignment::of(trace, passing), ["fails", "passes"], style.width));
    }
    text
}

/// What the signs mean, and how chances were measured.
fn legend(explanation: &Explanation, has_forbidden: bool, width: usize) -> Text {
    let mut text = Text::new();
    let mut signs = vec![
        "● needed",
        "· can be left out or moved",
        "⇅ may be swapped with the next",
        "! swapped with the next, it passes",
    ];
    if has_forbidden {
        signs.push("⊘ forbidden by the specification");
    }
    let continuation = &explanation.continuation;
    let everywhere = if continuation.is_everywhere {
        ""
    } else {
        " Only needed steps are measured, for the schedule is long."
    };
    let measured = format!(
        "%: how many of {} random continuations from there, of at most {} steps, come to it; ▒ is the 95 % interval.{everywhere}",
        continuation.count, continuation.steps_max
    );
    // A sign stays on the line of its words.
    let signs: Vec<_> = signs.into_iter().map(|sign| sign.replace(' ', "\u{a0}")).collect();
    let signs = wrapped(&signs.join("  "), width - 2).into_iter().map(|line| line.replace('\u{a0}', " "));
    for line in signs.chain(wrapped(&measured, width - 2)) {
        line!(text, "  {}", Paint.faint(line));
    }
    let free: Vec<_> =
        explanation.steps.iter().filter(|step| step.need != Need::Needed).map(|step| step.number).collect();
    if !free.is_empty() {
        for line in wrapped(&format!("not needed: {}", ranges(&free)), width - 2) {
            line!(text, "  {}", Paint.faint(line));
        }
    }
    line!(text, "  {}", Paint.faint(format_args!("{} executions", grouped(explanation.executions))));
    text
}

/// The text in lines of at most this many characters, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
