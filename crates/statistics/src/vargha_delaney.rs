//! Vargha and Delaney's Â₁₂: how often a trial of the first strategy gives more than one of the second.
//!
//! Â₁₂ = P(X > Y) + ½ P(X = Y) over all pairs of values. 0.5 says that neither is greater, 1 that every value
//! of the first is greater than every value of the second. A. Vargha, H. D. Delaney: *A Critique and
//! Improvement of the CL Common Language Effect Size Statistics of McGraw and Wong*, Journal of Educational
//! and Behavioral Statistics 25(2), 2000; advised for randomised algorithms by A. Arcuri, L. Briand: *A
//! Hitchhiker's Guide to Statistical Tests for Assessing Randomized Algorithms in Software Engineering*,
//! Software Testing, Verification and Reliability 24(3), 2014.

use std::fmt;

use crate::{Sample, pairs::Pairs};

/// The counts behind an Â₁₂. They are whole numbers, so that nothing is lost to rounding at the borders of
/// sizes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct VarghaDelaney {
    greater: u64,
    equal: u64,
    pairs: u64,
}

/// How large a difference is, in words.
///
/// The borders are those of Vargha and Delaney (2000), who give 0.56, 0.64 and 0.71 as a small, a medium and
/// a large difference; below 0.5 they hold for 1 − Â₁₂. They are conventions, and other authors draw other
/// ones.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Size {
    /// Below 0.56.
    Negligible,
    /// From 0.56.
    Small,
    /// From 0.64.
    Medium,
    /// From 0.71.
    Large,
}

/// Â₁₂ of two samples.
pub fn vargha_delaney(first: &Sample, second: &Sample) -> VarghaDelaney {
    VarghaDelaney::from_pairs(&Pairs::count(first.ascending(), second.ascending()))
}

impl VarghaDelaney {
    pub(crate) fn from_pairs(pairs: &Pairs) -> VarghaDelaney {
        VarghaDelaney { greater: pairs.greater, equal: pairs.equal, pairs: pairs.all() }
    }

    /// In how many pairs the value of the first sample is the greater one.
    pub fn greater(&self) -> u64 {
        self.greater
    }

    /// In how many pairs the values are equal.
    pub fn equal(&self) -> u64 {
        self.equal
    }

    /// How many pairs there are; at least one.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Â₁₂: the part of the pairs in which the first is greater, equal ones counted half.
    pub fn a12(&self) -> f64 {
        (2 * self.greater + self.equal) as f64 / (2 * self.pairs) as f64
    }

    /// The same seen from the second sample: its Â₁₂ is 1 − this one's.
    pub fn reversed(&self) -> VarghaDelaney {
        VarghaDelaney { greater: self.pairs - self.greater - self.equal, ..*self }
    }

    /// How large the difference is, whichever of the two is greater.
    pub fn size(&self) -> Size {
        let mine = 2 * self.greater + self.equal;
        let stronger = u128::from(mine.max(2 * self.pairs - mine));
        let reaches = |hundredths: u128| 100 * stronger >= hundredths * 2 * u128::from(self.pairs);
        match () {
            () if reaches(71) => Size::Large,
            () if reaches(64) => Size::Medium,
            () if reaches(56) => Size::Small,
            () => Size::Negligible,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Size::Negligible => "negligible",
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Large => "large",
        })
    }
}
