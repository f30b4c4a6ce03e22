//! Nodes that pass a number on.

use shakedown_cluster::{Context, Message, Node, NodeId, RequestId};

/// A number for another node.
#[derive(Clone, Debug)]
pub struct Tell(pub u64);

impl Message for Tell {
    fn kind(&self) -> &'static str {
        "Tell"
    }

    fn encode(&self) -> Option<String> {
        Some(self.0.to_string())
    }

    fn decode(text: &str) -> Result<Tell, String> {
        text.parse().map(Tell).map_err(|_| format!("`{text}` is no number"))
    }
}

/// Sends everybody what a client asked it for, and takes over what it hears. It panics if it hears 13.
pub struct Gossip(u64);

impl Node for Gossip {
    type Message = Tell;
    type Request = u64;
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Gossip(0)
    }

    fn request(&mut self, _id: RequestId, number: u64, ctx: &mut Context<'_, Self>) {
        self.0 = number;
        ctx.broadcast(&Tell(number));
    }

    fn receive(&mut self, _from: NodeId, Tell(number): Tell, _ctx: &mut Context<'_, Self>) {
        assert_ne!(number, 13, "13 is bad luck");
        self.0 = number;
    }

    fn observe(&self) -> u64 {
        self.0
    }
}

/// The same with a bug: it holds 99 once it has heard two numbers.
pub struct Forgetful(u64);

impl Node for Forgetful {
    type Message = Tell;
    type Request = u64;
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Forgetful(0)
    }

    fn request(&mut self, _id: RequestId, number: u64, ctx: &mut Context<'_, Self>) {
        ctx.broadcast(&Tell(number));
    }

    fn receive(&mut self, _from: NodeId, Tell(number): Tell, _ctx: &mut Context<'_, Self>) {
        self.0 = if self.0 == 0 { number } else { 99 };
    }

    fn observe(&self) -> u64 {
        self.0
    }
}
