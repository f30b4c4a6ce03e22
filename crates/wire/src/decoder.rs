//! What a decoder is: the trait, and what it hands out.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::LostFrame;

/// An end of a connection: the one that sent some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The server that opened the connection.
    Opener,
    /// The server that accepted it.
    Acceptor,
}

impl End {
    /// Both ends.
    pub const BOTH: [Self; 2] = [Self::Opener, Self::Acceptor];

    /// The other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Opener => Self::Acceptor,
            Self::Acceptor => Self::Opener,
        }
    }

    /// A place in an array of two.
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Opener => "opener",
            Self::Acceptor => "acceptor",
        })
    }
}

/// What a proxy may do with a frame.
///
/// Frames of one end are always forwarded in the order in which they came: a frame waits for those before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Handling {
    /// A handshake, a ping or part of a transfer: forwarded as soon as everything before it was.
    Plumbing,
    /// A message that may be held, and that may be lost.
    Message(Loss),
}

/// What the loss of a message takes with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Nothing: the message may be left out, and later ones on the same connection arrive.
    Alone,
    /// The connection, as with the protocol itself: to drop the message is to close the connection.
    WithConnection,
}

/// A whole frame of a protocol.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Frame {
    /// The end that sent it.
    pub from: End,
    /// How many bytes that end had sent before.
    pub offset: u64,
    /// The bytes to forward. They are those that came in, unless the decoder was asked to put another address
    /// into a handshake.
    pub bytes: Vec<u8>,
    /// The kind of frame: what filters and diagrams name it by.
    pub kind: String,
    /// Its contents, for filters, mappings and diagrams.
    pub fields: Map<String, Value>,
    /// What a proxy may do with it.
    pub handling: Handling,
}

/// Cuts the bytes of one connection into frames.
pub trait Decoder: Send {
    /// The name of the protocol.
    fn protocol(&self) -> &'static str;

    /// Takes bytes that an end has sent, and appends the frames that are now whole. How the bytes are divided
    /// among calls makes no difference to the frames.
    ///
    /// # Errors
    ///
    /// The bytes are no frames of this protocol, or break a limit. Frames before the fault were appended.
    /// From then on every call fails with the same error; the bytes are kept for [`Decoder::take_pending`].
    fn decode(&mut self, from: End, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), LostFrame>;

    /// How many bytes of an end are in no frame yet.
    fn pending(&self, from: End) -> usize;

    /// Takes away the bytes of an end that are in no frame: what a proxy forwards if it goes on without the
    /// decoder.
    fn take_pending(&mut self, from: End) -> Vec<u8>;
}
