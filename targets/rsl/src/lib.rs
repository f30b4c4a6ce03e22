//! A Multi-Paxos of our own after Azure RSL, the variant of Paxos that the thesis' third benchmark
//! re-implements.
//!
//! What sets it apart from other variants: a primary has one decree under way at a time, so that the proposal
//! of a decree says that the one before it is decided, and a replica that is behind fetches what it lacks
//! before it votes again. [`Replica`] is the protocol, without a network; [`RslNode`] carries out what it
//! decides. One known mistake can be switched on ([`Bug`]).

mod ballot;
mod bug;
mod message;
mod node;
mod replica;
mod target;
mod view;

pub use ballot::{Ballot, Entry};
pub use bug::Bug;
pub use message::Message;
pub use node::{Answer, Request, RslNode};
pub use replica::{Durable, Replica, Role, Timing};
pub use target::{any_target, target};
pub use view::View;
