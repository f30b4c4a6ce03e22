//! Executions until something was found, where some trials never found it.
//!
//! A trial that was stopped at its budget says only that the time is longer than that: it is *censored*.
//! Leaving such trials out makes a strategy look better the more often it fails, so:
//!
//! - **Orders** (Mann–Whitney U, Â₁₂) take *not found* as later than every find, and all that were not found
//!   as equal. With one budget for all this uses everything that is known, and it is an order that more
//!   executions could change only among trials that are equal here.
//! - **[`Times::found_mean`]** is the mean over the trials that found it. It says nothing without the number
//!   of these: show it with [`Times::share`].
//! - **[`Times::restricted_mean`]** counts the budget for each trial that did not find it: the mean number of
//!   executions that a trial ran for until it found it or gave up. It is the area under the Kaplan–Meier
//!   curve up to the budget, and a lower bound of the true mean.
//!
//! Times of different budgets cannot be compared: "not found in 100" is neither more nor less than "found at
//! 150".

use crate::{
    MannWhitney, Sample, Share, StatisticsError, VarghaDelaney, mann_whitney,
    pairs::Pairs,
    sample::{self, quantile},
};

/// When each trial found it, if it did, and the budget that each had.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    budget: u64,
    found: usize,
    /// Times in ascending order; those that were not found are infinite.
    ascending: Vec<f64>,
}

/// Up to here every whole number is exactly a floating-point number.
const BUDGET_MOST: u64 = 1 << 53;

impl Times {
    /// Trials of `budget` executions each, with the number of the execution, from 1, in which each found it.
    pub fn new(budget: u64, trials: impl IntoIterator<Item = Option<u64>>) -> Result<Times, StatisticsError> {
        if !(1..=BUDGET_MOST).contains(&budget) {
            return Err(StatisticsError::Budget(budget));
        }
        let (mut ascending, mut missed) = (Vec::new(), 0);
        for trial in trials {
            match trial {
                Some(found) if !(1..=budget).contains(&found) => {
                    return Err(StatisticsError::OutsideBudget { found, budget });
                }
                Some(found) => ascending.push(found as f64),
                None => missed += 1,
            }
            let count = ascending.len() + missed;
            if count > Sample::MOST {
                return Err(StatisticsError::TooMany { count, most: Sample::MOST });
            }
        }
        let found = ascending.len();
        ascending.sort_by(f64::total_cmp);
        ascending.resize(found + missed, f64::INFINITY);
        if ascending.is_empty() {
            Err(StatisticsError::Empty)
        } else {
            Ok(Times { budget, found, ascending })
        }
    }

    /// How many executions each trial had.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// How many trials there were.
    pub fn trials(&self) -> usize {
        self.ascending.len()
    }

    /// How many of them found it.
    pub fn share(&self) -> Share {
        Share::new(self.found as u64, self.trials() as u64)
            .expect("there are trials, and no more found it than there are")
    }

    /// The mean over the trials that found it, if any did. Show it with [`Times::share`].
    pub fn found_mean(&self) -> Option<f64> {
        (self.found > 0).then(|| sample::mean(&self.ascending[..self.found]))
    }

    /// The sample standard deviation over the trials that found it, if at least two did.
    pub fn found_deviation(&self) -> Option<f64> {
        let found = Sample::new(self.ascending[..self.found].iter().copied()).ok()?;
        found.standard_deviation()
    }

    /// The mean over all trials, with the budget for each that did not find it.
    pub fn restricted_mean(&self) -> f64 {
        let found: f64 = self.ascending[..self.found].iter().sum();
        let missed = (self.trials() - self.found) as f64;
        (found + missed * self.budget as f64) / self.trials() as f64
    }

    /// The median, if so many found it that it is known.
    pub fn median(&self) -> Option<f64> {
        Some(quantile(&self.ascending, 0.5)).filter(|median| median.is_finite())
    }

    /// The Mann–Whitney U test against other times of the same budget, as
    /// [`mann_whitney`](crate::mann_whitney()) does it. Trials that did not find it are equal values, so that
    /// p is asymptotic as soon as there are two of them.
    pub fn mann_whitney(&self, other: &Times) -> Result<MannWhitney, StatisticsError> {
        Ok(mann_whitney::choose(&self.pairs(other)?))
    }

    /// Â₁₂ against other times of the same budget: how often a trial of these takes *longer*. Below 0.5,
    /// these are sooner.
    pub fn vargha_delaney(&self, other: &Times) -> Result<VarghaDelaney, StatisticsError> {
        Ok(VarghaDelaney::from_pairs(&self.pairs(other)?))
    }

    fn pairs(&self, other: &Times) -> Result<Pairs, StatisticsError> {
        if self.budget != other.budget {
            return Err(StatisticsError::BudgetsDiffer { first: self.budget, second: other.budget });
        }
        Ok(Pairs::count(&self.ascending, &other.ascending))
    }
}
