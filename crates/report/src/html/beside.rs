//! Two executions side by side, as a table.

use super::input::BesideReport;
use crate::alignment::{AlignedRow, Alignment, RowKind, StepSeen};
use crate::escape::text;

/// The most rows of a table.
const ROWS_MAX: usize = 300;
/// How many rows that are alike are shown around those that differ.
const ALIKE_SHOWN: usize = 3;
/// The longest step, and the longest result of one.
const STEP_MAX: usize = 160;
const RESULT_MAX: usize = 200;

/// The section of a page that shows two executions.
pub(super) fn section(html: &mut String, beside: &BesideReport) {
    html.push_str("<section id=\"beside\" class=\"beside\"><h2>Side by side</h2>\n<div class=\"card\">\n");
    let [left, right] = &beside.titles;
    table(html, &beside.alignment, [left, right]);
    html.push_str("</div></section>\n");
}

/// The rows. Those that are alike and far from a difference are folded.
pub(super) fn table(html: &mut String, alignment: &Alignment, titles: [&str; 2]) {
    let [left, right] = titles.map(|title| text(title, STEP_MAX));
    put!(
        html,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Two executions side by side\"><table class=\"sides\">\n\
         <thead><tr><th scope=\"col\">{left}</th><th scope=\"col\"><span class=\"spoken\">compared</span></th><th scope=\"col\">{right}</th></tr></thead>\n<tbody>\n"
    );
    let rows = &alignment.rows;
    let first = alignment.first_difference();
    let is_near = |place: usize| {
        let from = place.saturating_sub(ALIKE_SHOWN);
        rows[from..rows.len().min(place + ALIKE_SHOWN + 1)].iter().any(|row| row.kind != RowKind::Alike)
    };
    let (mut folded, mut shown) = (0, 0);
    for (place, row) in rows.iter().enumerate() {
        if !is_near(place) || shown == ROWS_MAX {
            folded += 1;
            continue;
        }
        put_folded(html, std::mem::take(&mut folded));
        put_row(html, row, first == Some(place));
        shown += 1;
    }
    if shown == ROWS_MAX {
        put!(html, "<tr class=\"fold\"><td colspan=\"3\">{folded} more rows are left out.</td></tr>\n");
    } else {
        put_folded(html, folded);
    }
    html.push_str("</tbody></table></div>\n");
}

fn put_folded(html: &mut String, folded: usize) {
    if folded > 0 {
        let several = if folded == 1 { "step that is" } else { "steps that are" };
        put!(html, "<tr class=\"fold\"><td colspan=\"3\">{folded} {several} alike</td></tr>\n");
    }
}

fn put_row(html: &mut String, row: &AlignedRow, is_first: bool) {
    let (class, sign, words) = match row.kind {
        RowKind::Alike => ("alike", "=", "alike"),
        RowKind::OtherResult => ("other", "≠", "another result"),
        RowKind::OneSided if row.right.is_none() => ("one-sided", "◀", "only left"),
        RowKind::OneSided => ("one-sided", "▶", "only right"),
    };
    let mark = if is_first { " first" } else { "" };
    let results = row.difference().filter(|_| row.kind == RowKind::OtherResult).unzip();
    let cell = |step: &Option<StepSeen>, result: Option<String>| {
        let step = step.as_ref().map(|step| (step.number, text(&step.step, STEP_MAX).to_string()));
        let result =
            result.map(|result| format!("<small>{}</small>", text(&result, RESULT_MAX))).unwrap_or_default();
        step.map(|(number, step)| format!("<b>{number}</b> <code>{step}</code>{result}")).unwrap_or_default()
    };
    put!(
        html,
        "<tr class=\"{class}{mark}\"><td>{}</td><td><span aria-hidden=\"true\">{sign}</span><span class=\"spoken\">{words}</span></td><td>{}</td></tr>\n",
        cell(&row.left, results.0),
        cell(&row.right, results.1)
    );
}
