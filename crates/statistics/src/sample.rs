//! One number per trial, and what they look like together.

use crate::StatisticsError;

/// The values of several trials: at least one, all finite, kept in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    ascending: Vec<f64>,
}

/// What a sample looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many values there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The sample standard deviation (n − 1 below the line); none for a single value.
    pub standard_deviation: Option<f64>,
    /// The least value.
    pub least: f64,
    /// A quarter of the way up, by linear interpolation between neighbours (NumPy's default, R's type 7).
    pub lower_quartile: f64,
    /// Half-way up.
    pub median: f64,
    /// Three quarters of the way up, likewise.
    pub upper_quartile: f64,
    /// The greatest value.
    pub greatest: f64,
}

impl Sample {
    /// The most values that a sample may have.
    pub const MOST: usize = 10_000_000;
    /// The largest size of a value: squares of it, and sums of those, are still numbers.
    pub const LARGEST: f64 = 1e100;

    /// A sample of these values, in any order.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Result<Sample, StatisticsError> {
        let mut ascending = checked(values)?;
        ascending.sort_by(f64::total_cmp);
        Ok(Sample { ascending })
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        self.ascending.len()
    }

    /// The values, in ascending order.
    pub fn ascending(&self) -> &[f64] {
        &self.ascending
    }

    /// The mean. It lies between the least and the greatest value even where rounding would carry it outside.
    pub fn mean(&self) -> f64 {
        mean(&self.ascending).clamp(self.ascending[0], self.ascending[self.count() - 1])
    }

    /// The sample standard deviation; none for a single value, which scatters in no known way.
    pub fn standard_deviation(&self) -> Option<f64> {
        let mean = self.mean();
        // Deviations are taken relative to the largest one, so that their squares are neither lost nor too
        // large.
        let largest = self.ascending.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        match self.count() {
            1 => None,
            _ if largest == 0.0 => Some(0.0),
            count => {
                let squares: f64 = self.ascending.iter().map(|value| square((value - mean) / largest)).sum();
                Some(largest * (squares / (count - 1) as f64).sqrt())
            }
        }
    }

    /// The median.
    pub fn median(&self) -> f64 {
        quantile(&self.ascending, 0.5)
    }

    /// Everything at once.
    pub fn summary(&self) -> Summary {
        Summary {
            count: self.count(),
            mean: self.mean(),
            standard_deviation: self.standard_deviation(),
            least: self.ascending[0],
            lower_quartile: quantile(&self.ascending, 0.25),
            median: self.median(),
            upper_quartile: quantile(&self.ascending, 0.75),
            greatest: self.ascending[self.count() - 1],
        }
    }
}

/// The values, if they are such as a sample may have. Zero loses its sign: −0 and 0 are one value.
pub(crate) fn checked(values: impl IntoIterator<Item = f64>) -> Result<Vec<f64>, StatisticsError> {
    let values: Vec<f64> = values.into_iter().take(Sample::MOST + 1).map(|value| value + 0.0).collect();
    if values.is_empty() {
        return Err(StatisticsError::Empty);
    }
    if values.len() > Sample::MOST {
        return Err(StatisticsError::TooMany { count: values.len(), most: Sample::MOST });
    }
    // NaN is in no range, so it is refused too.
    match values.iter().position(|value| !(-Sample::LARGEST..=Sample::LARGEST).contains(value)) {
        Some(position) => Err(StatisticsError::Value { position, value: values[position].to_string() }),
        None => Ok(values),
    }
}

/// A square. The `powi` of the standard library may round differently on different machines.
pub(crate) fn square(value: f64) -> f64 {
    value * value
}

/// The mean of values; the caller has seen to it that there are some.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value a part of the way up, by linear interpolation between the two nearest.
pub(crate) fn quantile(ascending: &[f64], part: f64) -> f64 {
    let place = part * (ascending.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    // Exactly on a value (or between equal ones) nothing is computed: infinite values stay what they are.
    if ascending[below] == ascending[above] {
        ascending[below]
    } else {
        ascending[below] + (ascending[above] - ascending[below]) * (place - below as f64)
    }
}
