//! Nodes in any language: programs that speak the node protocol (`docs/node-protocol.md`).
//!
//! A [`HostPool`] starts programs by a [`HostCommand`]; a [`Host`] is one that runs. [`RemoteNode`] is a node
//! like any other, whose activations are calls of a host. What it sends, is asked and shows is given by a
//! [`Vocabulary`]: typed, where this program knows the protocol, or [`Plain`] values.

mod check;
mod command;
mod frame;
mod host;
mod msgpack;
mod node;
mod packed;
mod pin;
mod plain;
mod pool;
mod value;
mod watch;
mod wire;

pub use check::{HostCheck, Row, RowOutcome, check_host};
pub use command::HostCommand;
pub use frame::{
    Answered, Call, DiskChange, Encoding, Failure, Hello, PROTOCOL, Pairs, Reply, ReportedFact, Sent,
    TimerChange,
};
pub use host::{CannotStart, Host, HostFailure};
pub use node::{KeyValueWrite, KeyValues, RemoteNode, Vocabulary};
pub use packed::{Packed, check_packed};
pub use plain::{Plain, PlainMessage, PlainState};
pub use pool::{HostPool, Notice};
pub use value::{Bytes, Value};
pub use wire::{BadFrame, DEPTH_MAX, FRAME_MAX, FrameReader, decode, show, write_frame};
