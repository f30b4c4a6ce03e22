//! What each arm is given: a bandit that draws no lots.
//!
//! Each measure scores an arm by its part of what was new per step. The score of an arm is the mean over all
//! measures, so a measure that counts in thousands weighs no more than one that counts in tens. Seven tenths
//! of all steps are divided by the weights of the arms alone: that is the floor, for what is new says little
//! of where a bug is. The rest is divided by weight and score.

use super::GENERATION;
use super::account::Account;

/// The part of all steps that is divided whatever is found.
const FLOOR: f64 = 0.7;

/// The arm of each execution of the next generation: every time the one that lacks most of its part of the
/// steps of late.
pub(super) fn slots(accounts: &[&Account], is_bandit: bool) -> Vec<u8> {
    let shares = match is_bandit {
        true => shares(accounts),
        false => accounts.iter().map(|account| account.weight).collect(),
    };
    let of_all: f64 = shares.iter().sum();
    let length = |account: &Account| (account.executions > 0.0).then(|| account.steps / account.executions);
    let known: Vec<f64> = accounts.iter().filter_map(|account| length(account)).collect();
    let middling = if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    let mut steps: Vec<f64> = accounts.iter().map(|account| account.steps).collect();
    let next = || {
        let all = steps.iter().sum::<f64>() + middling;
        let lacking = |arm: usize| shares[arm] / of_all * all - steps[arm];
        // Of two that lack the same, the first.
        let most = |one: usize, other: usize| if lacking(other) > lacking(one) { other } else { one };
        let arm = (0..steps.len()).reduce(most).expect("there are arms");
        steps[arm] += length(accounts[arm]).unwrap_or(middling);
        arm as u8
    };
    std::iter::repeat_with(next).take(GENERATION).collect()
}

/// The part of the steps that each arm is given.
fn shares(accounts: &[&Account]) -> Vec<f64> {
    if accounts.iter().all(|account| account.executions == 0.0) {
        return accounts.iter().map(|account| account.first_weight).collect();
    }
    let weights: Vec<f64> = accounts.iter().map(|account| account.weight).collect();
    let worths: Vec<f64> =
        worths(accounts).iter().zip(&weights).map(|(worth, weight)| worth * weight).collect();
    let (all, of_weights) = (worths.iter().sum::<f64>(), weights.iter().sum::<f64>());
    let share = |(worth, weight): (&f64, &f64)| {
        let by_weight = weight / of_weights;
        let by_worth = if all > 0.0 { worth / all } else { by_weight };
        FLOOR * by_weight + (1.0 - FLOOR) * by_worth
    };
    worths.iter().zip(&weights).map(share).collect()
}

/// The mean part of each arm in what was new per step, over the measures by which anything was.
fn worths(accounts: &[&Account]) -> Vec<f64> {
    let mut worths = vec![0.0; accounts.len()];
    let measures = accounts.first().map_or(0, |account| account.measures.len());
    for measure in 0..measures {
        let rates: Vec<Option<f64>> =
            accounts.iter().map(|account| account.measures[measure].rate()).collect();
        let (sum, known) =
            rates.iter().flatten().fold((0.0, 0.0), |(sum, known), rate| (sum + rate, known + 1.0));
        if sum > 0.0 {
            // An arm of which nothing is known counts as a middling one.
            let mean = sum / known;
            for (worth, rate) in worths.iter_mut().zip(rates) {
                *worth += rate.unwrap_or(mean) / sum;
            }
        }
    }
    worths
}

#[cfg(test)]
mod tests {
    use super::*;

    const EQUAL: (f64, f64) = (1.0, 1.0);
    /// How many generations are divided.
    const GENERATIONS: usize = 50;

    /// An arm: how many steps an execution of it takes, how much is new in each by each measure, and its
    /// weight.
    type Like<'a> = (usize, &'a [usize], f64);

    /// The part of all steps that arms like these come to.
    fn parts(arms: &[Like<'_>], is_bandit: bool) -> Vec<f64> {
        let measures = arms[0].1.len();
        let mut accounts: Vec<Account> =
            arms.iter().map(|(_, _, weight)| Account::new(measures, (*weight, *weight))).collect();
        let mut steps = vec![0; arms.len()];
        for _ in 0..GENERATIONS {
            let slots = slots(&accounts.iter().collect::<Vec<_>>(), is_bandit);
            assert_eq!(slots.len(), GENERATION);
            for arm in slots.into_iter().map(usize::from) {
                let (length, new, _) = arms[arm];
                accounts.iter_mut().for_each(Account::fade);
                accounts[arm].take(length, &new.iter().copied().map(Some).collect::<Vec<_>>());
                steps[arm] += length;
            }
        }
        let all: usize = steps.iter().sum();
        steps.into_iter().map(|steps| steps as f64 / all as f64).collect()
    }

    fn is_near(parts: &[f64], wanted: &[f64]) -> bool {
        parts.iter().zip(wanted).all(|(part, wanted)| (part - wanted).abs() < 0.03)
    }

    #[test]
    fn at_first_all_arms_are_given_the_same_and_those_that_learn_less() {
        let counts = |accounts: &[Account]| {
            let slots = slots(&accounts.iter().collect::<Vec<_>>(), true);
            let count = |arm: usize| slots.iter().filter(|slot| usize::from(**slot) == arm).count();
            (0..accounts.len()).map(count).collect::<Vec<_>>()
        };
        let arms: Vec<Account> = (0..4).map(|_| Account::new(3, EQUAL)).collect();
        assert_eq!(counts(&arms), [4; 4]);
        let arms: Vec<Account> =
            (0..4).map(|arm| Account::new(3, (1.0, if arm == 3 { 0.25 } else { 1.0 }))).collect();
        assert_eq!(counts(&arms), [5, 5, 5, 1]);
    }

    #[test]
    fn what_is_shared_is_steps_and_not_executions() {
        for is_bandit in [true, false] {
            let parts = parts(&[(100, &[5], 1.0), (400, &[20], 1.0)], is_bandit);
            assert!(is_near(&parts, &[0.5, 0.5]), "{parts:?}");
        }
    }

    #[test]
    fn who_finds_more_is_given_more_and_nobody_starves() {
        let arms: [Like<'_>; 3] = [(100, &[90], 1.0), (100, &[10], 1.0), (100, &[0], 1.0)];
        let unequal = parts(&arms, true);
        let found = [0.9, 0.1, 0.0].map(|found| FLOOR / 3.0 + (1.0 - FLOOR) * found);
        assert!(is_near(&unequal, &found), "{unequal:?}");
        let equal = parts(&arms, false);
        assert!(is_near(&equal, &[1.0 / 3.0; 3]), "{equal:?}");
    }

    #[test]
    fn an_arm_of_twice_the_weight_is_given_twice_as_much() {
        for is_bandit in [true, false] {
            let parts = parts(&[(100, &[5], 1.0), (100, &[5], 2.0)], is_bandit);
            assert!(is_near(&parts, &[1.0 / 3.0, 2.0 / 3.0]), "{parts:?}");
        }
    }

    #[test]
    fn a_measure_that_counts_in_thousands_weighs_no_more() {
        let parts = parts(&[(100, &[9_000, 1], 1.0), (100, &[1_000, 9], 1.0)], true);
        assert!(is_near(&parts, &[0.5, 0.5]), "{parts:?}");
    }
}
