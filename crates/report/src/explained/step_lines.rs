//! What the page says of one step of an explained failure.

use shakedown_campaign::{Chance, Need, SwapResult};

use super::{Explained, interval, ranges};

impl Explained {
    /// What there is to know of one step, in lines.
    pub(crate) fn step_lines(&self, number: usize) -> Vec<String> {
        let Some(step) = number.checked_sub(1).and_then(|place| self.explanation.steps.get(place)) else {
            return Vec::new();
        };
        let mut lines = vec![need_words(&step.need)];
        match (step.need == Need::Needed, step.is_in_past) {
            (true, Some(false)) => {
                lines.push("No chain of messages leads from it to the violation.".to_owned())
            }
            (false, Some(true)) => lines.push("It happened before the violation.".to_owned()),
            _ => {}
        }
        let is_last = number == self.explanation.steps.len();
        if let Some(chance) = step.chance.filter(|_| !is_last) {
            let Chance { met, of, .. } = chance;
            lines.push(format!("After it, {met} of {of} continuations come to it: {}.", interval(chance)));
        }
        let swapped = self.explanation.swaps.iter().find(|swap| swap.first == number);
        lines.extend(swapped.and_then(|swap| swap_words(swap.result)).map(str::to_owned));
        lines
    }
}

/// What a step has to do with the violation.
fn need_words(need: &Need) -> String {
    match need {
        Need::Needed => "The violation needs this step.".to_owned(),
        Need::FreeAlone => "Without this step it is still violated.".to_owned(),
        Need::FreeToMove => "One place earlier or later it is still violated.".to_owned(),
        Need::FreeWith(others) => format!("Without this step and {} it is still violated.", ranges(others)),
        Need::FreeTogether => {
            "Without this step and all others that are not needed it is still violated.".to_owned()
        }
    }
}

fn swap_words(result: SwapResult) -> Option<&'static str> {
    match result {
        SwapResult::Stays => Some("It may be swapped with the next step."),
        SwapResult::Passes => Some("Swapped with the next step, nothing is violated."),
        SwapResult::Impossible => Some("The next step needs it to come first."),
        SwapResult::Other | SwapResult::Same => None,
    }
}
