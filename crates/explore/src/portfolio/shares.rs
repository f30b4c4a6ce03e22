//! What each arm is given: a bandit that draws no lots.
//!
//! Each measure scores an arm by its part of what was new per step. The score of an arm is the mean over all
//! measures, so a measure that counts in thousands weighs no more than one that counts in tens. A third of
//! all steps is divided by the weights of the arms alone: that is the floor. The rest is divided by weight
//! and score.

use super::GENERATION;
use super::account::Account;

/// The part of all steps that is divided whatever is found.
const FLOOR: f64 = 1.0 / 3.0;

/// The arm of each execution of the next generation.
pub(super) fn slots(accounts: &[&Account], is_bandit: bool) -> Vec<u8> {
    let shares = match is_bandit {
        true => shares(accounts),
        false => accounts.iter().map(|account| account.weight).collect(),
    };
    interleaved(&counts(&executions(accounts, &shares)))
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

/// The part of the executions that makes these parts of the steps.
fn executions(accounts: &[&Account], shares: &[f64]) -> Vec<f64> {
    let length = |account: &Account| (account.executions > 0.0).then(|| account.steps / account.executions);
    let known: Vec<f64> = accounts.iter().filter_map(|account| length(account)).collect();
    let middling = if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    let parts =
        accounts.iter().zip(shares).map(|(account, share)| share / length(account).unwrap_or(middling));
    parts.collect()
}

/// So many executions of a generation: at least one for every arm, and as many more as its part says.
fn counts(parts: &[f64]) -> Vec<usize> {
    let free = GENERATION - parts.len();
    let all: f64 = parts.iter().sum();
    let exact: Vec<f64> = parts.iter().map(|part| part / all * free as f64).collect();
    let mut counts: Vec<usize> = exact.iter().map(|count| 1 + *count as usize).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let rest = |arm: usize| exact[arm] - (exact[arm] as usize) as f64;
    order.sort_by(|one, other| rest(*other).total_cmp(&rest(*one)));
    let missing = GENERATION - counts.iter().sum::<usize>();
    for arm in order.into_iter().cycle().take(missing) {
        counts[arm] += 1;
    }
    counts
}

/// The executions of each arm spread over the generation.
fn interleaved(counts: &[usize]) -> Vec<u8> {
    let mut places: Vec<(usize, usize, u8)> = Vec::with_capacity(GENERATION);
    for (arm, count) in counts.iter().enumerate() {
        // The middle of the k-th of so many equal stretches, in 2 × count-ths.
        places.extend((0..*count).map(|k| ((2 * k + 1) * 100_000 / (2 * count), arm, arm as u8)));
    }
    places.sort_unstable();
    places.into_iter().map(|(_, _, arm)| arm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EQUAL: (f64, f64) = (1.0, 1.0);

    /// An arm with so many executions of so many steps, each with so much that was new.
    fn account(executions: usize, steps: usize, new: usize) -> Account {
        let mut account = Account::new(1, EQUAL);
        (0..executions).for_each(|_| account.take(steps, &[Some(new)]));
        account
    }

    fn steps_of(accounts: &[Account], lengths: &[usize], is_bandit: bool) -> Vec<f64> {
        let accounts: Vec<&Account> = accounts.iter().collect();
        let slots = slots(&accounts, is_bandit);
        assert_eq!(slots.len(), GENERATION);
        let steps =
            |arm: usize| slots.iter().filter(|slot| usize::from(**slot) == arm).count() * lengths[arm];
        let all: usize = (0..lengths.len()).map(steps).sum();
        (0..lengths.len()).map(|arm| steps(arm) as f64 / all as f64).collect()
    }

    #[test]
    fn at_first_all_arms_are_given_the_same() {
        let arms: Vec<Account> = (0..4).map(|_| Account::new(3, EQUAL)).collect();
        assert_eq!(steps_of(&arms, &[1; 4], true), [0.25; 4]);
        let arms: Vec<Account> =
            (0..4).map(|arm| Account::new(3, (1.0, if arm == 3 { 0.25 } else { 1.0 }))).collect();
        let steps = steps_of(&arms, &[1; 4], true);
        assert!(steps[3] > 0.0 && steps[3] < 0.5 * steps[0], "who learns has nothing yet: {steps:?}");
    }

    #[test]
    fn what_is_shared_is_steps_and_not_executions() {
        let arms = [account(10, 100, 5), account(10, 400, 20)];
        for is_bandit in [true, false] {
            let steps = steps_of(&arms, &[100, 400], is_bandit);
            assert!((steps[0] - 0.5).abs() < 0.05, "{steps:?}");
        }
    }

    #[test]
    fn who_finds_more_is_given_more_and_nobody_starves() {
        let arms = [account(10, 100, 90), account(10, 100, 10), account(10, 100, 0)];
        let steps = steps_of(&arms, &[100; 3], true);
        assert!(steps[0] > 0.6 && steps[0] > steps[1] && steps[1] > steps[2], "{steps:?}");
        assert!(steps[2] > 0.1, "a third is divided equally: {steps:?}");
        let equal = steps_of(&arms, &[100; 3], false);
        assert!(equal.iter().all(|steps| (steps - 1.0 / 3.0).abs() < 0.02), "{equal:?}");
    }

    #[test]
    fn an_arm_of_twice_the_weight_is_given_twice_as_much() {
        let mut arms = [account(10, 100, 5), account(10, 100, 5)];
        arms[1].weight = 2.0;
        for is_bandit in [true, false] {
            let steps = steps_of(&arms, &[100; 2], is_bandit);
            assert!((steps[1] - 2.0 / 3.0).abs() < 0.02, "{steps:?}");
        }
    }

    #[test]
    fn a_measure_that_counts_in_thousands_weighs_no_more() {
        let mut arms = [Account::new(2, EQUAL), Account::new(2, EQUAL)];
        arms[0].take(100, &[Some(9_000), Some(1)]);
        arms[1].take(100, &[Some(1_000), Some(9)]);
        let steps = steps_of(&arms, &[100; 2], true);
        assert!((steps[0] - 0.5).abs() < 0.02, "{steps:?}");
    }
}
