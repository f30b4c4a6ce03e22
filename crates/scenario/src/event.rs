//! Events as conditions see them: one thing that was seen, with the typed contents of its message.

use shakedown_cluster::{Board, Fact, Happening, MessageIndex, MessageInfo, NodeId, Value};

/// One thing that was seen.
pub struct EventView<'a, M> {
    pub(crate) board: &'a Board,
    pub(crate) node: NodeId,
    pub(crate) what: Happening<'a>,
    pub(crate) contents: Option<&'a M>,
}

impl<'a, M> EventView<'a, M> {
    /// The node at which it was seen: the sender of a message that is sent, the receiver of one that is received.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// What can be seen of the whole cluster.
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// What happened.
    pub fn what(&self) -> Happening<'a> {
        self.what
    }

    /// Whether a message is sent.
    pub fn is_send(&self) -> bool {
        matches!(self.what, Happening::Sent(_))
    }

    /// Whether a message is received.
    pub fn is_receive(&self) -> bool {
        matches!(self.what, Happening::Received(_))
    }

    /// The message that is sent or received.
    pub fn index(&self) -> Option<MessageIndex> {
        match self.what {
            Happening::Sent(index) | Happening::Received(index) => Some(index),
            _ => None,
        }
    }

    /// What is known of the message without its contents.
    pub fn info(&self) -> Option<&'a MessageInfo> {
        self.index().map(|index| self.board.message(index))
    }

    /// The contents of the message that is sent or received.
    pub fn message(&self) -> Option<&'a M> {
        self.contents
    }

    /// The sender of the message.
    pub fn from(&self) -> Option<NodeId> {
        self.info().map(|info| info.id.from)
    }

    /// The receiver of the message.
    pub fn to(&self) -> Option<NodeId> {
        self.info().map(|info| info.id.to)
    }

    /// The fact that the node reported.
    pub fn fact(&self) -> Option<&'a Fact> {
        match self.what {
            Happening::Internal(fact) => Some(fact),
            _ => None,
        }
    }

    /// A particular of the fact, if it is a number.
    pub fn number(&self, field: &str) -> Option<i64> {
        match self.fact()?.get(field)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The event in a few words.
    pub fn describe(&self) -> String {
        let node = self.node;
        match self.what {
            Happening::Sent(index) | Happening::Received(index) => {
                let info = self.board.message(index);
                let verb = if self.is_send() { "sends" } else { "receives" };
                format!("{node} {verb} {} {}", info.kind, info.id)
            }
            Happening::Internal(fact) => format!("{node} {fact}"),
            Happening::Requested(id) => format!("{node} is asked request {}", id.0 + 1),
            Happening::Answered(id) => format!("{node} answers request {}", id.0 + 1),
            Happening::Crashed { .. } => format!("{node} crashes"),
            Happening::Restarted => format!("{node} restarts"),
            Happening::Panicked(panic) => format!("{node} {panic}"),
        }
    }
}
