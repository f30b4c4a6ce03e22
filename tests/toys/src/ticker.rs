//! Nodes that only tick.

use shakedown_cluster::{Context, Node, NodeId};

use crate::Nothing;

/// Counts its ticks, and sends nothing.
pub struct Ticker(u64);

impl Node for Ticker {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Ticker(0)
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn tick(&mut self, _ctx: &mut Context<'_, Self>) {
        self.0 += 1;
    }

    fn observe(&self) -> u64 {
        self.0
    }
}
