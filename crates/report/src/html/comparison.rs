//! The tables that put strategies side by side.

use super::input::{Comparison, ComparisonRow};
use super::means;
use crate::escape::text;

/// The most rows and notes that are shown.
const ROWS_MAX: usize = 40;
const NOTES_MAX: usize = 20;
/// Below this the difference is called significant.
const SIGNIFICANT: f64 = 0.05;

/// The most tables that are shown.
const TABLES_MAX: usize = 40;

/// The section with the tables.
pub(super) fn section(page: &mut String, comparisons: &[Comparison]) {
    if comparisons.is_empty() {
        return;
    }
    page.push_str("<section id=\"comparison\" aria-labelledby=\"comparison-title\">\n<h2 id=\"comparison-title\">Comparison</h2>\n");
    for comparison in comparisons.iter().take(TABLES_MAX) {
        table(page, comparison);
    }
    if comparisons.len() > TABLES_MAX {
        put!(page, "<p class=\"limit\">{} tables are left out.</p>\n", comparisons.len() - TABLES_MAX);
    }
    page.push_str("</section>\n");
}

/// Which columns a table has: those of which something is known.
struct Columns {
    coverage: bool,
    found: bool,
    first_find: bool,
    test: bool,
}

impl Columns {
    fn of(comparison: &Comparison) -> Columns {
        let any = |has: fn(&ComparisonRow) -> bool| comparison.rows.iter().any(has);
        Columns {
            coverage: any(|row| row.coverage.is_some()),
            found: any(|row| row.found.is_some()),
            first_find: any(|row| row.found.is_some() || row.first_find.is_some()),
            test: any(|row| row.p_value.is_some() || row.effect.is_some()),
        }
    }
}

fn table(page: &mut String, comparison: &Comparison) {
    let columns = Columns::of(comparison);
    let against = match &comparison.baseline {
        Some(baseline) => format!("against {baseline}"),
        None => String::new(),
    };
    let (title, against) = (text(&comparison.title, 120), text(&against, 60));
    if !comparison.rows.is_empty() {
        put!(
            page,
            "<h3>{title}</h3>\n<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table>\n<thead><tr><th scope=\"col\">strategy</th>"
        );
        let mut heading = |is_there: bool, words: String| {
            if is_there {
                put!(page, "<th scope=\"col\" class=\"num\">{words}</th>");
            }
        };
        heading(columns.coverage, format!("{} <small>mean ± sd</small>", text(&comparison.measure, 80)));
        heading(columns.found, "found".to_owned());
        heading(columns.first_find, "first find <small>executions, fewer is better</small>".to_owned());
        heading(columns.test, format!("p <small>{against}</small>"));
        heading(columns.test, format!("Â₁₂ <small>{against}</small>"));
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in comparison.rows.iter().take(ROWS_MAX) {
            table_row(page, row, &columns, comparison.baseline.as_deref() == Some(&row.strategy));
        }
        page.push_str("</tbody></table></div>\n");
    }
    if comparison.rows.len() > ROWS_MAX {
        put!(page, "<p class=\"limit\">{} rows are left out.</p>\n", comparison.rows.len() - ROWS_MAX);
    }
    if comparison.rows.is_empty() && !comparison.means.is_empty() {
        put!(page, "<h3>{title}</h3>\n");
    }
    means::plot(page, &comparison.means);
    for note in comparison.notes.iter().take(NOTES_MAX) {
        put!(page, "<p class=\"note\">{}</p>\n", text(note, 600));
    }
    if comparison.notes.len() > NOTES_MAX {
        put!(page, "<p class=\"limit\">{} notes are left out.</p>\n", comparison.notes.len() - NOTES_MAX);
    }
}

fn table_row(page: &mut String, row: &ComparisonRow, columns: &Columns, is_baseline: bool) {
    let dash = || "–".to_owned();
    let spread = |value: &(f64, f64)| format!("{} <small>± {}</small>", number(value.0), number(value.1));
    let p = row.p_value.filter(|p| p.is_finite());
    let p_class = if p.is_some_and(|p| p < SIGNIFICANT) { " strong" } else { "" };
    let p = p.map_or_else(dash, |p| if p < 0.001 { "&lt; 0.001".to_owned() } else { format!("{p:.3}") });
    let word = row.effect_word.as_deref().unwrap_or("");
    let effect = row.effect.filter(|effect| effect.is_finite());
    put!(
        page,
        "<tr{}><th scope=\"row\">{}</th>",
        if is_baseline { " class=\"baseline\"" } else { "" },
        text(&row.strategy, 120)
    );
    let mut cell = |is_there: bool, class: &str, words: String| {
        if is_there {
            put!(page, "<td class=\"num{class}\">{words}</td>");
        }
    };
    cell(columns.coverage, "", row.coverage.as_ref().map_or_else(dash, spread));
    cell(columns.found, "", row.found.map_or_else(dash, |(found, of)| format!("{found}/{of}")));
    cell(columns.first_find, "", row.first_find.as_ref().map_or_else(dash, spread));
    cell(columns.test, p_class, p);
    let effect = effect.map_or_else(dash, |effect| format!("{effect:.2} <small>{}</small>", text(word, 20)));
    cell(columns.test, "", effect);
    page.push_str("</tr>\n");
}

/// A number with as many digits as are worth reading.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value.abs() >= 1e15 {
        return format!("{value:.2e}");
    }
    if value.abs() >= 100.0 || value == value.trunc() {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}", crate::grouped(value.abs().round() as u64));
    }
    format!("{value:.1}")
}
