//! Every number against the facts of `tests/facts`, which `scripts/statistics-facts.py` makes with SciPy and
//! statsmodels.

use crate::cases::{Case, cases};
use shakedown_statistics::{
    Method, Pair, Sample, Share, StudentizedRange, Times, fisher, holm, mann_whitney,
    mann_whitney_asymptotic, mann_whitney_exact, repeated_measures, tukey, vargha_delaney,
};

/// Holds two numbers against each other: equal up to this part of the expected one.
#[track_caller]
fn close(case: &Case, what: &str, actual: f64, expected: f64, part: f64) {
    let allowed = part * expected.abs();
    assert!((actual - expected).abs() <= allowed, "{}: {what} is {actual}, not {expected}", case.name());
}

/// What special functions and integrals of two makers may differ by.
const P: f64 = 1e-9;
/// What sums of two makers may differ by.
const SUM: f64 = 1e-12;

#[track_caller]
fn close_or_none(case: &Case, what: &str, actual: Option<f64>, part: f64) {
    match (actual, case.text(what)) {
        (actual, "none") => assert_eq!(actual, None, "{}: {what}", case.name()),
        (Some(actual), _) => close(case, what, actual, case.number(what), part),
        (None, expected) => panic!("{}: {what} is none, not {expected}", case.name()),
    }
}

#[test]
#[should_panic(expected = "no test asks for this line")]
fn a_word_that_no_test_knows_is_an_error() {
    let case = Case::parse("case a typing error\nvalues 1 2\nmeen 1.5");
    case.numbers("values");
}

#[test]
fn summaries_are_those_of_numpy() {
    for case in cases("facts/summary.txt", 10) {
        let summary = Sample::new(case.numbers("values")).unwrap().summary();
        close(&case, "mean", summary.mean, case.number("mean"), SUM);
        close_or_none(&case, "deviation", summary.standard_deviation, SUM);
        let quartiles = [summary.lower_quartile, summary.median, summary.upper_quartile];
        for (actual, expected) in quartiles.into_iter().zip(case.numbers("quartiles")) {
            close(&case, "quartiles", actual, expected, SUM);
        }
    }
}

#[test]
fn mann_whitney_and_a12_are_those_of_scipy() {
    let mut exact_with_ties = 0;
    for case in cases("facts/mann-whitney.txt", 45) {
        let sample = |key| Sample::new(case.numbers(key)).unwrap();
        let (a, b) = (sample("a"), sample("b"));
        let test = mann_whitney(&a, &b);
        assert_eq!(test.u, case.number("u"), "{}", case.name());
        assert_eq!(method(test.method), case.text("method"), "{}", case.name());
        close(&case, "p", test.p, case.number("p"), P);
        close(&case, "asymptotic", mann_whitney_asymptotic(&a, &b).p, case.number("asymptotic"), P);
        if case.text("exact") != "unknown" {
            close(&case, "exact", mann_whitney_exact(&a, &b).unwrap().p, case.number("exact"), 1e-11);
            exact_with_ties += usize::from(test.method == Method::Asymptotic);
        }
        let effect = vargha_delaney(&a, &b);
        assert_eq!(effect.a12(), case.number("a12"), "{}", case.name());
        assert_eq!(effect.size().to_string(), case.text("size"), "{}", case.name());
    }
    assert!(exact_with_ties >= 10, "the exact test was held against few cases with ties: {exact_with_ties}");
}

fn method(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Asymptotic => "asymptotic",
        Method::AllEqual => "all-equal",
    }
}

#[test]
fn times_count_what_was_never_found() {
    for case in cases("facts/times.txt", 12) {
        let times = |key| {
            let trials = case.words(key).map(|word| (word != "never").then(|| word.parse().unwrap()));
            Times::new(case.number("budget") as u64, trials).unwrap()
        };
        let (a, b) = (times("a"), times("b"));
        let test = a.mann_whitney(&b).unwrap();
        assert_eq!(test.u, case.number("u"), "{}", case.name());
        assert_eq!(method(test.method), case.text("method"), "{}", case.name());
        close(&case, "p", test.p, case.number("p"), P);
        // A trial that never found it took longer than all others.
        let later = 2.0 * case.number("budget");
        let sample = |key| Sample::new(case.words(key).map(|word| word.parse().unwrap_or(later))).unwrap();
        let (values_a, values_b) = (sample("a"), sample("b"));
        close(
            &case,
            "asymptotic",
            mann_whitney_asymptotic(&values_a, &values_b).p,
            case.number("asymptotic"),
            P,
        );
        if case.text("exact") != "unknown" {
            let exact = mann_whitney_exact(&values_a, &values_b).unwrap().p;
            close(&case, "exact", exact, case.number("exact"), 1e-11);
        }
        let effect = a.vargha_delaney(&b).unwrap();
        assert_eq!(effect.a12(), case.number("a12"), "{}", case.name());
        assert_eq!(effect.size().to_string(), case.text("size"), "{}", case.name());
        for (key, times) in [("a", &a), ("b", &b)] {
            assert_eq!(times.share().found() as f64, case.number(&format!("found-{key}")), "{}", case.name());
            close_or_none(&case, &format!("found-mean-{key}"), times.found_mean(), SUM);
            close_or_none(&case, &format!("median-{key}"), times.median(), SUM);
            let restricted = case.number(&format!("restricted-mean-{key}"));
            close(&case, "restricted mean", times.restricted_mean(), restricted, SUM);
        }
    }
}

#[test]
fn fisher_is_that_of_scipy() {
    for case in cases("facts/fisher.txt", 16) {
        let share = |key| {
            let [found, trials] = case.numbers(key)[..] else { panic!("{}: two numbers", case.name()) };
            Share::new(found as u64, trials as u64).unwrap()
        };
        close(&case, "p", fisher(share("a"), share("b")), case.number("p"), P);
        close(&case, "p the other way round", fisher(share("b"), share("a")), case.number("p"), P);
    }
}

#[test]
fn holm_is_that_of_statsmodels() {
    for case in cases("facts/holm.txt", 6) {
        let corrected = holm(&case.numbers("p")).unwrap();
        for (actual, expected) in corrected.into_iter().zip(case.numbers("corrected")) {
            close(&case, "p", actual, expected, SUM);
        }
    }
}

#[test]
fn repeated_measures_are_those_of_statsmodels() {
    for case in cases("facts/repeated-measures.txt", 13) {
        let analysis = repeated_measures(&case.lists("row")).unwrap();
        close(&case, "f", analysis.f, case.number("f"), P);
        assert_eq!(
            [analysis.condition_degrees as f64, analysis.error_degrees as f64][..],
            case.numbers("degrees"),
            "{}",
            case.name()
        );
        close(&case, "p", analysis.p, case.number("p"), P);
        close(&case, "epsilon", analysis.epsilon, case.number("epsilon"), P);
        close(&case, "corrected", analysis.corrected_p, case.number("corrected"), P);
        pairs(&case, &analysis.tukey(0.95).unwrap());
    }
}

#[test]
fn tukey_is_that_of_scipy() {
    for case in cases("facts/tukey.txt", 11) {
        let groups: Vec<Sample> =
            case.lists("group").into_iter().map(|group| Sample::new(group).unwrap()).collect();
        pairs(&case, &tukey(&groups, 0.95).unwrap());
    }
}

/// SciPy's integrals are exact to some digits behind the point, not to a part of a tiny p.
#[track_caller]
fn close_p(case: &Case, actual: f64, expected: f64) {
    assert!((actual - expected).abs() <= 1e-10, "{}: p is {actual}, not {expected}", case.name());
}

#[track_caller]
fn pairs(case: &Case, actual: &[Pair]) {
    let expected = case.lists("pair");
    assert_eq!(actual.len(), expected.len(), "{}", case.name());
    for (pair, expected) in actual.iter().zip(expected) {
        assert_eq!([pair.first as f64, pair.second as f64], expected[..2], "{}", case.name());
        let width = expected[5] - expected[4];
        assert!((pair.difference - expected[2]).abs() <= SUM * width, "{}: difference", case.name());
        close_p(case, pair.p, expected[3]);
        assert!(
            (pair.lower - expected[4]).abs() <= P * width,
            "{}: {} not {}",
            case.name(),
            pair.lower,
            expected[4]
        );
        assert!(
            (pair.upper - expected[5]).abs() <= P * width,
            "{}: {} not {}",
            case.name(),
            pair.upper,
            expected[5]
        );
    }
}

#[test]
fn the_studentized_range_is_that_of_scipy() {
    for case in cases("facts/studentized-range.txt", 112) {
        let (means, degrees) = (case.number("means") as usize, case.number("degrees") as usize);
        let distribution = StudentizedRange::new(means, degrees).unwrap();
        let p = distribution.upper(case.number("q"));
        close_p(&case, p, case.number("p"));
        if case.number("q") == 3.5 {
            close(&case, "q", distribution.critical(p).unwrap(), case.number("q"), 1e-9);
        }
    }
}
