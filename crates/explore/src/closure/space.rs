//! How large the sample space is, beside those of other ways to sample (table 1 of the paper), and how many
//! executions it takes to meet a given member of it.

use std::fmt;

use super::Shape;

/// The number of members of a space.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// The number itself, if it is not too large.
    pub exact: Option<u128>,
    /// Its decimal logarithm.
    pub log10: f64,
}

/// Numbers up to this are shown digit by digit.
const DIGITS_MAX: u128 = 1_000_000;

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact {
            Some(number) if number < DIGITS_MAX => write!(f, "{number}"),
            _ => {
                let power = self.log10.floor();
                write!(f, "{:.1} × 10^{power}", 10f64.powf(self.log10 - power))
            }
        }
    }
}

impl Size {
    fn of(number: u128) -> Size {
        Size { exact: Some(number), log10: (number as f64).log10() }
    }

    fn power(base: f64, exponent: f64) -> Size {
        Size::from_log10(exponent * base.log10())
    }

    fn from_log10(log10: f64) -> Size {
        // Below 2^53 the logarithm still tells the number.
        let exact = (log10 < 15.0).then(|| 10f64.powf(log10).round() as u128);
        Size { exact, log10 }
    }
}

/// The sample space of this shape.
#[derive(Clone, Copy, Debug)]
pub struct Space(pub Shape);

impl Space {
    /// How many members there are, each as likely as the others.
    pub fn size(&self) -> Size {
        let Shape { nodes, period, isolations, .. } = self.0;
        let last = self.0.length(self.0.periods() - 1);
        let whole = self.0.periods() - usize::from(last < period);
        let short = if last < period { nodes } else { 0 };
        let Some(d) = isolations else {
            let whole = (nodes * whole) as f64 * (period as f64 + 1.0).log10();
            return Size::from_log10(whole + short as f64 * (last as f64 + 1.0).log10());
        };
        let exact = (0..=short.min(d)).try_fold(0u128, |sum, t| {
            let in_last = choose(short, t)?.checked_mul(power(last, t)?)?;
            let in_whole = choose(nodes * whole, d - t)?.checked_mul(power(period, d - t)?)?;
            sum.checked_add(in_last.checked_mul(in_whole)?)
        });
        exact.map_or_else(|| Size::from_log10(self.log10_bounded(d, whole, short, last)), Size::of)
    }

    fn log10_bounded(&self, d: usize, whole: usize, short: usize, last: usize) -> f64 {
        let Shape { nodes, period, .. } = self.0;
        let term = |t: usize| {
            log10_choose(short, t)
                + t as f64 * (last as f64).log10()
                + log10_choose(nodes * whole, d - t)
                + (d - t) as f64 * (period as f64).log10()
        };
        let terms: Vec<f64> = (0..=short.min(d)).map(term).filter(|term| term.is_finite()).collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest + terms.iter().map(|term| 10f64.powf(term - largest)).sum::<f64>().log10()
    }

    /// How many executions meet any given member with this confidence, as a number and its decimal logarithm.
    pub fn executions_for(&self, confidence: f64) -> Size {
        // (1 − 1/size)^executions = 1 − confidence; for a large space ln(1 − 1/size) is −1/size.
        let wanted = -(1.0 - confidence).ln();
        match self.size().exact {
            Some(1) => Size::of(1),
            Some(size) if size < 1 << 40 => Size::of((wanted / -(-1.0 / size as f64).ln_1p()).ceil() as u128),
            _ => Size { exact: None, log10: self.size().log10 + wanted.log10() },
        }
    }

    /// The rows of the paper's table 1 for these parameters: how many executions each way to sample chooses
    /// from.
    pub fn others(&self) -> Vec<(&'static str, Size)> {
        let Shape { nodes, rounds, period, isolations } = self.0;
        let (n, r, k) = (nodes as f64, rounds as f64, period as f64);
        let links = n * n;
        let mut rows = vec![
            ("any messages lost", Size::power(2.0, links * r)),
            ("links broken for the rest of a period", Size::power(k + 1.0, links * (r / k).ceil())),
        ];
        if let Some(d) = isolations {
            rows.push(("d such links", Size::from_log10(log10_choose(nodes * nodes * rounds, d))));
        }
        rows.push(("any processes isolated in any round", Size::power(2.0, n * r)));
        rows.push(("isolated for the rest of a period", Size::power(k + 1.0, n * (r / k).ceil())));
        rows.push((
            "any order of the messages (at most)",
            Size::from_log10(log10_factorial(nodes * nodes * rounds)),
        ));
        if let Some(d) = isolations.filter(|&d| d > 0) {
            // w · C(nr, d − 1) · (d − 1)!: a round has one message per process, and these n are concurrent,
            // so w = n.
            let changes = log10_choose(nodes * rounds, d - 1) + log10_factorial(d - 1);
            rows.push(("orders of d messages (PCT, depth d)", Size::from_log10(n.log10() + changes)));
        }
        rows
    }
}

fn power(base: usize, exponent: usize) -> Option<u128> {
    (base as u128).checked_pow(u32::try_from(exponent).ok()?)
}

/// The number of ways to choose k of n.
fn choose(n: usize, k: usize) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    (0..k.min(n - k)).try_fold(1u128, |ways, i| Some(ways.checked_mul((n - i) as u128)? / (i as u128 + 1)))
}

fn log10_choose(n: usize, k: usize) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    (0..k.min(n - k)).map(|i| ((n - i) as f64 / (i as f64 + 1.0)).log10()).sum()
}

fn log10_factorial(n: usize) -> f64 {
    (1..=n).map(|i| (i as f64).log10()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(nodes: usize, rounds: usize, period: usize, isolations: Option<usize>) -> Space {
        Space(Shape { nodes, rounds, period, isolations })
    }

    #[test]
    fn sizes_are_those_of_the_formula() {
        // C(n·r/k, d)·k^d when k divides r.
        assert_eq!(space(3, 16, 4, Some(5)).size().exact, Some(792 * 1024));
        assert_eq!(space(3, 24, 6, Some(12)).size().exact, Some(6u128.pow(12)));
        // n = 2, periods of 2 and 1 rounds, d = 1: 2·2 + 2·1.
        assert_eq!(space(2, 3, 2, Some(1)).size().exact, Some(6));
        assert_eq!(space(3, 16, 4, None).size().exact, Some(5u128.pow(12)));
        // The example of the paper's section 2: about 10^43 executions with any losses.
        let any = space(3, 16, 4, Some(5)).others()[0].1;
        assert_eq!(any.to_string(), "2.2 × 10^43");
        // Table 1's last row, w·C(nr, d − 1)·(d − 1)!, is 3 · 194 580 · 24.
        let pct = space(3, 16, 4, Some(5)).others().pop().expect("a row");
        assert_eq!(pct.1.exact, Some(14_009_760));
        // Too large to be counted exactly. C(640 000, 60) is 640 000^60 / 60! but for a factor of 0.997, and
        // 60! is 8.32 × 10^81: the logarithm is 60 · 5.80618 − 81.920 + 60.
        let large = space(64, 100_000, 10, Some(60)).size();
        assert_eq!(large.exact, None);
        assert!((large.log10 - 326.45).abs() < 0.01, "{}", large.log10);
    }

    #[test]
    fn a_member_is_met_with_the_confidence_that_was_asked_for() {
        let space = space(3, 4, 2, Some(2));
        let size = space.size().exact.expect("it is small") as f64;
        assert_eq!(size, 60.0);
        let executions = space.executions_for(0.95).exact.expect("it is small") as i32;
        let missed = |executions| (1.0 - 1.0 / size).powi(executions);
        assert!(missed(executions) <= 0.05 && missed(executions - 1) > 0.05, "{executions}");
    }
}
