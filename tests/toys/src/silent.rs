//! The smallest protocol: nodes that do nothing.

use shakedown_cluster::{Context, Message, Node, NodeId};

/// A message that is never sent.
#[derive(Clone, Debug, Hash)]
pub struct Nothing;

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        "Nothing"
    }
}

/// Does nothing.
pub struct Silent;

impl Node for Silent {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Silent
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) {}
}
