//! Options of a target, as text: what a failure file records and what `--set name=value` changes.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The values of a target's options. Every execution has a copy and reads it anew, so copies share the values
/// until one is changed, and the few values stand in a row, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct Options(Arc<Vec<(String, String)>>);

impl From<BTreeMap<String, String>> for Options {
    fn from(values: BTreeMap<String, String>) -> Options {
        Options(Arc::new(values.into_iter().collect()))
    }
}

impl From<Options> for BTreeMap<String, String> {
    fn from(options: Options) -> BTreeMap<String, String> {
        Arc::unwrap_or_clone(options.0).into_iter().collect()
    }
}

/// Why a value cannot be read, where the standard library's own words are about its parsers.
fn plain_reason(reason: &str) -> String {
    match reason {
        "provided string was not `true` or `false`" => "expected true or false".to_owned(),
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "expected a whole number".to_owned()
        }
        "invalid float literal" => "expected a number".to_owned(),
        other => other.to_owned(),
    }
}

/// A value that an option cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("option `{name}` cannot be `{value}`: {reason}")]
pub struct BadOption {
    /// The option.
    pub name: String,
    /// The value.
    pub value: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Options {
    /// Gives an option a value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Display) {
        let (name, value) = (name.into(), value.to_string());
        let values = Arc::make_mut(&mut self.0);
        match values.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(place) => values[place].1 = value,
            Err(place) => values.insert(place, (name, value)),
        }
    }

    /// Whether these are copies of one another, so that what was found out of the one holds of the other.
    /// Options that are equal need not be.
    pub fn is_copy_of(&self, other: &Options) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Every option and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value as it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a switch is on. One that is missing, or is neither `true` nor `false`, is off.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).unwrap_or(false)
    }

    /// The value, read as a `T`.
    pub fn get<T: FromStr>(&self, name: &str) -> Result<T, BadOption>
    where
        T::Err: Display,
    {
        let bad = |value: &str, reason: String| BadOption {
            name: name.to_owned(),
            value: value.to_owned(),
            reason,
        };
        let value = self.text(name).ok_or_else(|| bad("", "it has no value".to_owned()))?;
        value.parse().map_err(|error: T::Err| bad(value, plain_reason(&error.to_string())))
    }
}
