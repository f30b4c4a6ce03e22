//! The statistics that comparing testing strategies needs, and no others.
//!
//! A strategy draws random numbers, so one run of it says little: strategies are compared over several
//! trials, each with its own seed. What is compared is either a number that every trial has (the states
//! covered at the end: a [`Sample`]), or the number of executions until something was found, which some
//! trials never reach ([`Times`]), or just how many trials found it ([`Share`]).
//!
//! | question | answer |
//! |---|---|
//! | What do the trials of one strategy look like? | [`Sample::summary`]; [`Times::found_mean`], [`Times::restricted_mean`] |
//! | How sure is a share of trials? | [`Share::interval`] |
//! | Do two strategies differ? | [`mann_whitney`], [`Times::mann_whitney`]; [`fisher`] for found/N |
//! | By how much? | [`vargha_delaney`], [`Times::vargha_delaney`] |
//! | Do several strategies differ, over several bugs or targets? | [`repeated_measures`] |
//! | Which of them? | [`tukey`], [`RepeatedMeasures::tukey`] |
//! | Several questions were asked of the same trials? | [`holm`] |
//! | How is it said in plain words? | [`Comparison::words`] |
//!
//! # Where nothing can be concluded
//!
//! No result is ever NaN. Samples are checked when they are made: at least one value, all finite. What cannot
//! be answered at all is a [`StatisticsError`]. What can only be answered with "no difference can be shown"
//! has p = 1, and its own case of an enum where a reader should know why ([`Method::AllEqual`]). A p of 0
//! stands for one below the smallest number.
//!
//! # How exact the numbers are
//!
//! Tests hold all of them against SciPy and statsmodels (`tests/facts`) and against published examples, to
//! nine digits or more. The same input gives the same output, on every machine.
//!
//! ```
//! use shakedown_statistics::{Better, Comparison, Sample};
//!
//! let bonusmax = Sample::new([412.0, 398.0, 431.0, 405.0, 420.0])?;
//! let random = Sample::new([301.0, 333.0, 298.0, 350.0, 318.0])?;
//! let comparison = Comparison::of(&bonusmax, &random);
//! assert_eq!(
//!     comparison.words(["bonusmax", "random"], Better::Greater("covers more")),
//!     "bonusmax covers more: p = 0.008, Â₁₂ = 1.00 (large)"
//! );
//! # Ok::<(), shakedown_statistics::StatisticsError>(())
//! ```

mod comparison;
mod error;
mod fisher;
mod holm;
mod mann_whitney;
mod null_distribution;
mod pairs;
mod quadrature;
mod repeated_measures;
mod sample;
mod sign_flips;
mod special;
mod studentized_range;
mod times;
mod tukey;
mod vargha_delaney;
mod wilson;

pub use comparison::{Better, Comparison, SIGNIFICANCE};
pub use error::StatisticsError;
pub use fisher::{Share, fisher};
pub use holm::holm;
pub use mann_whitney::{
    MannWhitney, Method, mann_whitney, mann_whitney_asymptotic, mann_whitney_exact, smallest_p,
};
pub use repeated_measures::{RepeatedMeasures, repeated_measures};
pub use sample::{Sample, Summary};
pub use sign_flips::sign_flips;
pub use studentized_range::StudentizedRange;
pub use times::Times;
pub use tukey::{Pair, tukey};
pub use vargha_delaney::{Size, VarghaDelaney, vargha_delaney};
