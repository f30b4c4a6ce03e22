//! ZooKeeper's two protocols between servers: leader election, and the quorum protocol (ZAB).
//!
//! The layouts are those of ZooKeeper 3.4 to 3.9, written down from what its servers send; the vectors in
//! `tests/` were captured from real ones. Connections with TLS or SASL are not understood, and reported as a
//! lost frame.

mod election;
mod packet;
mod quorum;
mod snapshot;
mod transaction;

pub use election::Election;
pub use quorum::Quorum;

use serde_json::Value;

/// A session's number as ZooKeeper prints it: it fills 64 bits, which numbers in JSON do not.
fn session(number: i64) -> Value {
    Value::from(format!("{number:#x}"))
}

/// The version of an ensemble's configuration: the last line of its text, a number in base 16. The lines
/// before it are the addresses of all servers.
fn config_version(text: &[u8]) -> Value {
    let text = String::from_utf8_lossy(text);
    let version = text.lines().rev().find_map(|line| line.strip_prefix("version="));
    version.map_or(Value::Null, Value::from)
}
