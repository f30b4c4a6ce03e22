//! What a report is made from: plain data, gathered by whoever ran the executions.

use serde::{Deserialize, Serialize};
use shakedown_campaign::{PropertyTally, Verdict};

use super::history::HistoryFinding;
use crate::{Alignment, FindingReport};

/// Everything that a page shows. What is empty is left out of it.
#[derive(Clone, Default)]
pub struct HtmlReport {
    /// The heading: what was tested.
    pub title: String,
    /// What came of it.
    pub verdict: ReportVerdict,
    /// The verdict in a sentence.
    pub verdict_text: String,
    /// Target, version, strategy, seed, executions, speed, and what else is to be known: name and value.
    pub facts: Vec<(String, String)>,
    /// Which properties were checked, and what came of each.
    pub properties: Vec<PropertyTally>,
    /// How often what happened: kinds of steps, filters, facts. What never happened is shown with a warning
    /// sign.
    pub fired: Vec<Fired>,
    /// What to look out for: what was inert, which limit was reached.
    pub warnings: Vec<String>,
    /// Coverage over executions, a plot for each measure.
    pub plots: Vec<CoveragePlot>,
    /// Strategies side by side, a table for each question.
    pub comparisons: Vec<Comparison>,
    /// The findings, most important first.
    pub findings: Vec<FindingReport>,
    /// What is wrong with a recorded history.
    pub histories: Vec<HistoryFinding>,
    /// Two executions side by side.
    pub beside: Option<BesideReport>,
    /// Ways to other pages, where it is one of several that a server has: name and relative address.
    pub links: Vec<(String, String)>,
}

/// Two executions side by side.
#[derive(Clone)]
pub struct BesideReport {
    /// What each of them is.
    pub titles: [String; 2],
    /// The two.
    pub alignment: Alignment,
}

/// What came of a campaign or a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportVerdict {
    /// No property was violated.
    Pass,
    /// A property was violated.
    Fail,
    /// It is inconclusive.
    Unknown,
    /// There is nothing to judge, as in a comparison of strategies.
    #[default]
    None,
}

impl ReportVerdict {
    /// The badge of a verdict.
    pub fn of(verdict: &Verdict) -> ReportVerdict {
        match verdict {
            Verdict::Pass => ReportVerdict::Pass,
            Verdict::Fail(_) => ReportVerdict::Fail,
            Verdict::Unknown(_) => ReportVerdict::Unknown,
        }
    }
}

/// How often something happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fired {
    /// What: "crash", "filter: isolate the leader".
    pub what: String,
    /// How often.
    pub count: u64,
    /// Whether it was wanted and allowed, so that never is a warning.
    pub is_expected: bool,
}

/// One measure of coverage over executions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CoveragePlot {
    /// What is counted: "distinct states of the specification".
    pub measure: String,
    /// What the bands are: "lowest to highest of 10 seeds". Empty where there are none.
    pub band: String,
    /// A curve for each strategy.
    pub curves: Vec<CoverageCurve>,
}

/// The coverage of one strategy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CoverageCurve {
    /// The strategy.
    pub label: String,
    /// In order of executions. Points with numbers that are not finite are left out.
    pub points: Vec<CoveragePoint>,
}

/// A point of a curve with its band.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// After so many executions.
    pub executions: u64,
    /// The mean over the seeds.
    pub mean: f64,
    /// The lower end of the band.
    pub low: f64,
    /// The upper end of the band.
    pub high: f64,
}

/// Strategies side by side.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// What is compared: the heading of the table.
    pub title: String,
    /// What coverage is: the heading of its column.
    pub measure: String,
    /// The strategy that the others are compared with, for p and Â₁₂.
    pub baseline: Option<String>,
    /// A row for each strategy.
    pub rows: Vec<ComparisonRow>,
    /// What is to be said of it all, such as "no difference", and how the numbers were come by.
    pub notes: Vec<String>,
    /// The means of all strategies, for the plot of Tukey's test; none for no plot.
    #[serde(default)]
    pub means: Vec<MeanInterval>,
}

/// The mean of a strategy, as the middle of an interval of Tukey's test; log₁₀ of executions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MeanInterval {
    /// The strategy.
    pub strategy: String,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// One strategy in a comparison. What is not known is shown as a dash.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The strategy.
    pub strategy: String,
    /// Final coverage: mean and standard deviation.
    pub coverage: Option<(f64, f64)>,
    /// In how many of how many trials something was found.
    pub found: Option<(u64, u64)>,
    /// Executions to the first find: mean and standard deviation over the trials that found something.
    pub first_find: Option<(f64, f64)>,
    /// The p value of the test against the baseline.
    pub p_value: Option<f64>,
    /// Vargha and Delaney's Â₁₂ of the better of this strategy and the baseline.
    pub effect: Option<f64>,
    /// Its direction and size: "sooner, large".
    pub effect_word: Option<String>,
}
