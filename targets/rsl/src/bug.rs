//! The option that plants a bug.

use std::fmt;
use std::str::FromStr;

/// What is wrong with the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Bug {
    /// Nothing.
    #[default]
    None,
    /// A replica that is behind takes what it has voted for itself as decided, when it hears that the decree
    /// is: its vote may be of an old ballot, and another value may have been chosen in a later one. The
    /// thesis tells of its RSL only that two processes decide different values; this is a mistake in learning
    /// from others of the kind that its code invites.
    InconsistentLog,
}

impl Bug {
    const ALL: [Bug; 2] = [Bug::None, Bug::InconsistentLog];
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bug::None => "none",
            Bug::InconsistentLog => "inconsistent-log",
        })
    }
}

impl FromStr for Bug {
    type Err = String;

    fn from_str(text: &str) -> Result<Bug, String> {
        let known = Bug::ALL.into_iter().find(|bug| bug.to_string() == text);
        known.ok_or_else(|| format!("it is one of {}", Bug::ALL.map(|bug| bug.to_string()).join(", ")))
    }
}
