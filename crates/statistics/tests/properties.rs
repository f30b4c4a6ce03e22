//! What holds for all samples.

use proptest::prelude::*;
use shakedown_statistics::{
    Comparison, Method, Sample, Share, Times, fisher, holm, mann_whitney, mann_whitney_asymptotic,
    mann_whitney_exact, repeated_measures, smallest_p, tukey, vargha_delaney,
};

/// The same cases in every run.
fn config(cases: u32) -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    ProptestConfig { failure_persistence: None, rng_seed, ..ProptestConfig::with_cases(cases) }
}

/// Values of few kinds, so that many are equal, or of many.
fn values(most: usize) -> impl Strategy<Value = Vec<f64>> {
    let few = prop::collection::vec((0..5_i32).prop_map(f64::from), 1..=most);
    let many = prop::collection::vec(
        (-1_000_000..1_000_000_i32).prop_map(|value| f64::from(value) / 64.0),
        1..=most,
    );
    prop_oneof![few, many]
}

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.iter().copied()).unwrap()
}

/// The p of the test by its definition: all ways to deal out the values, and U by counting pairs.
fn by_enumeration(first: &[f64], second: &[f64]) -> f64 {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let twice_u = |chosen: u32| -> i32 {
        let (mine, theirs): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|&i| chosen & (1 << i) != 0);
        let pairs = mine.iter().flat_map(|&i| theirs.iter().map(move |&j| (i, j)));
        pairs.map(|(i, j)| all[i].total_cmp(&all[j]) as i32 + 1).sum()
    };
    let here = twice_u((1 << first.len()) - 1);
    let ways = (0..1_u32 << all.len()).filter(|chosen| chosen.count_ones() as usize == first.len());
    let (mut count, mut below, mut above) = (0, 0, 0);
    for way in ways.map(twice_u) {
        count += 1;
        below += u32::from(way <= here);
        above += u32::from(way >= here);
    }
    (f64::from(2 * below.min(above)) / f64::from(count)).min(1.0)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn both_u_give_the_number_of_pairs_and_p_is_the_same_either_way(a in values(30), b in values(30)) {
        let (first, second) = (sample(&a), sample(&b));
        for test in [mann_whitney, mann_whitney_asymptotic] {
            let (one, other) = (test(&first, &second), test(&second, &first));
            prop_assert_eq!(one.u + other.u, (a.len() * b.len()) as f64);
            prop_assert_eq!(one.p, other.p);
            prop_assert!(one.p > 0.0 && one.p <= 1.0);
        }
    }

    #[test]
    fn a12_of_the_second_is_one_less_that_of_the_first(a in values(30), b in values(30)) {
        let (one, other) = (vargha_delaney(&sample(&a), &sample(&b)), vargha_delaney(&sample(&b), &sample(&a)));
        prop_assert!((one.a12() - (1.0 - other.a12())).abs() < 1e-15);
        prop_assert_eq!(one.reversed(), other);
        prop_assert_eq!(one.size(), other.size());
        prop_assert_eq!(one.a12(), mann_whitney(&sample(&a), &sample(&b)).u / (a.len() * b.len()) as f64);
    }

    #[test]
    fn only_the_order_of_values_counts(a in values(20), b in values(20)) {
        // Cubes of these values are exact, and in the same order.
        let other = |values: &[f64]| sample(&values.iter().map(|value| value * value * value).collect::<Vec<_>>());
        prop_assert_eq!(mann_whitney(&sample(&a), &sample(&b)), mann_whitney(&other(&a), &other(&b)));
        prop_assert_eq!(vargha_delaney(&sample(&a), &sample(&b)), vargha_delaney(&other(&a), &other(&b)));
    }

    #[test]
    fn the_exact_p_is_that_of_an_enumeration(a in values(6), b in values(6)) {
        let test = mann_whitney_exact(&sample(&a), &sample(&b)).unwrap();
        let expected = by_enumeration(&a, &b);
        prop_assert!((test.p - expected).abs() < 1e-14, "{} not {}", test.p, expected);
        let chosen = mann_whitney(&sample(&a), &sample(&b));
        if chosen.method == Method::Exact {
            prop_assert_eq!(chosen, test);
        }
        prop_assert!(test.p >= smallest_p(a.len(), b.len()) * (1.0 - 1e-12));
    }

    #[test]
    fn never_found_is_later_than_any_find(
        a in prop::collection::vec(prop::option::of(1..100_u64), 1..20),
        b in prop::collection::vec(prop::option::of(1..100_u64), 1..20),
    ) {
        let times = |trials: &[Option<u64>]| Times::new(100, trials.iter().copied()).unwrap();
        // Any number beyond the budget does in its place.
        let numbers = |trials: &[Option<u64>]| {
            sample(&trials.iter().map(|trial| trial.map_or(12_345.0, |found| found as f64)).collect::<Vec<_>>())
        };
        let comparison = Comparison::of_times(&times(&a), &times(&b)).unwrap();
        prop_assert_eq!(comparison, Comparison::of(&numbers(&a), &numbers(&b)));
        prop_assert!(times(&a).restricted_mean() <= 100.0);
        prop_assert!(times(&a).found_mean().is_none_or(|mean| mean <= times(&a).restricted_mean()));
    }

    #[test]
    fn fisher_is_the_same_for_missed_instead_of_found(n in 1..60_u64, m in 1..60_u64, x in 0..60_u64, y in 0..60_u64) {
        let (x, y) = (x.min(n), y.min(m));
        let share = |found, trials| Share::new(found, trials).unwrap();
        let p = fisher(share(x, n), share(y, m));
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert!((p - fisher(share(n - x, n), share(m - y, m))).abs() < 1e-12);
        prop_assert!((p - fisher(share(y, m), share(x, n))).abs() < 1e-12);
    }

    #[test]
    fn holm_keeps_the_order_and_lowers_nothing(p in prop::collection::vec(0.0..=1.0_f64, 0..12)) {
        let corrected = holm(&p).unwrap();
        for (i, one) in p.iter().enumerate() {
            prop_assert!(corrected[i] >= *one && corrected[i] <= 1.0);
            for (j, other) in p.iter().enumerate() {
                prop_assert!(one > other || corrected[i] <= corrected[j]);
            }
        }
    }

    #[test]
    fn repeated_measures_do_not_see_what_is_the_same_for_a_subject(
        rows in prop::collection::vec(prop::collection::vec(-100..100_i32, 4), 3..8),
        offsets in prop::collection::vec(-1000..1000_i32, 8),
    ) {
        let plain: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|value| f64::from(*value)).collect()).collect();
        let moved: Vec<Vec<f64>> = plain.iter().zip(&offsets)
            .map(|(row, offset)| row.iter().map(|value| value + f64::from(*offset)).collect()).collect();
        match (repeated_measures(&plain), repeated_measures(&moved)) {
            (Ok(one), Ok(other)) => {
                prop_assert!((one.p - other.p).abs() < 1e-9);
                prop_assert!((one.epsilon - other.epsilon).abs() < 1e-9);
                prop_assert!(one.epsilon >= 1.0 / 3.0 && one.epsilon <= 1.0);
                prop_assert!(one.f >= 0.0 && one.f.is_finite());
            }
            (one, other) => prop_assert_eq!(one.is_err(), other.is_err()),
        }
    }

}

proptest! {
    // Each case takes some thousand integrals.
    #![proptest_config(config(24))]

    /// For two groups Tukey's test is Student's: the p of repeated measures with two conditions is that of
    /// its Tukey test.
    #[test]
    fn with_two_conditions_tukey_says_what_the_analysis_says(
        rows in prop::collection::vec(prop::collection::vec(-100..100_i32, 2), 3..8),
    ) {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|value| f64::from(*value)).collect()).collect();
        if let Ok(analysis) = repeated_measures(&rows) {
            let pairs = analysis.tukey(0.95).unwrap();
            prop_assert!((pairs[0].p - analysis.p).abs() <= 1e-10, "{} not {}", pairs[0].p, analysis.p);
            prop_assert_eq!(analysis.corrected_p, analysis.p);
        }
    }

    #[test]
    fn a_confidence_interval_leaves_out_zero_just_where_p_is_small(
        a in values(6), b in values(6), c in values(6),
    ) {
        if let Ok(pairs) = tukey(&[sample(&a), sample(&b), sample(&c)], 0.95) {
            for pair in pairs {
                prop_assert!(pair.lower <= pair.difference && pair.difference <= pair.upper);
                if (pair.p - 0.05).abs() > 1e-9 {
                    prop_assert_eq!(pair.p < 0.05, pair.lower > 0.0 || pair.upper < 0.0);
                }
            }
        }
    }
}
