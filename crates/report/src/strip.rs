//! The strip beside a diagram in text: what the violation needs, and how likely it is after each step.

use shakedown_campaign::{Chance, Explanation, Need, SwapResult};

use crate::explained::percent;
use crate::text::{Paint, Painted};

/// How many characters a bar has.
const BAR: usize = 10;
/// How wide the strip is, in characters: two signs, a percentage, a bar, and what is between them.
pub(crate) const STRIP_WIDTH: usize = 2 + 1 + 5 + 1 + BAR + 2;

/// What stands beside the diagram.
pub(crate) struct Strip<'a>(pub &'a Explanation);

impl Strip<'_> {
    /// Whether the two steps, by their places, may share a line.
    pub fn is_alike(&self, first: usize, second: usize) -> bool {
        let need = |place: usize| self.0.steps.get(place).map(|step| step.need == Need::Needed);
        need(first) == need(second)
    }

    /// What stands beside the step at this place. Steps that were done after the violation have nothing.
    pub fn cells(&self, place: usize) -> [Painted; 3] {
        let Some(step) = self.0.steps.get(place) else {
            return [Paint.plain(" "), Paint.plain(" "), chance_cell(None)];
        };
        let sign = match step.need {
            Need::Needed => Paint.strong("●"),
            _ => Paint.faint("·"),
        };
        let swap = match self.0.swaps.get(place).map(|swap| swap.result) {
            Some(SwapResult::Stays) => Paint.faint("⇅"),
            Some(SwapResult::Passes) => Paint.bad("!"),
            _ => Paint.plain(" "),
        };
        [sign, swap, chance_cell(step.chance)]
    }

    /// What stands beside the start.
    pub fn start(&self) -> [Painted; 3] {
        [Paint.plain(" "), Paint.plain(" "), chance_cell(Some(self.0.at_boot))]
    }
}

/// A percentage and its bar. What is between the ends of the interval is shaded.
fn chance_cell(chance: Option<Chance>) -> Painted {
    let Some(chance) = chance else { return Paint.plain(format_args!(" {:>5} {:BAR$}", "", "")) };
    let sign = |cell: usize| {
        let middle = (cell as f64 + 0.5) / BAR as f64;
        match () {
            () if middle < chance.low => '█',
            () if middle < chance.high => '▒',
            () => '·',
        }
    };
    let bar: String = (0..BAR).map(sign).collect();
    let text = format!(" {:>5} {bar}", percent(chance));
    match chance.low {
        low if low > 0.5 => Paint.bad(text),
        low if low > 0.05 => Paint.warn(text),
        _ => Paint.faint(text),
    }
}
