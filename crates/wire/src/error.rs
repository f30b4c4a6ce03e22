//! What can be wrong with the bytes of a connection.

use thiserror::Error;

use crate::End;

/// A decoder lost the frame: the place, and what is wrong there.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{protocol}: lost the frame that begins after byte {offset} of the {from}: {fault}")]
pub struct LostFrame {
    /// The protocol that was expected.
    pub protocol: &'static str,
    /// The end that sent the bytes.
    pub from: End,
    /// How many bytes of that end came before the frame.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a frame.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// A length or count is greater than allowed.
    #[error("{what} of {length}, but the limit is {limit}")]
    TooLong {
        /// What has the length.
        what: &'static str,
        /// The length.
        length: u64,
        /// The greatest length allowed.
        limit: u64,
    },
    /// A frame has no end within the limit.
    #[error("it has more than {limit} bytes, which is the limit")]
    Endless {
        /// The greatest length allowed.
        limit: u64,
    },
    /// A length or count is negative.
    #[error("{what} of {length}")]
    Negative {
        /// What has the length.
        what: &'static str,
        /// The length.
        length: i64,
    },
    /// Something has a value that the protocol does not know.
    #[error("{what} is {found}; is this the right protocol, without encryption or authentication?")]
    Unexpected {
        /// What has the value.
        what: &'static str,
        /// The value.
        found: String,
    },
}
