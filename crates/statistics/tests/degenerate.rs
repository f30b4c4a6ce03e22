//! Inputs with nothing in them: each has an answer or an error, never a NaN.

use shakedown_statistics::{
    Better, Comparison, Method, Sample, Share, StatisticsError, StudentizedRange, Times, fisher, holm,
    mann_whitney, mann_whitney_exact, repeated_measures, smallest_p, tukey,
};

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.iter().copied()).unwrap()
}

#[test]
fn samples_that_hold_no_numbers_are_refused() {
    assert_eq!(Sample::new([]), Err(StatisticsError::Empty));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101] {
        let refused = StatisticsError::Value { position: 1, value: value.to_string() };
        assert_eq!(Sample::new([1.0, value]), Err(refused.clone()));
        assert_eq!(repeated_measures(&[[1.0, value], [2.0, 3.0]]), Err(refused));
    }
}

#[test]
fn one_trial_has_no_deviation_and_shows_no_difference() {
    assert_eq!(sample(&[3.0]).standard_deviation(), None);
    let test = mann_whitney(&sample(&[3.0]), &sample(&[4.0]));
    assert_eq!((test.p, test.method), (1.0, Method::Exact));
}

#[test]
fn all_equal_is_no_difference() {
    let test = mann_whitney(&sample(&[0.1; 20]), &sample(&[0.1; 30]));
    assert_eq!((test.u, test.p, test.method), (300.0, 1.0, Method::AllEqual));
    assert_eq!(mann_whitney_exact(&sample(&[0.1; 20]), &sample(&[0.1; 30])), Ok(test));

    let analysis = repeated_measures(&[[0.1, 0.1, 0.1], [0.7, 0.7, 0.7]]).unwrap();
    assert_eq!((analysis.f, analysis.p, analysis.epsilon, analysis.corrected_p), (0.0, 1.0, 1.0, 1.0));
    for pair in analysis.tukey(0.95).unwrap() {
        assert_eq!((pair.difference, pair.p, pair.lower, pair.upper), (0.0, 1.0, 0.0, 0.0));
    }
    for pair in tukey(&[sample(&[0.1; 3]), sample(&[0.1; 5])], 0.95).unwrap() {
        assert_eq!((pair.difference, pair.p, pair.lower, pair.upper), (0.0, 1.0, 0.0, 0.0));
    }
}

#[test]
fn differences_without_scatter_are_an_error() {
    assert_eq!(repeated_measures(&[[0.1, 0.4], [1.1, 1.4], [7.1, 7.4]]), Err(StatisticsError::NoScatter));
    assert_eq!(tukey(&[sample(&[1.0; 3]), sample(&[2.0; 3])], 0.95), Err(StatisticsError::NoScatter));
}

#[test]
fn too_little_to_analyse_is_an_error() {
    let few = |subjects, conditions| Err(StatisticsError::TooFewCells { subjects, conditions });
    assert_eq!(repeated_measures::<[f64; 2]>(&[]), few(0, 0));
    assert_eq!(repeated_measures(&[[1.0, 2.0]]), few(1, 2));
    assert_eq!(repeated_measures(&[[1.0], [2.0]]), few(2, 1));
    let ragged = [vec![1.0, 2.0], vec![1.0]];
    assert_eq!(repeated_measures(&ragged), Err(StatisticsError::Ragged { row: 1, found: 1, expected: 2 }));
    assert_eq!(tukey(&[], 0.95), Err(StatisticsError::TooFewInGroups { groups: 0, values: 0 }));
    let single = [sample(&[1.0]), sample(&[2.0])];
    assert_eq!(tukey(&single, 0.95), Err(StatisticsError::TooFewInGroups { groups: 2, values: 2 }));
}

#[test]
fn too_much_to_analyse_is_an_error() {
    let large = sample(&(0..3000).map(f64::from).collect::<Vec<_>>());
    let refused = StatisticsError::TooLargeForExact { first: 3000, second: 3000 };
    assert_eq!(mann_whitney_exact(&large, &large), Err(refused));
    let refused = StatisticsError::TooManyDegrees { degrees: 20_999, most: 20_000 };
    assert_eq!(repeated_measures(&vec![[1.0, 2.0]; 21_000]), Err(refused));
    let group = sample(&vec![1.0; 10_002]);
    assert!(matches!(tukey(&[group.clone(), group], 0.95), Err(StatisticsError::TooManyDegrees { .. })));
    assert!(StudentizedRange::new(1, 10).is_err() && StudentizedRange::new(1001, 10).is_err());
    assert!(StudentizedRange::new(3, 0).is_err());
}

#[test]
fn levels_and_chances_outside_their_range_are_errors() {
    let groups = [sample(&[1.0, 2.0]), sample(&[2.0, 4.0])];
    let distribution = StudentizedRange::new(3, 10).unwrap();
    for value in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
        assert!(tukey(&groups, value).is_err(), "level {value}");
        assert!(distribution.critical(value).is_err(), "chance {value}");
    }
    assert_eq!(
        (distribution.upper(0.0), distribution.upper(f64::NAN), distribution.upper(f64::INFINITY)),
        (1.0, 1.0, 0.0)
    );
    assert!(holm(&[0.5, f64::NAN]).is_err() && holm(&[1.5]).is_err() && holm(&[]) == Ok(vec![]));
}

#[test]
fn values_of_any_size_are_analysed() {
    for scale in [1e-200, 1e-100, 1.0, 1e99] {
        let rows =
            [[1.0, 2.0, 4.0], [2.0, 2.0, 3.0], [3.0, 5.0, 9.0]].map(|row| row.map(|value| value * scale));
        let analysis = repeated_measures(&rows).unwrap();
        assert!((analysis.f - 158.0 / 29.0).abs() < 1e-9, "{scale}: {}", analysis.f);
        assert!(analysis.tukey(0.95).unwrap().iter().all(|pair| pair.p < 0.9 && pair.upper.is_finite()));
        let deviation = sample(&rows[2]).standard_deviation().unwrap() / scale;
        assert!((deviation - 3.055).abs() < 0.001, "{scale}: {deviation}");
    }
}

#[test]
fn times_keep_to_their_budget() {
    assert_eq!(Times::new(10, []), Err(StatisticsError::Empty));
    assert_eq!(Times::new(0, [None]), Err(StatisticsError::Budget(0)));
    for found in [0, 11] {
        assert_eq!(Times::new(10, [Some(found)]), Err(StatisticsError::OutsideBudget { found, budget: 10 }));
    }
    let (short, long) = (Times::new(10, [None, Some(3)]).unwrap(), Times::new(20, [None, Some(3)]).unwrap());
    let refused = StatisticsError::BudgetsDiffer { first: 10, second: 20 };
    assert_eq!(short.mann_whitney(&long), Err(refused.clone()));
    assert_eq!(short.vargha_delaney(&long), Err(refused));
    let never = Times::new(10, [None, None]).unwrap();
    assert_eq!((never.found_mean(), never.median(), never.restricted_mean()), (None, None, 10.0));
    assert_eq!(never.share().to_string(), "0/2");
}

#[test]
fn shares_are_parts_of_their_trials() {
    assert!(Share::new(0, 0).is_err() && Share::new(3, 2).is_err() && Share::new(0, u64::MAX).is_err());
    let share = |found, trials| Share::new(found, trials).unwrap();
    assert_eq!(fisher(share(0, 5), share(0, 9)), 1.0);
    assert_eq!(fisher(share(5, 5), share(9, 9)), 1.0);
}

#[test]
fn a_comparison_is_said_in_plain_words() {
    let rising = |from: i32, count: i32| sample(&(from..from + count).map(f64::from).collect::<Vec<_>>());
    let covers = |a: &Sample, b: &Sample| {
        Comparison::of(a, b).words(["bonusmax", "random"], Better::Greater("covers more"))
    };
    assert_eq!(
        covers(&rising(20, 10), &rising(0, 10)),
        "bonusmax covers more: p < 0.001, Â₁₂ = 1.00 (large)"
    );
    assert_eq!(covers(&rising(0, 10), &rising(20, 10)), "random covers more: p < 0.001, Â₁₂ = 1.00 (large)");
    assert_eq!(covers(&rising(0, 10), &rising(0, 10)), "no difference: p = 1.00");
    assert_eq!(covers(&rising(2, 10), &rising(0, 10)), "no difference: p = 0.18");
    assert_eq!(covers(&sample(&[1.0; 10]), &sample(&[1.0; 10])), "no difference: all values are equal");
    assert_eq!(
        covers(&sample(&[1.0; 3]), &sample(&[2.0; 3])),
        "no difference can be shown: 3 and 3 trials are too few for p < 0.05"
    );
    // The normal approximation is too sure of itself here, and is not believed.
    let few = Comparison::of(&sample(&[1.0; 3]), &sample(&[2.0; 3]));
    assert!(few.p() < 0.05 && !few.differs());
    let times = |found: &[u64]| {
        let never = std::iter::repeat_n(None, 10 - found.len());
        Times::new(1000, found.iter().copied().map(Some).chain(never)).unwrap()
    };
    let comparison = Comparison::of_times(&times(&[5, 8, 9, 20, 31, 40, 41, 77]), &times(&[700])).unwrap();
    assert_eq!(
        comparison.words(["fuzz", "random"], Better::Lesser("finds it sooner")),
        "fuzz finds it sooner: p = 0.001, Â₁₂ = 0.89 (large)"
    );
}

#[test]
fn a_family_of_comparisons_is_corrected_together() {
    let rising = |from: f64| sample(&(0..10).map(|step| from + f64::from(step)).collect::<Vec<_>>());
    let mut family = [3.5, 6.0, 0.0].map(|shift| Comparison::of(&rising(shift), &rising(0.0)));
    assert_eq!(family.map(|comparison| comparison.differs()), [true, true, false]);
    Comparison::correct(&mut family);
    assert_eq!(
        family.map(|comparison| comparison.words(["a", "b"], Better::Greater("covers more"))),
        [
            "no difference: p = 0.062 (Holm, 3 comparisons)",
            "a covers more: p = 0.005 (Holm, 3 comparisons), Â₁₂ = 0.92 (large)",
            "no difference: p = 1.00 (Holm, 3 comparisons)",
        ]
    );
}

#[test]
fn so_few_trials_can_show_so_little() {
    for (first, second, p) in
        [(1, 1, 1.0), (3, 3, 0.1), (4, 4, 2.0 / 70.0), (1, 19, 0.1), (1, 39, 0.05), (5, 5, 2.0 / 252.0)]
    {
        assert!((smallest_p(first, second) - p).abs() < 1e-15, "{first} and {second}");
    }
    assert!(smallest_p(1000, 1000) < 1e-300);
}
