//! The few functions of distributions that are needed.
//!
//! They and all the rest of this crate take exponentials and logarithms from `libm`, never from the machine's
//! own library, so that a comparison says the same on every machine. Only upper tails: p is a small number,
//! and one minus a number close to one has lost its digits.

use libm::{erfc, exp, lgamma, log};

/// The most degrees of freedom that these functions are asked for, and tested with.
pub(crate) const MOST_DEGREES: usize = 20_000;

/// P(Z > z) of the standard normal distribution.
pub(crate) fn normal_upper(z: f64) -> f64 {
    0.5 * erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The density of the standard normal distribution.
pub(crate) fn normal_density(z: f64) -> f64 {
    const ONE_BY_ROOT_OF_TWO_PI: f64 = 0.398_942_280_401_432_7;
    ONE_BY_ROOT_OF_TWO_PI * exp(-0.5 * z * z)
}

/// P(F > f) of the F distribution; f is not negative, degrees of freedom are positive and need not be whole.
pub(crate) fn f_upper(f: f64, numerator: f64, denominator: f64) -> f64 {
    // x = ν₂ / (ν₂ + ν₁ f), and 1 − x without a subtraction.
    let ratio = numerator / denominator * f;
    beta_regularised(denominator / 2.0, numerator / 2.0, 1.0 / (1.0 + ratio), ratio / (1.0 + ratio))
}

/// The regularised incomplete beta function Iₓ(a, b), with 1 − x given too. By the continued fraction (DLMF
/// 8.17.22), which converges quickly below the mean; above it, by the symmetry Iₓ(a, b) = 1 − I₁₋ₓ(b, a).
fn beta_regularised(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.0 || rest <= 0.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    // xᵃ (1 − x)ᵇ / B(a, b), put such that no large numbers are subtracted from each other near the mean, x =
    // a / (a + b).
    let sum = a + b;
    let gammas = gamma_rest(a) + gamma_rest(b) - gamma_rest(sum);
    let front = exp(a * log(x * (sum / a)) + b * log(rest * (sum / b)) + gammas);
    let below_mean = x < (a + 1.0) / (a + b + 2.0);
    let part =
        if below_mean { front / a * fraction(a, b, x) } else { 1.0 - front / b * fraction(b, a, rest) };
    part.clamp(0.0, 1.0)
}

/// x ln x − x − ln Γ(x): what is left of the logarithm of the gamma function when its large parts are taken
/// away. By Stirling's series (DLMF 5.11.1) where those would swallow the digits.
pub(crate) fn gamma_rest(x: f64) -> f64 {
    if x < 40.0 {
        return x * log(x) - x - lgamma(x);
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / x;
    0.5 * log(x / (2.0 * std::f64::consts::PI)) - series
}

/// The continued fraction 1 / (1 + d₁ / (1 + d₂ / (1 + …))), by the method of Lentz.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    // It needs about the square root of the larger parameter; this is far beyond that for [`MOST_DEGREES`].
    const STEPS_MOST: u32 = 100_000;
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..=STEPS_MOST {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            factor = c * d;
            value *= factor;
        }
        if (factor - 1.0_f64).abs() < 2.0 * f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use libm::{expm1, log1p};

    /// With 2 degrees of freedom above or below, the tail of F is a power.
    #[test]
    fn tails_of_f_keep_their_digits_for_all_degrees() {
        for degrees in [1.0, 2.5, 10.0, 333.0, MOST_DEGREES as f64] {
            for f in [1e-9, 0.01, 0.5, 1.0, 3.0, 20.0, 1e4] {
                let close = |actual: f64, expected: f64| {
                    let same = (actual - expected).abs() <= 1e-9 * expected + 1e-300;
                    assert!(same, "{degrees} degrees, f = {f}: {actual:e}, not {expected:e}");
                };
                close(f_upper(f, 2.0, degrees), exp(-degrees / 2.0 * log1p(2.0 * f / degrees)));
                close(f_upper(f, degrees, 2.0), -expm1(-degrees / 2.0 * log1p(2.0 / (degrees * f))));
            }
        }
    }

    #[test]
    fn tails_of_the_normal_distribution_keep_their_digits() {
        // From tables of the error function: Abramowitz and Stegun, 26.2.
        for (z, upper) in [(0.0, 0.5), (1.959_963_984_540_054, 0.025), (-1.281_551_565_544_6, 0.9)] {
            assert!((normal_upper(z) - upper).abs() < 1e-13, "{z}");
        }
        assert!((normal_upper(10.0) / 7.619_853_024_160_526e-24 - 1.0).abs() < 1e-12);
    }
}
