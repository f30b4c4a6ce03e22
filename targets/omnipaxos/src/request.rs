//! Requests of clients, and their answers.

use serde::{Deserialize, Serialize};

/// What a client asks; as JSON `{"append":3}`, `"lead"`, `"trim"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Append this number to the log. Numbers are unique, so that an entry tells who asked for it.
    Append(u64),
    /// Try to become the leader.
    Lead,
    /// Remove the entries that all servers have accepted.
    Trim,
}

/// The answer to a request; as JSON `{"decided":3}`, `"done"`, `{"refused":"why"}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The entry is decided at this node, at this place of the log, counted from 1.
    Decided(u64),
    /// It was done.
    Done,
    /// It cannot be done, for this reason.
    Refused(String),
}
