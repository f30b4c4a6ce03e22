//! What a strategy sees when it chooses: the board, the colours of nodes, and which messages are not for it to deliver.

use std::borrow::Cow;

use shakedown_cluster::{Board, MessageIndex, NodeId};

/// What a strategy sees. Colours are made only when they are asked for, so they cost nothing to those who do not ask.
pub struct Sight<'a> {
    board: &'a Board,
    colour: &'a dyn Fn(NodeId) -> u64,
    deliverable: Cow<'a, [MessageIndex]>,
}

impl<'a> Sight<'a> {
    /// The whole board, with these colours of nodes.
    pub fn new(board: &'a Board, colour: &'a dyn Fn(NodeId) -> u64) -> Sight<'a> {
        Sight { board, colour, deliverable: Cow::Borrowed(board.deliverable()) }
    }

    /// The board alone: every node has the same colour.
    pub fn of(board: &'a Board) -> Sight<'a> {
        Sight::new(board, &|_| 0)
    }

    /// The same, but for messages that somebody above the strategy keeps back: a scenario that withholds them.
    #[must_use]
    pub fn without(&self, is_withheld: impl Fn(MessageIndex) -> bool) -> Sight<'a> {
        let rest = self.deliverable.iter().copied().filter(|&message| !is_withheld(message)).collect();
        Sight { board: self.board, colour: self.colour, deliverable: Cow::Owned(rest) }
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// The messages that the strategy may deliver.
    #[inline]
    pub fn deliverable(&self) -> &[MessageIndex] {
        &self.deliverable
    }

    /// Whether the strategy may deliver this message.
    pub fn is_deliverable(&self, message: MessageIndex) -> bool {
        match &self.deliverable {
            Cow::Borrowed(_) => self.board.is_deliverable(message),
            Cow::Owned(rest) => rest.contains(&message),
        }
    }

    /// The colour of a node: what the target says matters of its state, without its identity.
    pub fn colour(&self, node: NodeId) -> u64 {
        (self.colour)(node)
    }
}
