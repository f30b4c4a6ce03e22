//! The few functions of distributions that are needed.
//!
//! They and all the rest of this crate take exponentials and logarithms from `libm`, never from the machine's own library, so that
//! a comparison says the same on every machine. Only upper tails: p is a small number, and one minus a number close to one
//! has lost its digits.

use libm::{erfc, exp, lgamma, log, log1p};

/// The most degrees of freedom that these functions are asked for: above that the differences of logarithms of the gamma function
/// begin to lose digits that matter.
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

/// The regularised incomplete beta function Iₓ(a, b), with 1 − x given too. By the continued fraction (DLMF 8.17.22), which
/// converges quickly below the mean; above it, by the symmetry Iₓ(a, b) = 1 − I₁₋ₓ(b, a).
fn beta_regularised(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.0 || rest <= 0.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let logarithm = |y: f64, rest: f64| if y < 0.5 { log(y) } else { log1p(-rest) };
    let front = exp(a * logarithm(x, rest) + b * logarithm(rest, x) + lgamma(a + b) - lgamma(a) - lgamma(b));
    let below_mean = x < (a + 1.0) / (a + b + 2.0);
    let part =
        if below_mean { front / a * fraction(a, b, x) } else { 1.0 - front / b * fraction(b, a, rest) };
    part.clamp(0.0, 1.0)
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
