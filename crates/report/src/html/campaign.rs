//! The page of a campaign: what its summary says, as data.

use shakedown_campaign::{Campaign, Coverage, Point, Summary, Verdict};
use shakedown_cluster::StepKind;

use super::input::{CoverageCurve, CoveragePlot, CoveragePoint, Fired, HtmlReport, ReportVerdict};
use crate::summary::{of_version, options, rounds};
use crate::{FindingReport, grouped, per_second};

impl HtmlReport {
    /// What a campaign came to, with its findings.
    pub fn of_campaign(
        campaign: &Campaign<'_>,
        summary: &Summary,
        findings: Vec<FindingReport>,
    ) -> HtmlReport {
        let (verdict, verdict_text) = verdict(summary);
        HtmlReport {
            title: of_version(campaign.target.name(), campaign.target.version()),
            verdict,
            verdict_text,
            facts: facts(campaign, summary),
            properties: summary.properties.tallies.clone(),
            fired: fired(summary),
            warnings: warnings(campaign, summary),
            plots: summary.coverage.iter().map(|coverage| plot_of(coverage, campaign, summary)).collect(),
            findings,
            ..HtmlReport::default()
        }
    }
}

fn verdict(summary: &Summary) -> (ReportVerdict, String) {
    let verdict = summary.verdict();
    let text = match &verdict {
        Verdict::Fail(_) => {
            let properties = summary.findings.len();
            format!(
                "{} of {} executions violated {}.",
                grouped(summary.failed),
                grouped(summary.executions),
                if properties == 1 { "a property".to_owned() } else { format!("{properties} properties") }
            )
        }
        Verdict::Unknown(reason) => format!("Inconclusive: {reason}."),
        Verdict::Pass => format!("No property was violated in {} executions.", grouped(summary.executions)),
    };
    (ReportVerdict::of(&verdict), text)
}

fn facts(campaign: &Campaign<'_>, summary: &Summary) -> Vec<(String, String)> {
    let seconds = summary.elapsed.as_secs_f64();
    let rate = summary.executions as f64 / seconds.max(1e-9);
    let tally = &summary.tally;
    let mut facts = vec![
        ("strategy", campaign.plan.strategy.to_string()),
        ("seed", campaign.plan.seed.to_string()),
        ("nodes", campaign.plan.config.nodes.to_string()),
        ("configuration", options(campaign)),
        ("executions", format!("{} in {seconds:.1} s", grouped(summary.executions))),
        ("speed", format!("{} a second", per_second(rate))),
        ("steps", grouped(tally.all_steps())),
        ("messages", format!("{} sent, {} lost", grouped(tally.sent), grouped(tally.lost))),
    ];
    if tally.requested > 0 {
        let (requested, answered) = (grouped(tally.requested), grouped(tally.answered));
        facts.push(("requests", format!("{requested} sent, {answered} answered")));
    }
    if tally.rounds.rounds > 0 {
        facts.push(("rounds", rounds(summary)));
    }
    if !summary.shrinking.is_zero() {
        facts.push(("shrinking", format!("{:.1} s", summary.shrinking.as_secs_f64())));
    }
    facts.push(("fingerprint of all traces", summary.fingerprint.to_string()));
    let coverage = summary.coverage.iter().map(|coverage| {
        let (covered, last) = (grouped(coverage.covered()), grouped(coverage.last_new));
        (
            format!("coverage by {}", coverage.guide),
            format!("{covered}, the last new one in execution {last}"),
        )
    });
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(coverage).collect()
}

fn plot_of(coverage: &Coverage, campaign: &Campaign<'_>, summary: &Summary) -> CoveragePlot {
    let point = |point: Point| {
        let covered = point.covered as f64;
        CoveragePoint { executions: point.executions, mean: covered, low: covered, high: covered }
    };
    let points = coverage.whole_curve(summary.executions).into_iter().map(point).collect();
    CoveragePlot {
        measure: coverage.guide.clone(),
        band: String::new(),
        curves: vec![CoverageCurve { label: campaign.plan.strategy.to_string(), points }],
    }
}

/// How often each kind of step happened, and what nodes told of themselves.
fn fired(summary: &Summary) -> Vec<Fired> {
    let is_inert = |kind: &StepKind| summary.inert.contains(kind);
    let steps = StepKind::ALL
        .into_iter()
        .map(|kind| (kind, summary.tally.of_kind(kind)))
        .filter(|(kind, count)| *count > 0 || is_inert(kind))
        .map(|(kind, count)| Fired { what: kind.word().to_owned(), count, is_expected: is_inert(&kind) });
    let facts = summary.tally.facts.iter().map(|(name, count)| Fired {
        what: format!("fact: {name}"),
        count: *count,
        is_expected: false,
    });
    steps.chain(facts).collect()
}

fn warnings(campaign: &Campaign<'_>, summary: &Summary) -> Vec<String> {
    let inert = summary
        .inert
        .iter()
        .map(|kind| format!("There was no {} step, though the target allows it.", kind.word()));
    let cut_short = summary.cut_short.map(|limit| format!("The campaign was cut short by {limit}."));
    let shrinking = summary.findings.iter().filter_map(crate::shrinking);
    let left_out = crate::summary::left_out(campaign, summary);
    let untested = crate::properties::property_warnings(summary);
    let never =
        left_out.into_iter().chain(untested).chain(crate::summary::never_seen(summary)).map(|never| {
            let mut letters = never.chars();
            letters
                .next()
                .map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
        });
    inert.chain(never).chain(cut_short).chain(shrinking).collect()
}
