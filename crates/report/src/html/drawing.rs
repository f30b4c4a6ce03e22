//! Draws a space-time diagram as SVG. It is whole without any script; the script only fades, highlights and explains.
//!
//! Colours come from the page's style sheet by class, so that one drawing serves light, dark and print. Everything that
//! belongs to a step is in one group with its number, `<g class="step" data-step="8">`.

use shakedown_cluster::{Name, NodeId, NodeSet, Step};

use super::COLOURS;
use super::geometry::{Geometry, Point};
use super::space_time::{Arrow, End, Origin, Row, SpaceTime};
use crate::escape::text;

/// The longest contents of a message in its tooltip, in characters.
const CONTENTS_MAX: usize = 600;
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

/// Draws an execution that ended in the violation of a property. `label` is what the picture is called.
pub(super) fn draw(picture: &SpaceTime<'_>, label: &str, property: &str) -> Drawn {
    let mut drawing =
        Drawing { picture, at: Geometry::of(picture), kinds: kinds(picture), svg: String::new() };
    drawing.draw(label, property);
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
                "<rect x=\"{}\" y=\"7\" width=\"36\" height=\"22\" rx=\"11\"/><text x=\"{x}\" y=\"22\">{node}</text>",
                x - 18
            );
        }
        svg.push_str("</svg>");
        svg
    }

    fn draw(&mut self, label: &str, property: &str) {
        let (width, height) = (self.at.width(), self.at.height());
        put!(
            self.svg,
            "<svg class=\"space-time\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"xMinYMin\" role=\"img\" aria-label=\"{}\">\n",
            text(label, 300)
        );
        self.rounds();
        self.rows();
        self.lanes();
        self.bars();
        for row in &self.picture.rows {
            self.step(row);
        }
        self.verdict(property);
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
            let bottom =
                rounds.get(place + 1).map_or(self.at.lanes_end(), |next| self.at.extent(next.number).0);
            let height = bottom - top;
            let shade = if place % 2 == 0 { "even" } else { "odd" };
            put!(
                self.svg,
                "<rect class=\"band {shade}\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{height}\"/>\n",
                right - left
            );
            for node in NodeSet::first(self.picture.nodes).without(*kernel).iter() {
                let x = self.at.lane(node) - 9;
                put!(
                    self.svg,
                    "<rect class=\"isolated\" x=\"{x}\" y=\"{top}\" width=\"18\" height=\"{height}\" rx=\"4\"/>\n"
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

    fn lanes(&mut self) {
        let end = self.at.lanes_end();
        for node in self.nodes() {
            let x = self.at.lane(node);
            let mut from = 0;
            let down = self.picture.down.iter().filter(|(who, _)| *who == node);
            for (_, when) in down {
                let (crash, restart) = (self.at.row(*when.start()), self.at.row(*when.end()));
                put!(self.svg, "<path class=\"lane\" d=\"M{x} {from}V{crash}\"/>");
                put!(self.svg, "<path class=\"lane down\" d=\"M{x} {crash}V{restart}\"/>");
                from = restart;
            }
            if from < end {
                put!(self.svg, "<path class=\"lane\" d=\"M{x} {from}V{end}\"/>");
            }
            self.svg.push('\n');
        }
    }

    /// A bar beside the lanes for as long as a link is cut.
    fn bars(&mut self) {
        for (place, (a, b, when)) in self.picture.cut.iter().enumerate() {
            let Some(x) = self.at.bar(place) else { continue };
            let (from, to) = (self.at.row(*when.start()), self.at.row(*when.end()));
            put!(
                self.svg,
                "<path class=\"cut-bar\" d=\"M{x} {from}V{to}\"><title>{a}–{b} is cut</title></path>\n"
            );
        }
    }

    fn step(&mut self, row: &Row<'_>) {
        let number = row.number;
        let y = self.at.row(number);
        put!(self.svg, "<g class=\"step\" data-kind=\"{}\" data-step=\"{number}\">", row.step.kind().word());
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

    fn colour(&self, kind: Name) -> usize {
        self.kinds.iter().position(|(known, _)| *known == kind).unwrap_or(0) % COLOURS
    }

    fn open_message(&mut self, arrow: &Arrow<'_>, fate: &str) {
        let origin = match arrow.origin {
            Origin::Sent => "",
            Origin::Copied => " doubled",
            Origin::Forged => " forged",
        };
        put!(
            self.svg,
            "<g class=\"message {fate}{origin} k{}\" data-sent=\"{}\" data-message=\"{} {}\"><title>{}</title>",
            self.colour(arrow.kind),
            arrow.sent,
            text(&arrow.id.to_string(), 40),
            text(arrow.kind.as_str(), 64),
            text(&tooltip(arrow), CONTENTS_MAX + 200)
        );
    }

    fn arrow(&mut self, arrow: &Arrow<'_>) {
        let (number, is_lost) = match arrow.end {
            End::Received(number) => (number, false),
            End::Lost(number) => (number, true),
            End::UnderWay => return,
        };
        self.open_message(arrow, if is_lost { "lost" } else { "received" });
        let start = self.at.at(arrow.id.from, arrow.sent);
        let mut end = self.at.at(arrow.id.to, number);
        if is_lost {
            // It does not get there; what is lost as it is sent has a little way to go all the same.
            end.x = start.x + (end.x - start.x) * 0.6;
            end.y = end.y.max(start.y + 13.0);
        }
        if arrow.id.from == arrow.id.to {
            self.loop_back(start, end, is_lost, arrow.kind);
        } else {
            self.straight(start, end, is_lost, arrow.kind);
        }
        self.svg.push_str("</g>");
    }

    fn straight(&mut self, start: Point, end: Point, is_lost: bool, kind: Name) {
        let from = start.towards(end, 5.0);
        let tip = if is_lost { end } else { end.towards(start, 6.0) };
        let path = format!("M{} {}L{} {}", n(from.x), n(from.y), n(tip.x), n(tip.y));
        put!(self.svg, "<path class=\"grab\" d=\"{path}\"/><path class=\"shaft\" d=\"{path}\"/>");
        if is_lost {
            self.cross(end, 5.0, "cross");
        } else {
            self.tip(start, tip);
        }
        let room = ((start.distance(end) - 34.0) / LETTER).max(3.0) as usize;
        let letters = kind.as_str().chars().count().min(room + 1);
        let mut angle = (end.y - start.y).atan2(end.x - start.x).to_degrees();
        if angle.abs() > 90.0 {
            angle -= 180.0 * angle.signum();
        }
        let (class, place) = if angle.abs() <= 40.0 {
            let middle = end.towards(start, 17.0 + letters as f64 * LETTER / 2.0);
            ("", format!("translate({} {}) rotate({})", n(middle.x), n(middle.y), n(angle)))
        } else {
            // Along a steep arrow a label is hard to read: it lies across, on the side that the message comes from.
            let (side, aside) = if start.x < end.x { (" left", -7.0) } else { (" right", 7.0) };
            let point = end.towards(start, 22.0);
            (side, format!("translate({} {})", n(point.x + aside), n(point.y)))
        };
        put!(
            self.svg,
            "<text class=\"kind{class}\" transform=\"{place}\" y=\"3.5\">{}</text>",
            text(kind.as_str(), room)
        );
    }

    /// A message to oneself.
    fn loop_back(&mut self, start: Point, end: Point, is_lost: bool, kind: Name) {
        let out = start.x + 34.0;
        let tip = Point { x: start.x + if is_lost { 20.0 } else { 6.0 }, y: end.y };
        let path = format!(
            "M{} {}C{out} {},{out} {},{} {}",
            n(start.x + 5.0),
            n(start.y),
            n(start.y + 4.0),
            n(tip.y - 4.0),
            n(tip.x),
            n(tip.y)
        );
        put!(self.svg, "<path class=\"grab\" d=\"{path}\"/><path class=\"shaft\" d=\"{path}\"/>");
        if is_lost {
            self.cross(tip, 5.0, "cross");
        } else {
            self.tip(Point { x: tip.x + 10.0, ..tip }, tip);
        }
        let beyond = self.at.notes().min(start.x as i32 + self.at.lane_width());
        let room = ((f64::from(beyond) - tip.x - 28.0) / LETTER) as usize;
        put!(
            self.svg,
            "<text class=\"kind right\" x=\"{}\" y=\"{}\">{}</text>",
            n(tip.x + 26.0),
            n(tip.y + 3.5),
            text(kind.as_str(), room)
        );
    }

    /// The head of an arrow.
    fn tip(&mut self, start: Point, tip: Point) {
        let back = tip.towards(start, 9.0);
        let (dx, dy) = ((tip.x - back.x) / 9.0 * 4.0, (tip.y - back.y) / 9.0 * 4.0);
        put!(
            self.svg,
            "<path class=\"tip\" d=\"M{} {}L{} {}L{} {}Z\"/>",
            n(tip.x),
            n(tip.y),
            n(back.x - dy),
            n(back.y + dx),
            n(back.x + dy),
            n(back.y - dx)
        );
    }

    fn cross(&mut self, at: Point, reach: f64, class: &str) {
        let (left, right, top, bottom) = (n(at.x - reach), n(at.x + reach), n(at.y - reach), n(at.y + reach));
        put!(
            self.svg,
            "<path class=\"{class}\" d=\"M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}\"/>"
        );
    }

    /// A message that was still under way in the end: the beginning of an arrow.
    fn stub(&mut self, arrow: &Arrow<'_>, place: usize) {
        self.open_message(arrow, "under-way");
        let start = self.at.at(arrow.id.from, arrow.sent);
        let aside = if arrow.id.to < arrow.id.from { -30.0 } else { 30.0 };
        let end = Point { x: start.x + aside, y: start.y + 9.0 + 5.0 * (place.min(3) as f64) };
        let from = start.towards(end, 5.0);
        let path = format!("M{} {}L{} {}", n(from.x), n(from.y), n(end.x), n(end.y));
        put!(
            self.svg,
            "<path class=\"grab\" d=\"{path}\"/><path class=\"shaft\" d=\"{path}\"/><circle class=\"waiting\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/></g>",
            n(end.x),
            n(end.y)
        );
    }

    /// What the step does at a node.
    fn marks(&mut self, row: &Row<'_>) {
        match row.step {
            Step::Deliver(id, _) => self.dot(id.to, row, "moment", 4.5),
            // The arrow ends in a cross at this row: that is the mark.
            Step::Drop(..) => {}
            Step::Duplicate(id, kind) => {
                self.square(id.from, row, "doubling", true);
                self.label(id.from, row, &format!("copy of {kind}"));
            }
            Step::Tamper(id, kind, _) => {
                self.diamond(id.from, row, "lie", 0);
                self.label(id.from, row, &format!("tampers {kind}"));
            }
            Step::Inject(from, ..) => {
                self.diamond(*from, row, "lie", 0);
                self.label(*from, row, "invents");
            }
            Step::Tick(node) if row.is_quiet => self.dot(*node, row, "tick", 2.5),
            Step::Tick(node) => {
                self.dot(*node, row, "moment", 4.5);
                self.label(*node, row, "tick");
            }
            Step::Fire(node, timer) => {
                self.dot(*node, row, "moment", 4.5);
                self.label(*node, row, timer.as_str());
            }
            Step::Flush(node) => {
                self.square(*node, row, "flush", false);
                self.label(*node, row, "flush");
            }
            Step::Request(node, _) => {
                self.diamond(*node, row, "asked", 0);
                self.label(*node, row, "request");
            }
            Step::Crash { node, .. } => {
                self.cross(self.at.at(*node, row.number), 6.0, "crash");
                self.label(*node, row, "crash");
            }
            Step::Restart(node) => {
                self.dot(*node, row, "restart", 5.5);
                self.label(*node, row, "restart");
            }
            Step::Cut(a, b) | Step::Heal(a, b) => self.link(*a, *b, row),
            Step::Round { phase, name, kernel } => self.round(*phase, *name, *kernel, row),
        }
        if let Some(node) = row.panicked {
            self.cross(self.at.at(node, row.number), 6.0, "panic");
        }
        for node in &row.answers {
            self.diamond(*node, row, "answered", 12);
        }
    }

    fn dot(&mut self, node: NodeId, row: &Row<'_>, class: &str, radius: f64) {
        let Point { x, y } = self.at.at(node, row.number);
        put!(self.svg, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
    }

    fn diamond(&mut self, node: NodeId, row: &Row<'_>, class: &str, aside: i32) {
        let (x, y) = (self.at.lane(node) + aside, self.at.row(row.number));
        put!(self.svg, "<path class=\"{class}\" d=\"M{x} {}l6 6l-6 6l-6-6Z\"/>", y - 6);
    }

    fn square(&mut self, node: NodeId, row: &Row<'_>, class: &str, is_double: bool) {
        let (x, y) = (self.at.lane(node), self.at.row(row.number));
        if is_double {
            put!(
                self.svg,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"8\" height=\"8\"/>",
                x - 2,
                y - 6
            );
        }
        put!(self.svg, "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"8\" height=\"8\"/>", x - 5, y - 3);
    }

    fn label(&mut self, node: NodeId, row: &Row<'_>, label: &str) {
        // What is sent goes down from here, so a label is out of its way a little further up.
        let up = if row.sends { 6 } else { -4 };
        let aside = if row.answers.contains(&node) && !row.sends { 23 } else { 11 };
        let (x, y) = (self.at.lane(node) + aside, self.at.row(row.number) - up);
        let room = (f64::from(self.at.lane_width() - 18) / LETTER) as usize;
        put!(self.svg, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", text(label, room));
    }

    fn link(&mut self, a: NodeId, b: NodeId, row: &Row<'_>) {
        let y = self.at.row(row.number);
        let (left, right) = (self.at.lane(a.min(b)), self.at.lane(a.max(b)));
        let (class, sign) =
            if matches!(row.step, Step::Cut(..)) { ("cut", "cut") } else { ("heal", "healed") };
        put!(self.svg, "<path class=\"{class}\" d=\"M{left} {y}H{right}\"/>");
        for x in [left, right] {
            put!(self.svg, "<path class=\"{class}-end\" d=\"M{x} {}v10\"/>", y - 5);
        }
        let middle = (left + right) / 2;
        put!(self.svg, "<text class=\"kind {class}-word\" x=\"{middle}\" y=\"{}\">{sign}</text>", y + 4);
    }

    fn round(&mut self, phase: u32, name: Name, kernel: NodeSet, row: &Row<'_>) {
        let (left, right) = self.at.lanes();
        let y = self.at.row(row.number);
        let top = self.at.extent(row.number).0;
        put!(self.svg, "<path class=\"round-edge\" d=\"M{left} {top}H{right}\"/>");
        let isolated = NodeSet::first(self.picture.nodes).without(kernel);
        let phase = if phase == 0 { String::new() } else { format!("phase {phase} · ") };
        let isolated = if isolated.is_empty() { String::new() } else { format!(" · isolated: {isolated}") };
        put!(
            self.svg,
            "<text class=\"round-name\" x=\"{}\" y=\"{}\">{}</text>",
            self.at.notes(),
            y + 4,
            text(&format!("{phase}{name}{isolated}"), NOTE_MAX)
        );
    }

    /// The end of the execution.
    fn verdict(&mut self, property: &str) {
        let y = self.at.lanes_end();
        let (left, right) = self.at.lanes();
        put!(self.svg, "<path class=\"verdict-line\" d=\"M{left} {y}H{right}\"/>");
        put!(
            self.svg,
            "<text class=\"verdict\" x=\"{left}\" y=\"{}\">{} is violated</text>\n",
            y + 22,
            text(property, 80)
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
        Step::Request(_, op) => parts.push(op.to_string()),
        Step::Crash { keep: keep @ 1.., .. } => parts.push(format!("{keep} unflushed writes survive")),
        Step::Cut(..) | Step::Heal(..) => parts.push(row.step.to_string()),
        _ => {}
    }
    parts.extend(row.told.iter().cloned());
    parts.join("; ")
}

fn tooltip(arrow: &Arrow<'_>) -> String {
    let began = match (arrow.origin, arrow.sent) {
        (Origin::Copied, sent) => format!("copied at step {sent}"),
        (Origin::Forged, sent) => format!("forged, sent at step {sent}"),
        (Origin::Sent, 0) => "sent at boot".to_owned(),
        (Origin::Sent, sent) => format!("sent at step {sent}"),
    };
    let ended = match arrow.end {
        End::Received(step) => format!("received at step {step}"),
        End::Lost(step) => format!("lost at step {step}"),
        End::UnderWay => "never received".to_owned(),
    };
    let contents = crate::escape::plain(arrow.text, CONTENTS_MAX);
    format!("{} {}\n{contents}\n{began}, {ended}", arrow.kind, arrow.id)
}

fn one_line(text: &str) -> String {
    text.chars().take(NOTE_MAX + 1).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A coordinate with at most one digit after the point.
fn n(value: f64) -> f64 {
    let rounded = (value * 10.0).round() / 10.0;
    // A minus before a zero would be noise.
    if rounded == 0.0 { 0.0 } else { rounded }
}
