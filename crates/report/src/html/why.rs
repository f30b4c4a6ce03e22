//! Why a finding failed: the paragraph above its diagram, and what the strip beside the lanes draws.

use super::beside::table;
use crate::FindingReport;
use crate::alignment::Alignment;
use crate::escape::text;
use crate::explained::change_words;

/// The longest paragraph, in characters.
const PARAGRAPH_MAX: usize = 4_000;
/// The longest line of a forbidden step.
const FORBIDDEN_MAX: usize = 600;

/// The first step that the specification forbids, as a headline.
pub(super) fn forbidden(html: &mut String, finding: &FindingReport, number: usize) {
    let Some(step) = finding.forbidden() else { return };
    put!(
        html,
        "<p class=\"forbidden\"><a href=\"#finding-{number}-step-{}\">The first step that the specification forbids</a>: <code>{}</code></p>\n",
        step.number,
        text(&step.to_string(), FORBIDDEN_MAX)
    );
}

/// The paragraph, and how the strip is read.
pub(super) fn why(html: &mut String, finding: &FindingReport) {
    let Some(explained) = &finding.explained else { return };
    let continuation = &explained.explanation.continuation;
    let everywhere = if continuation.is_everywhere {
        ""
    } else {
        " Only needed steps are measured, for the schedule is long."
    };
    put!(
        html,
        "<div class=\"card why\"><h3>Why it failed</h3>\n<p>{}</p>\n<p class=\"hint\">In the strip beside the lanes, a bar is the \
         share of {} random continuations from there, of at most {} steps, that come to the violation, and the line across its end is the \
         95 % interval.{everywhere} A full dot is a step that the violation needs; a faded row can be left out or moved. \
         {} executions.</p></div>\n",
        text(&explained.paragraph(), PARAGRAPH_MAX),
        continuation.count,
        continuation.steps_max,
        explained.explanation.executions
    );
}

/// The nearest passing execution beside the failing one.
pub(super) fn nearest(html: &mut String, finding: &FindingReport) {
    let Some(explained) = &finding.explained else { return };
    let (Some(nearest), Some(passing), Some(trace)) =
        (&explained.explanation.nearest, &explained.passing, &finding.trace)
    else {
        return;
    };
    put!(
        html,
        "<details class=\"card beside\" open>\n<summary>The nearest execution that passes <small>{}</small></summary>\n",
        text(&change_words(&nearest.change), 300)
    );
    table(html, &Alignment::of(trace, passing), ["fails", "passes"]);
    html.push_str("</details>\n");
}
