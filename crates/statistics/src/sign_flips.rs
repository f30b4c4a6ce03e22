//! Fisher's permutation test for paired values: if there were no difference, each sign could as well be the
//! other one.

use crate::StatisticsError;

/// The most pairs of which all signs are tried: 4 million sums of each half of them.
const PAIRS_MAX: usize = 44;

/// The two-sided probability that so large a sum of differences, or a larger one, comes of flipping signs by
/// chance. Every way to flip them is counted, so the value is exact; at most 44 differences that are not 0
/// are possible.
pub fn sign_flips(differences: &[f64]) -> Result<f64, StatisticsError> {
    if let Some(position) = differences.iter().position(|value| !value.is_finite()) {
        return Err(StatisticsError::Value { position, value: differences[position].to_string() });
    }
    // What is 0 is 0 either way.
    let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    if sizes.len() > PAIRS_MAX {
        return Err(StatisticsError::TooMany { count: sizes.len(), most: PAIRS_MAX });
    }
    let seen = differences.iter().sum::<f64>().abs();
    // Equal sums may differ in the last digits, by the order in which they were added up.
    let enough = seen - 1e-9 * sizes.iter().sum::<f64>();
    if enough <= 0.0 {
        return Ok(1.0);
    }
    let (left, right) = sizes.split_at(sizes.len() / 2);
    let (left, right) = (sums(left), sums(right));
    // Each sum of the left half goes with the largest of the right half. The larger the left sum is, the more
    // of the right half is enough.
    let (mut as_large, mut first) = (0_u64, right.len());
    for sum in &left {
        while first > 0 && sum + right[first - 1] >= enough {
            first -= 1;
        }
        as_large += (right.len() - first) as u64;
    }
    // With all signs flipped, a sum is as far on the other side of 0.
    Ok(2.0 * as_large as f64 / (left.len() as f64 * right.len() as f64))
}

/// The sums of these sizes with every choice of signs, in order.
fn sums(sizes: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for size in sizes {
        sums = sums.iter().map(|sum| sum - size).chain(sums.iter().map(|sum| sum + size)).collect();
    }
    sums.sort_by(f64::total_cmp);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_signs_are_counted() {
        assert_eq!(sign_flips(&[1.0; 6]).expect("they are numbers"), 2.0 / 64.0);
        assert_eq!(sign_flips(&[1.0, -1.0]).expect("they are numbers"), 1.0);
        assert_eq!(sign_flips(&[0.0, 0.0]).expect("they are numbers"), 1.0);
        assert_eq!(sign_flips(&[]).expect("there is none that is not a number"), 1.0);
        assert_eq!(sign_flips(&[-2.0]).expect("it is a number"), 1.0);
        // |3 + 2 - 1| = 4: of ±3 ±2 ±1 that is reached by 6, 4, -4 and -6.
        assert_eq!(sign_flips(&[3.0, 2.0, -1.0]).expect("they are numbers"), 0.5);
        assert!(sign_flips(&[f64::NAN]).is_err());
        assert!(sign_flips(&[1.0; 45]).is_err());
    }

    /// The two halves give what counting one choice of signs after the other gives.
    #[test]
    fn two_halves_are_the_whole() {
        let differences: Vec<f64> = (1..=13).map(|n| f64::from(n * n * 7 % 23 - 9)).collect();
        let count = differences.iter().filter(|value| **value != 0.0).count();
        let seen = differences.iter().sum::<f64>().abs();
        let sizes: Vec<f64> =
            differences.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
        let with = |choice: u32| {
            let signed = |(place, size): (usize, &f64)| if choice >> place & 1 == 0 { *size } else { -size };
            sizes.iter().enumerate().map(signed).sum::<f64>().abs()
        };
        let as_large = (0..1_u32 << count).filter(|choice| with(*choice) >= seen).count();
        let whole = as_large as f64 / f64::from(1_u32 << count);
        assert_eq!(sign_flips(&differences).expect("they are numbers"), whole);
    }
}
