//! Failure files: a failing execution, self-contained and readable, to be replayed and shrunk.
//!
//! The file is JSON, versioned, one step a line. Whatever is read from it is checked before it is used.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Divergence, Recording, Schedule};
use shakedown_target::{Retrace, begin_with_model, execute, follow_as_far};

use crate::difference::Difference;
use crate::run::DETERMINISM;
use crate::{
    AnyTarget, Beat, CannotBegin, CannotReplay, Config, Live, Outcome, Verdict, Violation, whole_file,
};

/// What every failure file says it is.
const FORMAT: &str = "shakedown-failure";
/// The version of the format that this program writes and reads.
const VERSION: u32 = 1;
/// The largest failure file that is read.
const FILE_SIZE_MAX: u64 = 64 << 20;
/// How many replays are compared, when a failure is that two runs differ.
const RUNS_COMPARED: usize = 8;
/// How often a target that is not deterministic is run until the failure is met again.
const RUNS_UNTIL_MET: usize = 5;

/// A failing execution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    format: String,
    version: u32,
    /// The version of Shakedown that wrote it.
    pub shakedown: String,
    /// The target that failed.
    pub target: String,
    /// What exactly was under test.
    pub target_version: String,
    /// What did not hold.
    pub violation: Violation,
    /// How it was found.
    pub found: Found,
    /// How the target was run.
    pub config: Config,
    /// Where the randomness of the execution came from.
    pub seed: u64,
    /// The fingerprint of the trace that the schedule gives.
    pub fingerprint: String,
    /// The steps.
    pub schedule: Schedule,
    /// Whether it was met again when its schedule was run once more. If not, the target is not deterministic.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeats: bool,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_yes(repeats: &bool) -> bool {
    *repeats
}

/// How a failure was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// By which strategy.
    pub strategy: String,
    /// The strategy that it was an arm of, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The mix that the execution had drawn, if each draws its own (see [`Mix`](shakedown_explore::Mix)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<String>,
    /// In the campaign of this seed.
    pub campaign_seed: u64,
    /// In the execution of this number, counted from 0.
    pub execution: u64,
    /// How many steps that execution had when it failed.
    pub steps: usize,
    /// Whether the schedule has been shrunk since.
    pub shrunk: bool,
}

/// Why a failure file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FailureFileError {
    /// An I/O error.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// Too large to be a failure file.
    #[error("{path} has more than {FILE_SIZE_MAX} bytes: it is too large for a failure file", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Not a failure file, or a damaged one.
    #[error("{path} is not a failure file, or it is damaged: {reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        reason: String,
    },
    /// From a newer or older Shakedown.
    #[error("{path} has format version {found}, this Shakedown reads version {VERSION}", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
}

impl Failure {
    /// The failure of this execution.
    pub fn new(
        target: &dyn AnyTarget,
        config: &Config,
        seed: u64,
        violation: Violation,
        found: Found,
        trace: Option<&shakedown_cluster::Trace>,
    ) -> Failure {
        Failure {
            format: FORMAT.to_owned(),
            version: VERSION,
            shakedown: env!("CARGO_PKG_VERSION").to_owned(),
            target: target.name().to_owned(),
            target_version: target.version().to_owned(),
            violation,
            found,
            config: config.clone(),
            seed,
            fingerprint: trace.map(|trace| trace.fingerprint().to_string()).unwrap_or_default(),
            schedule: trace.map(|trace| trace.schedule()).unwrap_or_default(),
            repeats: true,
        }
    }

    /// The same failure with another schedule, and perhaps fewer nodes.
    #[must_use]
    pub fn with_schedule(
        &self,
        config: &Config,
        violation: Violation,
        trace: &shakedown_cluster::Trace,
    ) -> Failure {
        Failure {
            violation,
            config: config.clone(),
            fingerprint: trace.fingerprint().to_string(),
            schedule: trace.schedule(),
            ..self.clone()
        }
    }

    /// Replays the schedule and compares what comes of it with what is expected.
    pub fn replay(&self, target: &dyn AnyTarget, recording: Recording) -> Result<Replayed, CannotReplay> {
        self.replay_watched(target, recording, &Beat::default())
    }

    /// The same, with a beat for whoever watches that it goes on (see [`crate::guarded`]).
    pub fn replay_watched(
        &self,
        target: &dyn AnyTarget,
        recording: Recording,
        beat: &Beat,
    ) -> Result<Replayed, CannotReplay> {
        let begin = || target.begin(&self.config, self.seed, recording);
        if !target.info().is_deterministic {
            return self.until_met(|| Attempt::retraced(self, begin(), beat));
        }
        self.compared(|| Attempt::of(self, begin(), beat))
    }

    /// One run of the schedule, as far as it can be done, of a target that is not deterministic.
    pub fn retrace(
        &self,
        target: &dyn AnyTarget,
        recording: Recording,
        beat: &Beat,
    ) -> Result<Replayed, CannotReplay> {
        let attempt = Attempt::retraced(self, target.begin(&self.config, self.seed, recording), beat)?;
        let same = self.retraced_same(&attempt);
        Ok(attempt.into_replayed(same))
    }

    /// Runs until the failure is met again. If it is not, the last run is what is shown.
    fn until_met(&self, again: impl Fn() -> Result<Attempt, CannotReplay>) -> Result<Replayed, CannotReplay> {
        let mut tries = 1;
        loop {
            let attempt = again()?;
            let same = self.retraced_same(&attempt);
            if same == Sameness::Retraced || tries == RUNS_UNTIL_MET {
                return Ok(attempt.into_replayed(same));
            }
            tries += 1;
        }
    }

    fn retraced_same(&self, attempt: &Attempt) -> Sameness {
        match &attempt.verdict {
            Verdict::Fail(violation) if violation.is_like(&self.violation) => Sameness::Retraced,
            _ => Sameness::OtherVerdict,
        }
    }

    /// The same, and what a specification says of every step: [`Outcome::spec_steps`].
    pub fn replay_with_model(
        &self,
        target: &dyn AnyTarget,
        recording: Recording,
        beat: &Beat,
    ) -> Result<Replayed, CannotReplay> {
        if !target.info().is_deterministic {
            return self.replay_watched(target, recording, beat);
        }
        let begin = || begin_with_model(target, &self.config, self.seed, recording);
        let replayed = self.compared(|| Attempt::of(self, begin(), beat))?;
        if replayed.same == Sameness::OtherVerdict {
            // It may be the guide that panicked, and not what is tested.
            return self.replay_watched(target, recording, beat);
        }
        Ok(replayed)
    }

    /// What comes of doing it again, compared with what is expected.
    fn compared(&self, again: impl Fn() -> Result<Attempt, CannotReplay>) -> Result<Replayed, CannotReplay> {
        if self.violation.property == DETERMINISM {
            return self.replay_in_pairs(again);
        }
        let first = again()?;
        let same = first.divergence.is_none().then(|| self.is_same(&first.verdict, &first.fingerprint()));
        if same == Some(Sameness::Exact) {
            return Ok(first.into_replayed(Sameness::Exact));
        }
        // Either the target has changed, or it does not do the same thing twice.
        let second = again()?;
        match (first.difference(&second), first.divergence.clone(), same) {
            (Some(_), None, Some(Sameness::OtherTrace)) => Ok(first.into_replayed(Sameness::Unrepeatable)),
            (Some(reason), ..) => Ok(first.unrepeatable(reason)),
            (None, Some(divergence), _) => Err(divergence.into()),
            (None, None, same) => Ok(first.into_replayed(same.unwrap_or(Sameness::OtherVerdict))),
        }
    }

    /// What failed was that one seed stands for one execution: replays are compared with each other.
    fn replay_in_pairs(
        &self,
        again: impl Fn() -> Result<Attempt, CannotReplay>,
    ) -> Result<Replayed, CannotReplay> {
        let first = again()?;
        for _ in 1..RUNS_COMPARED {
            if let Some(reason) = first.difference(&again()?) {
                return Ok(first.unrepeatable(reason));
            }
        }
        match &first.divergence {
            // The runs of one process are the same, but not those of two, unless the target has changed.
            Some(divergence) => {
                let reason =
                    format!("two runs in this process are the same, but not as recorded: {divergence}");
                Ok(first.unrepeatable(reason))
            }
            None => Ok(Replayed { verdict: Verdict::Pass, ..first.into_replayed(Sameness::OtherVerdict) }),
        }
    }

    fn is_same(&self, verdict: &Verdict, fingerprint: &str) -> Sameness {
        match verdict {
            Verdict::Fail(violation) if !violation.is_like(&self.violation) => Sameness::OtherVerdict,
            Verdict::Fail(_) if fingerprint == self.fingerprint => Sameness::Exact,
            Verdict::Fail(_) => Sameness::OtherTrace,
            _ => Sameness::OtherVerdict,
        }
    }

    /// A name for the file, from the target, the property and the schedule.
    pub fn file_name(&self) -> String {
        let word = |text: &str| -> String {
            let mapped = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' });
            mapped.take(60).collect()
        };
        let mark: String = self.fingerprint.chars().take(8).collect();
        let mark = if mark.is_empty() { "boot".to_owned() } else { mark };
        format!("{}-{}-{mark}.json", word(&self.target), word(&self.violation.property))
    }

    /// Writes the file as a whole or not at all. If there is one already, its mode stays; if the path is a
    /// symbolic link, the file is written that it leads to.
    pub fn write(&self, path: &Path) -> Result<(), FailureFileError> {
        let io = |source| FailureFileError::Io { path: path.to_owned(), source };
        let mut text = serde_json::to_string_pretty(self).map_err(|error| io(error.into()))?;
        text.push('\n');
        whole_file::write(path, text.as_bytes()).map_err(io)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Failure, FailureFileError> {
        let io = |source| FailureFileError::Io { path: path.to_owned(), source };
        let mut text = String::new();
        let file = fs::File::open(path).map_err(io)?;
        file.take(FILE_SIZE_MAX + 1).read_to_string(&mut text).map_err(io)?;
        if text.len() as u64 > FILE_SIZE_MAX {
            return Err(FailureFileError::TooLarge { path: path.to_owned() });
        }
        Failure::parse(&text).map_err(|error| match error {
            ParseError::Version(found) => FailureFileError::Version { path: path.to_owned(), found },
            ParseError::Malformed(reason) => FailureFileError::Malformed { path: path.to_owned(), reason },
        })
    }

    fn parse(text: &str) -> Result<Failure, ParseError> {
        /// What is looked at first, whatever else there may be.
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u64,
        }
        let malformed = |error: serde_json::Error| ParseError::Malformed(error.to_string());
        // The parser would name its own types.
        if !matches!(text.trim_start().chars().next(), None | Some('{')) {
            return Err(ParseError::Malformed("it does not begin with a JSON object".to_owned()));
        }
        let head: Head = serde_json::from_str(text).map_err(malformed)?;
        if head.format != FORMAT {
            let found: String = head.format.chars().take(60).collect();
            return Err(ParseError::Malformed(format!("its format is `{found}`, not `{FORMAT}`")));
        }
        if head.version != u64::from(VERSION) {
            return Err(ParseError::Version(head.version));
        }
        serde_json::from_str(text).map_err(malformed)
    }
}

enum ParseError {
    Malformed(String),
    Version(u64),
}

/// One replay of a failure, as far as its schedule can be done.
struct Attempt {
    verdict: Verdict,
    /// The execution; there is none if a node panicked at boot.
    outcome: Option<Outcome>,
    divergence: Option<Divergence>,
}

impl Attempt {
    fn of(
        failure: &Failure,
        begun: Result<Box<dyn Live>, CannotBegin>,
        beat: &Beat,
    ) -> Result<Attempt, CannotReplay> {
        let live = match begun {
            Err(CannotBegin::Boot(boot)) => {
                let verdict = Verdict::Fail(Violation::from(&boot));
                return Ok(Attempt { verdict, outcome: None, divergence: None });
            }
            other => other?,
        };
        let (outcome, divergence) = follow_as_far(live, &failure.schedule, beat);
        Ok(Attempt { verdict: outcome.verdict.clone(), outcome: Some(outcome), divergence })
    }

    /// One run of the schedule in which steps that cannot be done are left out.
    fn retraced(
        failure: &Failure,
        begun: Result<Box<dyn Live>, CannotBegin>,
        beat: &Beat,
    ) -> Result<Attempt, CannotReplay> {
        let steps = &failure.schedule.steps;
        let outcome = execute(begun?, &mut Retrace::new(steps), usize::MAX, beat);
        Ok(Attempt { verdict: outcome.verdict.clone(), outcome: Some(outcome), divergence: None })
    }

    fn fingerprint(&self) -> String {
        self.outcome.as_ref().map(|outcome| outcome.trace.fingerprint().to_string()).unwrap_or_default()
    }

    /// In what two replays differ, if they do.
    fn difference(&self, other: &Attempt) -> Option<String> {
        match (&self.outcome, &other.outcome) {
            (Some(first), Some(second)) => {
                let difference = Difference::between(&first.trace, &second.trace).map(|it| it.to_string());
                let is_other = self.divergence != other.divergence;
                difference.or_else(|| is_other.then(|| "two replays diverge at different steps".to_owned()))
            }
            _ => (self.verdict != other.verdict).then(|| {
                format!("two replays of one seed boot differently: {}; {}", self.verdict, other.verdict)
            }),
        }
    }

    fn into_replayed(self, same: Sameness) -> Replayed {
        Replayed { same, verdict: self.verdict, outcome: self.outcome }
    }

    /// The target does not do the same thing twice, which is a failure of its own.
    fn unrepeatable(self, reason: String) -> Replayed {
        let verdict = Verdict::Fail(Violation { property: DETERMINISM.to_owned(), reason });
        Replayed { verdict, ..self.into_replayed(Sameness::Unrepeatable) }
    }
}

/// How a replay compares with what was expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sameness {
    /// The same property is violated and the trace is the same, bit for bit.
    Exact,
    /// The same property is violated, but the trace is not quite the same, though two replays are: the target
    /// has changed.
    OtherTrace,
    /// Another verdict.
    OtherVerdict,
    /// The same property is violated. The target is declared not to be deterministic, so traces are not
    /// compared.
    Retraced,
    /// Two replays differ from each other: the target is not deterministic, so nothing follows from the
    /// difference.
    Unrepeatable,
}

/// What came of replaying a failure.
pub struct Replayed {
    /// How it compares with what was expected.
    pub same: Sameness,
    /// The verdict now.
    pub verdict: Verdict,
    /// The execution; there is none if a node panicked at boot.
    pub outcome: Option<Outcome>,
}
