//! What a module must satisfy before anything of it is evaluated: every name is known and used with the right
//! number of arguments, none is defined twice, and formulas have the levels that their places need.
//!
//! The rules are those of the reference parser (SANY). All problems of a specification are found in one go.
//! Definitions that nobody uses are looked at too. Modules of ours are trusted.

mod levels;
mod names;
mod table;
mod walk;

use crate::error::{Error, Result};
use crate::loader::Sources;

/// Most problems that are reported.
const PROBLEMS_MAX: usize = 50;

/// Checks all modules of a specification.
pub(crate) fn check(sources: &Sources) -> Result<()> {
    let mut problems = names::check(sources);
    if problems.is_empty() {
        problems = levels::check(sources);
    }
    problems.truncate(PROBLEMS_MAX);
    match problems.len() {
        0 => Ok(()),
        1 => Err(Box::new(problems.remove(0))),
        _ => Err(Box::new(Error::Several { errors: problems })),
    }
}
