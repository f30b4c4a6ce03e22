//! What a strategy sees when it chooses: the board, the colours of nodes, the contents of messages, and which
//! messages are not for it to deliver.

use std::any::Any;

use shakedown_cluster::{Board, MessageIndex, NodeId};

/// What can be asked of a cluster beyond its board. It is found out only when it is asked for, so it costs
/// nothing to those who do not ask.
pub trait Insight {
    /// The colour of a node: what the target says matters of its state, without its identity.
    fn colour(&self, _node: NodeId) -> u64 {
        0
    }

    /// Whether clients ask this node: a leader, where only leaders take requests.
    fn serves(&self, _node: NodeId) -> bool {
        true
    }

    /// Whether a predicate of the target holds: the place of its family among those that the target offers,
    /// and its arguments.
    fn holds(&self, _family: usize, _arguments: &[u64]) -> bool {
        false
    }

    /// The contents of a message that is under way, in the protocol's own type.
    fn contents(&self, _message: MessageIndex) -> Option<&dyn Any> {
        None
    }
}

/// No insight: every node has the same colour, and messages are closed.
struct Nothing;

impl Insight for Nothing {}

/// What a strategy sees.
pub struct Sight<'a> {
    board: &'a Board,
    insight: &'a dyn Insight,
    deliverable: &'a [MessageIndex],
    /// Whether somebody above the strategy keeps messages back.
    is_narrowed: bool,
}

impl<'a> Sight<'a> {
    /// The whole board, and what else can be asked.
    pub fn new(board: &'a Board, insight: &'a dyn Insight) -> Sight<'a> {
        Sight { board, insight, deliverable: board.deliverable(), is_narrowed: false }
    }

    /// The board alone: every node has the same colour, and messages are closed.
    pub fn of(board: &'a Board) -> Sight<'a> {
        Sight::new(board, &Nothing)
    }

    /// The same, but of the messages only these may be delivered: somebody above the strategy, a scenario,
    /// keeps back the rest.
    #[must_use]
    pub fn narrowed<'b>(&self, deliverable: &'b [MessageIndex]) -> Sight<'b>
    where
        'a: 'b,
    {
        Sight { board: self.board, insight: self.insight, deliverable, is_narrowed: true }
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// The messages that the strategy may deliver.
    #[inline]
    pub fn deliverable(&self) -> &'a [MessageIndex] {
        self.deliverable
    }

    /// Whether the strategy may deliver this message.
    pub fn is_deliverable(&self, message: MessageIndex) -> bool {
        if self.is_narrowed {
            self.deliverable.contains(&message)
        } else {
            self.board.is_deliverable(message)
        }
    }

    /// The colour of a node: what the target says matters of its state, without its identity.
    pub fn colour(&self, node: NodeId) -> u64 {
        self.insight.colour(node)
    }

    /// Whether clients ask this node: a leader, where only leaders take requests.
    pub fn serves(&self, node: NodeId) -> bool {
        self.insight.serves(node)
    }

    /// Whether a predicate of the target holds: the place of its family among those that the target offers,
    /// and its arguments.
    pub fn holds(&self, family: usize, arguments: &[u64]) -> bool {
        self.insight.holds(family, arguments)
    }

    /// The contents of a message that is under way, in the protocol's own type.
    pub fn contents(&self, message: MessageIndex) -> Option<&'a dyn Any> {
        self.insight.contents(message)
    }
}
