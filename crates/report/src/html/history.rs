//! What is wrong with a recorded history, in words and as a drawing: a cycle of transactions, or a timeline
//! of clients.

use super::cycle;
use super::timeline;
use crate::escape::text;

/// The most findings of a history that a page shows.
const FINDINGS_MAX: usize = 60;
/// The most lines of words below a drawing.
const LINES_MAX: usize = 60;

/// Something that is wrong with a recorded history.
#[derive(Clone, Debug, Default)]
pub struct HistoryFinding {
    /// What it is called: `G2-item`.
    pub title: String,
    /// What that is, in a few words.
    pub about: String,
    /// The reasons, a line for each.
    pub lines: Vec<String>,
    /// What it looks like.
    pub drawing: Option<HistoryDrawing>,
}

/// What a finding looks like.
#[derive(Clone, Debug)]
pub enum HistoryDrawing {
    /// Transactions, each of which must come before the next one, and the last before the first.
    Cycle(Vec<CycleTransaction>),
    /// What clients did, and where it stops making sense.
    Timeline(Timeline),
}

/// A transaction of a cycle.
#[derive(Clone, Debug)]
pub struct CycleTransaction {
    /// Its name: `T12`.
    pub name: String,
    /// What it did, a line for each operation.
    pub ops: Vec<String>,
    /// Which dependency leads to the next one: `rw`.
    pub label: String,
    /// Why there is one.
    pub why: String,
}

/// What clients did.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The clients, a lane for each.
    pub clients: Vec<String>,
    /// Their operations.
    pub bars: Vec<TimelineBar>,
}

/// An operation of a client.
#[derive(Clone, Debug)]
pub struct TimelineBar {
    /// Whose it is, by its place among the clients.
    pub client: usize,
    /// When it began, and when it ended, if it did.
    pub began: u32,
    /// When it ended, if it did.
    pub ended: Option<u32>,
    /// What it was.
    pub label: String,
    /// Its place in the order that was found, counted from 0.
    pub place: Option<usize>,
    /// Whether it is the one that cannot be explained.
    pub is_culprit: bool,
}

/// Puts the findings of a history on the page, as far as there is room.
pub(super) fn section(page: &mut String, findings: &[HistoryFinding], room: usize) {
    let end = page.len() + room;
    for (place, finding) in findings.iter().take(FINDINGS_MAX).enumerate() {
        let part = one(place + 1, finding);
        if page.len() + part.len() > end {
            put!(
                page,
                "<p class=\"limit\">{} more findings are left out: the page would be too large.</p>\n",
                findings.len() - place
            );
            return;
        }
        page.push_str(&part);
    }
    if findings.len() > FINDINGS_MAX {
        put!(page, "<p class=\"limit\">{} more findings are left out.</p>\n", findings.len() - FINDINGS_MAX);
    }
}

fn one(number: usize, finding: &HistoryFinding) -> String {
    let mut part = String::new();
    put!(
        part,
        "<section id=\"history-{number}\" class=\"history\">\n<h2>{}</h2>\n<p class=\"outcome\">{}</p>\n",
        text(&finding.title, 120),
        text(&finding.about, 400)
    );
    match &finding.drawing {
        Some(HistoryDrawing::Cycle(transactions)) => cycle::draw(&mut part, transactions),
        Some(HistoryDrawing::Timeline(timeline)) => timeline::draw(&mut part, timeline),
        None => {}
    }
    if !finding.lines.is_empty() {
        part.push_str("<ol class=\"card reasons\">");
        for line in finding.lines.iter().take(LINES_MAX) {
            put!(part, "<li>{}</li>", text(line, 400));
        }
        part.push_str("</ol>\n");
        if finding.lines.len() > LINES_MAX {
            put!(
                part,
                "<p class=\"limit\">{} more lines are left out.</p>\n",
                finding.lines.len() - LINES_MAX
            );
        }
    }
    part.push_str("</section>\n");
    part
}
