//! How much of the findings fits on a page: each gets an equal share of the room that is left, and shows as
//! many of its last steps as fit into it.

use super::finding::{Shown, section};
use crate::FindingReport;
use crate::escape::text;

/// How many steps of a finding are tried, the most that are ever drawn first, and with each how many
/// characters of its text.
const SIZES: [(usize, usize); 6] =
    [(600, 40_000), (300, 40_000), (150, 20_000), (60, 10_000), (20, 5_000), (0, 2_000)];
/// The most findings that have a section of their own.
const FINDINGS_MAX: usize = 60;
/// The most findings that are named when they have no section.
const NAMED_MAX: usize = 200;
/// The room that is kept for these names, in bytes.
const NAMES: usize = 300 << 10;

/// The sections of all findings, in at most `room` bytes.
pub(super) fn findings(findings: &[FindingReport], room: usize) -> String {
    let mut html = String::new();
    let room = room.saturating_sub(NAMES);
    let mut left_out = Vec::new();
    let shown = findings.len().min(FINDINGS_MAX);
    for (place, finding) in findings.iter().enumerate() {
        let share = match shown.checked_sub(place) {
            Some(rest @ 1..) => room.saturating_sub(html.len()) / rest,
            _ => 0,
        };
        match fitting(finding, place + 1, findings.len(), share) {
            Some(section) => html.push_str(&section),
            None => left_out.push((place + 1, finding)),
        }
    }
    name(&mut html, &left_out);
    html
}

/// The section with as many steps as fit into a share of the page.
fn fitting(finding: &FindingReport, number: usize, of: usize, share: usize) -> Option<String> {
    if share == 0 {
        return None;
    }
    SIZES
        .iter()
        .map(|&(steps_max, text_max)| section(finding, Shown { number, of, steps_max, text_max }))
        .find(|section| section.len() <= share)
}

/// Names the findings that have no section.
fn name(html: &mut String, left_out: &[(usize, &FindingReport)]) {
    if left_out.is_empty() {
        return;
    }
    put!(
        html,
        "<section class=\"card\" id=\"left-out\"><h2>{} more findings</h2><p class=\"limit\">This page has a limit of size. \
         These findings are named only; replay their failure files to see them.</p><ol start=\"{}\">",
        left_out.len(),
        left_out[0].0
    );
    for (_, finding) in left_out.iter().take(NAMED_MAX) {
        let violation = &finding.failure.violation;
        put!(html, "<li><code>{}</code></li>", text(&violation.property, 120));
    }
    if left_out.len() > NAMED_MAX {
        put!(html, "<li>and {} more</li>", left_out.len() - NAMED_MAX);
    }
    html.push_str("</ol></section>\n");
}
