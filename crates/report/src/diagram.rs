//! Space-time diagrams in text: one lane per node, one line per step, time going down.
//!
//! A message is drawn when it arrives, from the lane of its sender to that of its receiver. Ticks of one node in a row
//! that bring about nothing are drawn as one line. To the right stands what the step brought: the contents of the
//! message, and what nodes told of themselves.

use shakedown_cluster::{Board, MessageId, Name, NodeId, NodeSet, Step, Trace};

use crate::line;
use crate::step_notes::{happenings, step_notes, writes};
use crate::strip::{STRIP_WIDTH, Strip};
use crate::text::{Paint, Text};

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
    Drawer::new(trace, style, marks).draw()
}

/// The columns before the first lane, or before the strip.
const MARGIN: usize = 9;
/// The columns for what a step brought that lanes leave free where there is a strip.
const NOTES_MIN: usize = 16;

struct Drawer<'a> {
    trace: &'a Trace,
    board: &'a Board,
    style: DiagramStyle,
    marks: Marks<'a>,
    margin: usize,
    lane_width: usize,
    /// Whether each node is up, as far as the drawing has come.
    up: Vec<bool>,
}

impl<'a> Drawer<'a> {
    fn new(trace: &'a Trace, style: DiagramStyle, marks: Marks<'a>) -> Drawer<'a> {
        let board = &trace.board;
        let margin = MARGIN + if marks.strip.is_some() { STRIP_WIDTH } else { 0 };
        let room = match marks.strip {
            Some(_) => style.width.saturating_sub(margin + NOTES_MIN).min(60),
            None => 60,
        };
        let lane_width = (room / board.size()).clamp(6, 18);
        Drawer { trace, board, style, marks, margin, lane_width, up: vec![true; board.size()] }
    }

    fn draw(mut self) -> Text {
        let mut text = self.head();
        let head = text.len();
        if let Some(strip) = self.marks.strip {
            let lanes: String = self.lanes()[self.margin..].iter().collect();
            let [sign, swap, chance] = strip.start();
            line!(text, "{}  {sign}{swap}{chance}  {lanes}", Paint.faint(format_args!("{:>7}", "start")));
        }
        let steps = self.board.steps();
        let mut at = 0;
        while at < steps.len() {
            let count = self.ticks_from(at);
            self.line(&mut text, at + count - 1, count);
            at += count;
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

    /// How many steps from here on are drawn as one line: ticks of one node that bring about nothing, and the one after.
    fn ticks_from(&self, at: usize) -> usize {
        let steps = self.board.steps();
        let Step::Tick(node) = steps[at] else { return 1 };
        let mut count = 1;
        while at + count < steps.len()
            && steps[at + count] == Step::Tick(node)
            && happenings(self.board, at + count - 1).next().is_none()
            && self.marks.strip.is_none_or(|strip| strip.is_alike(at, at + count))
            && self.marks.forbidden.is_none_or(|number| number != at + count && number != at + count + 1)
        {
            count += 1;
        }
        count
    }

    fn column(&self, node: NodeId) -> usize {
        self.margin + node.index() * self.lane_width
    }

    fn head(&self) -> Text {
        let mut row = vec![' '; self.margin];
        for node in NodeId::first(self.board.size()) {
            let name: Vec<char> = node.to_string().chars().collect();
            row.extend(name.iter());
            row.resize(self.margin + (node.index() + 1) * self.lane_width, ' ');
        }
        let names: String = row.into_iter().collect();
        let mut text = Text::new();
        line!(text, "{}", Paint.strong(names));
        text
    }

    fn lanes(&self) -> Vec<char> {
        let mut row = vec![' '; self.margin + self.board.size() * self.lane_width];
        for node in NodeId::first(self.board.size()) {
            row[self.column(node)] = if self.up[node.index()] { '│' } else { ' ' };
        }
        row
    }

    fn line(&mut self, text: &mut Text, at: usize, count: usize) {
        let step = &self.board.steps()[at];
        let mut row = self.lanes();
        let mut notes = Vec::new();
        let mut is_fault = false;
        match step {
            Step::Deliver(id, kind) => {
                self.arrow(&mut row, *id, *kind);
                notes.extend(self.message_text(*id, *kind));
            }
            Step::Drop(id, kind) => {
                is_fault = true;
                self.mark(&mut row, id.from, '✗', &format!("lost {kind}"));
                notes.push(format!("{kind} {id} is lost"));
            }
            Step::Duplicate(id, kind) => {
                self.mark(&mut row, id.from, '⧉', &kind.to_string());
                notes.push(format!("{kind} {id} is doubled"));
            }
            Step::Tamper(id, kind, lie) => {
                is_fault = true;
                self.mark(&mut row, id.from, '!', &format!("tamper {kind}"));
                notes.push(format!("{id} becomes {lie}"));
            }
            Step::Inject(from, to, lie) => {
                is_fault = true;
                self.mark(&mut row, *from, '!', "inject");
                notes.push(format!("to {to}: {lie}"));
            }
            Step::Tick(node) => {
                let label = if count == 1 { "tick".to_owned() } else { format!("tick ×{count}") };
                self.mark(&mut row, *node, '●', &label);
            }
            Step::Fire(node, timer) => self.mark(&mut row, *node, '●', &format!("timer {timer}")),
            Step::Flush(node) => self.mark(&mut row, *node, '●', "flush"),
            Step::Request(node, op) => {
                self.mark(&mut row, *node, '●', "request");
                notes.push(op.to_string());
            }
            Step::Retry(node, op) => {
                self.mark(&mut row, *node, '●', "retry");
                notes.push(op.to_string());
            }
            Step::Crash { node, keep } => {
                is_fault = true;
                self.mark(&mut row, *node, '✖', "crash");
                if *keep > 0 {
                    notes.push(writes(*keep, "kept"));
                }
                self.up[node.index()] = false;
            }
            Step::Restart(node) => {
                self.up[node.index()] = true;
                self.mark(&mut row, *node, '●', "restart");
            }
            Step::Round { phase, name, kernel } => return self.round(text, *phase, *name, *kernel),
            Step::Cut(a, b) | Step::Heal(a, b) => {
                is_fault = matches!(step, Step::Cut(..));
                let (a, b) = (self.column(*a.min(b)), self.column(*a.max(b)));
                let (end, dash) = if is_fault { ('✂', '╌') } else { ('●', '═') };
                row[a + 1..b].fill(dash);
                (row[a], row[b]) = (end, end);
                notes.push(step.to_string());
            }
        }
        notes.extend(step_notes(self.board, at));
        self.finish(text, at, count, row, &notes.join("; "), is_fault);
    }

    /// A line across the lanes: the round that begins, and who is isolated in it.
    fn round(&self, text: &mut Text, phase: u32, name: Name, kernel: NodeSet) {
        let mut row = vec!['┄'; self.board.size() * self.lane_width];
        for node in NodeId::first(self.board.size()) {
            row[self.column(node) - self.margin] = if kernel.contains(node) { '┼' } else { '╳' };
        }
        let isolated = NodeSet::first(self.board.size()).without(kernel);
        let phase = if phase == 0 { String::new() } else { format!("phase {phase}, ") };
        let isolated = if isolated.is_empty() { String::new() } else { format!("; isolated: {isolated}") };
        let lanes: String = row.into_iter().collect();
        let lanes = if isolated.is_empty() { Paint.faint(lanes) } else { Paint.bad(lanes) };
        let what = Paint.strong(format_args!("{phase}{name}{isolated}"));
        let margin = self.margin;
        line!(text, "{:margin$}{lanes} {what}", "");
    }

    fn message_text(&self, id: MessageId, kind: Name) -> Option<String> {
        let index = self.board.find(id, kind)?;
        self.trace.message_texts.get(index.index()).filter(|text| !text.is_empty()).cloned()
    }

    fn mark(&self, row: &mut [char], node: NodeId, sign: char, label: &str) {
        let column = self.column(node);
        row[column] = sign;
        let room = self.lane_width.saturating_sub(3);
        for (i, c) in label.chars().take(room).enumerate() {
            row[column + 2 + i] = c;
        }
    }

    fn arrow(&self, row: &mut [char], id: MessageId, kind: Name) {
        if id.from == id.to {
            return self.mark(row, id.to, '↺', kind.as_str());
        }
        let (from, to) = (self.column(id.from), self.column(id.to));
        let (left, right) = (from.min(to), from.max(to));
        row[left + 1..right].fill('─');
        row[from] = if self.up[id.from.index()] { '○' } else { '╶' };
        row[to] = '●';
        if from < to {
            row[to - 1] = '▶'
        } else {
            row[to + 1] = '◀'
        }
        let room = right - left - 5;
        let label: Vec<char> = kind.as_str().chars().take(room).collect();
        // Near the sender, so that long arrows can be read from where they begin.
        let start = if from < to { left + 3 } else { right - 2 - label.len() };
        row[start..start + label.len()].copy_from_slice(&label);
    }

    fn finish(&self, text: &mut Text, at: usize, count: usize, row: Vec<char>, note: &str, is_fault: bool) {
        let number =
            if count == 1 { format!("{}", at + 1) } else { format!("{}-{}", at + 2 - count, at + 1) };
        let number = format!("{number:>7}");
        let lanes: String = row[self.margin..].iter().collect();
        let room = self.style.width.saturating_sub(self.margin + lanes.chars().count() + 1);
        let room = if self.marks.strip.is_some() { room } else { room.max(20) };
        let note = shorten(note, room);
        let lanes = if is_fault { Paint.bad(lanes) } else { Paint.plain(lanes) };
        let is_forbidden = self.marks.forbidden == Some(at + 1);
        let number = if is_forbidden { Paint.bad(number) } else { Paint.faint(number) };
        let gap = if is_forbidden { Paint.bad(" ⊘") } else { Paint.plain("  ") };
        let note = Paint.faint(note);
        match self.marks.strip.map(|strip| strip.cells(at)) {
            Some([sign, swap, chance]) => line!(text, "{number}{gap}{sign}{swap}{chance}  {lanes} {note}"),
            None => line!(text, "{number}{gap}{lanes} {note}"),
        }
    }
}

/// The text on one line, cut to this many characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if flat.chars().count() <= most {
        return flat;
    }
    let kept: String = flat.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}
