//! Shakedown tests implementations of distributed protocols: it takes the network, the clocks, the disks and the crashes
//! of a cluster into its own hands, explores executions, and hands back a failing one that is small, readable and
//! replays every time.
//!
//! Implement [`Node`] for your protocol, describe it as a [`Target`], and write a plain `#[test]`:
//!
//! ```
//! use shakedown::prelude::*;
//!
//! /// Every node tells every other node the largest number it has heard of.
//! struct Gossip {
//!     largest: u64,
//! }
//!
//! #[derive(Clone, Debug)]
//! struct Tell(u64);
//!
//! impl Message for Tell {
//!     fn kind(&self) -> &'static str {
//!         "Tell"
//!     }
//! }
//!
//! impl Node for Gossip {
//!     type Message = Tell;
//!     type Request = u64;
//!     type Answer = ();
//!     type State = u64;
//!     type Disk = ();
//!
//!     fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
//!         Gossip { largest: 0 }
//!     }
//!
//!     fn request(&mut self, _id: RequestId, number: u64, ctx: &mut Context<'_, Self>) {
//!         self.largest = self.largest.max(number);
//!         ctx.broadcast(&Tell(self.largest));
//!     }
//!
//!     fn receive(&mut self, _from: NodeId, Tell(number): Tell, _ctx: &mut Context<'_, Self>) {
//!         self.largest = self.largest.max(number);
//!     }
//!
//!     fn observe(&self) -> u64 {
//!         self.largest
//!     }
//! }
//!
//! let target = Target::<Gossip>::new("gossip")
//!     .contract(Contract::reliable())
//!     .requests(3, |number, _random| number as u64 + 1)
//!     .oracles(|_config| vec![invariant("nobody-makes-up-numbers", |seen| {
//!         match seen.states().iter().find(|&&largest| largest > 3) {
//!             None => Ok(()),
//!             Some(largest) => Err(format!("nobody asked for {largest}")),
//!         }
//!     })]);
//! Test::new(target).executions(200).strategy("pctcp").run();
//! ```
//!
//! To say what the network does and what should come of it, write a [`scenario`] and [check](CheckScenario) it.
//!
//! # Where to find what
//!
//! | | |
//! |---|---|
//! | [`prelude`] | what nearly every test needs |
//! | [`cluster`] | what a node is handed ([`cluster::Context`]), contracts, facts, the board |
//! | [`check`] | oracles: invariants, linearizability ([`check::Linearizable`]), serializability, bounded liveness |
//! | [`scenario`] | filters and properties |
//! | [`explore`] | strategies, weights; parameters of waypoints ([`explore::learning::Parameter`]) |
//! | [`rafts`] | what implementations of Raft share: [`rafts::RaftState`], [`rafts::raft_invariants`] |
//! | [`conform`] | mappings onto TLA+ specifications; [`tla`] is the engine |
//! | [`campaign`] | targets, campaigns, failure files, for programs of your own |
//! | [`main`] | the whole command line for your targets |

mod campaign_options;
mod command_line;
mod compare_command;
mod conform_command;
mod corpus_command;
mod environment;
mod kept_command;
mod report_command;
mod report_files;
mod scenario_command;
mod scenario_test;
mod strategy_parameters;
mod telling;
mod terminal;
mod test;
mod tla_command;
mod validate_command;

pub use command_line::{main, main_with};
pub use shakedown_campaign as campaign;
pub use shakedown_check as check;
pub use shakedown_cluster as cluster;
pub use shakedown_conform as conform;
pub use shakedown_explore as explore;
pub use shakedown_rafts as rafts;
pub use shakedown_report as report;
pub use shakedown_scenario as scenario;
pub use shakedown_tla as tla;

pub use scenario_test::CheckScenario;
pub use shakedown_campaign::{AnyTarget, Target};
pub use shakedown_cluster::Node;
pub use test::Test;

/// The pages of the book whose code is complete are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/oracles.md")]
mod oracles {}

/// What a test of a protocol needs.
pub mod prelude {
    pub use shakedown_campaign::{AnyTarget, Config, Target};
    pub use shakedown_check::{Doubt, Oracle, Seen, finally, invariant};
    pub use shakedown_cluster::{
        Context, Contract, Crashes, Disk, DiskModel, Fact, Loss, Message, Name, Node, NodeId, Order, Random,
        RequestId, Saved, StepKind, Timers,
    };
    pub use shakedown_explore::Weights;

    pub use crate::{CheckScenario, Test};
}
