//! Examples that others have published. Their numbers are rounded, and ours have to round to the same.

use crate::cases::{Case, cases};
use shakedown_statistics::{
    Sample, Share, StudentizedRange, fisher, mann_whitney, mann_whitney_asymptotic, repeated_measures, tukey,
    vargha_delaney,
};

#[test]
fn published_examples_come_out_as_published() {
    for case in cases("published/examples.txt", 11) {
        assert!(case.text("source").len() > 10, "{} has no source", case.name());
        match case.text("test") {
            "mann-whitney" => mann_whitney_example(&case),
            "tail" => tail_example(&case),
            "a12" => rounds(&case, "a12", vargha_delaney(&sample(&case, "a"), &sample(&case, "b")).a12()),
            "fisher" => rounds(&case, "p", fisher(share(&case, "a"), share(&case, "b"))),
            "repeated-measures" => repeated_measures_example(&case),
            "tukey" => tukey_example(&case),
            "critical" => critical_example(&case),
            other => panic!("{}: no test {other}", case.name()),
        }
    }
}

/// The number rounds to what is printed. A printed 5 at the end may have been rounded either way. Where the
/// published data are rounded themselves, the example says how much whole numbers may be off.
#[track_caller]
fn same(case: &Case, what: &str, actual: f64, printed: &str) {
    let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let rounding = 0.5001 * 10_f64.powi(-(decimals as i32));
    let allowed =
        if decimals == 0 && case.get("within").is_some() { case.number("within") } else { rounding };
    let expected: f64 = printed.parse().unwrap();
    assert!((actual - expected).abs() <= allowed, "{}: {what} is {actual}, not {printed}", case.name());
}

#[track_caller]
fn rounds(case: &Case, what: &str, actual: f64) {
    same(case, what, actual, case.text(what));
}

/// A printed number that is wanted only if the example gives it.
fn rounds_if_given(case: &Case, what: &str, actual: f64) {
    if let Some(printed) = case.get(what) {
        same(case, what, actual, printed);
    }
}

fn sample(case: &Case, key: &str) -> Sample {
    Sample::new(case.numbers(key)).unwrap()
}

fn share(case: &Case, key: &str) -> Share {
    let numbers = case.numbers(key);
    Share::new(numbers[0] as u64, numbers[1] as u64).unwrap()
}

fn mann_whitney_example(case: &Case) {
    let (a, b) = (sample(case, "a"), sample(case, "b"));
    let test = mann_whitney(&a, &b);
    rounds(case, "u", test.u);
    rounds(case, "p", test.p);
    rounds(case, "asymptotic", mann_whitney_asymptotic(&a, &b).p);
}

/// The table gives one tail for each U: ours is half the two-sided p of samples that are made to have this U.
fn tail_example(case: &Case) {
    let sizes = case.numbers("sizes");
    let (n, m) = (sizes[0] as usize, sizes[1] as usize);
    for tail in case.lists("tail") {
        let u = tail[0] as usize;
        // Each value of the first exceeds as many of the second as its place says: full rows of m, then the
        // rest.
        let above = |i: usize| (u.saturating_sub(i * m)).min(m);
        let first = (0..n).map(|i| above(i) as f64 - 0.5 + 0.001 * i as f64);
        let second = (0..m).map(|j| j as f64);
        let test = mann_whitney(&Sample::new(first).unwrap(), &Sample::new(second).unwrap());
        assert_eq!(test.u, u as f64);
        assert!((test.p / 2.0 - tail[1]).abs() <= 0.000_501, "{}: U = {u} has {}", case.name(), test.p / 2.0);
    }
}

fn repeated_measures_example(case: &Case) {
    let rows = case.lists("row");
    let analysis = repeated_measures(&rows).unwrap();
    for (mean, printed) in analysis.means.iter().zip(case.words("means")) {
        same(case, "mean", *mean, printed);
    }
    assert_eq!(
        [analysis.condition_degrees as f64, analysis.error_degrees as f64][..],
        case.numbers("degrees"),
        "{}",
        case.name()
    );
    rounds(case, "p", analysis.p);
    rounds_if_given(case, "f", analysis.f);
    rounds_if_given(case, "epsilon", analysis.epsilon);
    rounds_if_given(case, "corrected", analysis.corrected_p);
    let columns: Vec<Sample> =
        (0..rows[0].len()).map(|j| Sample::new(rows.iter().map(|row| row[j])).unwrap()).collect();
    if case.get("deviations").is_some() {
        for (column, printed) in columns.iter().zip(case.words("deviations")) {
            same(case, "deviation", column.standard_deviation().unwrap(), printed);
        }
    }
    for pair in tukey(&columns, 0.95).unwrap() {
        rounds_if_given(case, "half-width", (pair.upper - pair.lower) / 4.0);
    }
}

fn tukey_example(case: &Case) {
    let groups: Vec<Sample> =
        case.lists("group").into_iter().map(|group| Sample::new(group).unwrap()).collect();
    let pairs = tukey(&groups, 0.95).unwrap();
    let printed = case.all("pair");
    assert_eq!(pairs.len(), printed.len());
    for (pair, printed) in pairs.iter().zip(printed) {
        let printed: Vec<&str> = printed.split(' ').collect();
        assert_eq!([pair.first.to_string(), pair.second.to_string()], printed[..2]);
        for (actual, printed) in
            [pair.difference, pair.p, pair.lower, pair.upper].into_iter().zip(&printed[2..])
        {
            same(case, "pair", actual, printed);
        }
    }
}

fn critical_example(case: &Case) {
    for point in case.all("point") {
        let [means, degrees, q] = point.split(' ').collect::<Vec<_>>()[..] else {
            panic!("three numbers: {point}")
        };
        let distribution = StudentizedRange::new(means.parse().unwrap(), degrees.parse().unwrap()).unwrap();
        same(case, "q", distribution.critical(case.number("chance")).unwrap(), q);
    }
}
