//! Nodes that pass messages back and forth, and misbehave if they are asked to.

use serde::{Deserialize, Serialize};
use shakedown_check::{Seen, invariant};
use shakedown_cluster::{Context, Contract, Message, Node, NodeId, RequestId};
use shakedown_target::Target;

/// Counts the messages that it receives, and sends each back some times. The target's option `trouble`
/// chooses how it misbehaves: the words are those that the code below compares it with.
pub struct Teller {
    count: u64,
    trouble: String,
}

/// A message, with how often it was sent on.
#[derive(Clone, Debug)]
pub struct Hop(u64);

impl Message for Hop {
    fn kind(&self) -> &'static str {
        assert_ne!(self.0, u64::MAX, "this has no name");
        if self.0 == u64::MAX - 1 { "two words" } else { "Tell" }
    }
}

/// What clients ask.
#[derive(Serialize, Deserialize)]
pub struct Go;

impl Teller {
    fn is(&self, trouble: &str) -> bool {
        self.trouble == trouble
    }
}

impl Node for Teller {
    type Message = Hop;
    type Request = Go;
    type Answer = u64;
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let trouble: String = ctx.options().get("trouble").expect("the target has this option");
        assert!(!(trouble == "boot" && ctx.id() == NodeId::new(2)), "no boots today");
        Teller { count: 0, trouble }
    }

    fn request(&mut self, id: RequestId, _go: Go, ctx: &mut Context<'_, Self>) {
        if self.is("hang") {
            loop {
                std::thread::yield_now();
            }
        }
        ctx.broadcast(&Hop(1));
        ctx.answer(id, &self.count);
    }

    fn receive(&mut self, from: NodeId, Hop(hops): Hop, ctx: &mut Context<'_, Self>) {
        self.count += 1;
        assert!(!(self.is("receive") && self.count > 3), "too much to hear");
        if self.is("flood") {
            for _ in 0..20_000 {
                ctx.send(from, Hop(1));
            }
        }
        if self.is("restless") {
            ctx.broadcast(&Hop(1));
            ctx.broadcast(&Hop(1));
        }
        if self.is("kind") || self.is("words") {
            ctx.send(from, Hop(u64::MAX - u64::from(self.is("words"))));
        }
        if self.is("leak") {
            // What determinism checks are for: something from outside the execution.
            use std::sync::atomic::{AtomicU64, Ordering};
            static OUTSIDE: AtomicU64 = AtomicU64::new(0);
            self.count += OUTSIDE.fetch_add(1, Ordering::Relaxed);
        }
        if hops < 4 {
            ctx.send(from, Hop(hops + 1));
        }
    }

    fn observe(&self) -> u64 {
        assert!(!(self.is("observe") && self.count > 3), "too much to see");
        self.count
    }
}

/// The target. Its property `count-below-bound` says that no node hears as many messages as the option
/// `bound`.
pub fn teller() -> Target<Teller> {
    Target::<Teller>::new("teller")
        .version("teller 1")
        .contract(Contract::asynchronous())
        .nodes_min(2)
        .steps(80)
        .requests(4, |_, _| Go)
        .option("trouble", "none".to_owned(), "what the nodes do wrong")
        .option("bound", 1_000u64, "what no count may reach")
        .oracles(|config| {
            let bound: u64 = config.options.get("bound").expect("checked when the execution began");
            vec![invariant("count-below-bound", move |seen: &Seen<'_, u64>| {
                match seen.up().find(|(_, count)| **count >= bound) {
                    None => Ok(()),
                    Some((node, count)) => Err(format!("{node} has counted {count}")),
                }
            })]
        })
}
