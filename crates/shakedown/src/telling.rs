//! Findings told: on the terminal, and as reports want them.

use std::path::Path;
use std::time::Duration;

use shakedown_campaign::{AnyTarget, Campaign, Failure, Outcome, Silent, Summary, guarded};
use shakedown_check::SpecStep;
use shakedown_cluster::{Recording, Trace};
use shakedown_report::{DiagramStyle, FindingReport, changed_options, failure};

use crate::command_line::Trouble;
use crate::terminal::{paint, say_part, width};

/// How long one call of a node may take in a replay.
pub(crate) const STEP_TIME: Duration = Duration::from_secs(30);

/// A failure that was replayed in full: once, for all that is printed and written of it.
#[derive(Default)]
pub(crate) struct Shown {
    /// The trace, with states and contents of messages; none if it cannot be replayed.
    trace: Option<Trace>,
    /// What a specification says of boot and of every step, if that was asked for.
    spec: Vec<SpecStep>,
}

impl Shown {
    /// Replays a failure, for pages also under the eyes of the target's specification.
    pub fn of(target: &dyn AnyTarget, found: &Failure, with_model: bool) -> Shown {
        let replayed = guarded(STEP_TIME, &Silent, found.found.execution, |beat| {
            match with_model {
                true => found.replay_with_model(target, Recording::Full, beat),
                false => found.replay_watched(target, Recording::Full, beat),
            }
            .ok()
        });
        replayed.and_then(|replayed| replayed.outcome).map(Shown::from).unwrap_or_default()
    }

    /// Replays all findings of a campaign.
    pub fn all_of(campaign: &Campaign<'_>, result: &Summary, with_model: bool) -> Vec<Shown> {
        result.findings.iter().map(|found| Shown::of(campaign.target, &found.failure, with_model)).collect()
    }

    /// Prints the failure with its diagram.
    pub fn print(&self, found: &Failure) {
        let style = DiagramStyle { width: width(), paint: paint(), ..DiagramStyle::default() };
        say_part!("{}", failure(found, self.trace.as_ref(), style));
    }

    /// The failure as reports want it, given the line that does it again.
    pub fn report(
        self,
        target: &dyn AnyTarget,
        found: Failure,
        file: Option<&Path>,
        replay: String,
    ) -> FindingReport {
        let options = changed_options(target, &found.config);
        let file = file.map(|file| file.to_string_lossy().into_owned());
        FindingReport { file, options, spec: self.spec, ..FindingReport::new(found, self.trace, replay) }
    }
}

impl From<Outcome> for Shown {
    fn from(outcome: Outcome) -> Shown {
        Shown { trace: Some(outcome.trace), spec: outcome.told }
    }
}

/// Replays a failure and prints it with its diagram.
pub(crate) fn tell(target: &dyn AnyTarget, found: &Failure) {
    Shown::of(target, found, false).print(found);
}

/// A failure as reports want it, replayed in full.
pub(crate) fn finding_report(
    target: &dyn AnyTarget,
    found: Failure,
    file: Option<&Path>,
    with_model: bool,
) -> FindingReport {
    let replay = file.map(replay_line).unwrap_or_default();
    Shown::of(target, &found, with_model).report(target, found, file, replay)
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
