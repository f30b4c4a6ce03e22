//! Findings and verdicts: on the terminal, and as reports want them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use shakedown_campaign::{
    AnyTarget, Campaign, CannotReplay, Failure, Replayed, Sameness, Silent, Summary, Verdict, guarded,
};
use shakedown_cluster::Recording;
use shakedown_report::{DiagramStyle, Paint, Painted, Reproduction, described_failure, grouped};

pub(crate) use shakedown_campaign::usual_step_time as step_time;

pub(crate) use crate::finding_report::{Shown, write_file};
pub(crate) use crate::shell::shell_word;
use crate::terminal::{paint, print, print_line, width};

impl Shown {
    /// Replays a failure under the eyes of the target's specification, where it has one.
    pub fn of(target: &dyn AnyTarget, found: &Failure) -> Shown {
        let replayed = guarded(step_time(target), &Silent, found.found.execution, |beat| {
            found.replay_with_model(target, Recording::Full, beat).ok()
        });
        replayed.and_then(|replayed| replayed.outcome).map(Shown::from).unwrap_or_default()
    }

    /// Replays all findings of a campaign.
    pub fn all_of(campaign: &Campaign<'_>, result: &Summary) -> Vec<Shown> {
        result.findings.iter().map(|found| Shown::of(campaign.target, &found.failure)).collect()
    }

    /// Prints the failure with its diagram.
    pub fn print(&self, found: &Failure) {
        let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
        self.print_as(found, Reproduction::Violated, style);
    }

    fn print_as(&self, found: &Failure, reproduction: Reproduction, style: DiagramStyle) {
        print(&described_failure(found, reproduction, self.trace.as_ref(), self.forbidden().as_ref(), style));
    }
}

/// Replays a failure that was just met and prints it with its diagram.
pub(crate) fn print_report(target: &dyn AnyTarget, found: &Failure) {
    Shown::of(target, found).print(found);
}

/// Prints a failure as it was recorded, with the diagram of its replay.
#[cfg(feature = "store")]
pub(crate) fn print_recorded(target: &dyn AnyTarget, found: &Failure) {
    let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
    Shown::of(target, found).print_as(found, Reproduction::Recorded, style);
}

/// Runs a schedule several times. How often the same property was violated, and a run in which it was, or
/// else the last one.
pub(crate) fn repeat(
    target: &dyn AnyTarget,
    failure: &Failure,
    times: u64,
) -> Result<(u64, Option<Replayed>), CannotReplay> {
    let (mut met, mut shown) = (0, None::<Replayed>);
    for _ in 0..times {
        let replayed = guarded(step_time(target), &Silent, failure.found.execution, |beat| {
            failure.retrace(target, Recording::Full, beat)
        })?;
        let is_met = replayed.same == Sameness::Retraced;
        met += u64::from(is_met);
        if is_met || shown.as_ref().is_none_or(|shown| shown.same != Sameness::Retraced) {
            shown = Some(replayed);
        }
    }
    Ok((met, shown))
}

/// Prints how often a schedule fails.
pub(crate) fn print_rate(met: u64, times: u64) {
    print_line!(
        "  {}       {} of {} replays of this schedule violate the same property",
        paint().faint("repeats"),
        grouped(met),
        grouped(times)
    );
}

/// A verdict in a line.
pub(crate) fn outcome(verdict: &Verdict) -> Painted {
    match verdict {
        Verdict::Pass => Paint.good("PASS: no property was violated"),
        Verdict::Fail(violation) => Paint.bad(format_args!("FAIL: {} was violated", violation.property)),
        Verdict::Unknown(reason) => Paint.warn(format_args!("UNKNOWN: {reason}")),
    }
}

/// The files of targets that this program was given by `--target-file`.
static TARGET_FILES: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Remembers the files of targets: whoever replays a failure has to name them too.
pub(crate) fn remember_target_files(files: &[PathBuf]) {
    // A program reads its arguments once.
    let _ = TARGET_FILES.set(files.to_vec());
}

/// The files of targets that this program was given.
#[cfg(all(feature = "html", feature = "store"))]
pub(crate) fn target_files() -> &'static [PathBuf] {
    TARGET_FILES.get().map(Vec::as_slice).unwrap_or_default()
}

/// The line that replays a failure file with this program.
pub(crate) fn replay_line(file: &Path) -> String {
    let mut line = shell_word(&program());
    for target in TARGET_FILES.get().into_iter().flatten() {
        line += &format!(" --target-file {}", shell_word(&target.to_string_lossy()));
    }
    format!("{line} replay {}", shell_word(&file.to_string_lossy()))
}

/// The program as it was called, so that the line that replays works where it is printed.
pub(crate) fn program() -> String {
    std::env::args_os()
        .next()
        .map_or_else(|| "shakedown".to_owned(), |name| name.to_string_lossy().into_owned())
}
