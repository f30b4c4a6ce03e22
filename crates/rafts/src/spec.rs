//! A Raft compared with a TLA+ specification of its own: what such specifications share.
//!
//! A specification of a single implementation extends `specs/Raft.tla` and has its vocabulary: variables by
//! server, a bag `net` of messages, a set `active`, and one action for each thing that a server or the
//! environment does. An implementation describes its servers and messages in a [`SpecDialect`];
//! [`SpecMapping`] is then its `StateMapping`.

mod action;
mod dialect;
mod mapping;
pub mod values;
mod view;

pub use action::{Action, ActionNames};
pub use dialect::SpecDialect;
pub use mapping::SpecMapping;
pub use view::{Sent, ServerView, SpecView};
