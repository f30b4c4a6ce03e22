//! What travels between nodes: segments of sockets, calls past them, replies.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

use shakedown_cluster::{Message, Name};

use crate::TokioNode;
use crate::segment::Segment;

/// Which call of a node: its life and a number in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallId {
    /// The life of the node that calls. A reply to an earlier one is nobody's.
    pub life: u32,
    /// The number of the call in this life, counted from 1.
    pub number: u32,
}

/// A message between nodes.
pub enum Packet<N: TokioNode> {
    /// A segment between two sockets.
    Segment(Segment),
    /// A call, which waits for a reply.
    Call(CallId, N::Message),
    /// The reply to a call. Its kind is that of the call, and `.reply`.
    Reply(CallId, Name, N::Reply),
}

impl<N: TokioNode> Clone for Packet<N> {
    fn clone(&self) -> Packet<N> {
        match self {
            Packet::Segment(segment) => Packet::Segment(segment.clone()),
            Packet::Call(id, message) => Packet::Call(*id, message.clone()),
            Packet::Reply(id, kind, reply) => Packet::Reply(*id, *kind, reply.clone()),
        }
    }
}

impl<N: TokioNode> fmt::Debug for Packet<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Packet::Segment(segment) => segment.fmt(f),
            Packet::Call(_, message) => message.fmt(f),
            Packet::Reply(_, _, reply) => reply.fmt(f),
        }
    }
}

impl<N: TokioNode> Message for Packet<N> {
    fn kind(&self) -> &'static str {
        match self {
            Packet::Segment(Segment::Data { port, bytes, .. }) => N::kind_of(*port, bytes),
            Packet::Segment(segment) => segment.kind(),
            Packet::Call(_, message) => message.kind(),
            Packet::Reply(_, kind, _) => kind.as_str(),
        }
    }

    fn describe(&self) -> String {
        match self {
            Packet::Call(_, message) => message.describe(),
            other => format!("{other:?}"),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Packet::Segment(segment) => segment.hash(hasher),
            Packet::Call(id, message) => {
                id.hash(hasher);
                message.digest(hasher);
            }
            Packet::Reply(id, _, reply) => {
                id.hash(hasher);
                let _ = write!(HashText(hasher), "{reply:?}");
            }
        }
    }
}

/// Takes formatted text into a hasher, without a string in between.
struct HashText<'a, H>(&'a mut H);

impl<H: Hasher> Write for HashText<'_, H> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

thread_local! {
    /// The kinds of calls that were met, and of their replies.
    static REPLY_KINDS: RefCell<Vec<(&'static str, Name)>> = const { RefCell::new(Vec::new()) };
}

/// The kind of the reply to a call of this kind.
///
/// # Panics
/// If it is no name, or there are too many: a finding.
pub(crate) fn reply_kind(call: &'static str) -> Name {
    REPLY_KINDS.with_borrow_mut(|kinds| {
        if let Some((_, reply)) = kinds.iter().find(|(known, _)| *known == call) {
            return *reply;
        }
        let reply = Name::intern(&format!("{call}.reply"))
            .unwrap_or_else(|error| panic!("the reply to a `{call}` has no kind: {error}"));
        kinds.push((call, reply));
        reply
    })
}
