//! Shakedown tests implementations of distributed protocols: it controls the network, the clocks, the disks
//! and the crashes of a cluster, explores executions, and returns a failing one that is small, readable and
//! replays every time.
//!
//! Implement [`Node`] for your protocol, describe it as a [`Target`], and write a plain `#[test]`:
//!
//! ```
//! use shakedown::prelude::*;
//!
//! /// Every node sends every other node the largest number it has heard of.
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
//! To state what the network does and what has to hold in the end, write a [`scenario`] and
//! [check](CheckScenario) it.
//!
//! # Features
//!
//! None is on by default: that is what a `#[test]` needs, in pure Rust. Asking for something whose feature is
//! off is an error that names the feature.
//!
//! | feature | adds | brings |
//! |---|---|---|
//! | `async` | async protocols: `shakedown::async_node` | nothing |
//! | `tokio` | protocols that name tokio: `shakedown::tokio_node` (Linux) | tokio |
//! | `remote` | nodes in any language: `shakedown::remote` | MessagePack, TOML, and what `tla` brings |
//! | `maelstrom` | with `cli`: nodes written for Maelstrom, `shakedown maelstrom` | nothing |
//! | `histories` | the oracle `Transactions` | nothing |
//! | `html` | pages for a browser: `SHAKEDOWN_HTML` | a digest |
//! | `tla` | models as guides (`fuzz:model`), conformance, trace validation | the C grammar of TLA+ |
//! | `cli` | the command line for your targets, `shakedown::main` | clap |
//! | `store` | campaigns in folders; with `cli`: `run --keep`, `resume`, `compare`, `report`, … | SQLite |
//!
//! # Where to find what
//!
//! What is exported here stays as it is until the next version that says otherwise; the crates behind it
//! (`shakedown-cluster`, …) may change with every version.
//!
//! | | |
//! |---|---|
//! | [`prelude`] | what nearly every test needs |
//! | [`cluster`] | what a node is handed ([`cluster::Context`]), contracts, facts, the board |
//! | [`check`] | oracles: invariants, linearizability ([`check::Linearizable`]), serializability, bounded liveness |
//! | [`scenario`] | filters and properties |
//! | [`explore`] | strategies, weights; parameters of waypoints ([`explore::learning::Parameter`]) |
//! | [`rafts`] | what implementations of Raft share: [`rafts::RaftState`], [`rafts::raft_invariants`] |
//! | [`campaign`], [`report`] | targets, campaigns, failure files and their texts, for programs of your own |
//! | `async_node` | async protocols: `AsyncNode`, `Env`, `Async` (feature `async`) |
//! | `tokio_node` | protocols that name tokio: `TokioNode`, `Env`, `Tokio` (feature `tokio`) |
//! | `remote` | programs that speak the node protocol, and targets that a file describes (feature `remote`) |
//! | `conform`, `tla` | mappings onto TLA+ specifications, and the engine (feature `tla`) |
//! | `store` | campaigns in folders (feature `store`) |
//! | `main` | the whole command line for your targets (feature `cli`) |

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "cli")]
mod campaign_options;
#[cfg(feature = "cli")]
mod ci;
mod command_error;
#[cfg(feature = "cli")]
mod command_line;
#[cfg(all(feature = "cli", feature = "store"))]
mod compare_command;
#[cfg(all(feature = "cli", feature = "tla"))]
mod conform_command;
#[cfg(feature = "cli")]
mod corpus_command;
#[cfg(feature = "cli")]
mod diff_command;
mod environment;
#[cfg(feature = "cli")]
mod exit_status;
#[cfg(feature = "cli")]
mod explain_command;
mod features;
#[cfg(any(feature = "cli", feature = "html"))]
mod finding_report;
#[cfg(feature = "fleet")]
mod fleet_command;
#[cfg(feature = "cli")]
mod fleet_options;
#[cfg(feature = "cli")]
mod help_command;
#[cfg(feature = "cli")]
mod history_command;
#[cfg(all(feature = "cli", feature = "remote"))]
mod host_command;
#[cfg(all(feature = "cli", feature = "remote"))]
mod init_command;
#[cfg(feature = "cli")]
mod interruption;
#[cfg(feature = "cli")]
mod jobs;
#[cfg(all(feature = "cli", feature = "store"))]
mod kept_command;
#[cfg(all(feature = "cli", feature = "store"))]
mod list_campaigns;
#[cfg(feature = "cli")]
mod list_command;
#[cfg(feature = "maelstrom")]
mod maelstrom_command;
#[cfg(feature = "cli")]
mod near;
#[cfg(feature = "cli")]
mod on_finding;
#[cfg(feature = "cli")]
mod pace;
mod page;
#[cfg(feature = "cli")]
mod past;
#[cfg(feature = "cli")]
mod printing;
#[cfg(all(feature = "cli", feature = "remote"))]
mod profile;
mod regressions;
#[cfg(feature = "cli")]
mod replay_command;
#[cfg(feature = "cli")]
mod replay_several;
mod replayed;
#[cfg(all(feature = "cli", feature = "html", feature = "store"))]
mod report_command;
#[cfg(feature = "cli")]
mod report_files;
#[cfg(feature = "cli")]
mod run_command;
#[cfg(feature = "cli")]
mod scenario_command;
#[cfg(feature = "cli")]
mod scenario_explained;
mod scenario_test;
#[cfg(all(feature = "cli", feature = "html", feature = "store"))]
mod serve_command;
mod shell;
#[cfg(all(feature = "cli", feature = "store"))]
mod show_command;
mod shrink_budget;
#[cfg(feature = "cli")]
mod shrink_command;
#[cfg(feature = "cli")]
mod shrink_options;
#[cfg(feature = "cli")]
mod space_command;
#[cfg(feature = "cli")]
mod strategy_parameters;
#[cfg(feature = "cli")]
mod terminal;
mod test;
mod test_output;
#[cfg(all(feature = "cli", feature = "tla"))]
mod tla_command;
#[cfg(all(feature = "cli", feature = "tla"))]
mod validate_command;

#[cfg(feature = "async")]
pub mod async_node;
pub mod campaign;
pub mod check;
pub mod cluster;
#[cfg(feature = "tla")]
pub mod conform;
pub mod explore;
pub mod rafts;
#[cfg(feature = "remote")]
pub mod remote;
pub mod report;
pub mod scenario;
#[cfg(feature = "store")]
pub mod store;
#[cfg(feature = "tla")]
pub mod tla;
#[cfg(feature = "tokio")]
pub mod tokio_node;

#[cfg(feature = "cli")]
pub use command_line::{main, main_with};
pub use scenario_test::CheckScenario;
pub use shakedown_campaign::{AnyTarget, Target};
pub use shakedown_cluster::Node;
pub use test::Test;

/// The pages of the book whose code is complete are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/oracles.md")]
mod oracles {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/nondeterminism.md")]
mod nondeterminism {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/clients.md")]
mod clients {}

/// What a test of a protocol needs.
pub mod prelude {
    pub use shakedown_campaign::{AnyTarget, Config, Target};
    pub use shakedown_check::{Doubt, Oracle, Seen, finally, invariant};
    pub use shakedown_cluster::{
        Clients, Context, Contract, Crashes, Disk, DiskModel, Fact, Loss, Message, Name, Node, NodeId, Order,
        Random, RequestId, Saved, StepKind, Timers,
    };
    pub use shakedown_explore::Weights;

    pub use crate::{CheckScenario, Test};
}
