//! Fisher's permutation test for paired values: if there were no difference, each sign could as well be the
//! other one.

use crate::StatisticsError;

/// The most pairs of which all signs are tried.
const PAIRS_MAX: usize = 30;

/// The two-sided probability that so large a sum of differences, or a larger one, comes of flipping signs by
/// chance. Every way to flip them is counted, so the value is exact; at most 30 differences are possible.
pub fn sign_flips(differences: &[f64]) -> Result<f64, StatisticsError> {
    if let Some(position) = differences.iter().position(|value| !value.is_finite()) {
        return Err(StatisticsError::Value { position, value: differences[position].to_string() });
    }
    // What is 0 is 0 either way.
    let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    if sizes.is_empty() || sizes.len() > PAIRS_MAX {
        return Ok(1.0);
    }
    let seen = differences.iter().sum::<f64>().abs();
    // Equal sums may differ in the last digits, by the order in which they were added up.
    let enough = seen - 1e-9 * sizes.iter().sum::<f64>();
    let mut signs = vec![1.0; sizes.len()];
    let mut sum: f64 = sizes.iter().sum();
    let (mut as_large, all) = (0u64, 1u64 << sizes.len());
    for number in 1..=all {
        as_large += u64::from(sum.abs() >= enough);
        // Gray's code: one sign changes each time.
        let place = number.trailing_zeros() as usize;
        if place < sizes.len() {
            signs[place] = -signs[place];
            sum += 2.0 * signs[place] * sizes[place];
        }
    }
    Ok(as_large as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_signs_are_counted() {
        assert_eq!(sign_flips(&[1.0; 6]).expect("they are numbers"), 2.0 / 64.0);
        assert_eq!(sign_flips(&[1.0, -1.0]).expect("they are numbers"), 1.0);
        assert_eq!(sign_flips(&[0.0, 0.0]).expect("they are numbers"), 1.0);
        // |3 + 2 - 1| = 4: of ±3 ±2 ±1 that is reached by 6, 4, -4 and -6.
        assert_eq!(sign_flips(&[3.0, 2.0, -1.0]).expect("they are numbers"), 0.5);
        assert!(sign_flips(&[f64::NAN]).is_err());
    }
}
