//! What clients ask of registers, which are nodes with a number each, and what they are answered.
//!
//! | request | as JSON | answer | as JSON |
//! |---|---|---|---|
//! | read register 1 where the session is | `{"read":1}` | its value and version | `{"value":{"value":7,"version":2},"session":"0x1"}` |
//! | `sync`, then read | `{"sync":1}` | the same | |
//! | write 7 | `{"set":[1,7]}` | the version that was made | `{"done":2,"session":"0x1"}` |
//! | read, then write 7 if the version is still that | `{"swap":[1,7]}` | what was overwritten | `{"swapped":{"value":5,"version":1},"session":"0x1"}` |
//! | | | the version that it is no longer | `{"missed":1,"session":"0x1"}` |
//!
//! A register that no client has written holds 0 in version 0.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a client asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Read where the session is.
    Read(u8),
    /// Catch up with the leader, then read.
    Sync(u8),
    /// Write whatever the version is.
    Set(u8, u64),
    /// Read, then write if the version is still the one that was read.
    Swap(u8, u64),
}

impl Ask {
    /// The register.
    pub fn key(&self) -> u8 {
        match *self {
            Ask::Read(key) | Ask::Sync(key) | Ask::Set(key, _) | Ask::Swap(key, _) => key,
        }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ask::Read(key) => write!(f, "read r{key}"),
            Ask::Sync(key) => write!(f, "sync and read r{key}"),
            Ask::Set(key, value) => write!(f, "set r{key}={value}"),
            Ask::Swap(key, value) => write!(f, "swap r{key}={value}"),
        }
    }
}

/// A value and its version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Held {
    /// The value.
    pub value: u64,
    /// How many writes there were.
    pub version: i32,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in version {}", self.value, self.version)
    }
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Told {
    /// This was read.
    Value(Held),
    /// It was written, and made this version.
    Done(i32),
    /// It was written in the place of this.
    Swapped(Held),
    /// It was not written: the version was no longer this one.
    Missed(i32),
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Told::Value(held) => write!(f, "{held}"),
            Told::Done(version) => write!(f, "made version {version}"),
            Told::Swapped(held) => write!(f, "in the place of {held}"),
            Told::Missed(version) => write!(f, "no longer version {version}"),
        }
    }
}

/// What became of a request, and the session that it was asked in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What became of it.
    #[serde(flatten)]
    pub told: Told,
    /// The number of the session, as ZooKeeper prints it.
    pub session: String,
}

impl Answer {
    /// Whether this is an answer to such a request at all.
    pub fn fits(&self, ask: Ask) -> bool {
        match ask {
            Ask::Read(_) | Ask::Sync(_) => matches!(self.told, Told::Value(_)),
            Ask::Set(..) => matches!(self.told, Told::Done(_)),
            Ask::Swap(..) => matches!(self.told, Told::Swapped(_) | Told::Missed(_)),
        }
    }
}
