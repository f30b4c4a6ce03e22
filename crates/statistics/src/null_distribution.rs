//! The distribution of U when the two samples do not differ: how many of the ways to deal out the values give
//! each U.
//!
//! All counts are whole numbers of 128 bits, so that p is exact up to one division. Where they would not fit
//! there is no answer.

use crate::pairs::Pairs;

/// The most pairs for which the distribution without ties is made: 16 bytes a pair.
const MOST_PAIRS: u64 = 4_000_000;
/// The most additions for the distribution with ties.
const MOST_ADDITIONS: u64 = 100_000_000;

/// Twice the part of all ways in which U is at least as far out, on this side, as it is here; none where that
/// is too much work.
pub(crate) fn two_sided(pairs: &Pairs) -> Option<f64> {
    let ways = ways(pairs.first, pairs.second)?;
    if pairs.ties() { with_ties(pairs, ways) } else { without_ties(pairs, ways) }
}

/// C(first + second, first), the number of ways to deal out the values.
fn ways(first: u64, second: u64) -> Option<u128> {
    let few = first.min(second);
    let many = u128::from(first.max(second));
    // The product is a binomial coefficient after every step, so the division leaves no rest.
    (1..=u128::from(few)).try_fold(1_u128, |ways, k| Some(ways.checked_mul(many + k)? / k))
}

/// Without ties the ways with U = u are the partitions of u that fit into a rectangle of first × second: the
/// coefficients of the Gaussian binomial ∏ (1 − qⁿ⁺ⁱ) / (1 − qⁱ). Factor by factor, a coefficient may exceed
/// 128 bits or be negative on the way; arithmetic modulo 2¹²⁸ is exact all the same, because the final ones
/// fit.
fn without_ties(pairs: &Pairs, ways: u128) -> Option<f64> {
    if pairs.all() > MOST_PAIRS {
        return None;
    }
    let u = (pairs.twice_u() / 2).min(pairs.all() - pairs.twice_u() / 2) as usize;
    let few = pairs.first.min(pairs.second) as usize;
    let many = pairs.first.max(pairs.second) as usize;
    // The distribution is symmetric, so that only the lower tail is needed.
    let mut counts = vec![0_u128; u + 1];
    counts[0] = 1;
    for i in 1..=few {
        for k in (many + i..=u).rev() {
            counts[k] = counts[k].wrapping_sub(counts[k - many - i]);
        }
        for k in i..=u {
            counts[k] = counts[k].wrapping_add(counts[k - i]);
        }
    }
    let tail: u128 = counts.iter().sum();
    Some((2.0 * part(tail, ways)).min(1.0))
}

/// With ties, the sums of ranks are counted one group of equal values after the other: `counts[taken][sum]`
/// is the number of ways to have dealt `taken` values to the smaller sample with that sum of doubled
/// mid-ranks.
fn with_ties(pairs: &Pairs, ways: u128) -> Option<f64> {
    let few = pairs.first.min(pairs.second);
    let n = pairs.first + pairs.second;
    // The largest sum of doubled mid-ranks is that of the `few` highest ranks.
    let most = few.checked_mul(2 * n - few + 1)?;
    let additions = n.checked_mul(few + 1)?.checked_mul(most + 1)?;
    if additions > MOST_ADDITIONS {
        return None;
    }
    let (few, most) = (few as usize, most as usize);
    let mut counts = vec![vec![0_u128; most + 1]; few + 1];
    counts[0][0] = 1;
    let mut below = 0;
    for &group in &pairs.groups {
        // Ranks below + 1 to below + group have the middle (2·below + group + 1) / 2.
        let rank = (2 * below + group + 1) as usize;
        for _ in 0..group {
            for taken in (1..=few).rev() {
                let (lower, upper) = counts.split_at_mut(taken);
                for sum in rank..=most {
                    upper[0][sum] += lower[taken - 1][sum - rank];
                }
            }
        }
        below += group;
    }
    // Doubled, the U of the smaller sample is its sum of doubled ranks less few·(few + 1).
    let twice_u = if few as u64 == pairs.first { pairs.twice_u() } else { 2 * pairs.all() - pairs.twice_u() };
    let here = twice_u as usize + few * (few + 1);
    let lower: u128 = counts[few][..=here].iter().sum();
    let upper: u128 = counts[few][here..].iter().sum();
    Some((2.0 * part(lower.min(upper), ways)).min(1.0))
}

/// A part of the ways.
fn part(some: u128, ways: u128) -> f64 {
    some as f64 / ways as f64
}
