//! The exit codes of commands.

use std::process::ExitCode;

use shakedown_campaign::Verdict;

/// Exit codes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Nothing is wrong.
    Pass = 0,
    /// A failure was found.
    Fail = 1,
    /// The result is inconclusive, or the command could not run.
    Unknown = 2,
    /// For `git bisect run`: this commit cannot be tested.
    Skip = 125,
    /// For `git bisect run`: stop, for no commit can be tested.
    Abort = 128,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

impl From<&Verdict> for ExitStatus {
    fn from(verdict: &Verdict) -> ExitStatus {
        match verdict {
            Verdict::Pass => ExitStatus::Pass,
            Verdict::Fail(_) => ExitStatus::Fail,
            Verdict::Unknown(_) => ExitStatus::Unknown,
        }
    }
}
