//! The strip beside the lanes: how likely the violation is after each step, and which steps it needs.

use shakedown_campaign::{Chance, Explanation, Need, SwapResult};

use super::Drawing;
use crate::html::geometry::STRIP;

/// How wide a bar of certainty is, in pixels.
const BAR: f64 = (STRIP - 34) as f64;
/// Where bars begin.
const LEFT: f64 = 22.0;

impl Drawing<'_> {
    /// Draws the strip of all rows that are shown.
    pub(super) fn strip(&mut self, explanation: &Explanation) {
        for row in &self.picture.rows {
            let Some(step) = explanation.steps.get(row.number - 1) else { continue };
            let y = self.at.row(row.number);
            let is_needed = step.need == Need::Needed;
            let class = if is_needed { "needed" } else { "free" };
            put!(self.svg, "<g data-row=\"{}\">", row.number);
            put!(
                self.svg,
                "<circle class=\"{class}\" cx=\"11\" cy=\"{y}\" r=\"{}\"/>",
                if is_needed { 4 } else { 3 }
            );
            if let Some(chance) = step.chance {
                self.bar_of(chance, y);
            }
            self.svg.push_str("</g>");
            let swap = explanation.swaps.get(row.number - 1).map(|swap| swap.result);
            let is_shown = row.number < self.picture.left_out + self.picture.rows.len();
            match swap.filter(|_| is_shown) {
                Some(SwapResult::Stays) => self.between("may-swap", row.number, "these two may be swapped"),
                Some(SwapResult::Passes) => {
                    self.between("must-not-swap", row.number, "in the other order nothing is violated");
                }
                _ => {}
            }
        }
    }

    fn bar_of(&mut self, chance: Chance, y: i32) {
        let [rate, low, high] = [chance.rate(), chance.low, chance.high].map(|share| LEFT + BAR * share);
        let class = match chance.low {
            low if low > 0.5 => "lost",
            low if low > 0.05 => "risky",
            _ => "calm",
        };
        let top = y - 5;
        put!(
            self.svg,
            "<g class=\"chance {class}\"><title>{} of {} continuations: {:.1} % ({:.1} to {:.1} %)</title>\
             <rect class=\"track\" x=\"{LEFT}\" y=\"{top}\" width=\"{BAR}\" height=\"10\" rx=\"2\"/>\
             <rect class=\"share\" x=\"{LEFT}\" y=\"{top}\" width=\"{:.1}\" height=\"10\" rx=\"2\"/>\
             <path class=\"whisker\" d=\"M{low:.1} {y}H{high:.1}M{low:.1} {}v6M{high:.1} {}v6\"/></g>",
            chance.met,
            chance.of,
            100.0 * chance.rate(),
            100.0 * chance.low,
            100.0 * chance.high,
            rate - LEFT,
            y - 3,
            y - 3
        );
    }

    /// A sign between a row and the next one.
    fn between(&mut self, class: &str, number: usize, title: &str) {
        let (from, to) = (self.at.row(number) + 6, self.at.row(number + 1) - 6);
        put!(
            self.svg,
            "<path class=\"{class}\" data-after=\"{number}\" d=\"M3 {from}V{to}\"><title>{title}</title></path>\n"
        );
    }
}
