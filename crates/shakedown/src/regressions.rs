//! Failures of the past: each is replayed to see what has become of it.
//!
//! `replay` does so for any files, and tests and `run` do so for those of a folder before they explore: a
//! failure that was mended stays mended.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shakedown_campaign::{AnyTarget, CannotReplay, Config, Failure, Silent, Verdict, Violation, guarded};
use shakedown_cluster::Recording;

use crate::command_error::CommandError;
use crate::replayed::verdict_of;

/// Where the failures lie that are tried first.
pub(crate) const REGRESSIONS: &str = "shakedown-regressions";

/// The most failure files of one folder.
const FILES_MAX: usize = 10_000;

/// What has become of a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// Its schedule violates the same property.
    StillFails,
    /// Its schedule violates another property.
    FailsOtherwise(Violation),
    /// Its schedule violates nothing.
    Fixed,
    /// The target no longer does what the schedule has recorded.
    NoLongerFits {
        /// The first step that cannot be done, counted from 1.
        step: usize,
        /// What cannot be done, and why.
        reason: String,
    },
    /// Nothing can be concluded.
    Inconclusive(String),
}

impl Fate {
    /// What becomes of a failure of this target now.
    pub fn of(target: &dyn AnyTarget, failure: &Failure, step_time: Duration) -> Fate {
        let replayed = guarded(step_time, &Silent, failure.found.execution, |beat| {
            failure.replay_watched(target, Recording::Brief, beat)
        });
        let replayed = match replayed {
            Ok(replayed) => replayed,
            Err(CannotReplay::Diverged(divergence)) => {
                let reason = format!("`{}`: {}", divergence.step, divergence.reason);
                return Fate::NoLongerFits { step: divergence.number, reason };
            }
            Err(CannotReplay::Begin(error)) => return Fate::Inconclusive(CommandError::from(error).0),
        };
        match verdict_of(target, failure, &replayed) {
            Verdict::Pass => Fate::Fixed,
            Verdict::Fail(violation) if violation.is_like(&failure.violation) => Fate::StillFails,
            Verdict::Fail(violation) => Fate::FailsOtherwise(violation),
            Verdict::Unknown(reason) => Fate::Inconclusive(reason),
        }
    }

    /// In a few words, the same for all of a kind.
    pub fn word(&self) -> &'static str {
        match self {
            Fate::StillFails => "still fails",
            Fate::FailsOtherwise(_) => "fails otherwise",
            Fate::Fixed => "fixed",
            Fate::NoLongerFits { .. } => "no longer fits",
            Fate::Inconclusive(_) => "inconclusive",
        }
    }

    /// What else there is to know.
    pub fn detail(&self) -> String {
        match self {
            Fate::StillFails | Fate::Fixed => String::new(),
            Fate::FailsOtherwise(violation) => format!("now {} is violated", violation.property),
            Fate::NoLongerFits { step, reason } => format!("at step {step}, {reason}"),
            Fate::Inconclusive(reason) => reason.clone(),
        }
    }

    /// Whether a property is violated.
    pub fn is_failure(&self) -> bool {
        matches!(self, Fate::StillFails | Fate::FailsOtherwise(_))
    }
}

/// A failure file, and what has become of its failure.
pub(crate) struct Tried {
    pub path: PathBuf,
    #[cfg(feature = "cli")]
    pub failure: Failure,
    pub fate: Fate,
}

/// How many there are of each fate, in words.
#[cfg(feature = "cli")]
pub(crate) fn counted(tried: &[Tried]) -> String {
    let words = ["still fails", "fails otherwise", "fixed", "no longer fits", "inconclusive"];
    let count = |word: &&str| tried.iter().filter(|tried| tried.fate.word() == *word).count();
    let counts = words.iter().map(|word| (count(word), word)).filter(|(count, _)| *count > 0);
    counts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// The failure files of a folder, or of the campaign that is stored in it, by name.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let of_campaign = folder.join("failures");
    let folder = if of_campaign.is_dir() { &of_campaign } else { folder };
    let io = |error: std::io::Error| CommandError(format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            files.push(path);
        }
        if files.len() > FILES_MAX {
            let folder = folder.display();
            return Err(CommandError(format!("{folder} has more than {FILES_MAX} failure files")));
        }
    }
    files.sort();
    Ok(files)
}

/// The failures of a folder that are of this target with these options; and how many are not. A folder that
/// is not there has none.
pub(crate) fn failures_of(
    target: &dyn AnyTarget,
    config: &Config,
    folder: &Path,
) -> Result<(Vec<(PathBuf, Failure)>, usize), CommandError> {
    if !folder.exists() {
        return Ok((Vec::new(), 0));
    }
    let (mut failures, mut others) = (Vec::new(), 0);
    for path in files_in(folder)? {
        let failure = Failure::read(&path)?;
        match is_of(target, config, &failure) {
            true => failures.push((path, failure)),
            false => others += 1,
        }
    }
    Ok((failures, others))
}

/// Tries the failures of a folder that are of this target with these options. Gives how many are not, too.
pub(crate) fn try_all(
    target: &dyn AnyTarget,
    config: &Config,
    folder: &Path,
    step_time: Duration,
) -> Result<(Vec<Tried>, usize), CommandError> {
    let (failures, others) = failures_of(target, config, folder)?;
    let tried = |(path, failure)| Tried {
        fate: Fate::of(target, &failure, step_time),
        path,
        #[cfg(feature = "cli")]
        failure,
    };
    Ok((failures.into_iter().map(tried).collect(), others))
}

/// Whether a failure is of this target with these options. An option that is new since then does not count.
fn is_of(target: &dyn AnyTarget, config: &Config, failure: &Failure) -> bool {
    let mut options = failure.config.options.iter();
    failure.target == target.name() && options.all(|(name, value)| config.options.text(name) == Some(value))
}
