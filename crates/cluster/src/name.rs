//! Short names: kinds of messages, timers, kinds of internal events.
//!
//! A name is a `&'static str`, so that it costs nothing to copy and compare. Names that come from outside (a
//! failure file, a shim) are interned: each distinct one is kept for the life of the process, and their
//! number is limited.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock};

/// The most distinct names that may come from outside in one process.
pub const INTERNED_MAX: usize = 4096;
/// The most numbered names.
pub const NUMBERED_MAX: usize = 1024;
/// The longest name that may come from outside, in bytes.
pub const NAME_LENGTH_MAX: usize = 64;

/// A short name. Make one from a literal with `Name::new("Append")`, from foreign text with [`Name::intern`].
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct Name(&'static str);

impl Name {
    /// A name known when the program was written.
    pub const fn new(text: &'static str) -> Name {
        Name(text)
    }

    /// A name from outside. Letters, digits, `_`, `-`, `.` and `:` only, so that schedules stay readable by
    /// line and word.
    pub fn intern(text: &str) -> Result<Name, BadName> {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        Name::check(text)?;
        let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(name) = known.get(text) {
            return Ok(Name(name));
        }
        if known.len() >= INTERNED_MAX {
            return Err(BadName::TooMany);
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        known.insert(kept);
        Ok(Name(kept))
    }

    /// The names `sleep.1`, `sleep.2`, … of timers that have no names of their own, up to [`NUMBERED_MAX`].
    pub fn numbered(number: usize) -> Option<Name> {
        static KNOWN: OnceLock<Vec<&'static str>> = OnceLock::new();
        let made =
            || (1..=NUMBERED_MAX).map(|n| &*Box::leak(format!("sleep.{n}").into_boxed_str())).collect();
        KNOWN.get_or_init(made).get(number.checked_sub(1)?).map(|text| Name(text))
    }

    /// Whether a text has the form of a name. Names that a node makes up are checked when they are first met,
    /// for schedules with other ones could not be read back.
    pub fn check(text: &str) -> Result<(), BadName> {
        let fits = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        if text.is_empty() || text.len() > NAME_LENGTH_MAX || !text.chars().all(fits) {
            return Err(BadName::Form(text.chars().take(NAME_LENGTH_MAX).collect()));
        }
        Ok(())
    }

    /// Whether both are one and the same text in memory: then they are equal, and it costs nothing to know.
    #[inline]
    pub(crate) fn is_identical(self, other: Name) -> bool {
        std::ptr::eq(self.0, other.0)
    }

    /// A number for the text in memory: names that are not identical seldom share one.
    #[inline]
    pub(crate) fn place(self) -> usize {
        self.0.as_ptr() as usize ^ self.0.len()
    }

    /// The name as text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// Most comparisons are of a name with itself.
impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.is_identical(*other) || self.0 == other.0
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl From<&'static str> for Name {
    fn from(text: &'static str) -> Name {
        Name(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Why a text from outside cannot be a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Empty, too long, or with characters that a name may not have.
    #[error("`{0}` is not a name: up to {NAME_LENGTH_MAX} letters, digits, `_`, `-`, `.` or `:`")]
    Form(String),
    /// The process has seen too many distinct names.
    #[error("more than {INTERNED_MAX} distinct names came from outside")]
    TooMany,
}
