//! Findings told: on the terminal, and as reports want them.

use std::path::Path;

use shakedown_campaign::{AnyTarget, Failure, Silent, guarded};
use shakedown_cluster::{Recording, Trace};
use shakedown_report::{DiagramStyle, FindingReport, failure};

use crate::finding_report::finding_report_of;
pub(crate) use crate::finding_report::{STEP_TIME, write_file};
pub(crate) use crate::shell::shell_word;
use crate::terminal::{paint, say_part, width};

/// Prints a failure with its diagram.
pub(crate) fn tell(target: &dyn AnyTarget, found: &Failure) {
    let trace = replayed_in_full(target, found);
    let style = DiagramStyle { width: width(), paint: paint(), ..DiagramStyle::default() };
    say_part!("{}", failure(found, trace.as_ref(), style));
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
    finding_report_of(target, found, trace, file, replay)
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
