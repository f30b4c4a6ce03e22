//! What travels between async nodes: calls, replies and messages without a reply.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

use shakedown_cluster::{Message, Name};

use crate::AsyncNode;

/// Which call of a node: its life and a number in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallId {
    /// The life of the node that calls. A reply to an earlier one is nobody's.
    pub life: u32,
    /// The number of the call in this life, counted from 1.
    pub number: u32,
}

/// A message between async nodes.
pub enum Wire<N: AsyncNode> {
    /// A call, which waits for a reply.
    Call(CallId, N::Message),
    /// The reply to a call. Its kind is that of the call, and `.reply`.
    Reply(CallId, Name, N::Reply),
    /// A message without a reply.
    OneWay(N::Message),
}

impl<N: AsyncNode> Clone for Wire<N> {
    fn clone(&self) -> Wire<N> {
        match self {
            Wire::Call(id, message) => Wire::Call(*id, message.clone()),
            Wire::Reply(id, kind, reply) => Wire::Reply(*id, *kind, reply.clone()),
            Wire::OneWay(message) => Wire::OneWay(message.clone()),
        }
    }
}

impl<N: AsyncNode> fmt::Debug for Wire<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wire::Call(_, message) | Wire::OneWay(message) => message.fmt(f),
            Wire::Reply(_, _, reply) => reply.fmt(f),
        }
    }
}

impl<N: AsyncNode> Message for Wire<N> {
    fn kind(&self) -> &'static str {
        match self {
            Wire::Call(_, message) | Wire::OneWay(message) => message.kind(),
            Wire::Reply(_, kind, _) => kind.as_str(),
        }
    }

    fn describe(&self) -> String {
        match self {
            Wire::Call(_, message) | Wire::OneWay(message) => message.describe(),
            Wire::Reply(_, _, reply) => format!("{reply:?}"),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Wire::Call(id, message) => {
                id.hash(hasher);
                message.digest(hasher);
            }
            Wire::Reply(id, _, reply) => {
                id.hash(hasher);
                let _ = write!(HashText(hasher), "{reply:?}");
            }
            Wire::OneWay(message) => message.digest(hasher),
        }
    }

    /// Only messages without a reply have a text form.
    fn encode(&self) -> Option<String> {
        match self {
            Wire::OneWay(message) => message.encode(),
            Wire::Call(..) | Wire::Reply(..) => None,
        }
    }

    fn decode(text: &str) -> Result<Wire<N>, String> {
        N::Message::decode(text).map(Wire::OneWay)
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
        if let Some((_, reply)) = kinds.iter().find(|(known, _)| std::ptr::eq(*known, call) || *known == call)
        {
            return *reply;
        }
        let reply = Name::intern(&format!("{call}.reply"))
            .unwrap_or_else(|error| panic!("the reply to a `{call}` has no kind: {error}"));
        kinds.push((call, reply));
        reply
    })
}
