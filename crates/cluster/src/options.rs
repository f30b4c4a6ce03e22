//! Options of a target, as text: what a failure file records and what `--set name=value` changes.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The values of a target's options.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Options(BTreeMap<String, String>);

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
        self.0.insert(name.into(), value.to_string());
    }

    /// Every option and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value as it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
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
        value.parse().map_err(|error: T::Err| bad(value, error.to_string()))
    }
}
