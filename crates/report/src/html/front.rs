//! The front of the page: the bar with the way around, and the summary.

use super::input::{HtmlReport, ReportVerdict};
use crate::escape::text;
use crate::grouped;

/// The most lines of each kind.
const FACTS_MAX: usize = 60;
const FIRED_MAX: usize = 120;
const PROPERTIES_MAX: usize = 120;
const WARNINGS_MAX: usize = 60;
const FINDINGS_MAX: usize = 60;
const LINKS_MAX: usize = 6;
/// The longest line, in characters.
const LINE_MAX: usize = 400;

/// The bar at the top.
pub(super) fn bar(page: &mut String, report: &HtmlReport) {
    let mut nav = String::new();
    let links = [
        ("summary", "Summary", true),
        ("coverage", "Coverage", !report.plots.is_empty()),
        ("comparison", "Comparison", !report.comparisons.is_empty()),
        ("finding-1", "Findings", !report.findings.is_empty()),
        ("history-1", "History", !report.histories.is_empty()),
    ];
    for (name, address) in report.links.iter().filter(|(_, address)| address.starts_with('.')).take(LINKS_MAX)
    {
        put!(nav, "<a class=\"away\" href=\"{}\">{}</a>", text(address, LINE_MAX), text(name, 60));
    }
    for (place, name, is_there) in links {
        if is_there {
            put!(nav, "<a href=\"#{place}\">{name}</a>");
        }
    }
    top(page, "#summary", &nav, "");
}

/// The bar with the brand, which leads home, ways around, and what else there is.
pub(super) fn top(page: &mut String, home: &str, nav: &str, more: &str) {
    let home = if home.is_empty() { "./" } else { home };
    put!(
        page,
        "<header class=\"bar\"><a class=\"brand\" href=\"{home}\"><svg viewBox=\"0 0 24 24\" width=\"22\" height=\"22\" aria-hidden=\"true\">\
         <path d=\"M5 2v20M19 2v20\"/><path d=\"M5 6l14 4M19 14L5 18\"/><circle cx=\"19\" cy=\"10\" r=\"2.4\"/><circle cx=\"5\" cy=\"18\" r=\"2.4\"/></svg>Shakedown</a>\
         <nav aria-label=\"Parts of the report\">{nav}</nav>{more}<button type=\"button\" class=\"theme\" hidden aria-label=\"Light or dark\" title=\"Light or dark\">\
         <svg viewBox=\"0 0 24 24\" width=\"18\" height=\"18\" aria-hidden=\"true\"><circle cx=\"12\" cy=\"12\" r=\"9\"/><path class=\"half\" d=\"M12 3a9 9 0 0 1 0 18Z\"/></svg></button></header>\n"
    );
}

/// What came of it all.
pub(super) fn summary(page: &mut String, report: &HtmlReport) {
    put!(page, "<section id=\"summary\">\n<h1>{}</h1>\n", text(&report.title, 200));
    let (class, word) = match report.verdict {
        ReportVerdict::Pass => ("pass", "pass"),
        ReportVerdict::Fail => ("fail", "fail"),
        ReportVerdict::Unknown => ("unknown", "unknown"),
        ReportVerdict::None => ("none", ""),
    };
    if !word.is_empty() || !report.verdict_text.is_empty() {
        let badge =
            if word.is_empty() { String::new() } else { format!("<strong class=\"badge\">{word}</strong> ") };
        put!(page, "<p class=\"outcome {class}\">{badge}{}</p>\n", text(&report.verdict_text, LINE_MAX));
    }
    if !report.facts.is_empty() {
        page.push_str("<dl class=\"facts\">");
        for (name, value) in report.facts.iter().take(FACTS_MAX) {
            put!(page, "<div><dt>{}</dt><dd>{}</dd></div>", text(name, 60), text(&unbroken(value), LINE_MAX));
        }
        page.push_str("</dl>\n");
        left_out(page, "lines", report.facts.len(), FACTS_MAX);
    }
    if !report.warnings.is_empty() {
        page.push_str("<ul class=\"warnings\" aria-label=\"Warnings\">");
        for warning in report.warnings.iter().take(WARNINGS_MAX) {
            put!(page, "<li>{}</li>", text(warning, LINE_MAX));
        }
        page.push_str("</ul>\n");
        left_out(page, "warnings", report.warnings.len(), WARNINGS_MAX);
    }
    properties(page, report);
    fired(page, report);
    contents(page, report);
    page.push_str("</section>\n");
}

fn properties(page: &mut String, report: &HtmlReport) {
    if report.properties.is_empty() {
        return;
    }
    page.push_str(
        "<h3 id=\"properties\">Properties that were checked</h3>\n<div class=\"card scroll\" tabindex=\"0\" role=\"region\" \
         aria-labelledby=\"properties\"><table class=\"properties\">\n<thead><tr><th scope=\"col\">property</th>\
         <th scope=\"col\">executions in which its premise held</th><th scope=\"col\">held</th>\
         <th scope=\"col\">violated</th><th scope=\"col\">inconclusive</th></tr></thead>\n<tbody>",
    );
    for tally in report.properties.iter().take(PROPERTIES_MAX) {
        let [premise, held, violated, inconclusive] =
            [tally.premise, tally.held, tally.violated, tally.inconclusive].map(grouped);
        put!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{premise}</td><td>{held}</td><td>{violated}</td><td>{inconclusive}</td></tr>\n",
            text(&tally.name, 120)
        );
    }
    page.push_str("</tbody></table></div>\n");
    left_out(page, "properties", report.properties.len(), PROPERTIES_MAX);
}

fn fired(page: &mut String, report: &HtmlReport) {
    if report.fired.is_empty() {
        return;
    }
    page.push_str("<h3>What happened</h3>\n<ul class=\"fired\">");
    for fired in report.fired.iter().take(FIRED_MAX) {
        let class = if fired.count == 0 && fired.is_expected { " class=\"never\"" } else { "" };
        let count = if fired.count == 0 { "never".to_owned() } else { grouped(fired.count) };
        put!(page, "<li{class}><span>{}</span> <b>{count}</b></li>", text(&fired.what, 100));
    }
    page.push_str("</ul>\n");
    left_out(page, "lines", report.fired.len(), FIRED_MAX);
}

/// The findings in a list, if there are several.
fn contents(page: &mut String, report: &HtmlReport) {
    if report.findings.len() < 2 {
        return;
    }
    page.push_str("<h3>Findings</h3>\n<ol class=\"card contents\">");
    for (place, finding) in report.findings.iter().take(FINDINGS_MAX).enumerate() {
        let failure = &finding.failure;
        let with = if finding.options.is_empty() { String::new() } else { format!("{}, ", finding.options) };
        put!(
            page,
            "<li><a href=\"#finding-{}\"><b>{}</b><span>{}</span><small>{}{} nodes, {} steps, {}</small></a></li>",
            place + 1,
            text(&failure.violation.property, 120),
            text(&failure.violation.reason, 200),
            text(&with, 120),
            failure.config.nodes,
            failure.schedule.steps.len(),
            text(&failure.found.strategy, 60)
        );
    }
    page.push_str("</ol>\n");
    left_out(page, "findings", report.findings.len(), FINDINGS_MAX);
}

fn left_out(page: &mut String, what: &str, count: usize, most: usize) {
    if count > most {
        put!(page, "<p class=\"limit\">{} more {what} are left out.</p>\n", count - most);
    }
}

/// The text with the thousands of its numbers kept on one line.
fn unbroken(text: &str) -> String {
    let is_digit = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
    let characters: Vec<char> = text.chars().take(LINE_MAX + 1).collect();
    let keep = |(place, &c): (usize, &char)| {
        let is_inside =
            place > 0 && is_digit(characters.get(place - 1)) && is_digit(characters.get(place + 1));
        if c == ' ' && is_inside { '\u{a0}' } else { c }
    };
    characters.iter().enumerate().map(keep).collect()
}
