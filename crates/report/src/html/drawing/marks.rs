//! What a step does at a node: dots, diamonds, squares and crosses in a lane, with a label beside them.

use shakedown_cluster::{Name, NodeId, NodeSet, Step};

use super::{Drawing, LETTER, NOTE_MAX};
use crate::escape::text;
use crate::html::geometry::Point;
use crate::html::space_time::Row;

impl Drawing<'_> {
    /// What the step does at nodes, in a group for each of them.
    pub(super) fn marks(&mut self, row: &Row<'_>) {
        if let Some(node) = place(row.step) {
            self.at_lane(node, |drawing| drawing.mark(node, row));
        }
        match row.step {
            Step::Cut(a, b) | Step::Heal(a, b) => self.link(*a, *b, row),
            Step::Round { phase, name, kernel } => self.round(*phase, *name, *kernel, row),
            _ => {}
        }
        if let Some(node) = row.panicked {
            self.at_lane(node, |drawing| drawing.cross(drawing.at.at(node, row.number), 6.0, "panic"));
        }
        for node in row.answers.iter().copied() {
            self.at_lane(node, |drawing| drawing.diamond(node, row, "answered", 12));
        }
    }

    /// What is drawn belongs to the lane of a node, and moves with it.
    fn at_lane(&mut self, node: NodeId, draw: impl FnOnce(&mut Self)) {
        put!(self.svg, "<g data-lane=\"{}\">", node.index());
        draw(self);
        self.svg.push_str("</g>");
    }

    fn mark(&mut self, node: NodeId, row: &Row<'_>) {
        match row.step {
            Step::Deliver(..) => self.dot(node, row, "moment", 4.5),
            Step::Duplicate(_, kind) => {
                self.square(node, row, "doubling", true);
                self.label(node, row, &format!("copy of {kind}"));
            }
            Step::Tamper(_, kind, _) => {
                self.diamond(node, row, "lie", 0);
                self.label(node, row, &format!("tampers {kind}"));
            }
            Step::Inject(..) => {
                self.diamond(node, row, "lie", 0);
                self.label(node, row, "invents");
            }
            Step::Tick(_) if row.is_quiet => self.dot(node, row, "tick", 2.5),
            Step::Tick(_) => {
                self.dot(node, row, "moment", 4.5);
                self.label(node, row, "tick");
            }
            Step::Fire(_, timer) => {
                self.dot(node, row, "moment", 4.5);
                self.label(node, row, timer.as_str());
            }
            Step::Flush(_) => {
                self.square(node, row, "flush", false);
                self.label(node, row, "flush");
            }
            Step::Request(..) => {
                self.diamond(node, row, "asked", 0);
                self.label(node, row, "request");
            }
            Step::Retry(..) => {
                self.diamond(node, row, "asked", 0);
                self.label(node, row, "retry");
            }
            Step::Crash { .. } => {
                self.cross(self.at.at(node, row.number), 6.0, "crash");
                self.label(node, row, "crash");
            }
            Step::Restart(_) => {
                self.dot(node, row, "restart", 5.5);
                self.label(node, row, "restart");
            }
            Step::Drop(..) | Step::Cut(..) | Step::Heal(..) | Step::Round { .. } => {}
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
        put!(
            self.svg,
            "<path class=\"{class}\" data-link=\"{} {}\" d=\"M{left} {y}H{right}\"/>",
            a.index(),
            b.index()
        );
        for node in [a, b] {
            let x = self.at.lane(node);
            self.at_lane(node, |drawing| {
                put!(drawing.svg, "<path class=\"{class}-end\" d=\"M{x} {}v10\"/>", y - 5)
            });
        }
        let middle = (left + right) / 2;
        put!(
            self.svg,
            "<text class=\"kind {class}-word\" transform=\"translate({middle} {y})\" y=\"4\">{sign}</text>"
        );
    }

    fn round(&mut self, phase: u32, name: Name, kernel: NodeSet, row: &Row<'_>) {
        let (left, right) = self.at.lanes();
        let y = self.at.row(row.number);
        let top = self.at.extent(row.number).0;
        put!(
            self.svg,
            "<path class=\"round-edge\" data-edge=\"{}\" d=\"M{left} {top}H{right}\"/>",
            row.number
        );
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
}

/// The node in whose lane the mark of a step stands. That of a drop is the cross at the end of its arrow.
fn place(step: &Step) -> Option<NodeId> {
    match step {
        Step::Deliver(id, _) => Some(id.to),
        Step::Duplicate(id, _) | Step::Tamper(id, _, _) => Some(id.from),
        Step::Inject(node, ..)
        | Step::Tick(node)
        | Step::Fire(node, _)
        | Step::Flush(node)
        | Step::Request(node, _)
        | Step::Retry(node, _)
        | Step::Crash { node, .. }
        | Step::Restart(node) => Some(*node),
        Step::Drop(..) | Step::Cut(..) | Step::Heal(..) | Step::Round { .. } => None,
    }
}
