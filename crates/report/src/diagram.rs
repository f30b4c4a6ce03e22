//! Space-time diagrams in text: one lane per node, one line per step, time going down.
//!
//! A message is drawn when it arrives, from the lane of its sender to that of its receiver; `Vote @12` is one
//! that was sent at step 12. Ticks of one node in a row that bring about nothing are drawn as one line. To
//! the right stands what the step brought: the contents of the message, and what nodes told of themselves. No
//! line is longer than the page is wide, as long as each lane has two columns. What the last step brought is
//! written out, on lines of its own if need be.

mod lanes;
mod row;

use shakedown_cluster::{Board, Step, Trace};

use crate::birth::Birth;
use crate::line;
use crate::step_notes::happenings;
use crate::strip::{STRIP_WIDTH, Strip};
use crate::text::{Paint, Text};
use lanes::Lanes;
use row::{Row, Sign};

/// How a diagram is drawn.
#[derive(Clone, Copy, Debug)]
pub struct DiagramStyle {
    /// The width of the page, in characters.
    pub width: usize,
    /// The most lines; what is in the middle is left out, and a line says how much.
    pub lines_max: usize,
}

impl Default for DiagramStyle {
    fn default() -> DiagramStyle {
        DiagramStyle { width: 110, lines_max: usize::MAX }
    }
}

/// Draws a trace; one recorded in full shows the contents of messages.
pub fn diagram(trace: &Trace, style: DiagramStyle) -> Text {
    marked_diagram(trace, style, Marks::default())
}

/// What is marked in a diagram, beside what happened.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks<'a> {
    /// What stands between the numbers of the steps and the lanes.
    pub strip: Option<&'a Strip<'a>>,
    /// The number of the step that the specification forbids.
    pub forbidden: Option<usize>,
}

/// The same with marks.
pub(crate) fn marked_diagram(trace: &Trace, style: DiagramStyle, marks: Marks<'_>) -> Text {
    let board = &trace.board;
    let rows = rows(trace, marks);
    let margin = MARGIN + if marks.strip.is_some() { STRIP_WIDTH } else { 0 };
    // Notes have a third of the page, if they need it; lanes have the rest.
    let longest = rows.iter().map(|row| note_of(row, None).chars().count()).max().unwrap_or(0);
    let notes = longest.min((style.width / 3).max(NOTES_MIN));
    let room = style.width.saturating_sub(margin + notes + 1);
    let lanes = Lanes::new(board.size(), &rows, room);
    Drawer { board, style, marks, margin, lanes }.draw(&rows)
}

/// The columns before the first lane, or before the strip.
const MARGIN: usize = 9;
/// The columns for what a step brought that lanes leave free, whatever the width.
const NOTES_MIN: usize = 16;
/// What a line begins with that continues the note of the last row.
const GOES_ON: &str = "│ ";
/// The most lines for what the last step brought.
const LAST_LINES_MAX: usize = 12;
/// What explains the numbers of arrows.
const LEGEND: &str = "@N: sent at step N";

fn rows(trace: &Trace, marks: Marks<'_>) -> Vec<Row> {
    let board = &trace.board;
    let births = Birth::of(board);
    let mut rows = Vec::new();
    let mut at = 0;
    while at < board.steps().len() {
        let count = ticks_from(board, marks, at);
        rows.push(Row::of(trace, &births, at + count - 1, count));
        at += count;
    }
    rows
}

/// How many steps from here on are drawn as one line: ticks of one node that bring about nothing, and the one
/// after.
fn ticks_from(board: &Board, marks: Marks<'_>, at: usize) -> usize {
    let steps = board.steps();
    let Step::Tick(node) = steps[at] else { return 1 };
    let mut count = 1;
    while at + count < steps.len()
        && steps[at + count] == Step::Tick(node)
        && happenings(board, at + count - 1).next().is_none()
        && marks.strip.is_none_or(|strip| strip.is_alike(at, at + count))
        && marks.forbidden.is_none_or(|number| number != at + count && number != at + count + 1)
    {
        count += 1;
    }
    count
}

/// What stands beside a row: first the name that its lane had no room for.
fn note_of(row: &Row, unwritten: Option<String>) -> String {
    let unwritten = unwritten.filter(|_| !row.is_named);
    let notes: Vec<_> = unwritten.into_iter().chain(row.notes.iter().cloned()).collect();
    notes.join("; ")
}

struct Drawer<'a> {
    board: &'a Board,
    style: DiagramStyle,
    marks: Marks<'a>,
    margin: usize,
    lanes: Lanes,
}

impl Drawer<'_> {
    fn draw(mut self, rows: &[Row]) -> Text {
        let mut text = self.head(rows);
        let head = text.len();
        if let Some(strip) = self.marks.strip {
            let lanes: String = self.lanes.empty().into_iter().collect();
            let [sign, swap, chance] = strip.start();
            line!(text, "{}  {sign}{swap}{chance}  {lanes}", Paint.faint(format_args!("{:>7}", "start")));
        }
        for (place, row) in rows.iter().enumerate() {
            self.row(&mut text, row, place + 1 == rows.len());
        }
        let (lines, most) = (text.len() - head, self.style.lines_max.max(3));
        if lines <= most {
            return text;
        }
        let (first, last) = (most / 3, most - most / 3 - 1);
        let left_out = lines - first - last;
        let gap = Paint.faint(format_args!("{:>MARGIN$}… {left_out} lines left out …", ""));
        text.without(head + first, left_out, gap)
    }

    /// The columns that are left beside the lanes.
    fn room(&self) -> usize {
        self.style.width.saturating_sub(self.margin + self.lanes.total() + 1)
    }

    fn head(&self, rows: &[Row]) -> Text {
        let names = format!("{:1$}{2}", "", self.margin, self.lanes.names());
        let has_arrows = rows.iter().any(|row| matches!(row.sign, Sign::Arrow { .. }));
        let is_legend = has_arrows && self.room() >= LEGEND.len();
        let legend = Paint.faint(if is_legend { format!(" {LEGEND}") } else { String::new() });
        let mut text = Text::new();
        line!(text, "{}{legend}", Paint.strong(names));
        text
    }

    fn row(&mut self, text: &mut Text, row: &Row, is_last: bool) {
        let step = &self.board.steps()[row.at];
        if let Step::Restart(node) = step {
            self.lanes.set_up(*node, true);
        }
        let (cells, unwritten) = self.lanes.draw(&row.sign);
        if let Step::Crash { node, .. } = step {
            self.lanes.set_up(*node, false);
        }
        let note = note_of(row, unwritten);
        let lanes: String = cells.into_iter().collect();
        if let Sign::Round { kernel } = row.sign {
            let is_whole = kernel.iter().count() == self.board.size();
            let lanes = if is_whole { Paint.faint(lanes) } else { Paint.bad(lanes) };
            let what = Paint.strong(shorten(&note, self.room()));
            let margin = self.margin;
            line!(text, "{:margin$}{lanes} {what}", "");
            return;
        }
        // Below the last row there is room.
        let is_apart = is_last && note.chars().count() > self.room();
        let beside = if is_apart { String::new() } else { shorten(&note, self.room()) };
        self.finish(text, row, lanes, beside);
        if is_apart {
            // A line that goes on is marked, so that foreign text never makes a line of its own.
            let margin = MARGIN;
            for part in wrapped(&note, self.style.width.saturating_sub(margin + GOES_ON.chars().count())) {
                line!(text, "{:margin$}{GOES_ON}{}", "", Paint.faint(part));
            }
        }
    }

    fn finish(&self, text: &mut Text, row: &Row, lanes: String, note: String) {
        let number = row.at + 1;
        let label = match row.count {
            1 => number.to_string(),
            count => format!("{}-{number}", number + 1 - count),
        };
        let label = format!("{label:>7}");
        let lanes = if row.is_fault { Paint.bad(lanes) } else { Paint.plain(lanes) };
        let is_forbidden = self.marks.forbidden == Some(number);
        let label = if is_forbidden { Paint.bad(label) } else { Paint.faint(label) };
        let gap = if is_forbidden { Paint.bad(" ⊘") } else { Paint.plain("  ") };
        let note = Paint.faint(note);
        match self.marks.strip.map(|strip| strip.cells(row.at)) {
            Some([sign, swap, chance]) => line!(text, "{label}{gap}{sign}{swap}{chance}  {lanes} {note}"),
            None => line!(text, "{label}{gap}{lanes} {note}"),
        }
    }
}

/// The text in lines of at most `width` characters, broken at spaces where there are some.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let flat = shorten(text, width.max(1) * LAST_LINES_MAX);
    let mut lines = Vec::new();
    let mut rest: Vec<char> = flat.chars().collect();
    while rest.len() > width.max(1) {
        let space = rest[..=width].iter().rposition(|c| *c == ' ').filter(|at| *at > width / 4);
        let tail = rest.split_off(space.unwrap_or(width));
        lines.push(rest.into_iter().collect());
        rest = tail.into_iter().skip_while(|c| *c == ' ').collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// The text on one line, cut to this many characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if flat.chars().count() <= most {
        return flat;
    }
    match most {
        0 => String::new(),
        _ => flat.chars().take(most - 1).chain(['…']).collect(),
    }
}
