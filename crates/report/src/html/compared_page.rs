//! The page of a comparison: what its tables say, as data.

use shakedown_campaign::{Point, Verdict};
use shakedown_statistics::{Better, Comparison as Tested, SIGNIFICANCE};

use super::input::{
    Comparison, ComparisonRow, CoverageCurve, CoveragePlot, CoveragePoint, HtmlReport, MeanInterval,
    ReportVerdict,
};
use crate::compared::{Compared, ComparedCoverage, ComparedFinding, OverAll};
use crate::comparison_text::over_all_lines;
use crate::{FindingReport, grouped};

impl HtmlReport {
    /// A comparison of strategies, with the verdict on all trials together and what they found.
    pub fn of_comparison(
        title: String,
        verdict: &Verdict,
        facts: Vec<(String, String)>,
        compared: &Compared,
        findings: Vec<FindingReport>,
    ) -> HtmlReport {
        let mut comparisons: Vec<_> =
            compared.coverage.iter().map(|coverage| coverage_table(compared, coverage)).collect();
        comparisons.extend(compared.findings.iter().map(|finding| finding_table(compared, finding)));
        if let Some(over_all) = &compared.over_all {
            comparisons.push(Comparison {
                title: "Over all findings".to_owned(),
                measure: String::new(),
                baseline: None,
                rows: Vec::new(),
                notes: over_all_lines(&compared.strategies, over_all),
                means: means(&compared.strategies, over_all),
            });
        }
        let mut all_facts = facts;
        all_facts.push(fact("strategies", compared.strategies.join(", ")));
        all_facts.push(fact(
            "trials",
            format!("{} each, of {} executions", compared.trials, grouped(compared.budget)),
        ));
        let method = format!(
            "p is that of the Mann–Whitney U test against {}, corrected for the number of strategies (Holm); below \
             {SIGNIFICANCE} it is called a difference. Â₁₂ is the probability that a trial of the better strategy is better than one of the \
             other; the word beside it is about the strategy of the row.",
            compared.strategies[0]
        );
        let outcome = match verdict {
            Verdict::Fail(_) => "Trials violated a property.".to_owned(),
            Verdict::Unknown(reason) => format!("Inconclusive: {reason}."),
            Verdict::Pass => "No property was violated in any trial.".to_owned(),
        };
        HtmlReport {
            title,
            verdict: ReportVerdict::of(verdict),
            verdict_text: format!("{outcome} {method}"),
            facts: all_facts,
            plots: compared.coverage.iter().map(|coverage| compared_plot(compared, coverage)).collect(),
            comparisons,
            findings,
            ..HtmlReport::default()
        }
    }
}

fn fact(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
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
    let row = |number: usize| {
        let summary = coverage.reached[number].summary();
        let coverage = Some((summary.mean, summary.standard_deviation.unwrap_or(0.0)));
        ComparisonRow { coverage, ..ComparisonRow::default() }
    };
    Comparison {
        title: in_case(&coverage.case, &format!("coverage by {}", coverage.guide)),
        measure: coverage.guide.clone(),
        ..table(compared, &coverage.against_first, Better::Greater("covers more"), row)
    }
}

fn finding_table(compared: &Compared, finding: &ComparedFinding) -> Comparison {
    let row = |number: usize| {
        let times = &finding.times[number];
        ComparisonRow {
            found: Some((times.share().found(), times.trials() as u64)),
            first_find: times.found_mean().map(|mean| (mean, times.found_deviation().unwrap_or(0.0))),
            ..ComparisonRow::default()
        }
    };
    let what =
        finding.property.as_deref().map_or("anything is found".to_owned(), |p| format!("{p} is found"));
    Comparison {
        title: in_case(&finding.case, &what),
        ..table(compared, &finding.against_first, Better::Lesser("is sooner"), row)
    }
}

/// Which way a strategy differs from the first one, and by how much: "later, large".
fn direction(test: &Tested, better: Better<'_>) -> String {
    let (winner, effect) = test.winner(better);
    let words = match better {
        Better::Greater(_) => ["more", "less"],
        Better::Lesser(_) => ["sooner", "later"],
    };
    if effect.a12() == 0.5 { "equal".to_owned() } else { format!("{}, {}", words[winner], effect.size()) }
}

/// A table with a row for each strategy, what the tests against the first one say, and the same in words.
fn table(
    compared: &Compared,
    against_first: &[Tested],
    better: Better<'_>,
    row: impl Fn(usize) -> ComparisonRow,
) -> Comparison {
    let row = |(number, strategy): (usize, &String)| {
        let test = number.checked_sub(1).map(|number| &against_first[number]);
        ComparisonRow {
            strategy: strategy.clone(),
            p_value: test.map(Tested::p),
            effect: test.map(|test| test.winner(better).1.a12()),
            effect_word: test.map(|test| direction(test, better)),
            ..row(number)
        }
    };
    let words = |(number, test): (usize, &Tested)| {
        let names = [compared.strategies[number + 1].as_str(), compared.strategies[0].as_str()];
        format!("{} and {}: {}.", names[0], names[1], test.words(names, better))
    };
    Comparison {
        title: String::new(),
        measure: String::new(),
        baseline: Some(compared.strategies[0].clone()),
        rows: compared.strategies.iter().enumerate().map(row).collect(),
        notes: against_first.iter().enumerate().map(words).collect(),
        means: Vec::new(),
    }
}

/// Intervals around the means, each half as wide as that of a difference: two of them overlap unless their
/// means differ. All differences have the same error, for every strategy has made every finding once.
fn means(strategies: &[String], over_all: &OverAll) -> Vec<MeanInterval> {
    let half = over_all.pairs.first().map_or(0.0, |pair| (pair.upper - pair.lower) / 4.0);
    let interval = |(strategy, mean): (&String, &f64)| MeanInterval {
        strategy: strategy.clone(),
        low: mean - half,
        high: mean + half,
    };
    strategies.iter().zip(&over_all.analysis.means).map(interval).collect()
}

#[cfg(test)]
mod tests {
    use shakedown_statistics::{Times, repeated_measures};

    use super::*;

    #[test]
    fn intervals_overlap_unless_the_test_of_tukey_says_that_their_means_differ() {
        let rows = [
            [1.0, 1.2, 3.0, 1.9],
            [1.1, 1.1, 3.3, 2.4],
            [0.8, 1.3, 2.9, 1.6],
            [1.2, 1.0, 3.1, 2.2],
            [0.9, 1.4, 2.7, 2.0],
        ];
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        let analysis = repeated_measures(&rows).expect("the values scatter");
        let pairs = analysis.tukey(0.95).expect("0.95 is a level");
        let strategies: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let over_all = OverAll { findings: rows.len(), analysis, pairs };
        let means = means(&strategies, &over_all);
        let mut verdicts = Vec::new();
        for pair in &over_all.pairs {
            let (a, b) = (&means[pair.first], &means[pair.second]);
            let overlap = a.low <= b.high && b.low <= a.high;
            assert_eq!(overlap, pair.p >= 0.05, "{pair:?}");
            verdicts.push(overlap);
        }
        assert!(verdicts.contains(&true) && verdicts.contains(&false), "both kinds are here");
    }

    /// The table once had the effect of the first strategy over the other where the sentence had that of the
    /// better one.
    #[test]
    fn a_table_and_the_sentence_below_it_have_the_same_effect_and_direction() {
        let times =
            |first: u64| Times::new(100, (first..first + 6).map(Some)).expect("all are in the budget");
        let times = vec![times(40), times(5), times(80)];
        let against = |other| Tested::of_times(other, &times[0]).expect("there are trials");
        let against_first = times[1..].iter().map(against).collect();
        let strategies = ["random", "clever", "blind"].map(str::to_owned).to_vec();
        let (coverage, findings, over_all) = (Vec::new(), Vec::new(), None);
        let compared = Compared { strategies, trials: 6, budget: 100, coverage, findings, over_all };
        let finding = ComparedFinding { case: String::new(), property: None, times, against_first };
        let table = finding_table(&compared, &finding);
        for (place, (word, sentence)) in
            [("sooner, large", "clever is sooner"), ("later, large", "random is sooner")].iter().enumerate()
        {
            let row = &table.rows[place + 1];
            assert_eq!(row.effect_word.as_deref(), Some(*word));
            let effect = format!("Â₁₂ = {:.2}", row.effect.expect("it is tested"));
            let note = &table.notes[place];
            assert!(note.contains(sentence) && note.contains(&effect), "{effect} in {note}");
        }
    }
}
