//! A comparison of strategies as text.

use std::fmt::Write;

use shakedown_statistics::{Better, Comparison, SIGNIFICANCE, Times};

use crate::compared::{Compared, ComparedCoverage, ComparedFinding, OverAll};
use crate::{Paint, Text, grouped, line};

/// A comparison as tables, with a line in plain words for every difference.
pub fn comparison(compared: &Compared) -> Text {
    let mut text = Text::new();
    let Compared { strategies, trials, budget, .. } = compared;
    line!(
        text,
        "{}",
        Paint.faint(format_args!(
            "{} strategies, {trials} trials each, {} executions a trial; p by Mann–Whitney U against {}, corrected (Holm)",
            strategies.len(),
            grouped(*budget),
            strategies[0]
        ))
    );
    for coverage in &compared.coverage {
        coverage_table(&mut text, strategies, coverage);
    }
    for finding in &compared.findings {
        finding_table(&mut text, strategies, finding);
    }
    if let Some(over_all) = &compared.over_all {
        over_all_table(&mut text, strategies, over_all);
    }
    text
}

/// Rows of cells, each column as wide as its widest cell.
fn table(text: &mut Text, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::from("   ");
        for (column, cell) in row.iter().enumerate() {
            let room = " ".repeat(widths[column] - cell.chars().count());
            // Names on the left, numbers on the right, words at the end.
            let _ = match column {
                0 => write!(line, " {cell}{room}"),
                _ if column + 1 == columns => write!(line, "  {cell}"),
                _ => write!(line, "  {room}{cell}"),
            };
        }
        line!(text, "{line}");
    }
}

fn heading(text: &mut Text, case: &str, what: &str) {
    let case = if case.is_empty() { String::new() } else { format!("{case}: ") };
    text.blank();
    line!(text, "  {}", Paint.strong(format_args!("{case}{what}")));
}

fn coverage_table(text: &mut Text, strategies: &[String], coverage: &ComparedCoverage) {
    heading(text, &coverage.case, &format!("coverage by {}", coverage.guide));
    let mut rows = vec![row(["strategy", "mean", "± sd", "least", "most", ""])];
    for (number, strategy) in strategies.iter().enumerate() {
        let summary = coverage.reached[number].summary();
        let deviation =
            summary.standard_deviation.map_or("–".to_owned(), |deviation| format!("{deviation:.1}"));
        let words = words(&coverage.against_first, number, strategies, Better::Greater("covers more"));
        rows.push(vec![
            strategy.clone(),
            format!("{:.1}", summary.mean),
            deviation,
            grouped(summary.least as u64),
            grouped(summary.greatest as u64),
            words,
        ]);
    }
    table(text, &rows);
}

fn finding_table(text: &mut Text, strategies: &[String], finding: &ComparedFinding) {
    let what = match &finding.property {
        Some(property) => format!("{property} is found"),
        None => "anything is found".to_owned(),
    };
    heading(text, &finding.case, &what);
    let mut rows = vec![row(["strategy", "found", "executions to it: mean", "median", ""])];
    for (number, strategy) in strategies.iter().enumerate() {
        let times: &Times = &finding.times[number];
        let number_of =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| grouped(value.round() as u64));
        let words = words(&finding.against_first, number, strategies, Better::Lesser("is sooner"));
        rows.push(vec![
            strategy.clone(),
            format!("{}/{}", times.share().found(), times.trials()),
            number_of(times.found_mean()),
            number_of(times.median()),
            words,
        ]);
    }
    table(text, &rows);
}

fn over_all_table(text: &mut Text, strategies: &[String], over_all: &OverAll) {
    heading(text, "", &format!("over all {} findings", over_all.findings));
    for line in over_all_lines(strategies, over_all) {
        line!(text, "    {line}");
    }
}

/// What is to be said of all findings together.
pub(crate) fn over_all_lines(strategies: &[String], over_all: &OverAll) -> Vec<String> {
    let analysis = &over_all.analysis;
    let mut lines = vec![format!(
        "repeated-measures ANOVA over log₁₀ of executions: F({}, {}) = {:.2}, {}, with Greenhouse–Geisser ε = {:.2} {}",
        analysis.condition_degrees,
        analysis.error_degrees,
        analysis.f,
        p_text(analysis.p),
        analysis.epsilon,
        p_text(analysis.corrected_p),
    )];
    if analysis.corrected_p >= SIGNIFICANCE {
        lines.push("no difference between the strategies".to_owned());
        return lines;
    }
    let differing: Vec<_> = over_all.pairs.iter().filter(|pair| pair.p < SIGNIFICANCE).collect();
    if differing.is_empty() {
        lines.push("no pair of strategies differs (Tukey)".to_owned());
    }
    for pair in differing {
        let (sooner, later) =
            if pair.difference < 0.0 { (pair.first, pair.second) } else { (pair.second, pair.first) };
        lines.push(format!(
            "{} is sooner than {}: {:.1} times on average, {} (Tukey)",
            strategies[sooner],
            strategies[later],
            10f64.powf(pair.difference.abs()),
            p_text(pair.p)
        ));
    }
    lines
}

fn p_text(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// A strategy against the first, in words; nothing for the first itself.
fn words(against_first: &[Comparison], number: usize, strategies: &[String], better: Better<'_>) -> String {
    let comparison = number.checked_sub(1).map(|number| &against_first[number]);
    comparison.map_or_else(String::new, |comparison| {
        comparison.words([&strategies[number], &strategies[0]], better)
    })
}
