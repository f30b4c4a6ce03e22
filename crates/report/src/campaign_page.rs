//! Pages of campaigns and of comparisons: what `html::render` is given.

use shakedown_campaign::{Campaign, Coverage, Point, Summary};
use shakedown_cluster::StepKind;
use shakedown_statistics::{Better, SIGNIFICANCE};

use crate::compared::{Compared, ComparedCoverage, ComparedFinding};
use crate::html::{
    Comparison, ComparisonRow, CoverageCurve, CoveragePlot, CoveragePoint, Fired, HtmlReport, ReportVerdict,
};
use crate::summary::{of_version, options};
use crate::{FindingReport, Paint, comparison, grouped};

/// The page of one campaign.
pub fn campaign_page(campaign: &Campaign<'_>, summary: &Summary, findings: Vec<FindingReport>) -> HtmlReport {
    let seconds = summary.elapsed.as_secs_f64();
    let rate = summary.executions as f64 / seconds.max(1e-9);
    let mut facts = vec![
        fact("target", of_version(campaign.target.name(), campaign.target.version())),
        fact("cluster", format!("{} nodes, {}", campaign.config.nodes, options(campaign))),
        fact("strategy", campaign.strategy.clone()),
        fact("seed", campaign.seed.to_string()),
        fact(
            "executions",
            format!("{} in {seconds:.1} s ({} a second)", grouped(summary.executions), grouped(rate as u64)),
        ),
        fact("steps", grouped(summary.tally.all_steps())),
        fact(
            "messages",
            format!("{} sent, {} lost", grouped(summary.tally.sent), grouped(summary.tally.lost)),
        ),
        fact(
            "requests",
            format!(
                "{} sent, {} answered",
                grouped(summary.tally.requested),
                grouped(summary.tally.answered)
            ),
        ),
    ];
    for coverage in &summary.coverage {
        let (covered, last) = (grouped(coverage.covered()), grouped(coverage.last_new));
        facts.push(fact(
            &format!("coverage by {}", coverage.guide),
            format!("{covered}, the last new one in execution {last}"),
        ));
    }
    facts.push(fact("fingerprint of all traces", summary.fingerprint.to_string()));
    let (verdict, verdict_text) = if summary.failed > 0 {
        let failed = grouped(summary.failed);
        (ReportVerdict::Fail, format!("{failed} of {} executions failed.", grouped(summary.executions)))
    } else if summary.unknown > 0 {
        let reason = summary.unknown_reason.as_deref().unwrap_or("no reason was given");
        (ReportVerdict::Unknown, format!("Nothing can be said of {} executions: {reason}", summary.unknown))
    } else {
        (ReportVerdict::Pass, "No property was violated.".to_owned())
    };
    HtmlReport {
        title: format!("{} with {}", campaign.target.name(), campaign.strategy),
        verdict,
        verdict_text,
        facts,
        fired: fired(summary),
        warnings: summary
            .inert
            .iter()
            .map(|kind| format!("There was no {} step, though the target allows it.", kind.word()))
            .chain(summary.cut_short.map(|limit| format!("The campaign was cut short by {limit}.")))
            .collect(),
        plots: summary.coverage.iter().map(|coverage| plot_of(coverage, campaign, summary)).collect(),
        comparisons: Vec::new(),
        findings,
    }
}

/// The page of a comparison.
pub fn comparison_page(
    title: String,
    facts: Vec<(String, String)>,
    compared: &Compared,
    findings: Vec<FindingReport>,
) -> HtmlReport {
    let mut comparisons: Vec<_> =
        compared.coverage.iter().map(|coverage| coverage_table(compared, coverage)).collect();
    comparisons.extend(compared.findings.iter().map(|finding| finding_table(compared, finding)));
    if compared.over_all.is_some() {
        let text = comparison(compared, Paint::new(false));
        // The lines below the last heading are those of all findings together.
        let notes = text.lines().rev().take_while(|line| line.starts_with("    ")).map(str::trim);
        let mut notes: Vec<_> = notes.map(str::to_owned).collect();
        notes.reverse();
        comparisons.push(Comparison {
            title: "Over all findings".to_owned(),
            measure: String::new(),
            baseline: None,
            rows: Vec::new(),
            notes,
        });
    }
    let mut all_facts = facts;
    all_facts.push(fact("strategies", compared.strategies.join(", ")));
    all_facts.push(fact(
        "trials",
        format!("{} each, of {} executions", compared.trials, grouped(compared.budget)),
    ));
    let method = format!(
        "p is that of the Mann–Whitney U test against {}, corrected for the number of strategies (Holm); below {SIGNIFICANCE} \
         it is called a difference. Â₁₂ is the chance that a trial has a greater value than one of {}.",
        compared.strategies[0], compared.strategies[0]
    );
    HtmlReport {
        title,
        verdict_text: method,
        facts: all_facts,
        plots: compared.coverage.iter().map(|coverage| compared_plot(compared, coverage)).collect(),
        comparisons,
        findings,
        ..HtmlReport::default()
    }
}

fn fact(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

fn fired(summary: &Summary) -> Vec<Fired> {
    let mut fired: Vec<_> = StepKind::ALL
        .into_iter()
        .filter(|kind| summary.tally.of_kind(*kind) > 0 || summary.inert.contains(kind))
        .map(|kind| Fired {
            what: kind.word().to_owned(),
            count: summary.tally.of_kind(kind),
            is_expected: summary.inert.contains(&kind),
        })
        .collect();
    let facts = summary.tally.facts.iter();
    fired.extend(facts.map(|(name, count)| Fired {
        what: format!("seen: {name}"),
        count: *count,
        is_expected: false,
    }));
    fired
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
        curves: vec![CoverageCurve { label: campaign.strategy.clone(), points }],
    }
}

/// The curves of all strategies, with bands from the lowest trial to the highest.
fn compared_plot(compared: &Compared, coverage: &ComparedCoverage) -> CoveragePlot {
    let curve = |(strategy, trials): (&String, &Vec<Vec<Point>>)| {
        // All trials have points at the same numbers of executions.
        let places = trials.iter().map(Vec::len).min().unwrap_or(0);
        let point = |place: usize| {
            let all = || trials.iter().map(|trial| trial[place].covered as f64);
            CoveragePoint {
                executions: trials[0][place].executions,
                mean: all().sum::<f64>() / trials.len() as f64,
                low: all().fold(f64::INFINITY, f64::min),
                high: all().fold(0.0, f64::max),
            }
        };
        CoverageCurve { label: strategy.clone(), points: (0..places).map(point).collect() }
    };
    CoveragePlot {
        measure: in_case(&coverage.case, &coverage.guide),
        band: format!("lowest to highest of {} trials", compared.trials),
        curves: compared.strategies.iter().zip(&coverage.curves).map(curve).collect(),
    }
}

fn in_case(case: &str, what: &str) -> String {
    if case.is_empty() { what.to_owned() } else { format!("{case}: {what}") }
}

fn coverage_table(compared: &Compared, coverage: &ComparedCoverage) -> Comparison {
    let row = |(number, strategy): (usize, &String)| {
        let summary = coverage.reached[number].summary();
        let test = number.checked_sub(1).map(|number| &coverage.against_first[number]);
        ComparisonRow {
            strategy: strategy.clone(),
            coverage: Some((summary.mean, summary.standard_deviation.unwrap_or(0.0))),
            p_value: test.map(|test| test.p()),
            effect: test.map(|test| test.effect().a12()),
            effect_word: test.map(|test| test.effect().size().to_string()),
            ..ComparisonRow::default()
        }
    };
    let words = |(number, test): (usize, &shakedown_statistics::Comparison)| {
        let names = [compared.strategies[number + 1].as_str(), compared.strategies[0].as_str()];
        format!("{} and {}: {}.", names[0], names[1], test.words(names, Better::Greater("covers more")))
    };
    Comparison {
        title: in_case(&coverage.case, &format!("coverage by {}", coverage.guide)),
        measure: coverage.guide.clone(),
        baseline: Some(compared.strategies[0].clone()),
        rows: compared.strategies.iter().enumerate().map(row).collect(),
        notes: coverage.against_first.iter().enumerate().map(words).collect(),
    }
}

fn finding_table(compared: &Compared, finding: &ComparedFinding) -> Comparison {
    let row = |(number, strategy): (usize, &String)| {
        let times = &finding.times[number];
        let test = number.checked_sub(1).map(|number| &finding.against_first[number]);
        ComparisonRow {
            strategy: strategy.clone(),
            found: Some((times.share().found(), times.trials() as u64)),
            first_find: times.found_mean().map(|mean| (mean, times.found_deviation().unwrap_or(0.0))),
            p_value: test.map(|test| test.p()),
            effect: test.map(|test| test.effect().a12()),
            effect_word: test.map(|test| test.effect().size().to_string()),
            ..ComparisonRow::default()
        }
    };
    let words = |(number, test): (usize, &shakedown_statistics::Comparison)| {
        let names = [compared.strategies[number + 1].as_str(), compared.strategies[0].as_str()];
        format!("{} and {}: {}.", names[0], names[1], test.words(names, Better::Lesser("is sooner")))
    };
    let what =
        finding.property.as_deref().map_or("anything is found".to_owned(), |p| format!("{p} is found"));
    Comparison {
        title: in_case(&finding.case, &what),
        measure: String::new(),
        baseline: Some(compared.strategies[0].clone()),
        rows: compared.strategies.iter().enumerate().map(row).collect(),
        notes: finding.against_first.iter().enumerate().map(words).collect(),
    }
}
