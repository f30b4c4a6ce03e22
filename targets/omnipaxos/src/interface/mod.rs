//! What differs between the versions of the library, and nothing else: the rest of the crate is the same for
//! all.

#[cfg(not(feature = "old-interface"))]
mod current;
#[cfg(feature = "old-interface")]
mod old;

#[cfg(not(feature = "old-interface"))]
pub use current::*;
#[cfg(feature = "old-interface")]
pub use old::*;

use omnipaxos::OmniPaxos;
use omnipaxos::storage::StopSign;

use crate::{Entry, Store};

/// A message of the library.
pub type Wire = omnipaxos::messages::Message<Entry>;

/// The room that the library sets aside for outgoing messages; they are taken after each call, so it need not
/// be much.
const BUFFER_SIZE: usize = 16;

/// What one server sends another so that its log catches up.
pub struct Sync<'a> {
    /// Where the suffix goes, if the message says so.
    pub from: Option<u64>,
    /// The entries.
    pub suffix: &'a [Entry],
    /// The entry that ends the configuration.
    pub stop_sign: Option<&'a StopSign>,
}

/// How many entries the server holds decided.
pub fn decided(paxos: &OmniPaxos<Entry, Store>) -> u64 {
    number(paxos.get_decided_idx())
}
