//! What every cluster offers, in this process or out of it.

use std::any::Any;

use crate::{Board, MessageId, MessageIndex, Name, NodeId, Step, StepKind, Trace};

/// n nodes and the network between them, under control.
///
/// The trait asks for little, so that clusters of real processes fit behind it too. Such a cluster may take
/// real time in [`Cluster::perform`]; what its nodes send later shows up on the board at the next
/// [`Cluster::poll`], which is called before every choice.
pub trait Cluster {
    /// What can be seen of a node, in the protocol's own terms.
    type State;

    /// What can be seen of the cluster without knowing its protocol.
    fn board(&self) -> &Board;

    /// What was last seen of every node, also of those that are down now.
    fn states(&self) -> &[Self::State];

    /// The contents of a message that is under way, in the protocol's own type, if the cluster has them.
    fn contents(&self, _message: MessageIndex) -> Option<&dyn Any> {
        None
    }

    /// Does one step, or refuses it and changes nothing.
    fn perform(&mut self, step: &Step) -> Result<(), Refusal>;

    /// Takes in what nodes did by themselves since the last step. Nothing, in this process.
    fn poll(&mut self) {}

    /// Brings the execution to its end, before it is judged: a cluster of real processes heals its network
    /// and lets clients ask once more. What it does are steps behind a mark, which a replay does not do
    /// again. Nothing, in this process.
    fn settle(&mut self) {}

    /// Ends the lives of all nodes. One that panics then stops the cluster, as at any other time. Called once
    /// the execution is judged: states and contents are gone afterwards. It may be called again, to take in
    /// what happened since.
    fn close(&mut self) {}

    /// Ends the execution and gives its trace.
    fn finish(self: Box<Self>) -> Trace;
}

/// A cluster of any kind, whose nodes show such states.
impl<S> Cluster for Box<dyn Cluster<State = S>> {
    type State = S;

    fn board(&self) -> &Board {
        (**self).board()
    }

    fn states(&self) -> &[S] {
        (**self).states()
    }

    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        (**self).contents(message)
    }

    fn perform(&mut self, step: &Step) -> Result<(), Refusal> {
        (**self).perform(step)
    }

    fn poll(&mut self) {
        (**self).poll();
    }

    fn settle(&mut self) {
        (**self).settle();
    }

    fn close(&mut self) {
        (**self).close();
    }

    fn finish(self: Box<Self>) -> Trace {
        (*self).finish()
    }
}

/// Why a step cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The cluster has no such node.
    #[error("there is no node {0}")]
    NoSuchNode(NodeId),
    /// The node is down.
    #[error("{0} is down")]
    Down(NodeId),
    /// The node runs already.
    #[error("{0} is up already")]
    Up(NodeId),
    /// No such message was sent.
    #[error("no {1} {0} was sent")]
    NotSent(MessageId, Name),
    /// The message has been received or lost already, or waits for a node that is down.
    #[error("{1} {0} is not under way any more")]
    NotUnderWay(MessageId, Name),
    /// An older message of the same link has to be delivered first.
    #[error("{1} {0} is not the oldest message of its link, and links are first in, first out")]
    NotOldest(MessageId, Name),
    /// The node has not set this timer, or it is not due.
    #[error("{0} has no timer `{1}` that could go off now")]
    NoTimer(NodeId, Name),
    /// The node has written nothing since the last flush.
    #[error("{0} has nothing to flush")]
    NothingToFlush(NodeId),
    /// The link is cut already, or is not cut.
    #[error("the link {0}-{1} is {2}")]
    Link(NodeId, NodeId, &'static str),
    /// The contract of the target rules the step out.
    #[error("the target's contract rules out `{}`: {reason}", kind.word())]
    Contract {
        /// The kind of step.
        kind: StepKind,
        /// The clause.
        reason: &'static str,
    },
    /// No such request waits for an answer, or its client does not ask again now.
    #[error("no client asks `{0}` again")]
    NoClient(std::sync::Arc<str>),
    /// The contents of a request or message could not be read.
    #[error("the contents cannot be read: {0}")]
    Malformed(String),
    /// The cluster has stopped: a node panicked or a limit was reached.
    #[error("the cluster has stopped")]
    Stopped,
}
