//! Real servers as a target of Shakedown: unmodified, or with a library in place of their transport.
//!
//! A [`Deployment`] says how servers are started. Each is a process in a group of its own, in a folder that
//! this program makes and deletes. Servers reach each other through proxies, which read messages with a
//! decoder (`shakedown_wire`) and hold them until a step delivers them. Or they hand their messages to this
//! program, with events, timers and actions, through a library ([`TransportKind`]). Steps, schedules, traces,
//! diagrams and shrinking are the ones that every target has; with proxies:
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
//! With the library, messages have no connections that could be lost, ticks move the clock that the servers'
//! timers follow, and `fire` lets a timer go off or allows an action.
//!
//! - `boot`, `server`, `ready`, `ports` and `template` start servers; `network`, `line` and `owner` are the
//!   proxies, `hub` is what the library speaks to, and `transport` is what both offer;
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
mod hub;
mod line;
mod line_client;
mod network;
mod node;
mod oracles;
mod owner;
mod ports;
mod ready;
mod replicas;
mod server;
mod settings;
mod settle;
mod target;
pub mod template;
mod transport;
mod until_file;

pub use client::{Client, Clients, Outcome, REQUESTS_AT_ONCE_MAX};
pub use cluster::LiveCluster;
pub use deployment::{
    ClientCommand, Deployment, FileTemplate, Links, PORTS_MAX, Ready, ServerLimits, TransportKind,
};
pub use error::{LiveError, LogEnd};
pub use line_client::LineClients;
pub use node::LiveNode;
pub use oracles::Available;
pub use replicas::Replicas;
pub use settings::{
    ACKNOWLEDGE_OPTION, CUTS_OPTION, DATA_OPTION, DELAY_OPTION, Data, GRAIN_OPTION, Grain, LiveSettings,
    PAUSES_OPTION, QUIET_OPTION, REQUEST_OPTION, SETTLE_OPTION, STILL_OPTION, TICK_OPTION,
};
pub use target::{has_failed, live};
