//! What travels between the sockets of nodes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use shakedown_cluster::NodeId;

/// One end of a connection: who opened it, in which life, and a number in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId {
    /// The node that opened it.
    pub opener: NodeId,
    /// The life of that node.
    pub life: u32,
    /// The number of the connection in this life, counted from 1.
    pub number: u32,
    /// Whether the opener's end is meant, or that of the node which it connects to. A segment names the end
    /// that it goes to.
    pub is_opener: bool,
}

impl ConnectionId {
    /// The other end of the connection.
    #[must_use]
    pub fn other_end(self) -> ConnectionId {
        ConnectionId { is_opener: !self.is_opener, ..self }
    }
}

/// One message between sockets.
#[derive(Clone, PartialEq, Eq)]
pub enum Segment {
    /// A node opens a connection, from one port to another.
    Connect {
        /// The connection.
        connection: ConnectionId,
        /// The port of the opener.
        from: u16,
        /// The port that it connects to.
        to: u16,
    },
    /// The other node listens there: the connection is open.
    Accepted(ConnectionId),
    /// Nothing listens there.
    Refused(ConnectionId),
    /// Bytes of a connection.
    Data {
        /// The connection.
        connection: ConnectionId,
        /// The port that the opener connected to: it tells which protocol it is.
        port: u16,
        /// Which segment of its direction it is, counted from 0.
        number: u32,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// The sender writes no more.
    Fin {
        /// The connection.
        connection: ConnectionId,
        /// Which segment of its direction it is.
        number: u32,
    },
    /// The connection is broken off.
    Reset(ConnectionId),
    /// A datagram, from one port to another.
    Datagram {
        /// The port of the sender.
        from: u16,
        /// The port that it is for.
        to: u16,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
}

impl Segment {
    /// The kind of message, where a node does not name the kind of bytes itself.
    pub fn kind(&self) -> &'static str {
        match self {
            Segment::Connect { .. } => "Connect",
            Segment::Accepted(_) => "Accepted",
            Segment::Refused(_) => "Refused",
            Segment::Data { .. } => "Data",
            Segment::Fin { .. } => "Fin",
            Segment::Reset(_) => "Reset",
            Segment::Datagram { .. } => "Datagram",
        }
    }
}

impl fmt::Debug for ConnectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0.opener, self.0.life, self.0.number)
    }
}

/// A connection in a few characters.
struct ConnectionName(ConnectionId);

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Connect { connection, from, to } => {
                write!(f, "Connect({:?} :{from} to :{to})", ConnectionName(*connection))
            }
            Segment::Accepted(connection) | Segment::Refused(connection) | Segment::Reset(connection) => {
                write!(f, "{}({:?})", self.kind(), ConnectionName(*connection))
            }
            Segment::Data { connection, number, bytes, .. } => {
                write!(f, "Data({:?} #{number} {:?})", ConnectionName(*connection), Text(bytes))
            }
            Segment::Fin { connection, number } => {
                write!(f, "Fin({:?} #{number})", ConnectionName(*connection))
            }
            Segment::Datagram { from, to, bytes } => {
                write!(f, "Datagram(:{from} to :{to} {:?})", Text(bytes))
            }
        }
    }
}

/// Bytes as text: what can be printed as it is, the rest escaped.
struct Text<'a>(&'a [u8]);

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl Hash for Segment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Segment::Connect { connection, from, to } => (connection, from, to).hash(state),
            Segment::Accepted(connection) | Segment::Refused(connection) | Segment::Reset(connection) => {
                connection.hash(state);
            }
            Segment::Data { connection, number, bytes, .. } => (connection, number, bytes).hash(state),
            Segment::Fin { connection, number } => (connection, number).hash(state),
            Segment::Datagram { from, to, bytes } => (from, to, bytes).hash(state),
        }
    }
}
