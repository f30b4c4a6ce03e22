//! Nodes that ping each other, and misbehave if they are asked to.

use shakedown_cluster::{Context, Message, Node, NodeId, RequestId};

/// A message without contents.
#[derive(Clone, Debug)]
pub struct Ping;

impl Message for Ping {
    fn kind(&self) -> &'static str {
        "Ping"
    }
}

/// Pings everybody when a client asks, and counts the pings that it receives. The target's option `trouble`
/// chooses how it misbehaves: `boot`, `receive` and `observe` panic in that call, `nowhere` sends to a node
/// that does not exist, `hang` never comes back from a call, `flood` sends too much in one step, `chatter`
/// answers every ping with pings to everybody.
pub struct Pinger {
    trouble: String,
    heard: u64,
}

impl Node for Pinger {
    type Message = Ping;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let trouble: String = ctx.options().get("trouble").expect("the target has this option");
        assert_ne!(trouble, "boot", "cannot boot");
        Pinger { trouble, heard: 0 }
    }

    fn request(&mut self, _id: RequestId, (): (), ctx: &mut Context<'_, Self>) {
        ctx.broadcast(&Ping);
    }

    fn receive(&mut self, from: NodeId, _ping: Ping, ctx: &mut Context<'_, Self>) {
        self.heard += 1;
        match self.trouble.as_str() {
            "receive" => panic!("cannot receive"),
            "nowhere" => ctx.send(NodeId::new(40), Ping),
            "hang" => loop {
                std::thread::yield_now();
            },
            "flood" => (0..100_000).for_each(|_| ctx.send(from, Ping)),
            "chatter" => ctx.broadcast(&Ping),
            _ => {}
        }
    }

    fn observe(&self) -> u64 {
        assert!(!(self.trouble == "observe" && self.heard > 0), "cannot be observed");
        self.heard
    }
}
