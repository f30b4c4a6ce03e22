//! What a replay shows of the violation that a failure file records.

use shakedown_campaign::Verdict;

use crate::text::{Paint, Painted};

/// Whether a recorded violation is still there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reproduction {
    /// A property is violated in the run that is shown.
    #[default]
    Violated,
    /// Every property holds now.
    Holds,
    /// The run that is shown is inconclusive.
    Inconclusive,
}

impl Reproduction {
    /// What this verdict on a replay shows.
    pub fn of(verdict: &Verdict) -> Reproduction {
        match verdict {
            Verdict::Fail(_) => Reproduction::Violated,
            Verdict::Pass => Reproduction::Holds,
            Verdict::Unknown(_) => Reproduction::Inconclusive,
        }
    }

    /// What follows the name of the property in a headline.
    pub fn words(self) -> &'static str {
        match self {
            Reproduction::Violated => "is violated",
            Reproduction::Holds => "was violated when recorded; holds now",
            Reproduction::Inconclusive => "was violated when recorded; inconclusive now",
        }
    }

    pub(crate) fn paint(self, headline: &str) -> Painted {
        match self {
            Reproduction::Violated => Paint.bad(headline),
            Reproduction::Holds => Paint.good(headline),
            Reproduction::Inconclusive => Paint.warn(headline),
        }
    }
}
