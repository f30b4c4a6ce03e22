//! PlusCal: algorithms in the comments of a module, which `shakedown-pluscal` translates.

pub use shakedown_pluscal::{
    AddedLabel, Fairness, Options, Status, Translation, Version, status, without_keywords,
};

use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;

/// Translates the algorithm of a module. The text is that of its file, and the name is for errors.
pub fn translate(module: &str, text: &str, options: &Options) -> Result<Translation> {
    shakedown_pluscal::translate(text, options).map_err(|problem| {
        let (line, column) = problem.place();
        let place = Place { module: Symbol::new(module), line, column };
        Box::new(Error::Syntax { place, message: problem.message().to_owned() })
    })
}
