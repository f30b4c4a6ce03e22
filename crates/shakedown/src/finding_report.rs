//! Findings as reports want them.

use std::path::Path;
use std::time::Duration;

use shakedown_campaign::{AnyTarget, Failure, Silent, guarded, told_by_model};
use shakedown_cluster::Trace;
use shakedown_report::{FindingReport, changed_options};

use crate::trouble::Trouble;

/// How long one call of a node may take in a replay.
pub(crate) const STEP_TIME: Duration = Duration::from_secs(30);

/// A failure that has been replayed as reports want it, given the line that does it again.
pub(crate) fn finding_report_of(
    target: &dyn AnyTarget,
    found: Failure,
    trace: Option<Trace>,
    file: Option<&Path>,
    replay: String,
) -> FindingReport {
    let spec = guarded(STEP_TIME, &Silent, found.found.execution, |beat| {
        told_by_model(target, &found.config, found.seed, &found.schedule, beat)
    });
    let options = changed_options(target, &found.config);
    let file = file.map(|file| file.to_string_lossy().into_owned());
    FindingReport { file, options, spec, ..FindingReport::new(found, trace, replay) }
}

/// Writes a file, or reports which one could not be written.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Trouble> {
    std::fs::write(path, text).map_err(|error| Trouble(format!("{}: {error}", path.display())))
}
