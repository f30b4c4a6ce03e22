//! Events: what is seen while steps are done.

use crate::{Fact, MessageIndex, NodeId};

/// The number of a request in its execution, counted from 0; reports count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// A moment: one activation of one node, the atom of an execution. A step brings about none (a drop), one (a
/// delivery) or several (a healed link activates both ends). Everything that a node does in one moment has
/// one vector clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The step that brought it about, counted from 1; 0 is the boot of the cluster.
    pub step: u32,
    /// The node.
    pub node: NodeId,
    /// The message that the node received, if it was one that brought the moment about.
    pub received: Option<MessageIndex>,
    /// How many messages had been sent before.
    pub(crate) sent: u32,
}

/// One thing that is seen, at a moment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event<'a> {
    /// The place of its moment in [`crate::Board::moments`].
    pub moment: u32,
    /// What is seen.
    pub what: Happening<'a>,
}

/// What an event is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Happening<'a> {
    /// The node sent a message.
    Sent(MessageIndex),
    /// The node received a message.
    Received(MessageIndex),
    /// The node reported a fact.
    Internal(&'a Fact),
    /// A client sent a request to the node; the same one again, if it asks more than once.
    Requested(RequestId),
    /// The node answered a request; [`crate::RequestInfo::answer`] is what it said first.
    Answered(RequestId),
    /// The node sent the client of a request elsewhere.
    Redirected(RequestId),
    /// The node crashed.
    Crashed {
        /// How many of its unflushed writes were lost.
        lost: u32,
    },
    /// The node booted from its disk again.
    Restarted,
    /// The node panicked: a finding.
    Panicked(&'a Panic),
}

/// A panic of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panic {
    /// What the node was doing: "boot", "receive", "tick", ….
    pub doing: &'static str,
    /// The message of the panic.
    pub message: String,
    /// File, line and column.
    pub place: String,
}

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "panics in {}: {} ({})", self.doing, self.message, self.place)
    }
}
