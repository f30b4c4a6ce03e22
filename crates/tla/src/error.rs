//! Errors, and the places in a specification that they point to.
//!
//! Everything in a specification or a configuration comes from outside, so everything that can be wrong with
//! it is an [`Error`] with the file, line and column where it is wrong.

use std::fmt;

use crate::symbol::Symbol;

/// A place in the text of a module: the file it came from, its line and its column, both counted from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The module whose text it is; empty for what has no text (built-in definitions).
    pub module: Symbol,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
    /// The column in characters, from 1; 0 when unknown.
    pub column: u32,
}

impl Place {
    /// A place that is nowhere in a text.
    pub const fn none() -> Place {
        Place { module: Symbol::EMPTY, line: 0, column: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}", if self.module.as_str().is_empty() { "built-in" } else { self.module.as_str() })
        } else {
            write!(f, "{}:{}:{}", self.module, self.line, self.column)
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What went wrong with a specification, its configuration or its evaluation.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The text of a module is not TLA+.
    #[error("{place}: syntax error: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What was found.
        message: String,
    },
    /// A name, a module or a definition does not make sense.
    #[error("{}{message}", at(*place))]
    Semantic {
        /// Where.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// Several things are wrong with the names of a specification.
    #[error("{}", several(errors))]
    Several {
        /// What, in the order of the modules and their lines.
        errors: Vec<Error>,
    },
    /// The configuration is wrong.
    #[error("{}{message}", config_place(file, *line, *column))]
    Config {
        /// The file it was read from; empty if it was read from no file.
        file: String,
        /// The line, from 1; 0 when it is about something that is missing.
        line: u32,
        /// The column in characters, from 1; 0 when unknown.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// An expression has no value.
    #[error("{}{message}", at(*place))]
    Evaluation {
        /// Where.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// `Assert(FALSE, …)` was evaluated, or an operator of the specification refused on purpose.
    #[error("{}assertion failed: {message}", at(*place))]
    Assertion {
        /// Where.
        place: Place,
        /// The specification's own words.
        message: String,
    },
    /// A limit was reached.
    #[error("{message}")]
    Limit {
        /// Which, and how to raise it.
        message: String,
    },
}

/// Where an error is, before its message; nothing if it is about no text, such as a name that a caller gave.
fn at(place: Place) -> String {
    if place == Place::none() { String::new() } else { format!("{place}: ") }
}

/// One error a line.
fn several(errors: &[Error]) -> String {
    let lines: Vec<String> = errors.iter().map(Error::to_string).collect();
    lines.join("\nError: ")
}

/// Where in a configuration, with the colon that follows.
fn config_place(file: &str, line: u32, column: u32) -> String {
    let file = if file.is_empty() { "configuration" } else { file };
    if line == 0 { format!("{file}: ") } else { format!("{file}:{line}:{column}: ") }
}

impl Error {
    pub(crate) fn semantic(place: Place, message: impl Into<String>) -> Error {
        Error::Semantic { place, message: message.into() }
    }

    /// The same error with one more line that says what was being evaluated.
    pub(crate) fn within(mut self: Box<Error>, what: &str, place: Place) -> Box<Error> {
        if let Error::Evaluation { message, .. } = &mut *self {
            match place.line {
                0 => message.push_str(&format!("\n  in {what}")),
                _ => message.push_str(&format!("\n  in {what}, {place}")),
            }
        }
        self
    }

    /// The place in the specification, if there is one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Error::Syntax { place, .. }
            | Error::Semantic { place, .. }
            | Error::Evaluation { place, .. }
            | Error::Assertion { place, .. } => Some(*place),
            Error::Several { errors } => errors.first().and_then(Error::place),
            Error::Config { .. } | Error::Limit { .. } => None,
        }
    }
}

/// A result with the crate's [`Error`], boxed because evaluation returns it millions of times a second.
pub type Result<T> = std::result::Result<T, Box<Error>>;

/// An evaluation error at a place.
#[cold]
pub(crate) fn fail<T>(place: Place, message: impl Into<String>) -> Result<T> {
    Err(Box::new(Error::Evaluation { place, message: message.into() }))
}
