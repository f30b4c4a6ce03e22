//! As much of HTTP as a server on the loopback interface needs: one request on a connection, and its answer.
//!
//! Whoever is at the other end is hostile: the head, the number of headers, the body and the time that a
//! request may take have limits ([`Limits`]). A connection carries one request, so nothing that a peer sends
//! after it is ever read as another. There is no routing, no encryption and no reuse of connections: two
//! commands need a few addresses on this machine.

mod answer;
mod request;
mod token;

pub use answer::Answer;
pub use request::{Limits, Request};
pub use token::{is_same_secret, random_token};
