//! A campaign for a CI service: a summary of the job in Markdown, and annotations as workflow commands.
//!
//! Nothing here depends on a clock: the same campaign gives the same text.

use std::fmt::Write;

use shakedown_campaign::Verdict;

use crate::FindingReport;
use crate::escape::plain;

/// The longest name or reason in a cell, in characters.
const CELL_MAX: usize = 300;
/// The longest text of one finding.
const TEXT_MAX: usize = 20_000;
/// The most findings that are shown with their diagrams.
const DIAGRAMS_MAX: usize = 10;
/// The most annotations: services show no more of one step.
const ANNOTATIONS_MAX: usize = 10;

/// What is known of a violation, beside a baseline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingState {
    /// It is not in the baseline.
    New,
    /// It is in the baseline.
    Known,
    /// It is in the baseline, and its schedule violates nothing any more.
    Fixed,
    /// It is in the baseline, and its schedule no longer fits the code, or nothing can be concluded.
    Unclear,
}

impl FindingState {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            FindingState::New => "new",
            FindingState::Known => "known",
            FindingState::Fixed => "fixed",
            FindingState::Unclear => "unclear",
        }
    }
}

/// A violation in one line of a job's summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobFinding {
    /// What is known of it.
    pub state: FindingState,
    /// What is violated, or was.
    pub property: String,
    /// Why, or what became of it.
    pub reason: String,
    /// How many steps its schedule has.
    pub steps: usize,
    /// The command that replays it; empty if there is none.
    pub replay: String,
    /// The text form with the diagram; empty if it is not shown.
    pub text: String,
}

impl JobFinding {
    /// A finding of the campaign.
    pub fn of(finding: &FindingReport) -> JobFinding {
        JobFinding {
            state: if finding.is_known { FindingState::Known } else { FindingState::New },
            property: finding.failure.violation.property.clone(),
            reason: finding.failure.violation.reason.clone(),
            steps: finding.failure.schedule.steps.len(),
            replay: finding.replay.clone(),
            text: finding.text.clone(),
        }
    }
}

/// What a job came to.
#[derive(Clone, PartialEq, Debug)]
pub struct JobSummary {
    /// What was tested, and how.
    pub title: String,
    /// What it came to.
    pub verdict: Verdict,
    /// How many executions were run, and how many there were to be.
    pub executions: (u64, u64),
    /// What was violated, and what became of what is in the baseline.
    pub findings: Vec<JobFinding>,
}

/// How many findings are in each state, in words.
fn counts(summary: &JobSummary) -> String {
    let of = |state: FindingState| summary.findings.iter().filter(|finding| finding.state == state).count();
    let states = [FindingState::New, FindingState::Known, FindingState::Fixed, FindingState::Unclear];
    let counts = states.into_iter().map(|state| (of(state), state));
    let counts = counts.filter(|(count, state)| *count > 0 || *state != FindingState::Unclear);
    counts.map(|(count, state)| format!("{count} {}", state.word())).collect::<Vec<_>>().join(", ")
}

/// The summary of a job in Markdown.
pub fn job_summary(summary: &JobSummary) -> String {
    let mut text = format!("## Shakedown: {}\n\n", summary.verdict.word().to_uppercase());
    let (ran, planned) = summary.executions;
    let _ = writeln!(text, "{}: {ran} of {planned} executions; {}.", inline(&summary.title), counts(summary));
    if let Some(reason) = summary.verdict.unknown_reason() {
        let _ = writeln!(text, "\nInconclusive: {}.", inline(reason));
    }
    if !summary.findings.is_empty() {
        text.push_str("\n| | property | what happened | steps |\n|---|---|---|--:|\n");
    }
    for JobFinding { state, property, reason, steps, .. } in &summary.findings {
        let _ = writeln!(text, "| {} | {} | {} | {steps} |", state.word(), inline(property), inline(reason));
    }
    let shown = |finding: &&JobFinding| finding.state == FindingState::New && !finding.text.is_empty();
    for finding in summary.findings.iter().filter(shown).take(DIAGRAMS_MAX) {
        let body = plain(&finding.text, TEXT_MAX);
        let fence = "`".repeat(longest_run(&body).max(2) + 1);
        let _ = write!(
            text,
            "\n<details><summary>{}</summary>\n\n{fence}text\n{}\n{fence}\n",
            inline(&finding.property),
            body.trim_end()
        );
        if !finding.replay.is_empty() {
            let _ = write!(text, "\nReplay: <code>{}</code>\n", inline(&finding.replay));
        }
        text.push_str("\n</details>\n");
    }
    text
}

/// The longest row of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Foreign text in a line of Markdown: what means something there is a character reference.
fn inline(text: &str) -> String {
    let mut safe = String::new();
    for c in plain(text, CELL_MAX).chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '#' | '!' | '@' | '$' => {
                let _ = write!(safe, "&#{};", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Workflow commands that annotate the run of a job on GitHub, each in one line.
pub fn annotations(summary: &JobSummary) -> Vec<String> {
    let mut lines: Vec<String> = summary.findings.iter().map(annotation).take(ANNOTATIONS_MAX).collect();
    if let Some(reason) = summary.verdict.unknown_reason() {
        lines.push(format!("::error title=inconclusive::{}", message(reason)));
    }
    lines
}

fn annotation(finding: &JobFinding) -> String {
    let JobFinding { state, property, reason, steps, replay, .. } = finding;
    let level = match state {
        FindingState::New => "error",
        FindingState::Known | FindingState::Unclear => "warning",
        FindingState::Fixed => "notice",
    };
    let how = if replay.is_empty() { String::new() } else { format!("; replay: {replay}") };
    let title = message(&format!("{}: {property}", state.word())).replace(':', "%3A").replace(',', "%2C");
    format!("::{level} title={title}::{}", message(&format!("{reason} ({steps} steps{how})")))
}

/// Foreign text in a workflow command.
fn message(text: &str) -> String {
    let text = plain(text, 2 * CELL_MAX);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> JobSummary {
        let foreign = "a|b`c\n::error::x <img src=x> @all \u{202e}% # *";
        JobSummary {
            title: foreign.to_owned(),
            verdict: Verdict::Unknown(foreign.to_owned()),
            executions: (1, 2),
            findings: vec![JobFinding {
                state: FindingState::New,
                property: foreign.to_owned(),
                reason: foreign.to_owned(),
                steps: 3,
                replay: foreign.to_owned(),
                text: "```\n````\n# head".to_owned(),
            }],
        }
    }

    #[test]
    fn foreign_text_makes_no_markup_and_no_command() {
        let text = job_summary(&hostile());
        assert!(!text.contains("<img") && !text.contains("@all") && !text.contains("`c"), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("::error")), "{text}");
        assert!(text.contains("\n`````text\n"), "the fence is longer than any in the text: {text}");
        for line in annotations(&hostile()) {
            assert_eq!(line.lines().count(), 1, "{line}");
            assert!(line.contains("%25") && line.contains("%0A"), "{line}");
        }
        let [first, second] = &annotations(&hostile())[..] else { panic!("two annotations") };
        let (head, _) = first["::error title=".len()..].split_once("::").expect("a title and a message");
        assert!(!head.contains([':', ',']), "{head}");
        assert!(second.starts_with("::error title=inconclusive::"));
    }
}
