//! Strategies compared: the same budget, several trials each, and what the differences are worth.
//!
//! A trial is one campaign with a seed of its own. Coverage is compared by what each trial had at its end,
//! findings by the number of executions until each trial made them first; a trial that never did counts as
//! later than all that did. Every strategy is held against the first one, and the p of all those tests of one
//! table are corrected together (Holm).

use std::collections::BTreeMap;

use shakedown_campaign::{Point, Standing};
use shakedown_statistics::{
    Comparison, Pair, RepeatedMeasures, Sample, StatisticsError, Times, repeated_measures,
};

/// One campaign of a comparison.
pub struct Trial {
    /// What was different in its target's options, if the comparison is of several cases; otherwise empty.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// The number of its first execution.
    pub first: u64,
    /// How many executions it had.
    pub budget: u64,
    /// What came of it.
    pub standing: Standing,
}

/// A comparison of strategies.
pub struct Compared {
    /// The strategies, in the order in which they were named. The others are held against the first.
    pub strategies: Vec<String>,
    /// How many trials each strategy had in each case.
    pub trials: usize,
    /// How many executions each trial had.
    pub budget: u64,
    /// Coverage by each guide, in each case.
    pub coverage: Vec<ComparedCoverage>,
    /// What was found, in each case.
    pub findings: Vec<ComparedFinding>,
    /// All findings together, if there are at least two that not everybody finds alike.
    pub over_all: Option<OverAll>,
}

/// The coverage that strategies reached.
pub struct ComparedCoverage {
    /// The case.
    pub case: String,
    /// The guide.
    pub guide: String,
    /// What each strategy reached, in all its trials.
    pub reached: Vec<Sample>,
    /// Each strategy but the first, against the first.
    pub against_first: Vec<Comparison>,
    /// How it grew: for each strategy, the curve of every trial.
    pub curves: Vec<Vec<Vec<Point>>>,
}

/// When strategies made a finding first.
pub struct ComparedFinding {
    /// The case.
    pub case: String,
    /// The violated property; nothing for any of them.
    pub property: Option<String>,
    /// After how many executions, for each strategy.
    pub times: Vec<Times>,
    /// Each strategy but the first, against the first.
    pub against_first: Vec<Comparison>,
}

/// Several findings, each made by every strategy: does it matter which strategy it is?
pub struct OverAll {
    /// How many findings were taken together.
    pub findings: usize,
    /// The analysis of variance over the logarithms of the executions that the findings took on average, with
    /// the budget where they were not made.
    pub analysis: RepeatedMeasures,
    /// All pairs of strategies (Tukey).
    pub pairs: Vec<Pair>,
}

/// Why trials cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CannotCompare {
    /// There are not as many trials of every strategy.
    #[error("{strategy} has {trials} trials{case}, others have {others}: the comparison is not complete")]
    Uneven {
        /// The strategy.
        strategy: String,
        /// In which case.
        case: String,
        /// How many it has.
        trials: usize,
        /// How many the first strategy has.
        others: usize,
    },
    /// There is nothing to compare.
    #[error("there are no trials")]
    Nothing,
    /// The numbers do not allow it.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
}

impl Compared {
    /// Compares these trials.
    pub fn of(trials: &[Trial]) -> Result<Compared, CannotCompare> {
        let strategies = in_order(trials.iter().map(|trial| &trial.strategy));
        let cases = in_order(trials.iter().map(|trial| &trial.case));
        let first = trials.first().ok_or(CannotCompare::Nothing)?;
        let budget = first.budget;
        let table: BTreeMap<(&str, &str), Vec<&Trial>> =
            trials.iter().fold(BTreeMap::new(), |mut table: BTreeMap<_, Vec<_>>, trial| {
                table.entry((trial.case.as_str(), trial.strategy.as_str())).or_default().push(trial);
                table
            });
        let others = table[&(first.case.as_str(), first.strategy.as_str())].len();
        let mut coverage = Vec::new();
        let mut findings = Vec::new();
        for case in &cases {
            let mut rows = Vec::new();
            for strategy in &strategies {
                let row = table.get(&(case.as_str(), strategy.as_str())).map_or(&[][..], Vec::as_slice);
                if row.len() != others {
                    let case = if case.is_empty() { String::new() } else { format!(" with {case}") };
                    let strategy = strategy.clone();
                    return Err(CannotCompare::Uneven { strategy, case, trials: row.len(), others });
                }
                rows.push(row);
            }
            coverage.extend(coverage_of(case, &rows)?);
            findings.extend(findings_of(case, budget, &rows)?);
        }
        let over_all = over_all(&findings, cases.len() > 1)?;
        Ok(Compared { strategies, trials: others, budget, coverage, findings, over_all })
    }
}

/// Everything once, in the order of its first place.
fn in_order<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut known = Vec::new();
    for text in texts {
        if !known.contains(text) {
            known.push(text.clone());
        }
    }
    known
}

fn coverage_of(case: &str, rows: &[&[&Trial]]) -> Result<Vec<ComparedCoverage>, StatisticsError> {
    let guides = in_order(
        rows.iter()
            .flat_map(|row| row.iter())
            .flat_map(|trial| trial.standing.coverage.iter().map(|coverage| &coverage.guide)),
    );
    let mut all = Vec::new();
    for guide in guides {
        let of_trial =
            |trial: &&Trial| trial.standing.coverage.iter().find(|coverage| coverage.guide == guide).cloned();
        let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().filter_map(of_trial).collect()).collect();
        // What a strategy is guided by need not be measured for the others.
        if rows.iter().any(|row| row.len() != rows[0].len() || row.is_empty()) {
            continue;
        }
        let reached = rows
            .iter()
            .map(|row| Sample::new(row.iter().map(|coverage| coverage.covered() as f64)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut against_first: Vec<_> =
            reached[1..].iter().map(|other| Comparison::of(other, &reached[0])).collect();
        Comparison::correct(&mut against_first);
        let curves =
            rows.iter().map(|row| row.iter().map(|coverage| coverage.curve.clone()).collect()).collect();
        all.push(ComparedCoverage { case: case.to_owned(), guide, reached, against_first, curves });
    }
    Ok(all)
}

fn findings_of(case: &str, budget: u64, rows: &[&[&Trial]]) -> Result<Vec<ComparedFinding>, StatisticsError> {
    let properties: Vec<_> = rows
        .iter()
        .flat_map(|row| row.iter())
        .flat_map(|trial| &trial.standing.findings)
        .map(|finding| &finding.failure.violation.property)
        .collect();
    let mut properties: Vec<_> = in_order(properties.into_iter()).into_iter().map(Some).collect();
    if properties.len() != 1 {
        properties.insert(0, None);
    }
    properties.into_iter().map(|property| finding_of(case, budget, rows, property)).collect()
}

fn finding_of(
    case: &str,
    budget: u64,
    rows: &[&[&Trial]],
    property: Option<String>,
) -> Result<ComparedFinding, StatisticsError> {
    let first_in = |trial: &&Trial| {
        let of_it = trial.standing.findings.iter().filter(|finding| {
            property.as_ref().is_none_or(|property| *property == finding.failure.violation.property)
        });
        of_it.map(|finding| finding.failure.found.execution.saturating_sub(trial.first) + 1).min()
    };
    let times =
        rows.iter().map(|row| Times::new(budget, row.iter().map(first_in))).collect::<Result<Vec<_>, _>>()?;
    let mut against_first = times[1..]
        .iter()
        .map(|other| Comparison::of_times(other, &times[0]))
        .collect::<Result<Vec<_>, _>>()?;
    Comparison::correct(&mut against_first);
    Ok(ComparedFinding { case: case.to_owned(), property, times, against_first })
}

/// Findings are what a case comes to, if there are several cases; otherwise properties.
fn over_all(findings: &[ComparedFinding], by_case: bool) -> Result<Option<OverAll>, StatisticsError> {
    let mut last_case = None;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for finding in findings {
        let is_first_of_case = last_case.replace(&finding.case) != Some(&finding.case);
        let is_wanted = if by_case { is_first_of_case } else { finding.property.is_some() };
        let is_found = finding.times.iter().any(|times| times.share().found() > 0);
        if is_wanted && is_found {
            rows.push(finding.times.iter().map(|times| times.restricted_mean().log10()).collect());
        }
    }
    if rows.len() < 2 || rows[0].len() < 2 {
        return Ok(None);
    }
    match repeated_measures(&rows) {
        Ok(analysis) => {
            let pairs = analysis.tukey(0.95)?;
            Ok(Some(OverAll { findings: rows.len(), analysis, pairs }))
        }
        // Nothing scatters: there is nothing to be said.
        Err(_) => Ok(None),
    }
}
