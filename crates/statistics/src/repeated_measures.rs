//! The one-way analysis of variance with repeated measures: every subject is measured under every condition.
//!
//! To compare strategies over several bugs, bugs are the subjects and strategies the conditions: that some
//! bugs are harder than others then counts for none of the strategies, and against none.
//!
//! The test takes the differences between any two conditions to scatter equally (sphericity). Where they do
//! not it is too sure of itself; the correction of S. W. Greenhouse and S. Geisser (*On methods in the
//! analysis of profile data*, Psychometrika 24(2), 1959) takes degrees of freedom away, and
//! [`RepeatedMeasures::corrected_p`] is the p to report.

use crate::{
    Pair, StatisticsError,
    sample::{self, square},
    special::{MOST_DEGREES, f_upper},
    tukey,
};

/// What the analysis says.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedMeasures {
    /// How many subjects there are.
    pub subjects: usize,
    /// The mean of each condition.
    pub means: Vec<f64>,
    /// The F ratio: how much the conditions scatter, compared with what the subjects leave unexplained.
    pub f: f64,
    /// Degrees of freedom of the conditions: their number less 1.
    pub condition_degrees: usize,
    /// Degrees of freedom of the error.
    pub error_degrees: usize,
    /// The chance of an F at least this large if no condition differs, given sphericity.
    pub p: f64,
    /// Greenhouse and Geisser's epsilon: 1 where sphericity holds in the sample, down to 1 / (conditions −
    /// 1).
    pub epsilon: f64,
    /// The p with both degrees of freedom multiplied by epsilon.
    pub corrected_p: f64,
    /// The standard deviation of what is left unexplained: the root of the mean square of the error.
    pub error_deviation: f64,
}

/// Analyses a table with one row per subject and one column per condition. At least 2 of each are needed, and
/// no cell may be missing: what was never found needs a value, such as the budget
/// ([`crate::Times::restricted_mean`]).
///
/// If every subject is the same under all conditions, no difference can be shown: F is 0, epsilon and both p
/// are 1. If the conditions differ by the same amounts in every subject (beyond rounding), nothing is left to
/// measure the differences by, and that is an error.
pub fn repeated_measures<Row: AsRef<[f64]>>(rows: &[Row]) -> Result<RepeatedMeasures, StatisticsError> {
    let table = Table::new(rows)?;
    let (subjects, conditions) = (table.subjects, table.conditions);
    let (condition_degrees, error_degrees) = (conditions - 1, (subjects - 1) * (conditions - 1));
    let effects = table.effects();
    let residuals = table.residuals(&effects);
    let means = effects.iter().map(|effect| table.middle + effect).collect();
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let scale = largest(&residuals);
    if scale <= table.rounding {
        if largest(&effects) > table.rounding {
            return Err(StatisticsError::NoScatter);
        }
        let (f, p, epsilon, corrected_p, error_deviation) = (0.0, 1.0, 1.0, 1.0, 0.0);
        let analysis = RepeatedMeasures {
            subjects,
            means,
            f,
            condition_degrees,
            error_degrees,
            p,
            epsilon,
            corrected_p,
            error_deviation,
        };
        return Ok(analysis);
    }
    // All squares in units of the largest residual: none is lost, none is too large.
    let squares = |values: &[f64]| values.iter().map(|value| square(value / scale)).sum::<f64>();
    let error_square = squares(&residuals) / error_degrees as f64;
    let f = squares(&effects) * subjects as f64 / condition_degrees as f64 / error_square;
    let epsilon = epsilon(&residuals, conditions, scale);
    let (between, within) = (condition_degrees as f64, error_degrees as f64);
    Ok(RepeatedMeasures {
        subjects,
        means,
        f,
        condition_degrees,
        error_degrees,
        p: f_upper(f, between, within),
        epsilon,
        corrected_p: f_upper(f, epsilon * between, epsilon * within),
        error_deviation: scale * error_square.sqrt(),
    })
}

impl RepeatedMeasures {
    /// Which conditions differ: Tukey's test with the error of this analysis, so that differences between
    /// subjects do not count. `level` is the confidence of the intervals, such as 0.95. It relies on
    /// sphericity: with an epsilon well below 1 its p are too small.
    pub fn tukey(&self, level: f64) -> Result<Vec<Pair>, StatisticsError> {
        let error = self.error_deviation / (self.subjects as f64).sqrt();
        // Without scatter all conditions are the same, up to rounding that should not show as a difference.
        let same = vec![0.0; self.means.len()];
        let means = if error == 0.0 { &same } else { &self.means };
        tukey::pairs(means, |_, _| error, self.error_degrees, level)
    }
}

/// The values less their mean, row by row.
struct Table {
    subjects: usize,
    conditions: usize,
    middle: f64,
    centred: Vec<f64>,
    /// What is not larger than this is the rounding of the values and their sums.
    rounding: f64,
}

impl Table {
    fn new<Row: AsRef<[f64]>>(rows: &[Row]) -> Result<Table, StatisticsError> {
        let subjects = rows.len();
        let conditions = rows.first().map_or(0, |row| row.as_ref().len());
        if subjects < 2 || conditions < 2 {
            return Err(StatisticsError::TooFewCells { subjects, conditions });
        }
        if let Some(row) = rows.iter().position(|row| row.as_ref().len() != conditions) {
            let found = rows[row].as_ref().len();
            return Err(StatisticsError::Ragged { row, found, expected: conditions });
        }
        let degrees = (subjects - 1).saturating_mul(conditions - 1);
        if degrees > MOST_DEGREES {
            return Err(StatisticsError::TooManyDegrees { degrees, most: MOST_DEGREES });
        }
        let values = sample::checked(rows.iter().flat_map(|row| row.as_ref().iter().copied()))?;
        let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let middle = sample::mean(&values);
        let centred = values.iter().map(|value| value - middle).collect();
        let rounding = 4.0 * (subjects + conditions) as f64 * f64::EPSILON * largest;
        Ok(Table { subjects, conditions, middle, centred, rounding })
    }

    /// By how much each condition is above the mean of all.
    fn effects(&self) -> Vec<f64> {
        let column =
            |j| self.centred.iter().skip(j).step_by(self.conditions).sum::<f64>() / self.subjects as f64;
        (0..self.conditions).map(column).collect()
    }

    /// What is left of each value without its subject's mean and its condition's effect.
    fn residuals(&self, effects: &[f64]) -> Vec<f64> {
        let rows = self.centred.chunks(self.conditions);
        rows.flat_map(|row| {
            let subject = sample::mean(row);
            row.iter().zip(effects).map(move |(value, effect)| value - subject - effect)
        })
        .collect()
    }
}

/// Greenhouse and Geisser's epsilon: (trace S)² / ((k − 1) trace S²), where S is the covariance of the
/// conditions with the means of its rows and columns taken out. The residuals have these taken out already.
fn epsilon(residuals: &[f64], conditions: usize, scale: f64) -> f64 {
    let mut covariance = vec![0.0; conditions * conditions];
    for row in residuals.chunks(conditions) {
        for (j, a) in row.iter().enumerate() {
            for (l, b) in row.iter().enumerate() {
                covariance[j * conditions + l] += a / scale * (b / scale);
            }
        }
    }
    let trace: f64 = covariance.iter().step_by(conditions + 1).sum();
    let squares: f64 = covariance.iter().map(|value| value * value).sum();
    let least = 1.0 / (conditions - 1) as f64;
    (trace * trace * least / squares).clamp(least, 1.0)
}
