//! What a replay of a failure file shows.

use shakedown_campaign::{AnyTarget, Failure, Replayed, Verdict};

/// The verdict on a replay: that of the run, unless a pass would show nothing because the file is not
/// complete.
pub(crate) fn verdict_of(target: &dyn AnyTarget, recorded: &Failure, replayed: &Replayed) -> Verdict {
    let verdict = replayed.verdict.clone();
    match (&verdict, incomplete(target, recorded)) {
        (Verdict::Pass, Some(reason)) => Verdict::Unknown(reason),
        _ => verdict,
    }
}

/// The failure as its replay shows it: with what is violated now, if anything is.
pub(crate) fn as_replayed(recorded: &Failure, verdict: &Verdict) -> Failure {
    let mut shown = recorded.clone();
    if let Verdict::Fail(violation) = verdict {
        shown.violation = violation.clone();
    }
    shown
}

/// What is missing in a failure file, so that a replay without a violation does not show that it was mended.
fn incomplete(target: &dyn AnyTarget, recorded: &Failure) -> Option<String> {
    // A node that panicked at boot left no step and no trace.
    let is_of_boot = recorded.found.steps == 0 && recorded.fingerprint.is_empty();
    if recorded.schedule.steps.is_empty() && !is_of_boot {
        return Some("the schedule in the file has no steps, so that nothing was replayed".to_owned());
    }
    let options = &recorded.config.options;
    let missing: Vec<_> = target
        .defaults()
        .options
        .iter()
        .filter(|(name, _)| options.text(name).is_none())
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    (!missing.is_empty()).then(|| {
        let several = if missing.len() == 1 { "option" } else { "options" };
        format!(
            "the file has no value for the {several} {}, so that something else may have been replayed",
            missing.join(", ")
        )
    })
}
