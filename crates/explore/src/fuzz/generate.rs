//! Random inputs.

use shakedown_cluster::{Contract, Random, StepKind, Timers};

use super::input::{Buffer, Deed, Entry, Input};
use crate::draw::draw_distinct;

/// What inputs look like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many nodes there are.
    pub nodes: usize,
    /// How many steps an input has.
    pub horizon: usize,
    /// At most so many messages are delivered in one step.
    pub messages: usize,
    /// How many crashes a random input has.
    pub crashes: usize,
    /// How many requests a random input has.
    pub requests: usize,
    /// Whether a buffer holds what is under way to a process, instead of what is under way on a link.
    pub by_process: bool,
    /// Whether the buffers of random inputs are drawn among all links between two nodes, as the authors' code
    /// does, instead of among those that hold something when the input is played, as the paper says.
    pub blindly: bool,
    /// How often every clock ticks in a step.
    pub ticks: usize,
    /// What the network, the disks and the clocks may do.
    pub contract: Contract,
}

impl Shape {
    /// How many buffers there are: one for every process, or one for every pair of a sender and a receiver.
    pub(super) fn buffers(&self) -> usize {
        // A corpus names the number of nodes before the target has refused it.
        if self.by_process { self.nodes } else { self.nodes.saturating_mul(self.nodes) }
    }

    /// The buffer of what this node sends to that one.
    pub(super) fn buffer(&self, from: usize, to: usize) -> Buffer {
        Buffer(if self.by_process { to } else { from * self.nodes + to } as u16)
    }

    pub(super) fn allows(&self, kind: StepKind) -> bool {
        self.contract.allows(kind, self.nodes)
    }

    fn node(&self, random: &mut Random) -> u8 {
        random.index(self.nodes) as u8
    }

    pub(super) fn step(&self, random: &mut Random) -> u16 {
        random.index(self.horizon) as u16
    }

    /// A delivery of a random input.
    pub(super) fn delivery(&self, random: &mut Random) -> Deed {
        let most = 1 + random.index(self.messages) as u8;
        if !self.blindly || self.nodes < 2 {
            return Deed::Deliver(Buffer::OPEN, most);
        }
        let from = random.index(self.nodes);
        let to = (from + 1 + random.index(self.nodes - 1)) % self.nodes;
        Deed::Deliver(self.buffer(from, to), most)
    }

    /// A crash in this step, and a restart of the same node in this step or a later one.
    pub(super) fn crash(&self, step: u16, random: &mut Random) -> [Entry; 2] {
        let node = self.node(random);
        let later = step + random.index(self.horizon - step as usize) as u16;
        [
            Entry { step, deed: Deed::Crash { node, keep: random.below(256) as u8 } },
            Entry { step: later, deed: Deed::Restart(node) },
        ]
    }

    /// A request in this step.
    pub(super) fn request(&self, step: u16, random: &mut Random) -> Entry {
        Entry { step, deed: Deed::Request(self.node(random)) }
    }

    /// What else happens in a step where the contract asks for it: a timer that may go off at any time, and
    /// disks that are flushed now and then.
    pub(super) fn clockwork(&self, step: u16, random: &mut Random, entries: &mut Vec<Entry>) {
        if self.contract.timers == Timers::Anytime && random.chance(0.5) {
            entries.push(Entry { step, deed: Deed::Fire(self.node(random)) });
        }
        if self.allows(StepKind::Flush) {
            for node in 0..self.nodes as u8 {
                if random.chance(0.5) {
                    entries.push(Entry { step, deed: Deed::Flush(node) });
                }
            }
        }
    }

    /// A random input, as the paper has it: in every step a delivery from a buffer that holds something, and
    /// crashes, restarts and requests at random steps.
    pub(super) fn input(&self, random: &mut Random) -> Input {
        let crashes = self.crashes.min(self.horizon);
        let mut entries = Vec::with_capacity(self.horizon + 2 * crashes + self.requests);
        for step in 0..self.horizon as u16 {
            entries.push(Entry { step, deed: self.delivery(random) });
            self.clockwork(step, random, &mut entries);
        }
        if self.allows(StepKind::Crash) {
            for step in draw_distinct(crashes, self.horizon, random) {
                entries.extend(self.crash(step as u16, random));
            }
        }
        for number in 0..self.requests {
            // Distinct steps as long as there are enough of them.
            if number % self.horizon == 0 {
                let count = (self.requests - number).min(self.horizon);
                for step in draw_distinct(count, self.horizon, random) {
                    entries.push(self.request(step as u16, random));
                }
            }
        }
        Input::new(entries)
    }
}
