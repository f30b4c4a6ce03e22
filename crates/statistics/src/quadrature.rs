//! Integrals by Gauss–Legendre quadrature over panels of one length.

use libm::cos;

/// How many points each panel has: polynomials up to degree 31 are integrated exactly.
const POINTS: usize = 16;

/// The points and weights of the rule on −1 … 1. The rule is symmetric: only the positive points are kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quadrature {
    points: [(f64, f64); POINTS / 2],
}

impl Quadrature {
    /// Finds the roots of the Legendre polynomial by Newton's method.
    pub fn new() -> Quadrature {
        let mut points = [(0.0, 0.0); POINTS / 2];
        for (k, point) in points.iter_mut().enumerate() {
            let mut x = cos(std::f64::consts::PI * (k as f64 + 0.75) / (POINTS as f64 + 0.5));
            // From this start each step doubles the digits: six are more than enough.
            for _ in 0..6 {
                let (value, slope) = legendre(x);
                x -= value / slope;
            }
            let (_, slope) = legendre(x);
            *point = (x, 2.0 / ((1.0 - x * x) * slope * slope));
        }
        Quadrature { points }
    }

    /// The integral of a function from one place to another, in panels not longer than `panel`.
    pub fn integrate(&self, from: f64, to: f64, panel: f64, f: impl Fn(f64) -> f64) -> f64 {
        let panels = ((to - from) / panel).ceil().max(1.0) as usize;
        let half = (to - from) / (2 * panels) as f64;
        let mut sum = 0.0;
        for k in 0..panels {
            let middle = from + (2 * k + 1) as f64 * half;
            for &(x, weight) in &self.points {
                sum += weight * (f(middle - half * x) + f(middle + half * x));
            }
        }
        sum * half
    }
}

/// The Legendre polynomial of degree [`POINTS`] and its slope, by the three-term recurrence.
fn legendre(x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=POINTS {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, POINTS as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_degree_31_is_exact_and_one_of_degree_32_is_not() {
        let quadrature = Quadrature::new();
        let power = |n: i32| quadrature.integrate(0.0, 1.0, 1.0, |x| (2.0 * x - 1.0).powi(n) + x.powi(n));
        let exact = |n: i32| f64::from((n + 1) % 2 + 1) / f64::from(n + 1);
        assert!((power(31) - exact(31)).abs() < 1e-15);
        assert!((power(30) - exact(30)).abs() < 1e-15);
        assert!((power(32) - exact(32)).abs() > 1e-11);
    }

    #[test]
    fn the_normal_density_integrates_to_one() {
        let whole = Quadrature::new().integrate(-9.0, 9.0, 3.0, crate::special::normal_density);
        assert!((whole - 1.0).abs() < 1e-14, "{whole}");
    }
}
