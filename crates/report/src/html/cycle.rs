//! A cycle of transactions: boxes around a circle, and arrows from each to the next.

use super::history::CycleTransaction;
use crate::escape::text;

/// The most transactions that are drawn; a longer cycle is shown in words only.
const DRAWN_MAX: usize = 12;
/// The most operations that a box shows, and how many characters of each.
const OPS_MAX: usize = 5;
const OP_CHARACTERS_MAX: usize = 30;
const BOX_WIDTH: f64 = 236.0;
const LINE_HEIGHT: f64 = 19.0;
/// How far an arrow is bent outwards.
const BEND: f64 = 46.0;
const MARGIN: f64 = 40.0;

#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
}

struct Frame {
    centre: Point,
    height: f64,
}

pub(super) fn draw(page: &mut String, transactions: &[CycleTransaction]) {
    let count = transactions.len();
    if count > DRAWN_MAX || count == 0 {
        put!(page, "<p class=\"limit\">The cycle has {count} transactions, too many to draw.</p>\n");
        return;
    }
    let tallest = transactions.iter().map(box_height).fold(0.0, f64::max);
    let (rx, ry) = match count {
        1 | 2 => (210.0, 0.0),
        _ => ((count as f64 * 62.0).max(270.0), (count as f64 * (tallest + 40.0) / 3.6).max(150.0)),
    };
    let centre = Point { x: rx + BOX_WIDTH / 2.0 + MARGIN, y: ry + tallest / 2.0 + MARGIN + BEND };
    let frames: Vec<Frame> = (0..count)
        .map(|place| {
            // Two stand side by side; more begin at the top.
            let start = if count <= 2 { std::f64::consts::PI } else { -std::f64::consts::FRAC_PI_2 };
            let angle = start + std::f64::consts::TAU * place as f64 / count as f64;
            let centre = Point { x: centre.x + rx * angle.cos(), y: centre.y + ry * angle.sin() };
            Frame { centre, height: box_height(&transactions[place]) }
        })
        .collect();
    put!(
        page,
        "<figure class=\"card cycle\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Cycle\">\
         <svg width=\"{:.0}\" height=\"{:.0}\" role=\"img\" aria-label=\"A cycle of {count} transactions\">",
        2.0 * centre.x,
        2.0 * centre.y
    );
    for (place, transaction) in transactions.iter().enumerate() {
        let next = &frames[(place + 1) % count];
        arrow(page, &frames[place], next, centre, transaction);
    }
    for (frame, transaction) in frames.iter().zip(transactions) {
        put_box(page, frame, transaction);
    }
    page.push_str("</svg></div>\n</figure>\n");
}

fn box_height(transaction: &CycleTransaction) -> f64 {
    let lines = transaction.ops.len().min(OPS_MAX) + usize::from(transaction.ops.len() > OPS_MAX);
    LINE_HEIGHT * (lines as f64 + 1.0) + 18.0
}

fn put_box(page: &mut String, frame: &Frame, transaction: &CycleTransaction) {
    let left = frame.centre.x - BOX_WIDTH / 2.0;
    let top = frame.centre.y - frame.height / 2.0;
    put!(
        page,
        "<rect class=\"txn\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{BOX_WIDTH}\" height=\"{:.1}\" rx=\"8\"/>\
         <text class=\"txn-name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        frame.height,
        left + 12.0,
        top + 22.0,
        text(&transaction.name, 20)
    );
    let mut y = top + 22.0;
    for op in transaction.ops.iter().take(OPS_MAX) {
        y += LINE_HEIGHT;
        put!(
            page,
            "<text class=\"txn-op\" x=\"{:.1}\" y=\"{y:.1}\">{}<title>{}</title></text>",
            left + 12.0,
            text(op, OP_CHARACTERS_MAX),
            text(op, 400)
        );
    }
    if transaction.ops.len() > OPS_MAX {
        put!(
            page,
            "<text class=\"txn-op\" x=\"{:.1}\" y=\"{:.1}\">and {} more</text>",
            left + 12.0,
            y + LINE_HEIGHT,
            transaction.ops.len() - OPS_MAX
        );
    }
}

/// An arrow that is bent away from the centre, with its label.
fn arrow(page: &mut String, from: &Frame, to: &Frame, centre: Point, transaction: &CycleTransaction) {
    let middle = Point { x: (from.centre.x + to.centre.x) / 2.0, y: (from.centre.y + to.centre.y) / 2.0 };
    let out = match length(middle, centre) {
        // Two transactions: there one goes above, and back below.
        distance if distance < 1.0 => {
            Point { x: 0.0, y: if from.centre.x < to.centre.x { -1.0 } else { 1.0 } }
        }
        distance => Point { x: (middle.x - centre.x) / distance, y: (middle.y - centre.y) / distance },
    };
    let bend = if length(middle, centre) < 1.0 { from.height.max(to.height) / 2.0 + BEND } else { BEND };
    let control = Point { x: middle.x + out.x * bend, y: middle.y + out.y * bend };
    let (start, end) = (border(from, control), border(to, control));
    let class = match transaction.label.as_str() {
        "ww" => "k0",
        "wr" => "k1",
        "rw" => "k6",
        "process" => "k3",
        _ => "k7",
    };
    put!(
        page,
        "<g class=\"{class}\"><title>{}</title><path class=\"dependency\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\"/>",
        text(&transaction.why, 400),
        start.x,
        start.y,
        control.x,
        control.y,
        end.x,
        end.y
    );
    head(page, control, end);
    // The curve passes half-way between its middle and the point that it is bent to.
    let label =
        Point { x: (start.x + 2.0 * control.x + end.x) / 4.0, y: (start.y + 2.0 * control.y + end.y) / 4.0 };
    put!(
        page,
        "<text class=\"dependency-name\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        label.x + out.x * 16.0,
        label.y + out.y * 16.0 + 4.0,
        text(&transaction.label, 20)
    );
}

fn head(page: &mut String, from: Point, to: Point) {
    let distance = length(from, to).max(0.1);
    let (dx, dy) = ((to.x - from.x) / distance, (to.y - from.y) / distance);
    put!(
        page,
        "<path class=\"head\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        to.x,
        to.y,
        to.x - dx * 10.0 - dy * 5.0,
        to.y - dy * 10.0 + dx * 5.0,
        to.x - dx * 10.0 + dy * 5.0,
        to.y - dy * 10.0 - dx * 5.0
    );
}

fn length(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// Where the way from the middle of a box to a point leaves the box.
fn border(frame: &Frame, to: Point) -> Point {
    let (dx, dy) = (to.x - frame.centre.x, to.y - frame.centre.y);
    let (half_width, half_height) = (BOX_WIDTH / 2.0 + 3.0, frame.height / 2.0 + 3.0);
    let share = (half_width / dx.abs().max(1e-9)).min(half_height / dy.abs().max(1e-9)).min(1.0);
    Point { x: frame.centre.x + dx * share, y: frame.centre.y + dy * share }
}
