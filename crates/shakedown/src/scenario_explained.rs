//! `scenario run --explain`: one iteration as a diagram, and event by event.

use std::collections::BTreeSet;

use shakedown_campaign::{AnyTarget, ScenarioSummary, Silent, guarded, replay};
use shakedown_cluster::Recording;
use shakedown_report::{DiagramStyle, Paint, Text, diagram, line};

use crate::printing::step_time;
use crate::terminal::width;

/// The fewest events in a row that are folded.
const FOLD_MIN: usize = 4;

/// The most lines of the diagram, unless everything is wanted: most of a long iteration are ticks and
/// heartbeats.
const DIAGRAM_LINES_MAX: usize = 60;

/// The diagram of the iteration that is explained. There is none if it cannot be replayed, as where nodes
/// keep their own time.
pub(crate) fn diagram_of(target: &dyn AnyTarget, summary: &ScenarioSummary, all: bool) -> Text {
    let Some(explained) = summary.explained.as_ref().filter(|_| target.info().is_deterministic) else {
        return Text::new();
    };
    let replayed = guarded(step_time(target), &Silent, 0, |beat| {
        replay(target, &explained.config, explained.seed, &explained.schedule, Recording::Full, beat)
    });
    let Ok(outcome) = replayed else { return Text::new() };
    let lines_max = if all { usize::MAX } else { DIAGRAM_LINES_MAX };
    let style = DiagramStyle { width: width(), lines_max };
    let mut text = diagram(&outcome.trace, style);
    text.blank();
    text
}

/// The events, a line each. Several in a row that are like earlier ones but for the numbers of their
/// messages, such as heartbeats, are one line, unless all are wanted.
pub(crate) fn folded(log: &[String], all: bool) -> Text {
    let mut text = Text::new();
    let mut seen = BTreeSet::new();
    let is_new: Vec<bool> = log.iter().map(|entry| seen.insert(without_numbers(entry))).collect();
    let mut at = 0;
    while at < log.len() {
        let like_earlier = is_new[at..].iter().take_while(|is_new| !**is_new).count();
        if !all && like_earlier >= FOLD_MIN {
            line!(text, "      {}", Paint.faint(format_args!("… {like_earlier} events like earlier ones")));
            at += like_earlier;
        } else {
            line!(text, "      {}", log[at]);
            at += 1;
        }
    }
    text
}

/// An event without the numbers that tell messages of one link apart.
fn without_numbers(entry: &str) -> String {
    let mut parts = entry.split('#');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push('#');
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_are_folded_and_what_is_new_is_not() {
        let beat = |number: usize| format!("n1 sends Append n1>n2#{number} (term 1)   [start]");
        let mut log: Vec<String> = (1..=10).map(beat).collect();
        log.push("n2 role role=candidate term=2".to_owned());
        log.push(beat(11));
        let short = folded(&log, false).to_string();
        let short: Vec<&str> = short.lines().map(str::trim).collect();
        assert_eq!(
            short,
            [&beat(1), "… 9 events like earlier ones", "n2 role role=candidate term=2", &beat(11)]
        );
        assert_eq!(folded(&log, true).to_string().lines().count(), 12);
    }
}
