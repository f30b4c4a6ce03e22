//! Nodes that count their ticks and pass the count on.
//!
//! A store that an older version of Shakedown made (`crates/store/tests/fixtures`) holds a campaign of this
//! target: what it does must not change.

use shakedown_check::{Seen, invariant};
use shakedown_cluster::{Context, Contract, Message, Node, NodeId};
use shakedown_target::Target;

/// Counts its ticks, and takes over a higher count that it hears of.
pub struct Clock(u64);

/// A count for another node.
#[derive(Clone, Debug)]
pub struct Count(u64);

impl Message for Count {
    fn kind(&self) -> &'static str {
        "Count"
    }
}

impl Node for Clock {
    type Message = Count;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Clock(0)
    }

    fn receive(&mut self, _from: NodeId, Count(count): Count, _ctx: &mut Context<'_, Self>) {
        self.0 = self.0.max(count);
    }

    fn observe(&self) -> u64 {
        self.0
    }

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        self.0 += 1;
        ctx.broadcast(&Count(self.0));
    }
}

/// The target. No count may come to the option `bound`.
pub fn clock() -> Target<Clock> {
    Target::<Clock>::new("clock")
        .version("clock 1")
        .contract(Contract::asynchronous())
        .nodes(3)
        .steps(40)
        .option("bound", 1_000u64, "what no count may come to")
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
