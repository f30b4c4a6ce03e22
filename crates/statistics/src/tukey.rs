//! Tukey's honestly significant differences: which of several means differ, all pairs at once, with one
//! chance of error for the whole family.
//!
//! J. W. Tukey: *Comparing Individual Means in the Analysis of Variance*, Biometrics 5(2), 1949; for groups
//! of different sizes the standard error of C. Y. Kramer (1956). It takes values to scatter normally and
//! equally in all groups.

use crate::{
    Sample, StatisticsError, sample::square, special::MOST_DEGREES, studentized_range::StudentizedRange,
};

/// Two of the groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The number of one group, from 0.
    pub first: usize,
    /// The number of the other, greater than the first.
    pub second: usize,
    /// The mean of the first less that of the second.
    pub difference: f64,
    /// The chance that some pair of as many means differs this much, if none differ in truth.
    pub p: f64,
    /// The lower end of the confidence interval of the difference.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

/// All pairs of groups, in order. `level` is the confidence of the intervals, such as 0.95.
///
/// If all values of all groups are equal, no difference can be shown: every p is 1, and the intervals are
/// just 0. If the groups differ but their values do not scatter, that is an error.
pub fn tukey(groups: &[Sample], level: f64) -> Result<Vec<Pair>, StatisticsError> {
    let values: usize = groups.iter().map(Sample::count).sum();
    if groups.len() < 2 || values == groups.len() {
        return Err(StatisticsError::TooFewInGroups { groups: groups.len(), values });
    }
    let degrees = values - groups.len();
    if degrees > MOST_DEGREES {
        return Err(StatisticsError::TooManyDegrees { degrees, most: MOST_DEGREES });
    }
    let means: Vec<f64> = groups.iter().map(Sample::mean).collect();
    let deviations = || {
        let each = |(group, mean)| Sample::ascending(group).iter().map(move |value| value - mean);
        groups.iter().zip(&means).flat_map(each)
    };
    let largest = deviations().map(f64::abs).fold(0.0, f64::max);
    if largest == 0.0 && means.iter().any(|mean| *mean != means[0]) {
        return Err(StatisticsError::NoScatter);
    }
    // In units of the largest deviation, so that no square is lost or too large.
    let squares: f64 = deviations().map(|deviation| square(deviation / largest.max(f64::MIN_POSITIVE))).sum();
    let deviation = largest * (squares / degrees as f64).sqrt();
    let errors = |i: usize, j: usize| {
        deviation * ((1.0 / groups[i].count() as f64 + 1.0 / groups[j].count() as f64) / 2.0).sqrt()
    };
    pairs(&means, errors, degrees, level)
}

/// All pairs of means, given the standard error of each pair and the degrees of freedom of the error.
pub(crate) fn pairs(
    means: &[f64],
    standard_error: impl Fn(usize, usize) -> f64,
    degrees: usize,
    level: f64,
) -> Result<Vec<Pair>, StatisticsError> {
    if !(level > 0.0 && level < 1.0) {
        let range = "between 0 and 1, both excluded";
        return Err(StatisticsError::OutOfRange {
            name: "the level of confidence",
            value: level.to_string(),
            range,
        });
    }
    let distribution = StudentizedRange::new(means.len(), degrees)?;
    let critical = distribution.critical(1.0 - level)?;
    let mut pairs = Vec::new();
    for first in 0..means.len() {
        for second in first + 1..means.len() {
            let difference = means[first] - means[second];
            let error = standard_error(first, second);
            let p = if difference == 0.0 { 1.0 } else { distribution.upper(difference.abs() / error) };
            let (lower, upper) = (difference - critical * error, difference + critical * error);
            pairs.push(Pair { first, second, difference, p, lower, upper });
        }
    }
    Ok(pairs)
}
