//! The option that switches the bug on.

use std::fmt;
use std::str::FromStr;

/// When a process dates its log: sets `last` to a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// When it joins a phase (line 15 of the paper's figure 1): the bug.
    Prepare,
    /// When it takes over the log of the phase's leader (line 34): the fix.
    Propose,
}

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Last::Prepare => "prepare",
            Last::Propose => "propose",
        })
    }
}

impl FromStr for Last {
    type Err = String;

    fn from_str(text: &str) -> Result<Last, String> {
        match text {
            "prepare" => Ok(Last::Prepare),
            "propose" => Ok(Last::Propose),
            _ => Err("it is prepare (the bug) or propose (the fix)".to_owned()),
        }
    }
}
