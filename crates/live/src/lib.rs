//! Real servers, unmodified, as a target of Shakedown.
//!
//! A [`Deployment`] says how servers are started. Each is a process in a group of its own, in a folder that
//! this program makes and deletes. Servers reach each other through proxies, which read messages with a
//! decoder (`shakedown_wire`) and hold them until a step delivers them. Steps, schedules, traces, diagrams
//! and shrinking are the ones that every target has:
//!
//! | step | what happens |
//! |---|---|
//! | `deliver`, `drop` | the oldest message of a link is passed on, or left out; where a protocol cannot go on without it, its connection is closed |
//! | `cut`, `heal` | all connections between two servers are closed (or stay and are mute), and new ones too |
//! | `crash`, `restart` | SIGKILL; started again with the data that it had, none, or a copy of it |
//! | `fire n1 pause`, `fire n1 resume` | SIGSTOP, SIGCONT |
//! | `flush` | the data of a server is copied; a later crash may go back to it |
//! | `tick` | a slice of real time |
//! | `request` | a client asks, in a thread of its own |
//!
//! - `boot`, `server`, `ready`, `ports` and `template` start servers; `network`, `line` and `owner` are the
//!   proxies;
//! - `cluster` and `settle` do steps; `until_file` waits for what a server does to its files, so that a crash
//!   can come in between;
//! - `client` and `line_client` ask; `target` and `settings` make a target of it all.
//!
//! Servers have their own threads and clocks, so nothing here is deterministic, and targets declare that.

mod boot;
mod client;
mod cluster;
mod deployment;
mod error;
mod line;
mod line_client;
mod network;
mod node;
mod oracles;
mod owner;
mod ports;
mod ready;
mod server;
mod settings;
mod settle;
mod target;
pub mod template;
mod until_file;

pub use client::{Client, Clients, Outcome, REQUESTS_AT_ONCE_MAX};
pub use cluster::LiveCluster;
pub use deployment::{ClientCommand, Deployment, FileTemplate, Links, PORTS_MAX, Ready, ServerLimits};
pub use error::{LiveError, LogEnd};
pub use line_client::LineClients;
pub use node::LiveNode;
pub use oracles::Available;
pub use settings::{
    CUTS_OPTION, DATA_OPTION, DELAY_OPTION, Data, GRAIN_OPTION, Grain, LiveSettings, PAUSES_OPTION,
    QUIET_OPTION, REQUEST_OPTION, SETTLE_OPTION, TICK_OPTION,
};
pub use target::{has_failed, live};
