//! Numbers of a target file that have limits.

use serde::Deserialize;

/// A number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct Within<const LEAST: usize, const MOST: usize>(pub usize);

impl<const LEAST: usize, const MOST: usize> TryFrom<i64> for Within<LEAST, MOST> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        let known = usize::try_from(number).ok().filter(|number| (LEAST..=MOST).contains(number));
        known.map(Within).ok_or_else(|| format!("it is {LEAST} to {MOST}, and not {number}"))
    }
}
