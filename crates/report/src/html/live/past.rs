//! What was found on which day.

use super::card::replay;
use super::{LiveDay, LiveFailure};
use crate::escape::text;
use crate::grouped;

/// The most lines of each table.
const DAYS_MAX: usize = 60;
const FAILURES_MAX: usize = 100;

pub(super) fn days(days: &[LiveDay]) -> String {
    let mut html = String::new();
    if days.is_empty() {
        html.push_str("<p class=\"note\">There is no history yet.</p>");
        return html;
    }
    html.push_str(
        "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Findings by day\"><table class=\"days\">\n\
         <thead><tr><th scope=\"col\">day <small>UTC</small></th><th scope=\"col\" class=\"num\">campaigns</th>\
         <th scope=\"col\" class=\"num\">executions</th><th scope=\"col\" class=\"num\">new</th><th scope=\"col\" class=\"num\">known</th>\
         <th scope=\"col\" class=\"num\">not found again</th><th scope=\"col\" class=\"num\">fixed</th></tr></thead>\n<tbody>",
    );
    for day in days.iter().take(DAYS_MAX) {
        let count = |number: usize, class: &str| match number {
            0 => "<td class=\"num none\">0</td>".to_owned(),
            number => format!("<td class=\"num\"><b class=\"{class}\">{}</b></td>", grouped(number as u64)),
        };
        put!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td>{}{}{}{}</tr>\n",
            text(&day.day, 20),
            grouped(day.campaigns as u64),
            grouped(day.executions),
            count(day.new, "bad"),
            count(day.known, "warn"),
            count(day.unseen, ""),
            count(day.fixed, "good")
        );
    }
    html.push_str("</tbody></table></div>\n");
    if days.len() > DAYS_MAX {
        put!(html, "<p class=\"limit\">{} earlier days are not shown.</p>", days.len() - DAYS_MAX);
    }
    html.push_str(
        "<p class=\"note\"><b>New</b>: no campaign here had found it on an earlier day, with the same target and options. \
         <b>Not found again</b>: a campaign with the same target and options came to its end that day without it. That proves \
         little; it counts as <b>fixed</b> once a replay shows that its schedule violates nothing any more.</p>",
    );
    html
}

pub(super) fn failures(failures: &[LiveFailure]) -> String {
    let mut html = String::new();
    if failures.is_empty() {
        return html;
    }
    html.push_str("<h3>Everything that was found</h3>\n<ul class=\"card found all\">");
    for failure in failures.iter().take(FAILURES_MAX) {
        let (id, number) = &failure.latest;
        let when = match failure.first == failure.last {
            true => format!("found on {}", failure.first),
            false => format!("first found on {}, last on {}", failure.first, failure.last),
        };
        put!(
            html,
            "<li><div><a href=\"campaign/{id}/finding/{number}\">{}</a> <span class=\"why\">{}</span><small>{}, by {} {}</small></div>",
            text(&failure.property, 120),
            text(&failure.case, 240),
            text(&when, 80),
            grouped(failure.campaigns as u64),
            if failure.campaigns == 1 { "campaign" } else { "campaigns" }
        );
        replay(&mut html, id, *number, &failure.property, failure.replay.as_ref());
        html.push_str("</li>");
    }
    html.push_str("</ul>\n");
    if failures.len() > FAILURES_MAX {
        put!(html, "<p class=\"limit\">{} more are not shown.</p>", failures.len() - FAILURES_MAX);
    }
    html
}
