//! The section of one finding: what was violated, the diagram with its controls, the schedule, and the text
//! to paste.

use shakedown_campaign::Violation;
use shakedown_cluster::Name;

use super::COLOURS;
use super::drawing::{Captions, Drawn, draw};
use super::rounds_grid::rounds_grid;
use super::space_time::SpaceTime;
use super::step_data::{Known, STEP_MAX, data};
use super::why::{forbidden, nearest, why};
use crate::escape::{script_json, text};
use crate::{Disorder, FindingReport, Reproduction, grouped};

/// The longest reason and replay command, in characters.
const REASON_MAX: usize = 1_000;
const COMMAND_MAX: usize = 2_000;
/// The most variables that differ, and the longest value of one.
const DIFFERING_MAX: usize = 40;
const CELL_MAX: usize = 400;
/// The most causes that are named.
const CAUSES_SHOWN: usize = 12;
/// What the signs in the diagram mean.
const SIGNS: &str = include_str!("signs.html");
/// The tools above the diagram, which the script fills and shows.
const TOOLS: &str = include_str!("tools.html");
/// The most kinds of messages in the legend.
const LEGEND_MAX: usize = 12;

/// Which finding, of how many, and how much of it.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub number: usize,
    pub of: usize,
    /// The most steps that are drawn.
    pub steps_max: usize,
    /// The most characters of the plain text.
    pub text_max: usize,
}

/// The section of a finding.
pub(super) fn section(finding: &FindingReport, shown: Shown) -> String {
    let Shown { number, of, steps_max, text_max } = shown;
    let mut html = String::new();
    let failure = &finding.failure;
    let (subject, words) = finding.reproduction.headline(&failure.violation);
    let class = if finding.reproduction == Reproduction::Violated { "is-violated" } else { "was-violated" };
    let eyebrow = match finding.reproduction {
        Reproduction::Execution => "Execution".to_owned(),
        _ => format!("Finding {number} of {of}"),
    };
    put!(
        html,
        "<section class=\"finding\" id=\"finding-{number}\" aria-labelledby=\"finding-{number}-title\">\n\
         <p class=\"eyebrow\">{eyebrow}</p>\n\
         <h2 id=\"finding-{number}-title\">{} <span class=\"{class}\">{}</span></h2>\n",
        text(&subject, 200),
        words
    );
    reason(&mut html, &failure.violation);
    forbidden(&mut html, finding, number);
    facts(&mut html, finding);
    causes(&mut html, finding);
    command(&mut html, finding, number);
    why(&mut html, finding);
    match &finding.trace {
        Some(trace) => {
            let picture = SpaceTime::of(trace, steps_max);
            if let Some(grid) = rounds_grid(trace).filter(|_| steps_max > 0) {
                html.push_str(&grid);
            }
            stage(&mut html, finding, &picture, number);
            nearest(&mut html, finding);
            schedule(&mut html, &picture, number);
        }
        None => html.push_str(
            "<p class=\"limit\">There is no diagram: the cluster never got as far as its first step.</p>\n",
        ),
    }
    plain_text(&mut html, finding, number, text_max);
    html.push_str("</section>\n");
    html
}

/// What was seen. Where a specification and an implementation differ, the variables are a table.
fn reason(html: &mut String, violation: &Violation) {
    let is_of_spec = violation.property.starts_with("inconsistent state");
    let difference = |line: &&str| is_of_spec && Differing::of(line).is_some();
    let words: Vec<_> = violation.reason.lines().filter(|line| !difference(line)).collect();
    put!(html, "<p class=\"reason\">{}</p>\n", text(&words.join("\n"), REASON_MAX));
    let rows: Vec<_> = violation.reason.lines().filter(difference).filter_map(Differing::of).collect();
    if rows.is_empty() {
        return;
    }
    html.push_str(
        "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Variables that differ\"><table class=\"differing\">\n\
         <thead><tr><th scope=\"col\">variable</th><th scope=\"col\">expected</th><th scope=\"col\">got</th></tr></thead>\n<tbody>",
    );
    for Differing { variable, expected, got } in rows.into_iter().take(DIFFERING_MAX) {
        let [variable, expected, got] = [variable, expected, got].map(|cell| text(cell, CELL_MAX));
        put!(html, "<tr><th scope=\"row\">{variable}</th><td>{expected}</td><td>{got}</td></tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}

/// A line of a reason in which a conformance check names a variable that differs:
/// ` role[1]: expected leader, got follower`.
struct Differing<'a> {
    variable: &'a str,
    expected: &'a str,
    got: &'a str,
}

impl Differing<'_> {
    fn of(line: &str) -> Option<Differing<'_>> {
        let (variable, values) = line.strip_prefix("  ")?.split_once("]: expected ")?;
        let (expected, got) = values.split_once(", got ")?;
        // The bracket belongs to the variable.
        let variable = &line[2..2 + variable.len() + 1];
        Some(Differing { variable, expected, got })
    }
}

fn facts(html: &mut String, finding: &FindingReport) {
    let failure = &finding.failure;
    let found = &failure.found;
    let steps = failure.schedule.steps.len();
    let is_found = finding.reproduction != Reproduction::Execution;
    let length = if !is_found {
        steps.to_string()
    } else if found.shrunk {
        format!("{steps}, shrunk from {}", found.steps)
    } else if !failure.repeats {
        format!("{steps}; it did not repeat: the target is not deterministic")
    } else {
        format!("{steps}, not shrunk")
    };
    let mut facts = vec![
        (
            "target",
            if failure.target_version.is_empty() {
                failure.target.clone()
            } else {
                failure.target_version.clone()
            },
        ),
        ("nodes", failure.config.nodes.to_string()),
        ("steps", length),
        (
            if is_found { "found by" } else { "chosen by" },
            format!("{}, execution {} of seed {}", found.strategy, found.execution, found.campaign_seed),
        ),
    ];
    if !finding.options.is_empty() {
        facts.push(("options", finding.options.clone()));
    }
    if let Some(trace) = &finding.trace {
        let Disorder { sent, missed, overtaken } = Disorder::of(&trace.board);
        facts.push(("messages", format!("{sent} sent, {missed} never received, {overtaken} overtaken")));
    }
    html.push_str("<dl class=\"facts\">");
    for (name, value) in facts {
        put!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", text(&value, 200));
    }
    html.push_str("</dl>\n");
}

/// How many executions failed so, by cause.
fn causes(html: &mut String, finding: &FindingReport) {
    if finding.causes.values().sum::<u64>() < 2 {
        return;
    }
    let mut counts: Vec<_> = finding.causes.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    html.push_str("<ul class=\"fired causes\" aria-label=\"Causes\">");
    for (cause, count) in counts.iter().take(CAUSES_SHOWN) {
        put!(html, "<li><span>{}</span> <b>{}</b></li>", text(cause, 200), grouped(**count));
    }
    if counts.len() > CAUSES_SHOWN {
        put!(html, "<li>and {} more</li>", counts.len() - CAUSES_SHOWN);
    }
    html.push_str("</ul>\n");
}

fn command(html: &mut String, finding: &FindingReport, number: usize) {
    if finding.replay.is_empty() {
        return;
    }
    put!(
        html,
        "<div class=\"command\"><span class=\"prompt\" aria-hidden=\"true\">$</span><code id=\"replay-{number}\" tabindex=\"0\">{}</code>\
         <button type=\"button\" class=\"copy\" data-copies=\"replay-{number}\" aria-label=\"Copy the replay command\">Copy</button></div>\n",
        text(&finding.replay, COMMAND_MAX)
    );
}

/// The diagram with its tools and, beside it, what is to be known of the chosen step.
fn stage(html: &mut String, finding: &FindingReport, picture: &SpaceTime<'_>, number: usize) {
    if picture.rows.is_empty() && picture.left_out > 0 {
        put!(
            html,
            "<p class=\"limit\">The diagram of {} steps is left out, for this page has a limit of size. \
             Replay the failure file to see it alone.</p>\n",
            picture.left_out
        );
        return;
    }
    if picture.left_out > 0 {
        put!(
            html,
            "<p class=\"limit\">Steps 1 to {} are left out of the diagram, for this page has a limit of size.</p>\n",
            picture.left_out
        );
    }
    if picture.arrows_left_out > 0 {
        put!(
            html,
            "<p class=\"limit\">{} lost or waiting messages are left out of the diagram.</p>\n",
            picture.arrows_left_out
        );
    }
    let label = format!(
        "Space-time diagram: {} nodes, {} steps. The schedule below says the same in words.",
        picture.nodes,
        picture.rows.len()
    );
    let (subject, words) = finding.reproduction.headline(&finding.failure.violation);
    let end = format!("{} {words}", crate::diagram::shorten(&subject, 80));
    let end = end.trim_end().to_owned();
    let is_bad = finding.reproduction == Reproduction::Violated;
    let explanation = finding.explained.as_ref().map(|explained| &explained.explanation);
    let forbidden = finding.forbidden().map(|step| step.number);
    let captions = Captions { label: &label, end: &end, is_bad, explanation, forbidden };
    let Drawn { head, body, kinds } = draw(picture, &captions);
    let known = Known { kinds: &kinds, spec: &finding.spec, why: finding.explained.as_ref(), forbidden };
    html.push_str("<div class=\"stage\">\n");
    panel(html, picture);
    html.push_str("<div class=\"card picture\">\n");
    legend(html, &kinds);
    html.push_str(TOOLS);
    put!(
        html,
        "<div class=\"sheet\"><div class=\"diagram\" id=\"diagram-{number}\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Diagram of finding {number}; arrow keys go through its steps\">\n{head}\n{body}\n</div></div>\n</div>\n</div>\n\
         <script type=\"application/json\" class=\"steps\">{}</script>\n",
        script_json(&data(picture, &known))
    );
}

/// The chosen step: beside the diagram, or above it where there is no room beside it.
fn panel(html: &mut String, picture: &SpaceTime<'_>) {
    put!(
        html,
        "<aside class=\"card panel\" aria-label=\"The chosen step\">\n<div class=\"controls\" hidden>\
         <button type=\"button\" data-go=\"first\" aria-label=\"First step\" title=\"First step (Home)\">⇤</button>\
         <button type=\"button\" data-go=\"back\" aria-label=\"One step back\" title=\"One step back (←)\">←</button>\
         <output class=\"place\">{} steps</output>\
         <button type=\"button\" data-go=\"on\" aria-label=\"One step on\" title=\"One step on (→)\">→</button>\
         <button type=\"button\" data-go=\"last\" aria-label=\"Last step\" title=\"Last step (End)\">⇥</button></div>\n\
         <div class=\"detail\"><p class=\"hint\">Time goes down, one row a step. With scripts allowed, the arrow keys \
         go through it, a click on a row shows the states before and after it, and pointing at an arrow shows its message.</p>{SIGNS}</div>\n</aside>\n",
        picture.rows.len()
    );
}

/// The colours of messages. With scripts allowed, chips take its place.
fn legend(html: &mut String, kinds: &[(Name, usize)]) {
    html.push_str("<ul class=\"legend\" aria-label=\"Kinds of messages\">");
    for (place, (kind, count)) in kinds.iter().take(LEGEND_MAX).enumerate() {
        let kind = text(kind.as_str(), 40);
        put!(html, "<li class=\"k{}\"><i></i>{kind} <small>{count}</small></li>", place % COLOURS);
    }
    if kinds.len() > LEGEND_MAX {
        put!(html, "<li>and {} more</li>", kinds.len() - LEGEND_MAX);
    }
    html.push_str("</ul>\n");
}

fn schedule(html: &mut String, picture: &SpaceTime<'_>, number: usize) {
    if picture.rows.is_empty() {
        return;
    }
    put!(
        html,
        "<details class=\"card schedule\" open>\n<summary>Schedule <small>{} steps</small></summary>\n\
         <button type=\"button\" class=\"copy\" data-copies=\"schedule-{number}\" aria-label=\"Copy the schedule\">Copy</button>\n\
         <ol id=\"schedule-{number}\" start=\"{}\">\n",
        picture.rows.len(),
        picture.left_out + 1
    );
    for row in &picture.rows {
        put!(
            html,
            "<li><button type=\"button\" data-step=\"{}\"><code>{}</code></button></li>\n",
            row.number,
            text(&row.step.to_string(), STEP_MAX)
        );
    }
    html.push_str("</ol>\n</details>\n");
}

fn plain_text(html: &mut String, finding: &FindingReport, number: usize, text_max: usize) {
    let is_cut = finding.text.chars().nth(text_max).is_some();
    let cut = if is_cut { "<p class=\"limit\">The end of this text is left out.</p>\n" } else { "" };
    put!(
        html,
        "<details class=\"card plain\">\n<summary>Plain text <small>to paste into an issue</small></summary>\n\
         <button type=\"button\" class=\"copy\" data-copies=\"text-{number}\" aria-label=\"Copy the plain text\">Copy</button>\n\
         <pre id=\"text-{number}\" tabindex=\"0\">{}</pre>\n{cut}</details>\n",
        text(&finding.text, text_max)
    );
}
