//! Summaries and failures in text.

use serde_json::json;
use shakedown_campaign::{
    AnyTarget, ArmTally, Campaign, Cause, Config, Coverage, Failure, Finding, Summary, Verdict,
};
use shakedown_cluster::{StepKind, Trace};
use shakedown_explore::closure::Faults;

use crate::diagram::{DiagramStyle, Marks, marked_diagram, shorten};
use crate::disorder::Disorder;
use crate::forbidden_step::ForbiddenStep;
use crate::line;
use crate::properties::{properties, property_warnings};
use crate::reproduction::Reproduction;
use crate::rounds::{rounds_chart, space_line};
use crate::text::{Paint, Painted, Style, Text};

/// The most causes that a summary names.
const CAUSES_SHOWN: usize = 8;
/// The most lines of a reason that are printed.
const REASON_LINES_MAX: usize = 40;

/// What a campaign came to, in a few lines.
pub fn summary(campaign: &Campaign<'_>, summary: &Summary) -> Text {
    let mut text = summary_without_verdict(campaign, summary);
    line!(text, "  {}", outcome(summary));
    text
}

/// The same without its last line, for a caller that judges by more than the campaign.
pub fn summary_without_verdict(campaign: &Campaign<'_>, summary: &Summary) -> Text {
    let mut text = Text::new();
    let target = campaign.target;
    let seconds = summary.elapsed.as_secs_f64();
    let rate = summary.executions as f64 / seconds.max(1e-9);
    let mut line =
        |name: &str, what: &str| line!(text, "  {} {what}", Paint.faint(format_args!("{name:<10}")));
    line(
        "target",
        &format!(
            "{}, {} nodes, {}",
            of_version(target.name(), target.version()),
            campaign.plan.config.nodes,
            options(campaign)
        ),
    );
    line("strategy", &format!("{}, seed {}", campaign.plan.strategy, campaign.plan.seed));
    if let Ok(Some(lock_step)) = campaign.lock_step()
        && let Faults::Isolations(_) = lock_step.faults
    {
        line("space", &space_line(&lock_step.shape));
    }
    let shrinking = match summary.shrinking.as_secs_f64() {
        0.0 => String::new(),
        seconds => format!(", and {seconds:.1} s of shrinking"),
    };
    let (executions, rate) = (grouped(summary.executions), per_second(rate));
    let several = if summary.executions == 1 { "execution" } else { "executions" };
    line("ran", &format!("{executions} {several} in {seconds:.1} s ({rate} a second){shrinking}"));
    line("steps", &steps(summary));
    line("messages", &format!("{} sent · {} lost", grouped(summary.tally.sent), grouped(summary.tally.lost)));
    if summary.tally.rounds.rounds > 0 {
        line("rounds", &rounds(summary));
    }
    if summary.tally.requested > 0 {
        let (requested, answered) = (grouped(summary.tally.requested), grouped(summary.tally.answered));
        line("requests", &format!("{requested} sent · {answered} answered"));
    }
    if !summary.tally.facts.is_empty() {
        let facts: Vec<_> =
            summary.tally.facts.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
        line("seen", &facts.join(" · "));
    }
    for coverage in &summary.coverage {
        let (covered, last) = (grouped(coverage.covered()), grouped(coverage.last_new));
        let guide = &coverage.guide;
        line("coverage", &format!("{guide}: {covered} seen, the last new one in execution {last}"));
    }
    for (number, arm) in summary.arms.iter().enumerate() {
        line(if number == 0 { "arms" } else { "" }, &arm_line(arm, summary));
    }
    line("traces", &format!("fingerprint {}", summary.fingerprint));
    text.append(properties(&summary.properties));
    // Where nothing was done, the verdict is the only warning that is worth a line.
    let is_empty = summary.tally.all_steps() == 0;
    for kind in summary.inert.iter().filter(|_| !is_empty) {
        let warning = format!("warning: there was no {} step, though the target allows it", kind.word());
        line!(text, "  {}", Paint.warn(warning));
    }
    if let Some(left_out) = left_out(campaign, summary) {
        line!(text, "  {}", Paint.warn(format_args!("warning: {left_out}")));
    }
    for warning in property_warnings(summary).filter(|_| !is_empty) {
        line!(text, "  {}", Paint.warn(format_args!("warning: {warning}")));
    }
    for never in never_seen(summary) {
        line!(text, "  {}", Paint.warn(format_args!("warning: {never}")));
    }
    if let Some(limit) = summary.cut_short {
        line!(text, "  {}", Paint.warn(format_args!("cut short by {limit}")));
    }
    for (place, cause) in causes(summary).into_iter().enumerate() {
        let name = if place == 0 { "causes" } else { "" };
        line!(text, "  {} {}", Paint.faint(format_args!("{name:<10}")), shorten(&cause, 200));
    }
    text
}

/// How many executions failed by each cause, the most frequent first. Nothing if only one execution failed.
fn causes(summary: &Summary) -> Vec<String> {
    let mut counts: Vec<_> = summary.findings.iter().flat_map(|finding| &finding.causes).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    if counts.iter().map(|(_, count)| **count).sum::<u64>() < 2 {
        return Vec::new();
    }
    let more = counts.len().saturating_sub(CAUSES_SHOWN);
    let mut lines: Vec<_> = counts
        .into_iter()
        .take(CAUSES_SHOWN)
        .map(|(cause, count)| format!("{} × {cause}", grouped(*count)))
        .collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The faults and other steps that the target allows and the strategy never makes, in a sentence.
pub(crate) fn left_out(campaign: &Campaign<'_>, summary: &Summary) -> Option<String> {
    let kinds: Vec<_> = summary.left_out.iter().map(|kind| kind.word()).collect();
    let strategy = campaign.plan.strategy.info().name;
    let words = kinds.join(", ");
    (!kinds.is_empty())
        .then(|| format!("the strategy {strategy} makes no {words} steps, though the target allows them"))
}

/// What guides look out for and never saw, such as actions of a model that were never taken: a sentence for
/// each guide.
pub(crate) fn never_seen(summary: &Summary) -> impl Iterator<Item = String> {
    summary
        .coverage
        .iter()
        .filter(|coverage| !coverage.never().is_empty())
        .map(|coverage| format!("the guide {} never saw {}", coverage.guide, coverage.never().join(", ")))
}

/// A target with what exactly is under test.
pub fn of_version(target: &str, version: &str) -> String {
    match version {
        "" => target.to_owned(),
        version if version.starts_with(target) => version.to_owned(),
        version => format!("{target} ({version})"),
    }
}

pub(crate) fn options(campaign: &Campaign<'_>) -> String {
    let config = &campaign.plan.config;
    let mut parts = vec![format!("up to {} steps", config.steps), format!("{} requests", config.requests)];
    parts.extend(Some(changed_options(campaign.target, config)).filter(|changed| !changed.is_empty()));
    parts.join(", ")
}

/// The options that are not the target's defaults, as `name=value, …`.
pub fn changed_options(target: &dyn AnyTarget, config: &Config) -> String {
    let defaults = &target.defaults().options;
    let changed = config.options.iter().filter(|(name, value)| defaults.text(name) != Some(value));
    changed.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

/// What a strategy of several spent and brought.
pub(crate) fn arm_line(arm: &ArmTally, summary: &Summary) -> String {
    let share = 100.0 * arm.steps as f64 / summary.tally.all_steps().max(1) as f64;
    format!(
        "{}: {} executions, {} steps ({share:.0} %), {} new states, {} failed",
        arm.strategy,
        grouped(arm.executions),
        grouped(arm.steps),
        grouped(arm.new),
        grouped(arm.failed)
    )
}

fn steps(summary: &Summary) -> String {
    let mut parts = vec![format!("{} in all", grouped(summary.tally.all_steps()))];
    for kind in StepKind::ALL.into_iter().filter(|kind| *kind != StepKind::Round) {
        let count = summary.tally.of_kind(kind);
        if count > 0 {
            parts.push(format!("{} {}", kind.word(), grouped(count)));
        }
    }
    parts.join(" · ")
}

/// Rounds and phases on average, and how many of them had a quorum: what the paper reports with every table.
pub(crate) fn rounds(summary: &Summary) -> String {
    let tally = summary.tally.rounds;
    let average = |count: u64| count as f64 / summary.executions.max(1) as f64;
    let effect = tally.phases_with_effect.map_or_else(String::new, |phases| {
        format!(", {:.2} in which a request took effect on a majority", average(phases))
    });
    let phases = match tally.phases {
        // The target does not define its phase.
        0 => String::new(),
        phases => format!(
            " · phases {:.2}, {:.2} with a quorum{effect}",
            average(phases),
            average(tally.phases_with_quorum)
        ),
    };
    format!(
        "{:.2} an execution, {:.2} with a quorum{phases} · messages {:.2}",
        average(tally.rounds),
        average(tally.rounds_with_quorum),
        average(summary.tally.sent),
    )
}

fn outcome(summary: &Summary) -> Painted {
    match summary.verdict() {
        Verdict::Fail(_) => {
            let properties: Vec<_> =
                summary.findings.iter().map(|f| f.failure.violation.property.as_str()).collect();
            let several = if summary.failed == 1 { "execution" } else { "executions" };
            let failed = grouped(summary.failed);
            Paint.bad(format_args!("FAIL: {failed} {several} failed: {}", properties.join(", ")))
        }
        Verdict::Unknown(reason) => Paint.warn(format_args!("UNKNOWN: {reason}")),
        Verdict::Pass => Paint.good("PASS: no property was violated"),
    }
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A rate in words. Slow targets differ below ten a second, so that these have a decimal.
pub fn per_second(rate: f64) -> String {
    if rate < 9.95 { format!("{rate:.1}") } else { grouped(rate.max(10.0) as u64) }
}

/// A failure: what was violated, and the schedule as a diagram. `trace` is its replay, recorded in full.
pub fn failure(failure: &Failure, trace: Option<&Trace>, style: DiagramStyle) -> Text {
    replayed_failure(failure, Reproduction::Violated, trace, style)
}

/// The same of a failure that was replayed, with a headline that is true of the replay.
pub fn replayed_failure(
    failure: &Failure,
    reproduction: Reproduction,
    trace: Option<&Trace>,
    style: DiagramStyle,
) -> Text {
    described_failure(failure, reproduction, trace, None, style)
}

/// The same with the first step that the specification forbids, as a headline and marked in the diagram.
pub fn described_failure(
    failure: &Failure,
    reproduction: Reproduction,
    trace: Option<&Trace>,
    forbidden: Option<&ForbiddenStep>,
    style: DiagramStyle,
) -> Text {
    let mut text = Text::new();
    let (subject, words) = reproduction.headline(&failure.violation);
    let headline = format!("{} {words}", shorten(&subject, 200));
    line!(text, "{}", reproduction.paint(headline.trim_end()));
    // A reason may have lines of its own, as the differences from a specification do.
    let lines: Vec<_> = failure.violation.reason.lines().map(|line| shorten(line, 400)).collect();
    if !lines.is_empty() {
        let is_of_replay = matches!(reproduction, Reproduction::Holds | Reproduction::Inconclusive);
        let first = if is_of_replay { "  recorded: " } else { "  " };
        text.block(first, 2, REASON_LINES_MAX, Style::Plain, &lines.join("\n"));
    }
    if let Some(step) = forbidden {
        line!(
            text,
            "  {}",
            Paint.bad(format_args!("the specification forbids {}", shorten(&step.to_string(), 400)))
        );
    }
    let steps = failure.schedule.steps.len();
    let found = &failure.found;
    let strategy = match &found.of {
        Some(of) => format!("{} of {of}", found.strategy),
        None => found.strategy.clone(),
    };
    let length = if found.shrunk {
        format!("{steps} steps, shrunk from {}", found.steps)
    } else if !failure.repeats {
        format!("{steps} steps; it did not repeat when they were done again: the target is not deterministic")
    } else {
        format!("{steps} steps, not shrunk")
    };
    let (execution, campaign_seed) = (found.execution, found.campaign_seed);
    let how = match reproduction {
        Reproduction::Execution => format!("{steps} steps; chosen by {strategy} for execution {execution}"),
        _ => format!("{length}; found by {strategy} in execution {execution}"),
    };
    line!(
        text,
        "  {}",
        Paint.faint(format_args!("{} nodes, {how} of seed {campaign_seed}", failure.config.nodes))
    );
    match trace {
        Some(trace) => {
            line!(text, "  {}", Paint.faint(Disorder::of(&trace.board)));
            text.blank();
            if let Some(chart) = rounds_chart(trace) {
                text.append(chart);
                text.blank();
            }
            let forbidden = forbidden.map(|step| step.number);
            text.append(marked_diagram(trace, style, Marks { strip: None, forbidden }));
        }
        None => {
            text.blank();
            line!(text, "  no diagram: the cluster never got as far as its first step");
        }
    }
    text
}

/// What shrinking did, in one line.
pub fn shrinking(finding: &Finding) -> Option<String> {
    let limit = finding.shrink_cut_short.as_ref()?;
    Some(format!(
        "shrinking was cut short by {limit} after {} executions: a shorter schedule may be found from the file",
        grouped(finding.shrink_executions)
    ))
}

fn coverage_json(coverage: &Coverage, summary: &Summary) -> serde_json::Value {
    let curve = coverage.whole_curve(summary.executions);
    json!({
        "guide": coverage.guide,
        "never_seen": coverage.never(),
        "covered": coverage.covered(),
        "last_new": coverage.last_new,
        "curve": curve.iter().map(|point| [point.executions, point.covered]).collect::<Vec<_>>(),
    })
}

/// What a campaign came to, as JSON.
pub fn summary_json(campaign: &Campaign<'_>, summary: &Summary) -> serde_json::Value {
    let steps: serde_json::Map<_, _> = StepKind::ALL
        .iter()
        .map(|kind| (kind.word().to_owned(), summary.tally.of_kind(*kind).into()))
        .collect();
    let finding = |finding: &Finding| {
        let failure = &finding.failure;
        json!({
            "property": failure.violation.property,
            "reason": failure.violation.reason,
            "execution": failure.found.execution,
            "steps_found": failure.found.steps,
            "steps_shrunk": failure.schedule.steps.len(),
            "hits": finding.hits,
            "cause": Cause::of(&failure.violation).label(),
            "causes": finding.causes,
            "nodes": failure.config.nodes,
            "shrink_executions": finding.shrink_executions,
            "shrink_cut_short": finding.shrink_cut_short,
            "file": finding.path,
            "file_error": finding.file_error,
        })
    };
    let verdict = summary.verdict();
    let has_phases = campaign.target.info().phase.is_some();
    json!({
        "target": campaign.target.name(),
        "target_version": campaign.target.version(),
        "strategy": campaign.plan.strategy,
        "seed": campaign.plan.seed,
        "config": campaign.plan.config,
        "verdict": verdict.word(),
        "verdict_reason": verdict.unknown_reason(),
        "executions": summary.executions,
        "failed": summary.failed,
        "unknown": summary.unknown,
        "unknown_reason": summary.unknown_reason,
        "fingerprint": summary.fingerprint.to_string(),
        "seconds": summary.elapsed.as_secs_f64(),
        "seconds_shrinking": summary.shrinking.as_secs_f64(),
        "seconds_keeping": summary.keeping.as_secs_f64(),
        "cut_short": summary.cut_short,
        "steps": steps,
        "messages": { "sent": summary.tally.sent, "lost": summary.tally.lost },
        "rounds": {
            "rounds": summary.tally.rounds.rounds,
            "with_quorum": summary.tally.rounds.rounds_with_quorum,
            "phases": has_phases.then_some(summary.tally.rounds.phases),
            "phases_with_quorum": has_phases.then_some(summary.tally.rounds.phases_with_quorum),
            "phases_with_effect": summary.tally.rounds.phases_with_effect,
        },
        "requests": { "sent": summary.tally.requested, "answered": summary.tally.answered },
        "seen": summary.tally.facts,
        "properties": summary.properties.tallies,
        "properties_counted_in": summary.properties.executions,
        "coverage": summary.coverage.iter().map(|coverage| coverage_json(coverage, summary)).collect::<Vec<_>>(),
        "arms": summary.arms,
        "never_happened": summary.inert.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "left_out_by_strategy": summary.left_out.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "findings": summary.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn a_rate_below_ten_has_a_decimal() {
        let rates = [0.04, 0.26, 9.94, 9.96, 10.9, 1234.5].map(per_second);
        assert_eq!(rates, ["0.0", "0.3", "9.9", "10", "10", "1 234"]);
    }
}
