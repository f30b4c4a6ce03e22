//! The Mann–Whitney U test (Wilcoxon's rank-sum test), two-sided: do the values of one sample tend to be
//! greater?
//!
//! It looks at the order of values only, so it asks nothing of their distribution. H. B. Mann, D. R.
//! Whitney: *On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other*,
//! Annals of Mathematical Statistics 18(1), 1947.
//!
//! [`mann_whitney`] chooses as SciPy does. With equal values that is the normal approximation even for tiny
//! samples, where it can be much too sure of itself (1, 1, 1 against 2, 2, 2 gives p = 0.047, while one in
//! ten ways to deal out these six values is as extreme); [`mann_whitney_exact`] takes equal values into
//! account, and [`smallest_p`] says what can be reached at all.

use std::fmt;

use crate::{Sample, StatisticsError, null_distribution, pairs::Pairs, special::normal_upper};

/// How a p was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Method {
    /// From all ways to deal out the values to the two samples.
    Exact,
    /// From the normal distribution, with the corrections for ties and for continuity.
    Asymptotic,
    /// All values are equal: no difference can be shown, p = 1.
    AllEqual,
}

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// The U of the first sample: in how many pairs its value is greater, equal ones counted half. With the U
    /// of the second it gives the number of pairs.
    pub u: f64,
    /// The chance of a U at least this far out, on either side, if the two do not differ.
    pub p: f64,
    /// Where p comes from.
    pub method: Method,
}

/// The largest size of the smaller sample for which the exact distribution is chosen, as in SciPy.
const EXACT_UP_TO: u64 = 8;

/// The test, with the method that SciPy's `auto` chooses: exact if no value occurs twice and one sample has
/// at most 8 values, asymptotic otherwise. Beyond the limits of [`mann_whitney_exact`] it is asymptotic too,
/// unlike SciPy's.
pub fn mann_whitney(first: &Sample, second: &Sample) -> MannWhitney {
    choose(&Pairs::count(first.ascending(), second.ascending()))
}

/// The test with its exact distribution, for samples with equal values too: p is twice the part of all ways
/// to deal out the values that gives a U as far out on the same side, or further.
///
/// Refused where it would take more than some 10⁸ additions, or the number of ways has more than 128 bits:
/// beyond about 60 values in each sample, or millions of pairs if one is tiny.
pub fn mann_whitney_exact(first: &Sample, second: &Sample) -> Result<MannWhitney, StatisticsError> {
    exact(&Pairs::count(first.ascending(), second.ascending()))
}

/// The test by the normal approximation, corrected for ties and for continuity.
pub fn mann_whitney_asymptotic(first: &Sample, second: &Sample) -> MannWhitney {
    asymptotic(&Pairs::count(first.ascending(), second.ascending()))
}

/// The smallest p that samples of these sizes can have, exactly: that of a complete separation. Where it is
/// not below the level that one asks for, no outcome would have shown a difference, and only more trials
/// help.
pub fn smallest_p(first: usize, second: usize) -> f64 {
    let (few, many) = (first.min(second), first.max(second));
    // 2 / C(few + many, few), factor by factor; it falls quickly, so that large samples end early.
    let mut p = 2.0_f64;
    for k in 1..=few {
        p *= k as f64 / (many + k) as f64;
        if p == 0.0 {
            break;
        }
    }
    p.min(1.0)
}

/// The choice of SciPy's `auto`.
pub(crate) fn choose(pairs: &Pairs) -> MannWhitney {
    if pairs.first.min(pairs.second) <= EXACT_UP_TO && !pairs.ties() {
        exact(pairs).unwrap_or_else(|_| asymptotic(pairs))
    } else {
        asymptotic(pairs)
    }
}

fn exact(pairs: &Pairs) -> Result<MannWhitney, StatisticsError> {
    let u = pairs.twice_u() as f64 / 2.0;
    if pairs.groups.len() == 1 {
        return Ok(MannWhitney { u, p: 1.0, method: Method::AllEqual });
    }
    let p = null_distribution::two_sided(pairs).ok_or(StatisticsError::TooLargeForExact {
        first: pairs.first as usize,
        second: pairs.second as usize,
    })?;
    Ok(MannWhitney { u, p, method: Method::Exact })
}

fn asymptotic(pairs: &Pairs) -> MannWhitney {
    let u = pairs.twice_u() as f64 / 2.0;
    if pairs.groups.len() == 1 {
        return MannWhitney { u, p: 1.0, method: Method::AllEqual };
    }
    let all = pairs.all() as f64;
    let n = (pairs.first + pairs.second) as f64;
    let ties: u128 = pairs.groups.iter().map(|&group| u128::from(group).pow(3) - u128::from(group)).sum();
    let deviation = (all / 12.0 * ((n + 1.0) - ties as f64 / (n * (n - 1.0)))).sqrt();
    let z = ((u - all / 2.0).abs() - 0.5) / deviation;
    MannWhitney { u, p: (2.0 * normal_upper(z)).min(1.0), method: Method::Asymptotic }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Exact => "exact",
            Method::Asymptotic => "asymptotic",
            Method::AllEqual => "all equal",
        })
    }
}
