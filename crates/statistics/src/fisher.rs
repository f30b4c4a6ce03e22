//! Fisher's exact test, two-sided: does one strategy find it in more trials than another?
//!
//! Given how many found it in all, the number among the trials of the first is hypergeometric if the two do
//! not differ. p is the chance of all outcomes that are not likelier than this one. R. A. Fisher: *The Design
//! of Experiments*, 1935.

use std::fmt;

use crate::StatisticsError;

/// How many of the trials found it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Share {
    found: u64,
    trials: u64,
}

impl Share {
    /// The most trials: the test adds up as many chances.
    pub const MOST: u64 = 10_000_000;

    /// `found` of `trials`, which are at least one.
    pub fn new(found: u64, trials: u64) -> Result<Share, StatisticsError> {
        if trials == 0 || trials > Self::MOST || found > trials {
            return Err(StatisticsError::Share { found, trials, most: Self::MOST });
        }
        Ok(Share { found, trials })
    }

    /// How many found it.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// How many tried.
    pub fn trials(&self) -> u64 {
        self.trials
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.found, self.trials)
    }
}

/// Outcomes whose chances differ by less than this part are equally likely, as in R: the rest is rounding.
const EQUALLY_LIKELY: f64 = 1e-7;

/// The p of the test. It is 1 where all trials found it, or none did: no difference can be shown.
pub fn fisher(first: Share, second: Share) -> f64 {
    let found = first.found + second.found;
    let least = found.saturating_sub(second.trials);
    let most = found.min(first.trials);
    // How much likelier k + 1 finds in the first are than k.
    let ratio = |k: u64| {
        let up = (first.trials - k) as f64 * (found - k) as f64;
        up / ((k + 1) as f64 * (second.trials + k + 1 - found) as f64)
    };
    // Chances relative to the likeliest outcome: away from it they fall, to nothing in the end, and none is
    // too large.
    let likeliest = likeliest(found, first.trials, second.trials).clamp(least, most);
    let up = (likeliest..most).scan(1.0, |chance, k| {
        *chance *= ratio(k);
        Some((k + 1, *chance))
    });
    let down = (least..likeliest).rev().scan(1.0, |chance, k| {
        *chance /= ratio(k);
        Some((k, *chance))
    });
    let mut chances: Vec<(u64, f64)> = up.chain(down).collect();
    chances.push((likeliest, 1.0));
    // From the least chances up, so that small ones are not lost in the sum.
    chances.sort_by(|a, b| a.1.total_cmp(&b.1));
    let here = chances.iter().find(|(k, _)| *k == first.found).map_or(1.0, |(_, chance)| *chance);
    let all: f64 = chances.iter().map(|(_, chance)| chance).sum();
    let limit = here * (1.0 + EQUALLY_LIKELY);
    let as_rare: f64 = chances.iter().map(|(_, chance)| *chance).filter(|chance| *chance <= limit).sum();
    (as_rare / all).min(1.0)
}

/// The mode of the hypergeometric distribution.
fn likeliest(found: u64, first: u64, second: u64) -> u64 {
    let mode = u128::from(found + 1) * u128::from(first + 1) / u128::from(first + second + 2);
    u64::try_from(mode).expect("a part of the trials of the first, which fit")
}
