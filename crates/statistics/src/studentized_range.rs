//! The distribution of the studentized range: the range of k normal values divided by an independent estimate
//! of their standard deviation. Tukey's test measures differences of means by it.
//!
//! With Φ and φ of the normal distribution, the range of k values exceeds w with the chance
//!
//! > S(w) = k ∫ φ(z) \[Φ(z)ᵏ⁻¹ − (Φ(z) − Φ(z − w))ᵏ⁻¹\] dz,
//!
//! where z is the largest value; and the estimate s, with ν degrees of freedom, has ν s² distributed as χ².
//! So
//!
//! > P(Q > q) = ∫ f(s) S(q s) ds.
//!
//! Both integrands are positive, so that small tails keep their digits. With s = eᵗ the outer one is as wide
//! as 1/√ν, wherever its peak is.

use libm::{exp, expm1, hypot, log, log1p, pow};

use crate::{
    StatisticsError,
    quadrature::Quadrature,
    special::{MOST_DEGREES, gamma_rest, normal_density, normal_upper},
};

/// The distribution for a number of means and the degrees of freedom of the error.
#[derive(Clone, Debug, PartialEq)]
pub struct StudentizedRange {
    means: f64,
    degrees: f64,
    quadrature: Quadrature,
}

/// The length of a panel, in units of the scale on which an integrand changes.
const PANEL: f64 = 3.0;
/// Where an integrand has fallen by e⁻³⁴ from its peak nothing of it is left.
const NOTHING_LEFT: f64 = -34.0;

impl StudentizedRange {
    /// The most means that are compared.
    pub const MOST_MEANS: usize = 1000;

    /// The distribution of the range of `means` means, with `degrees` degrees of freedom of the error.
    pub fn new(means: usize, degrees: usize) -> Result<StudentizedRange, StatisticsError> {
        if !(2..=Self::MOST_MEANS).contains(&means) {
            let range = "between 2 and 1000";
            return Err(StatisticsError::OutOfRange {
                name: "the number of means",
                value: means.to_string(),
                range,
            });
        }
        if degrees == 0 {
            let (value, range) = ("0".to_owned(), "above 0");
            return Err(StatisticsError::OutOfRange { name: "the degrees of freedom", value, range });
        }
        if degrees > MOST_DEGREES {
            return Err(StatisticsError::TooManyDegrees { degrees, most: MOST_DEGREES });
        }
        Ok(StudentizedRange { means: means as f64, degrees: degrees as f64, quadrature: Quadrature::new() })
    }

    /// P(Q > q). It is 1 for a q that is not above 0.
    pub fn upper(&self, q: f64) -> f64 {
        // NaN, too, is no reason to see a difference.
        if q.is_nan() || q <= 0.0 {
            return 1.0;
        }
        if q.is_infinite() {
            return 0.0;
        }
        let v = self.degrees;
        let constant = std::f64::consts::LN_2 + gamma_rest(v / 2.0);
        // Far out S(q s) falls as exp(−q² s² / 4), which moves the peak of the integrand from t = 0 down to
        // here.
        let peak = -log(hypot(q / (2.0 * v).sqrt(), 1.0));
        let from = peak + self.reach(-1.0);
        let to = self.reach(1.0);
        let panel = (PANEL / v.sqrt()).min(1.0);
        let tail = self.quadrature.integrate(from, to, panel, |t| {
            let s = exp(t);
            let density = exp(constant + self.fallen(t));
            if density == 0.0 { 0.0 } else { density * self.range_upper(q * s) }
        });
        tail.clamp(0.0, 1.0)
    }

    /// The q that is exceeded with this chance, which lies between 0 and 1.
    pub fn critical(&self, chance: f64) -> Result<f64, StatisticsError> {
        if !(chance > 0.0 && chance < 1.0) {
            let range = "between 0 and 1, both excluded";
            return Err(StatisticsError::OutOfRange { name: "a chance", value: chance.to_string(), range });
        }
        // Both axes are logarithms: there the tail is nearly straight, and a secant comes close in a few
        // steps.
        let excess = |x: f64| log(self.upper(exp(x)).max(f64::MIN_POSITIVE)) - log(chance);
        let (mut low, mut high) = (0.0, 1.0);
        while excess(low) < 0.0 && low > -40.0 {
            (low, high) = (low - 1.0, low);
        }
        while excess(high) > 0.0 && high < 700.0 {
            (low, high) = (high, high + 1.0);
        }
        Ok(exp(root(low, high, excess)))
    }

    /// S(w): the chance that the range of the normal values exceeds w.
    fn range_upper(&self, w: f64) -> f64 {
        let others = self.means - 1.0;
        // Around w / 2 for a large w, where the largest value is as far up as the least is down; all the bulk
        // for a small one.
        let from = (w / 2.0 - 9.0).max(-8.5);
        let to = w / 2.0 + 9.0;
        self.means
            * self.quadrature.integrate(from, to, PANEL, |z| {
                let below = normal_upper(-z);
                let too_far = normal_upper(w - z) / below;
                normal_density(z) * pow(below, others) * -expm1(others * log1p(-too_far))
            })
    }

    /// The logarithm of how far the density of t = ln s has fallen from its peak, which is at 0.
    fn fallen(&self, t: f64) -> f64 {
        self.degrees * (t - expm1(2.0 * t) / 2.0)
    }

    /// How far that density reaches from its peak in one direction, found by halving.
    fn reach(&self, direction: f64) -> f64 {
        let mut far = direction;
        while self.fallen(far) > NOTHING_LEFT {
            far *= 2.0;
        }
        let mut near = 0.0;
        for _ in 0..10 {
            let middle = f64::midpoint(near, far);
            if self.fallen(middle) > NOTHING_LEFT {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    }
}

/// Where a falling function is zero: the false position, with the weight of an end that stays halved (the
/// Illinois rule).
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS_MOST: usize = 100;
    const CLOSE: f64 = 1e-12;
    let (mut f_low, mut f_high) = (f(low), f(high));
    for _ in 0..STEPS_MOST {
        if f_low == 0.0 || high - low < CLOSE {
            return low;
        }
        if f_high == 0.0 {
            return high;
        }
        let x = (low * f_high - high * f_low) / (f_high - f_low);
        let f_x = f(x);
        if f_x.abs() < CLOSE {
            return x;
        }
        if f_x > 0.0 {
            (low, f_low, f_high) = (x, f_x, f_high / 2.0);
        } else {
            (high, f_high, f_low) = (x, f_x, f_low / 2.0);
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::f_upper;

    /// The range of two means is √2 |t| of Student's distribution, and t² is F with 1 degree of freedom.
    #[test]
    fn two_means_are_students_t_down_to_the_last_tail() {
        for degrees in [1, 2, 3, 7, 20, 100, 1000, 20_000] {
            let distribution = StudentizedRange::new(2, degrees).unwrap();
            for q in [1e-3, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0, 50.0, 1e4] {
                let (actual, expected) = (distribution.upper(q), f_upper(q * q / 2.0, 1.0, degrees as f64));
                let close = (actual - expected).abs() <= 1e-10 * expected + 1e-300;
                assert!(close, "{degrees} degrees, q = {q}: {actual:e}, not {expected:e}");
            }
        }
    }

    #[test]
    fn the_critical_value_is_exceeded_with_its_chance() {
        for (means, degrees) in [(2, 1), (4, 5), (30, 12), (1000, 3)] {
            let distribution = StudentizedRange::new(means, degrees).unwrap();
            for chance in [1e-6, 0.01, 0.05, 0.5, 0.99] {
                let upper = distribution.upper(distribution.critical(chance).unwrap());
                assert!((upper / chance - 1.0).abs() < 1e-11, "{means} {degrees} {chance}: {upper}");
            }
        }
    }
}
