//! The chi-square goodness-of-fit test.

/// The most terms of a series or a fraction; both converge far earlier.
const TERMS_MAX: u32 = 10_000;

/// The probability that counts differ at least so much from expected ones that they were drawn from. The
/// expected counts are scaled to the same sum. None if there is nothing to compare.
pub(super) fn p_value(expected: &[f64], actual: &[f64]) -> Option<f64> {
    let fits = expected.len() == actual.len() && expected.len() >= 2;
    if !fits || expected.iter().any(|n| *n <= 0.0) || actual.iter().any(|n| *n < 0.0) {
        return None;
    }
    let ratio = actual.iter().sum::<f64>() / expected.iter().sum::<f64>();
    let statistic: f64 =
        expected.iter().zip(actual).map(|(e, a)| (a - e * ratio).powi(2) / (e * ratio)).sum();
    Some(upper_gamma((expected.len() - 1) as f64 / 2.0, statistic / 2.0))
}

/// The regularised upper incomplete gamma function Q(a, x).
fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        // The series of the lower function.
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..TERMS_MAX {
            term *= x / (a + f64::from(n));
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - sum * scale;
    }
    // The continued fraction, by Lentz's method.
    let mut b = x + 1.0 - a;
    let mut c = f64::MAX;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..TERMS_MAX {
        let n = f64::from(n);
        let an = -n * (n - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction * scale
}

/// The logarithm of the gamma function at whole and half numbers, which are all that a chi-square test needs.
fn ln_gamma(a: f64) -> f64 {
    let whole = a.fract() == 0.0;
    let start = if whole { 1.0 } else { 0.5 };
    let first = if whole { 0.0 } else { std::f64::consts::PI.ln() / 2.0 };
    let steps = (a - start).round() as u32;
    first + (0..steps).map(|n| (start + f64::from(n)).ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_tables() {
        for (degrees, statistic, p) in
            [(1, 3.841_459, 0.05), (2, 5.991_465, 0.05), (4, 13.276_704, 0.01), (10, 18.307_038, 0.05)]
        {
            let found = upper_gamma(f64::from(degrees) / 2.0, statistic / 2.0);
            assert!((found - p).abs() < 1e-6, "{degrees} degrees: {found}");
        }
        assert_eq!(p_value(&[1.0], &[1.0]), None);
        assert_eq!(p_value(&[5.0, 5.0], &[5.0, 5.0]), Some(1.0));
    }
}
