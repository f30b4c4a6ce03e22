//! The crate `omnipaxos` as a target of Shakedown.
//!
//! [`OmniNode`] drives one `OmniPaxos` server, deterministically: messages, ticks, requests, crashes and
//! broken sessions come from the tester, and the server's storage is the simulated [`Disk`]. The same sources
//! build against several published versions of the library, one per package; what differs between them is in
//! `interface`.

mod disk;
mod entry;
mod interface;
mod message;
pub mod model;
mod node;
mod request;
mod settings;
pub mod spec;
mod store;
mod target;
mod view;

pub use disk::{Disk, Write};
pub use entry::Entry;
pub use message::Message;
pub use node::OmniNode;
pub use request::{Answer, Request};
pub use settings::{Properties, Settings};
pub use store::Store;
pub use target::{NAME, VERSION, any_target, target};
pub use view::{BallotView, View};

#[cfg(test)]
mod node_test;
