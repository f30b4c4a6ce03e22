//! The page of a failure, to look at in a browser.

use std::path::Path;

use shakedown_campaign::{AnyTarget, Failure, Replayed};
use shakedown_report::Explained;

use crate::command_error::CommandError;

/// What a page of a failure has beside the failure itself.
#[cfg_attr(not(feature = "html"), expect(dead_code, reason = "this build has no pages"))]
pub(crate) struct PageOf<'a> {
    /// The failure file, if there is one.
    pub file: Option<&'a Path>,
    /// The line that replays it.
    pub replay: String,
    /// Why it failed, if that was found out.
    pub explained: Option<Explained>,
    /// Ways to other pages: name and relative address.
    pub links: Vec<(String, String)>,
}

/// A failure that was replayed, as a page.
#[cfg(feature = "html")]
pub(crate) fn write_page(
    target: &dyn AnyTarget,
    out: &Path,
    found: Failure,
    replayed: Replayed,
    page: PageOf<'_>,
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
    let PageOf { file, replay, explained, links } = page;
    let mut finding = shown.report(target, found, Reproduction::of(&verdict), file, replay);
    finding.explained = explained;
    let page = render(&HtmlReport {
        title,
        verdict: ReportVerdict::of(&verdict),
        verdict_text,
        findings: vec![finding],
        links,
        ..HtmlReport::default()
    });
    write_file(out, &page)
}

/// Reports that this build has no pages.
#[cfg(not(feature = "html"))]
pub(crate) fn write_page(
    _target: &dyn AnyTarget,
    _out: &Path,
    _found: Failure,
    _replayed: Replayed,
    _page: PageOf<'_>,
) -> Result<(), CommandError> {
    crate::features::HTML.needed_for("a page").map_err(CommandError)
}
