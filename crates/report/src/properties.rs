//! Which properties were checked, as a table: on how many executions the premise of each held, and what came
//! of it.

use shakedown_campaign::{Properties, PropertyTally, Summary};

use crate::text::{Paint, Text};
use crate::{grouped, line};

/// The most lines of the table.
const LINES_MAX: usize = 60;
/// The widest name.
const NAME_MAX: usize = 48;

/// The table in text.
pub(crate) fn properties(properties: &Properties) -> Text {
    let mut text = Text::new();
    let shown = &properties.tallies[..properties.tallies.len().min(LINES_MAX)];
    let name = |tally: &PropertyTally| crate::diagram::shorten(&tally.name, NAME_MAX);
    let width = shown.iter().map(|tally| name(tally).chars().count()).max().unwrap_or(0).max(8);
    let mut row = |first: &str, name: &str, cells: [&str; 4]| {
        let [premise, held, violated, inconclusive] = cells;
        let first = Paint.faint(format_args!("{first:<10}"));
        line!(text, "  {first} {name:<width$} {premise:>12} {held:>10} {violated:>10} {inconclusive:>13}");
    };
    row("checked", "property", ["premise held", "held", "violated", "inconclusive"]);
    for tally in shown {
        let cells = [tally.premise, tally.held, tally.violated, tally.inconclusive].map(grouped);
        row("", &name(tally), cells.each_ref().map(String::as_str));
    }
    if properties.tallies.len() > LINES_MAX {
        line!(text, "             {} more properties are left out", properties.tallies.len() - LINES_MAX);
    }
    text
}

/// What is to be warned of: properties that were never put to the test, and executions in which nothing was
/// counted.
pub(crate) fn property_warnings(summary: &Summary) -> impl Iterator<Item = String> {
    let Properties { executions, tallies } = &summary.properties;
    let never = tallies.iter().filter(|tally| *executions > 0 && tally.premise == 0);
    let never = never
        .map(|tally| format!("{} was never put to the test: its premise held in no execution", tally.name));
    let uncounted = (*executions < summary.executions).then(|| {
        format!(
            "properties were counted in {} of {} executions only: an older version ran the others",
            grouped(*executions),
            grouped(summary.executions)
        )
    });
    never.chain(uncounted)
}
