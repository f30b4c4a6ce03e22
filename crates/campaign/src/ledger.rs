//! Ledgers: where a campaign keeps its standing, so that it can go on after whatever ends it.

use std::error::Error;

use crate::{JournalEntry, Standing};

/// Where a campaign keeps its standing.
///
/// It is asked between generations: at the first one after something was found, now and then, and at the end.
/// What it was told last is what the campaign goes on from, so it has to be kept whole or not at all.
pub trait Ledger {
    /// Keeps this.
    fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError>;
}

/// Whether there is room for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// There is.
    Enough,
    /// The limit of disk is reached: the campaign is cut short.
    Full,
}

/// Why a standing could not be kept.
pub type LedgerError = Box<dyn Error + Send + Sync>;

/// What is to be kept.
pub struct Checkpoint<'a> {
    /// Where the campaign stands.
    pub standing: &'a Standing,
    /// What every guide has seen since the last time, in the order of [`Standing::coverage`].
    pub fresh: &'a [Vec<u64>],
    /// What each execution since the last time did, if the campaign does not begin with execution 0.
    pub journal: &'a [JournalEntry],
    /// What the strategy has learned.
    pub learned: &'a [u8],
    /// Whether the campaign has come to its end.
    pub is_over: bool,
}

/// Keeps nothing.
pub struct Forgetful;

impl Ledger for Forgetful {
    fn keep(&mut self, _checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
        Ok(Room::Enough)
    }
}
