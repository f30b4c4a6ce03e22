//! A token that goes around a ring: the protocol that `TokenRing.tla` specifies.

use serde::Serialize;
use shakedown::prelude::*;

/// The token, with the number of its turn.
#[derive(Clone, Debug)]
pub struct Token {
    /// The turn.
    pub turn: u64,
}

impl Message for Token {
    fn kind(&self) -> &'static str {
        "Token"
    }
}

/// What can be seen of a node.
#[derive(Clone, Debug, Hash, Serialize)]
pub struct View {
    /// Whether it holds the token.
    pub holds: bool,
    /// The latest turn that it has seen.
    pub seen: u64,
}

/// One node of the ring.
pub struct Ring {
    view: View,
    /// The bug: the node passes the token on without counting the turn.
    forgets_to_count: bool,
}

impl Node for Ring {
    type Message = Token;
    type Request = ();
    type Answer = ();
    type State = View;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let first = ctx.id() == NodeId::new(1);
        let forgets_to_count = ctx.options().get("forgets_to_count").unwrap_or(false);
        Ring { view: View { holds: first, seen: u64::from(first) }, forgets_to_count }
    }

    /// A node that holds the token passes it on when its clock ticks.
    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        if self.view.holds {
            self.view.holds = false;
            let next = NodeId::new(ctx.id().number() % (ctx.peers().count() + 1) + 1);
            let turn = self.view.seen + u64::from(!self.forgets_to_count);
            ctx.send(next, Token { turn });
        }
    }

    fn receive(&mut self, _from: NodeId, Token { turn }: Token, _ctx: &mut Context<'_, Self>) {
        if turn > self.view.seen {
            self.view = View { holds: true, seen: turn };
        }
    }

    fn request(&mut self, _id: RequestId, _request: (), _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) -> View {
        self.view.clone()
    }
}

/// Three nodes on a network that loses nothing. `forgets_to_count=true` switches the bug on.
pub fn target() -> Target<Ring> {
    Target::new("token-ring")
        .about("a token goes around a ring, as in TokenRing.tla")
        .contract(Contract::reliable())
        .steps(40)
        .option("forgets_to_count", false, "whether a turn is not counted: the bug")
}
