//! Toy protocols that the tests of several crates share. A node that only one test needs stays beside that
//! test.
//!
//! This crate depends on the libraries below `campaign` only, so that tests of every crate above them can use
//! it; it is a dev-dependency without a version, which `cargo package` leaves out.

mod clock;
mod gossip;
mod pinger;
mod silent;
mod teller;
mod ticker;

pub use clock::{Clock, Count, clock};
pub use gossip::{Forgetful, Gossip, Tell};
pub use pinger::{Ping, Pinger};
pub use silent::{Nothing, Silent};
pub use teller::{Go, Hop, Teller, teller};
pub use ticker::Ticker;
