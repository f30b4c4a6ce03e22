//! The levels of formulas.

use crate::error::Error;
use crate::loader::Sources;

/// Finds formulas whose level does not fit their place.
pub(super) fn check(_sources: &Sources) -> Vec<Error> {
    Vec::new()
}
