//! Draws a space-time diagram as SVG. It is whole without any script; the script fades, highlights, explains
//! and hides.
//!
//! Colours come from the page's style sheet by class, so that one drawing serves light, dark and print.
//! Everything that belongs to a step is in one group with its number, `<g class="step" data-step="8">`. So
//! that the script can close the gaps that hidden rows and lanes leave, `data-lane` says in which lane
//! something stands, and `data-span` from which row to which other one it reaches (`layout.js`).

mod marks;
mod messages;
mod strip;

use shakedown_campaign::{Explanation, Need};
use shakedown_cluster::{Name, NodeId, NodeSet, Step};

use super::geometry::Geometry;
use super::space_time::{End, Row, SpaceTime};
use crate::escape::text;
use crate::step_notes::writes;

/// The longest text beside a row.
const NOTE_MAX: usize = 50;
/// How wide a character of a label is, in pixels.
const LETTER: f64 = 6.4;
/// How wide rows are, in pixels: wider than any page, for they fill what room there is.
const ROW_WIDTH: i32 = 4_000;

/// The names of the nodes, to stand above the lanes while the diagram scrolls; and the diagram.
pub(super) struct Drawn {
    pub head: String,
    pub body: String,
    /// The kinds of messages that are shown, in order of their colours, with how often each was received.
    pub kinds: Vec<(Name, usize)>,
}

/// What a picture is called, and what is marked in it.
pub(super) struct Captions<'a> {
    /// What the picture is called.
    pub label: &'a str,
    /// What stands at its end.
    pub end: &'a str,
    /// Whether that is a violation.
    pub is_bad: bool,
    /// Why it is one, for the strip.
    pub explanation: Option<&'a Explanation>,
    /// The step that the specification forbids.
    pub forbidden: Option<usize>,
}

/// Draws an execution.
pub(super) fn draw(picture: &SpaceTime<'_>, captions: &Captions<'_>) -> Drawn {
    let at = Geometry::of(picture, captions.explanation.is_some());
    let mut drawing = Drawing { picture, at, kinds: kinds(picture), svg: String::new() };
    drawing.draw(captions);
    Drawn { head: drawing.head(), body: drawing.svg, kinds: drawing.kinds }
}

fn kinds(picture: &SpaceTime<'_>) -> Vec<(Name, usize)> {
    let mut kinds: Vec<(Name, usize)> = Vec::new();
    for arrow in picture.rows.iter().flat_map(|row| row.ending.iter().chain(&row.waiting)) {
        let received = usize::from(matches!(arrow.end, End::Received(_)));
        match kinds.iter_mut().find(|(kind, _)| *kind == arrow.kind) {
            Some((_, count)) => *count += received,
            None => kinds.push((arrow.kind, received)),
        }
    }
    kinds
}

struct Drawing<'a> {
    picture: &'a SpaceTime<'a>,
    at: Geometry,
    kinds: Vec<(Name, usize)>,
    svg: String,
}

impl Drawing<'_> {
    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        NodeId::first(self.picture.nodes)
    }

    fn head(&self) -> String {
        let width = self.at.width();
        let mut svg = format!(
            "<svg class=\"lane-names\" width=\"{width}\" height=\"36\" viewBox=\"0 0 {width} 36\" preserveAspectRatio=\"xMinYMin\" aria-hidden=\"true\">"
        );
        for node in self.nodes() {
            let x = self.at.lane(node);
            put!(
                svg,
                "<g data-lane=\"{}\"><rect x=\"{}\" y=\"7\" width=\"36\" height=\"22\" rx=\"11\"/><text x=\"{x}\" y=\"22\">{node}</text></g>",
                node.index(),
                x - 18
            );
        }
        svg.push_str("</svg>");
        svg
    }

    fn draw(&mut self, captions: &Captions<'_>) {
        let (width, height) = (self.at.width(), self.at.height());
        put!(
            self.svg,
            "<svg class=\"space-time\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"xMinYMin\" role=\"img\" aria-label=\"{}\">\n",
            text(captions.label, 300)
        );
        self.rounds();
        self.rows();
        self.lanes();
        self.bars();
        if let Some(explanation) = captions.explanation {
            self.strip(explanation);
        }
        for row in &self.picture.rows {
            self.step(row, captions);
        }
        self.verdict(captions.end, captions.is_bad);
        self.svg.push_str("</svg>");
    }

    /// A band for every round, and the lanes of those that are isolated in it.
    fn rounds(&mut self) {
        let rows = &self.picture.rows;
        let rounds: Vec<_> = rows.iter().filter(|row| matches!(row.step, Step::Round { .. })).collect();
        let (left, right) = self.at.lanes();
        for (place, row) in rounds.iter().enumerate() {
            let Step::Round { kernel, .. } = row.step else { continue };
            let top = self.at.extent(row.number).0;
            let next = rounds.get(place + 1).map(|next| next.number);
            let bottom = next.map_or(self.at.lanes_end(), |next| self.at.extent(next).0);
            let end = next.unwrap_or_else(|| self.end());
            let height = bottom - top;
            let shade = if place % 2 == 0 { "even" } else { "odd" };
            put!(
                self.svg,
                "<rect class=\"band {shade}\" data-span=\"{} {end}\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{height}\"/>\n",
                row.number,
                right - left
            );
            for node in NodeSet::first(self.picture.nodes).without(*kernel).iter() {
                let x = self.at.lane(node) - 9;
                put!(
                    self.svg,
                    "<g data-lane=\"{}\"><rect class=\"isolated\" data-span=\"{} {end}\" x=\"{x}\" y=\"{top}\" width=\"18\" height=\"{height}\" rx=\"4\"/></g>\n",
                    node.index(),
                    row.number
                );
            }
        }
    }

    /// What is clicked on to choose a step.
    fn rows(&mut self) {
        for row in &self.picture.rows {
            let (top, height) = self.at.extent(row.number);
            put!(
                self.svg,
                "<rect class=\"row\" data-step=\"{}\" x=\"0\" y=\"{top}\" width=\"{ROW_WIDTH}\" height=\"{height}\"/>\n",
                row.number
            );
        }
    }

    /// The number after that of the last step: where lanes end.
    fn end(&self) -> usize {
        self.picture.left_out + self.picture.rows.len() + 1
    }

    /// A line down from the row of one step to that of another. 0 is above the first row.
    fn span(&mut self, class: &str, x: i32, from: usize, to: usize, inside: &str) {
        let (top, bottom) = (self.at.row(from), self.at.row(to));
        put!(self.svg, "<path class=\"{class}\" data-span=\"{from} {to}\" d=\"M{x} {top}V{bottom}\"");
        self.svg.push_str(&if inside.is_empty() { "/>".to_owned() } else { format!(">{inside}</path>") });
    }

    fn lanes(&mut self) {
        let (picture, end) = (self.picture, self.end());
        for node in self.nodes() {
            let x = self.at.lane(node);
            put!(self.svg, "<g data-lane=\"{}\">", node.index());
            let mut from = 0;
            for (_, when) in picture.down.iter().filter(|(who, _)| *who == node) {
                self.span("lane", x, from, *when.start(), "");
                self.span("lane down", x, *when.start(), *when.end(), "");
                from = *when.end();
            }
            if from < end {
                self.span("lane", x, from, end, "");
            }
            self.svg.push_str("</g>\n");
        }
    }

    /// A bar beside the lanes for as long as a link is cut.
    fn bars(&mut self) {
        let picture = self.picture;
        for (place, (a, b, when)) in picture.cut.iter().enumerate() {
            let Some(x) = self.at.bar(place) else { continue };
            let title = format!("<title>{a}–{b} is cut</title>");
            self.span("cut-bar", x, *when.start(), *when.end(), &title);
        }
    }

    fn step(&mut self, row: &Row<'_>, captions: &Captions<'_>) {
        let number = row.number;
        let y = self.at.row(number);
        let explained = captions.explanation.and_then(|explanation| explanation.steps.get(number - 1));
        let free = if explained.is_some_and(|step| step.need != Need::Needed) { " not-needed" } else { "" };
        let kind = row.step.kind().word();
        put!(self.svg, "<g class=\"step{free}\" data-kind=\"{kind}\" data-step=\"{number}\">");
        if captions.forbidden == Some(number) {
            let (x, y) = (self.at.numbers() + 9, y - 9);
            put!(
                self.svg,
                "<rect class=\"forbidden-step\" x=\"{}\" y=\"{y}\" width=\"{}\" height=\"18\" rx=\"9\">\
                 <title>the first step that the specification forbids</title></rect>",
                x - 34,
                38
            );
        }
        put!(self.svg, "<text class=\"number\" x=\"{}\" y=\"{}\">{number}</text>", self.at.numbers(), y + 4);
        for arrow in &row.ending {
            self.arrow(arrow);
        }
        for (place, arrow) in row.waiting.iter().enumerate() {
            self.stub(arrow, place);
        }
        self.marks(row);
        let note = note(row);
        if !note.is_empty() {
            put!(
                self.svg,
                "<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>",
                self.at.notes(),
                y + 4,
                text(&one_line(&note), NOTE_MAX)
            );
        }
        self.svg.push_str("</g>\n");
    }

    /// The end of the execution.
    fn verdict(&mut self, end: &str, is_bad: bool) {
        let y = self.at.lanes_end();
        let (left, right) = self.at.lanes();
        let was = if is_bad { "" } else { " was" };
        put!(self.svg, "<path class=\"verdict-line{was}\" d=\"M{left} {y}H{right}\"/>");
        put!(
            self.svg,
            "<text class=\"verdict{was}\" x=\"{left}\" y=\"{}\">{}</text>\n",
            y + 22,
            text(end, 140)
        );
    }
}

/// What stands beside a row.
fn note(row: &Row<'_>) -> String {
    let mut parts = Vec::new();
    match row.step {
        Step::Deliver(..) => {
            let contents = row.ending.iter().map(|arrow| arrow.text).filter(|text| !text.is_empty());
            parts.extend(contents.take(1).map(str::to_owned));
        }
        Step::Drop(id, kind) => parts.push(format!("{kind} {id} is lost")),
        Step::Duplicate(id, kind) => parts.push(format!("{kind} {id} is doubled")),
        Step::Tamper(id, _, text) => parts.push(format!("{id} becomes {text}")),
        Step::Inject(_, to, text) => parts.push(format!("to {to}: {text}")),
        Step::Request(_, op) | Step::Retry(_, op) => parts.push(op.to_string()),
        Step::Crash { keep: keep @ 1.., .. } => parts.push(writes(*keep, "kept")),
        Step::Cut(..) | Step::Heal(..) => parts.push(row.step.to_string()),
        _ => {}
    }
    parts.extend(row.step_notes.iter().cloned());
    parts.join("; ")
}

fn one_line(text: &str) -> String {
    text.chars().take(NOTE_MAX + 1).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
