//! Messages: arrows, those that end in a cross, and beginnings of arrows.
//!
//! `layout.js` lays them out again when rows or lanes are hidden, by the same rules; the browser test holds
//! the two together. What stands at the end of an arrow has coordinates of its own, so that it is put
//! elsewhere by its `transform` alone.

use shakedown_cluster::Name;

use super::{Drawing, LETTER};
use crate::birth::Origin;
use crate::escape::{plain, text};
use crate::html::COLOURS;
use crate::html::geometry::Point;
use crate::html::space_time::{Arrow, End};

/// The longest contents of a message in its tooltip, in characters.
const CONTENTS_MAX: usize = 600;

impl Drawing<'_> {
    fn open_message(&mut self, arrow: &Arrow<'_>, fate: &str) {
        let origin = match arrow.origin {
            Origin::Sent => "",
            Origin::Copied => " doubled",
            Origin::Forged => " forged",
        };
        let group = self.kinds.iter().position(|(known, _)| *known == arrow.kind).unwrap_or(0);
        put!(
            self.svg,
            "<g class=\"message {fate}{origin} k{}\" data-ends=\"{} {} {}\" data-sent=\"{}\" data-message=\"{} {}\"><title>{}</title>",
            group % COLOURS,
            arrow.id.from.index(),
            arrow.id.to.index(),
            group,
            arrow.sent,
            text(&arrow.id.to_string(), 40),
            text(arrow.kind.as_str(), 64),
            text(&tooltip(arrow), CONTENTS_MAX + 200)
        );
    }

    pub(super) fn arrow(&mut self, arrow: &Arrow<'_>) {
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
        self.shaft(&format!("M{} {}L{} {}", n(from.x), n(from.y), n(tip.x), n(tip.y)));
        let angle = (end.y - start.y).atan2(end.x - start.x).to_degrees();
        if is_lost {
            self.cross(end, 5.0, "cross");
        } else {
            self.tip(tip, angle);
        }
        let room = ((start.distance(end) - 34.0) / LETTER).max(3.0) as usize;
        let letters = kind.as_str().chars().count().min(room + 1);
        let angle = if angle.abs() > 90.0 { angle - 180.0 * angle.signum() } else { angle };
        let (class, place) = if angle.abs() <= 40.0 {
            let middle = end.towards(start, 17.0 + letters as f64 * LETTER / 2.0);
            ("", format!("translate({} {}) rotate({})", n(middle.x), n(middle.y), n(angle)))
        } else {
            // Along a steep arrow a label is hard to read: it lies across, on the side that the message comes
            // from.
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
        self.shaft(&format!(
            "M{} {}C{out} {},{out} {},{} {}",
            n(start.x + 5.0),
            n(start.y),
            n(start.y + 4.0),
            n(tip.y - 4.0),
            n(tip.x),
            n(tip.y)
        ));
        if is_lost {
            self.cross(tip, 5.0, "cross");
        } else {
            self.tip(tip, 180.0);
        }
        let beyond = self.at.notes().min(start.x as i32 + self.at.lane_width());
        let room = ((f64::from(beyond) - tip.x - 28.0) / LETTER) as usize;
        put!(
            self.svg,
            "<text class=\"kind right\" transform=\"translate({} {})\" y=\"3.5\">{}</text>",
            n(tip.x + 26.0),
            n(tip.y),
            text(kind.as_str(), room)
        );
    }

    /// The line of an arrow, and the broader one that is pointed at.
    fn shaft(&mut self, path: &str) {
        put!(self.svg, "<path class=\"grab\" d=\"{path}\"/><path class=\"shaft\" d=\"{path}\"/>");
    }

    /// The head of an arrow that points this way.
    fn tip(&mut self, tip: Point, degrees: f64) {
        put!(
            self.svg,
            "<path class=\"tip\" d=\"M0 0L-9 4L-9-4Z\" transform=\"translate({} {}) rotate({})\"/>",
            n(tip.x),
            n(tip.y),
            n(degrees)
        );
    }

    pub(super) fn cross(&mut self, at: Point, reach: f64, class: &str) {
        let both = 2.0 * reach;
        put!(
            self.svg,
            "<path class=\"{class}\" d=\"M-{reach}-{reach}l{both} {both}m0-{both}l-{both} {both}\" \
             transform=\"translate({} {})\"/>",
            n(at.x),
            n(at.y)
        );
    }

    /// A message that was still under way in the end: the beginning of an arrow.
    pub(super) fn stub(&mut self, arrow: &Arrow<'_>, place: usize) {
        self.open_message(arrow, "under-way");
        let start = self.at.at(arrow.id.from, arrow.sent);
        let aside = if arrow.id.to < arrow.id.from { -30.0 } else { 30.0 };
        let end = Point { x: start.x + aside, y: start.y + 9.0 + 5.0 * (place.min(3) as f64) };
        let from = start.towards(end, 5.0);
        self.shaft(&format!("M{} {}L{} {}", n(from.x), n(from.y), n(end.x), n(end.y)));
        put!(
            self.svg,
            "<circle class=\"waiting\" r=\"2.5\" transform=\"translate({} {})\"/></g>",
            n(end.x),
            n(end.y)
        );
    }
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
    let contents = plain(arrow.text, CONTENTS_MAX);
    format!("{} {}\n{contents}\n{began}, {ended}", arrow.kind, arrow.id)
}

/// A coordinate with at most one digit after the point.
fn n(value: f64) -> f64 {
    let rounded = (value * 10.0).round() / 10.0;
    // A minus before a zero would be noise.
    if rounded == 0.0 { 0.0 } else { rounded }
}
