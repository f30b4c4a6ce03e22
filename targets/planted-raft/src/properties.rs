//! The option that says which properties are checked.

use std::fmt;
use std::str::FromStr;

/// Which of Raft's invariants are checked. An execution ends at the first that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Properties {
    /// All of them.
    #[default]
    All,
    /// That no two entries are committed at one index: what a fault comes to in the end.
    Committed,
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Properties::All => "all",
            Properties::Committed => "committed",
        })
    }
}

impl FromStr for Properties {
    type Err = String;

    fn from_str(text: &str) -> Result<Properties, String> {
        match text {
            "all" => Ok(Properties::All),
            "committed" => Ok(Properties::Committed),
            _ => Err("it is all or committed".to_owned()),
        }
    }
}
