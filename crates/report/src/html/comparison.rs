//! The table that puts strategies side by side.

use super::input::{Comparison, ComparisonRow};
use crate::escape::text;

/// The most rows and notes that are shown.
const ROWS_MAX: usize = 100;
const NOTES_MAX: usize = 40;
/// Below this the difference is called significant.
const SIGNIFICANT: f64 = 0.05;

/// The section with the table.
pub(super) fn table(page: &mut String, comparison: &Comparison) {
    page.push_str("<section id=\"comparison\" aria-labelledby=\"comparison-title\">\n<h2 id=\"comparison-title\">Comparison</h2>\n");
    let against = match &comparison.baseline {
        Some(baseline) => format!("against {baseline}"),
        None => String::new(),
    };
    put!(
        page,
        "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Comparison\"><table>\n<thead><tr><th scope=\"col\">strategy</th>\
         <th scope=\"col\" class=\"num\">{} <small>mean ± sd</small></th><th scope=\"col\" class=\"num\">found</th>\
         <th scope=\"col\" class=\"num\">first find <small>executions</small></th>\
         <th scope=\"col\" class=\"num\">p <small>{against}</small></th><th scope=\"col\" class=\"num\">Â₁₂ <small>{against}</small></th></tr></thead>\n<tbody>\n",
        text(&comparison.measure, 80),
        against = text(&against, 60)
    );
    for row in comparison.rows.iter().take(ROWS_MAX) {
        table_row(page, row, comparison.baseline.as_deref() == Some(&row.strategy));
    }
    page.push_str("</tbody></table></div>\n");
    if comparison.rows.len() > ROWS_MAX {
        put!(page, "<p class=\"limit\">{} rows are left out.</p>\n", comparison.rows.len() - ROWS_MAX);
    }
    for note in comparison.notes.iter().take(NOTES_MAX) {
        put!(page, "<p class=\"note\">{}</p>\n", text(note, 600));
    }
    if comparison.notes.len() > NOTES_MAX {
        put!(page, "<p class=\"limit\">{} notes are left out.</p>\n", comparison.notes.len() - NOTES_MAX);
    }
    page.push_str("</section>\n");
}

fn table_row(page: &mut String, row: &ComparisonRow, is_baseline: bool) {
    let dash = || "–".to_owned();
    let spread = |value: &(f64, f64)| format!("{} <small>± {}</small>", number(value.0), number(value.1));
    let coverage = row.coverage.as_ref().map_or_else(dash, spread);
    let found = row.found.map_or_else(dash, |(found, of)| format!("{found}/{of}"));
    let first = row.first_find.as_ref().map_or_else(dash, spread);
    let p = row.p_value.filter(|p| p.is_finite());
    let p_class = if p.is_some_and(|p| p < SIGNIFICANT) { " strong" } else { "" };
    let p = p.map_or_else(dash, |p| if p < 0.001 { "&lt; 0.001".to_owned() } else { format!("{p:.3}") });
    let word = row.effect_word.as_deref().unwrap_or("");
    let effect = row.effect.filter(|effect| effect.is_finite());
    let effect = effect.map_or_else(dash, |effect| format!("{effect:.2} <small>{}</small>", text(word, 20)));
    put!(
        page,
        "<tr{}><th scope=\"row\">{}</th><td class=\"num\">{coverage}</td><td class=\"num\">{found}</td><td class=\"num\">{first}</td>\
         <td class=\"num{p_class}\">{p}</td><td class=\"num\">{effect}</td></tr>\n",
        if is_baseline { " class=\"baseline\"" } else { "" },
        text(&row.strategy, 120)
    );
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
