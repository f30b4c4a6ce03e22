//! The interval of a share: which chances fit what was counted.
//!
//! E. B. Wilson: "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
//! Unlike the interval around the share itself it is never empty and never leaves 0 to 1, also where none or
//! all of the trials found it.

use crate::Share;

/// The 97.5 % point of the standard normal distribution: what leaves 5 % outside, on both sides together.
const NORMAL_975: f64 = 1.959_963_984_540_054;

impl Share {
    /// The share itself, from 0 to 1.
    pub fn rate(&self) -> f64 {
        self.found() as f64 / self.trials() as f64
    }

    /// Wilson's 95 % interval: from where to where the chance lies.
    pub fn interval(&self) -> (f64, f64) {
        let (trials, rate, square) = (self.trials() as f64, self.rate(), NORMAL_975 * NORMAL_975);
        let middle = rate + square / (2.0 * trials);
        let half = NORMAL_975 * (rate * (1.0 - rate) / trials + square / (4.0 * trials * trials)).sqrt();
        let whole = 1.0 + square / trials;
        // What rounding leaves beyond the ends is cut off; at the ends themselves the interval begins exactly
        // there.
        let low = if self.found() == 0 { 0.0 } else { ((middle - half) / whole).max(0.0) };
        let high = if self.found() == self.trials() { 1.0 } else { ((middle + half) / whole).min(1.0) };
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against values that were worked out by hand from Wilson's formula, to nine digits.
    #[test]
    fn the_interval_is_wilsons() {
        let square = NORMAL_975 * NORMAL_975;
        for (found, trials, low, high) in [
            (0, 400, 0.0, square / (400.0 + square)),
            (400, 400, 400.0 / (400.0 + square), 1.0),
            (10, 100, 0.055_229_137_060_675, 0.174_365_661_504_913),
            (50, 100, 0.403_831_530_365_996, 0.596_168_469_634_004),
        ] {
            let interval = Share::new(found, trials).expect("a share").interval();
            assert!((interval.0 - low).abs() < 1e-9, "{found} of {trials}: {interval:?}");
            assert!((interval.1 - high).abs() < 1e-9, "{found} of {trials}: {interval:?}");
        }
    }

    #[test]
    fn the_share_is_inside_its_interval() {
        for trials in [1, 2, 7, 400, 10_000] {
            for found in (0..=trials).step_by((trials / 7).max(1) as usize) {
                let share = Share::new(found, trials).expect("a share");
                let (low, high) = share.interval();
                assert!(0.0 <= low && low <= share.rate() && share.rate() <= high && high <= 1.0, "{share}");
                assert!(low < high, "{share}");
            }
        }
    }
}
