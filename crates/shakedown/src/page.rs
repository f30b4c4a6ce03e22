//! The page of a failure, to look at in a browser.

use std::path::Path;

use shakedown_campaign::{AnyTarget, Failure, Replayed};

use crate::trouble::Trouble;

/// A failure that was replayed, as a page, with the line that does it again.
#[cfg(feature = "html")]
pub(crate) fn write_page(
    target: &dyn AnyTarget,
    out: &Path,
    file: &Path,
    mut found: Failure,
    replayed: Replayed,
    replay: String,
) -> Result<(), Trouble> {
    use shakedown_campaign::{Sameness, Verdict};
    use shakedown_report::html::{HtmlReport, ReportVerdict, render};

    use crate::finding_report::{Shown, write_file};

    let Verdict::Fail(violation) = replayed.verdict else {
        let verdict = replayed.verdict;
        return Err(Trouble(format!(
            "no page was written, for there is no failure to show any more: {verdict}"
        )));
    };
    let verdict_text = match replayed.same {
        Sameness::Exact => "The same violation and the same trace as in the failure file, bit for bit.",
        Sameness::OtherTrace => "The same violation, but not quite the same trace: the target has changed.",
        Sameness::OtherVerdict => "Another property is violated than the failure file says.",
    };
    // What is shown is what happened now.
    found.violation = violation;
    let title = format!("A failure of {}", found.target);
    let shown = replayed.outcome.map(Shown::from).unwrap_or_default();
    let finding = shown.report(target, found, Some(file), replay);
    let page = render(&HtmlReport {
        title,
        verdict: ReportVerdict::Fail,
        verdict_text: verdict_text.to_owned(),
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
) -> Result<(), Trouble> {
    crate::features::HTML.needed_for("a page").map_err(Trouble)
}
