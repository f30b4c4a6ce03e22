//! Findings as reports want them.

use std::path::Path;

use shakedown_campaign::{AnyTarget, Failure, Outcome};
use shakedown_check::SpecStep;
use shakedown_cluster::Trace;
#[cfg(feature = "cli")]
use shakedown_report::ForbiddenStep;
use shakedown_report::{FindingReport, Reproduction, changed_options};

use crate::command_error::CommandError;

/// A failure that was replayed in full: once, for all that is printed and written of it.
#[derive(Default)]
pub(crate) struct Shown {
    /// The trace, with states and contents of messages; none if it cannot be replayed.
    pub(crate) trace: Option<Trace>,
    /// The actions and states of a specification at boot and at every step, where one is followed.
    spec: Vec<SpecStep>,
}

impl Shown {
    /// The first step that the specification forbids.
    #[cfg(feature = "cli")]
    pub fn forbidden(&self) -> Option<ForbiddenStep> {
        ForbiddenStep::first(&self.spec)
    }

    /// The failure as reports want it, given the line that does it again.
    pub fn report(
        self,
        target: &dyn AnyTarget,
        found: Failure,
        reproduction: Reproduction,
        file: Option<&Path>,
        replay: String,
    ) -> FindingReport {
        let options = changed_options(target, &found.config);
        let file = file.map(|file| file.to_string_lossy().into_owned());
        let report = FindingReport::replayed(found, reproduction, self.trace, replay);
        FindingReport { file, options, ..report.with_spec(self.spec) }
    }
}

impl From<Outcome> for Shown {
    fn from(outcome: Outcome) -> Shown {
        Shown { trace: Some(outcome.trace), spec: outcome.spec_steps }
    }
}

/// Writes a file, or reports which one could not be written.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    std::fs::write(path, text).map_err(|error| CommandError(format!("{}: {error}", path.display())))
}
