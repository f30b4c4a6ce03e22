//! An explanation as reports want it, and its facts in words.

#[cfg(feature = "html")]
mod step_lines;

use shakedown_campaign::{Chance, Change, ExplainedStep, Explanation, Need, SwapResult};
use shakedown_cluster::Trace;

use crate::ForbiddenStep;
use crate::step_words::step_words;

/// The most pairs that are named in a sentence.
const PAIRS_MAX: usize = 3;

/// Why a failure failed, with the replay of the execution that it is compared with.
#[derive(Clone)]
pub struct Explained {
    /// What was found out.
    pub explanation: Explanation,
    /// The nearest passing execution, recorded in full.
    pub passing: Option<Trace>,
    /// The first step that the specification forbids, where one is followed.
    pub forbidden: Option<ForbiddenStep>,
}

/// A chance as a percentage. Only what always came is 100 %, and only what never came is 0 %.
pub(crate) fn percent(chance: Chance) -> String {
    let rounded = (100.0 * chance.rate()).round();
    match chance.met {
        0 => "0 %".to_owned(),
        _ if chance.met == chance.of => "100 %".to_owned(),
        _ if rounded < 1.0 => "<1 %".to_owned(),
        _ if rounded > 99.0 => ">99 %".to_owned(),
        _ => format!("{rounded} %"),
    }
}

/// The interval of a chance: "36 to 46 %".
fn interval(chance: Chance) -> String {
    format!("{:.1} to {:.1} %", 100.0 * chance.low, 100.0 * chance.high)
}

impl Explained {
    /// What is known, in plain words: every sentence states what was counted or replayed.
    pub fn paragraph(&self) -> String {
        let sentences = [
            Some(self.where_it_comes()),
            Some(self.what_it_needs()),
            self.what_is_far(),
            Some(self.how_likely()),
            self.where_it_was_lost(),
            self.forbidden
                .as_ref()
                .map(|step| format!("The first step that the specification forbids is {step}.")),
            self.order(),
            self.explanation.nearest.as_ref().map(|nearest| {
                format!("The nearest execution that passes has {}.", change_words(&nearest.change))
            }),
        ];
        sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn where_it_comes(&self) -> String {
        let property = &self.explanation.violation.property;
        let what = match property.strip_prefix("panic at ") {
            Some(place) => format!("The panic at {place} comes"),
            None => format!("{property} is violated"),
        };
        match self.explanation.steps.last() {
            Some(step) => format!("{what} at step {}, when {}.", step.number, step_words(&step.step)),
            None => format!("{what} without any step."),
        }
    }

    fn what_it_needs(&self) -> String {
        let (all, needed) = (self.explanation.steps.len(), self.explanation.needed().count());
        let free = all - needed;
        match (needed, free) {
            (0, 0) => String::new(),
            (_, 0) if self.explanation.is_minimal => {
                format!("It needs all {all} steps: when any one of them is left out, it does not come.")
            }
            (_, 0) => format!("No step of the {all} was found that can be left out."),
            (_, 1) => format!("It needs {needed} of the {all} steps; the other one can be left out."),
            _ => {
                let moved =
                    self.explanation.steps.iter().filter(|step| step.need == Need::FreeToMove).count();
                let together =
                    self.explanation.steps.iter().filter(|step| step.need == Need::FreeTogether).count();
                let mut alone = match (moved, together) {
                    (0, 0) => "one by one or all together".to_owned(),
                    _ => "all together".to_owned(),
                };
                if moved > 0 {
                    alone += &format!(" ({moved} of them alone only if moved)");
                }
                format!(
                    "It needs {needed} of the {all} steps; the other {free} can be left out, {alone}, and it still comes."
                )
            }
        }
    }

    /// Steps that it needs though no message or activation leads from them to it.
    fn what_is_far(&self) -> Option<String> {
        let far: Vec<_> = self
            .explanation
            .needed()
            .filter(|step| step.is_in_past == Some(false))
            .map(|step| step.number)
            .collect();
        if far.is_empty() {
            return None;
        }
        let steps = ranges(&far);
        Some(format!("From {steps} no chain of messages leads to it: the property is about several nodes."))
    }

    fn how_likely(&self) -> String {
        let Explanation { at_boot, continuation, .. } = &self.explanation;
        let mut text = format!(
            "Of {} random executions of at most {} steps from the start, {} come to it ({}).",
            at_boot.of,
            continuation.steps_max,
            if at_boot.met == 0 { "none".to_owned() } else { at_boot.met.to_string() },
            interval(*at_boot)
        );
        let jump = self.explanation.largest_jump().filter(|(_, before, after)| after.low > before.high);
        if let Some((step, before, after)) = jump {
            text += &format!(
                " The chance rises most at step {}, when {}: from {} to {}.",
                step.number,
                step_words(&step.step),
                percent(before),
                percent(after)
            );
        }
        text
    }

    /// The step from which on it comes more often than not.
    fn where_it_was_lost(&self) -> Option<String> {
        let is_lost = |step: &&ExplainedStep| step.chance.is_none_or(|chance| chance.low > 0.5);
        let lost =
            self.explanation.steps.iter().rev().take_while(is_lost).filter(|step| step.chance.is_some());
        let first = lost.last()?;
        let is_last = first.number == self.explanation.steps.len();
        Some(match is_last {
            true => "Up to the last step, most continuations might still have avoided it.".to_owned(),
            false => format!("From step {} on, most continuations come to it.", first.number),
        })
    }

    fn order(&self) -> Option<String> {
        let pairs: Vec<_> = self
            .explanation
            .swaps
            .iter()
            .filter(|swap| swap.result == SwapResult::Passes)
            .map(|swap| format!("{} and {}", swap.first, swap.first + 1))
            .collect();
        let more = pairs.len().saturating_sub(PAIRS_MAX);
        let named = pairs.iter().rev().take(PAIRS_MAX).rev().cloned().collect::<Vec<_>>().join(", ");
        match (pairs.len(), more) {
            (0, _) => None,
            (1, _) => {
                Some(format!("The order of steps {named} matters: in the other order nothing is violated."))
            }
            (_, 0) => Some(format!(
                "The order matters of the steps {named}: in the other order nothing is violated."
            )),
            _ => {
                let pairs = if more == 1 { "pair" } else { "pairs" };
                Some(format!(
                    "The order matters of the steps {named}, and of {more} more {pairs}: in the other order nothing is violated."
                ))
            }
        }
    }
}

/// What is changed in the nearest passing execution.
pub(crate) fn change_words(change: &Change) -> String {
    match change {
        Change::Swapped(first) => {
            format!("the same steps, with {first} and {} in the other order", first + 1)
        }
        Change::Delayed { step, after } => format!("the same steps, with step {step} after step {after}"),
        Change::Lost(step) => format!("the same steps, but the message of step {step} is lost"),
        Change::Dropped { step, others } if others.is_empty() => format!("all steps but step {step}"),
        Change::Dropped { step, others } => {
            format!("all steps but step {step}, and {}, which cannot be done without it", ranges(others))
        }
    }
}

/// Numbers of steps, those in a row as ranges: "steps 1 to 4, 7 and 9".
pub(crate) fn ranges(numbers: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let words: Vec<String> = parts
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    let several = if numbers.len() == 1 { "step" } else { "steps" };
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{several} {} and {last}", rest.join(", ")),
        _ => format!("{several} {}", words.join("")),
    }
}
