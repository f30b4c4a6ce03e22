//! The page of a failure, to look at in a browser.

use std::path::Path;

use shakedown_campaign::{AnyTarget, Failure, Replayed};

use crate::command_error::CommandError;

/// A failure that was replayed, as a page, with the line that does it again.
#[cfg(feature = "html")]
pub(crate) fn write_page(
    target: &dyn AnyTarget,
    out: &Path,
    file: &Path,
    found: Failure,
    replayed: Replayed,
    replay: String,
) -> Result<(), CommandError> {
    use shakedown_campaign::{Sameness, Verdict};
    use shakedown_report::Reproduction;
    use shakedown_report::html::{HtmlReport, ReportVerdict, render};

    use crate::finding_report::{Shown, write_file};
    use crate::replayed::as_replayed;

    let verdict_text = match (&replayed.verdict, replayed.same) {
        (Verdict::Pass, _) => "The schedule violates nothing any more.".to_owned(),
        (Verdict::Unknown(reason), _) => format!("Inconclusive: {reason}."),
        (Verdict::Fail(_), Sameness::Exact) => {
            "The same violation and the same trace as in the failure file, bit for bit.".to_owned()
        }
        (Verdict::Fail(_), Sameness::Retraced) => {
            "The replay violates the same property. Nodes keep their own time, so traces are not compared."
                .to_owned()
        }
        (Verdict::Fail(_), Sameness::OtherTrace) => {
            "The same violation, but not quite the same trace: the target has changed.".to_owned()
        }
        (Verdict::Fail(_), Sameness::Unrepeatable) => {
            "The target is not deterministic: two replays differ from each other.".to_owned()
        }
        (Verdict::Fail(_), Sameness::OtherVerdict) => {
            "Another property is violated than the failure file says.".to_owned()
        }
    };
    let verdict = replayed.verdict;
    // What is shown is what happened now.
    let found = as_replayed(&found, &verdict);
    let what = if matches!(verdict, Verdict::Fail(_)) { "A failure" } else { "A recorded failure" };
    let title = format!("{what} of {}", found.target);
    let shown = replayed.outcome.map(Shown::from).unwrap_or_default();
    let finding = shown.report(target, found, Reproduction::of(&verdict), Some(file), replay);
    let page = render(&HtmlReport {
        title,
        verdict: ReportVerdict::of(&verdict),
        verdict_text,
        findings: vec![finding],
        ..HtmlReport::default()
    });
    write_file(out, &page)
}

/// Reports that this build has no pages.
#[cfg(not(feature = "html"))]
pub(crate) fn write_page(
    _target: &dyn AnyTarget,
    _out: &Path,
    _file: &Path,
    _found: Failure,
    _replayed: Replayed,
    _replay: String,
) -> Result<(), CommandError> {
    crate::features::HTML.needed_for("a page").map_err(CommandError)
}
