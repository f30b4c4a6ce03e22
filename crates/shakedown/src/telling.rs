//! Findings and verdicts: on the terminal, and as reports want them.

use std::path::Path;
use std::time::Duration;

use shakedown_campaign::{AnyTarget, Failure, Silent, Verdict, guarded, told_by_model};
use shakedown_cluster::{Recording, Trace};
use shakedown_report::{DiagramStyle, FindingReport, Paint, Painted, Reproduction, changed_options, failure};

use crate::command_line::Trouble;
use crate::terminal::{print, width};

/// How long one call of a node may take in a replay.
pub(crate) const STEP_TIME: Duration = Duration::from_secs(30);

/// Prints a failure with its diagram.
pub(crate) fn tell(target: &dyn AnyTarget, found: &Failure) {
    let trace = replayed_in_full(target, found);
    let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
    print(&failure(found, trace.as_ref(), style));
}

/// The trace of a failure, with states and contents of messages.
fn replayed_in_full(target: &dyn AnyTarget, found: &Failure) -> Option<Trace> {
    let replayed = guarded(STEP_TIME, &Silent, found.found.execution, |beat| {
        found.replay_watched(target, Recording::Full, beat).ok()
    });
    replayed.and_then(|replayed| replayed.outcome).map(|outcome| outcome.trace)
}

/// A failure as reports want it, replayed in full.
pub(crate) fn finding_report(target: &dyn AnyTarget, found: Failure, file: Option<&Path>) -> FindingReport {
    let trace = replayed_in_full(target, &found);
    let replay = file.map(replay_line).unwrap_or_default();
    finding_report_of(target, found, Reproduction::Violated, trace, file, replay)
}

/// The same of a failure that has been replayed, given the line that does it again.
pub(crate) fn finding_report_of(
    target: &dyn AnyTarget,
    found: Failure,
    reproduction: Reproduction,
    trace: Option<Trace>,
    file: Option<&Path>,
    replay: String,
) -> FindingReport {
    let spec = guarded(STEP_TIME, &Silent, found.found.execution, |beat| {
        told_by_model(target, &found.config, found.seed, &found.schedule, beat)
    });
    let options = changed_options(target, &found.config);
    let file = file.map(|file| file.to_string_lossy().into_owned());
    FindingReport { file, options, spec, ..FindingReport::replayed(found, reproduction, trace, replay) }
}

/// A verdict in a line.
pub(crate) fn outcome(verdict: &Verdict) -> Painted {
    match verdict {
        Verdict::Pass => Paint.good("PASS: no property was violated"),
        Verdict::Fail(violation) => Paint.bad(format_args!("FAIL: {} was violated", violation.property)),
        Verdict::Unknown(reason) => Paint.warn(format_args!("UNKNOWN: {reason}")),
    }
}

/// The line that replays a failure file with this program.
pub(crate) fn replay_line(file: &Path) -> String {
    format!("{} replay {}", shell_word(&program()), shell_word(&file.to_string_lossy()))
}

/// The program as it was called, so that the line that replays works where it is printed.
pub(crate) fn program() -> String {
    std::env::args_os()
        .next()
        .map_or_else(|| "shakedown".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A word that a shell takes as it is.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Writes a file, or says which one could not be written.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Trouble> {
    std::fs::write(path, text).map_err(|error| Trouble(format!("{}: {error}", path.display())))
}
