//! What survives a crash of a node: everything that its storage was ever told.

use std::sync::Arc;

use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::storage::StopSign;

use crate::Entry;

/// The durable state of one server. Places in the log are counted as if nothing had ever been trimmed.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// The highest ballot that was promised.
    pub promise: Option<Ballot>,
    /// The ballot in which the log was last accepted.
    pub accepted_round: Option<Ballot>,
    /// How many entries are decided.
    pub decided: u64,
    /// The entries that are not trimmed; shared with the states that the node has shown.
    pub log: Arc<Vec<Entry>>,
    /// How many entries were removed from the front of the log.
    pub trimmed: u64,
    /// How many entries the library holds to be compacted.
    pub compacted: u64,
    /// The entry that ends the configuration, if there is one.
    pub stop_sign: Option<StopSign>,
}

/// One thing that the storage is told.
#[derive(Clone, Debug)]
pub enum Write {
    /// Entries come to the end of the log.
    Append(Vec<Entry>),
    /// The log ends at this place and goes on with these entries.
    Replace(u64, Vec<Entry>),
    /// The ballot that is promised.
    Promise(Ballot),
    /// The ballot in which the log is accepted.
    AcceptedRound(Ballot),
    /// How many entries are decided.
    Decided(u64),
    /// The entries before this place are removed.
    Trim(u64),
    /// How many entries are compacted.
    Compacted(u64),
    /// The entry that ends the configuration.
    StopSign(Option<StopSign>),
    /// All of these or none.
    Together(Vec<Write>),
}

impl Disk {
    /// The entries between two places; none unless all of them are there, as the library wants it.
    pub fn entries(&self, from: u64, to: u64) -> Vec<Entry> {
        let places = self.place(from).zip(self.place(to));
        places.and_then(|(from, to)| self.log.get(from..to)).unwrap_or_default().to_vec()
    }

    /// The entries from a place on; none unless all of them are there.
    pub fn suffix(&self, from: u64) -> Vec<Entry> {
        self.place(from).and_then(|from| self.log.get(from..)).unwrap_or_default().to_vec()
    }

    /// Where in the vector an entry stands, unless it is trimmed away.
    fn place(&self, index: u64) -> Option<usize> {
        index.checked_sub(self.trimmed).map(|place| place as usize)
    }
}

impl shakedown_cluster::Disk for Disk {
    type Write = Write;

    fn apply(&mut self, write: Write) {
        match write {
            Write::Append(entries) => Arc::make_mut(&mut self.log).extend(entries),
            Write::Replace(from, entries) => {
                let trimmed = self.trimmed;
                let place = self.place(from).unwrap_or_else(|| {
                    panic!(
                        "the library replaces entries from {from} on, but those before {trimmed} are trimmed"
                    )
                });
                let log = Arc::make_mut(&mut self.log);
                // Like the library's own storages: a place past the end leaves no gap.
                log.truncate(place);
                log.extend(entries);
            }
            Write::Promise(ballot) => self.promise = Some(ballot),
            Write::AcceptedRound(ballot) => self.accepted_round = Some(ballot),
            Write::Decided(decided) => self.decided = decided,
            Write::Trim(to) => {
                // Like the library's own storages: more than there is cannot be removed.
                let gone = self.place(to).unwrap_or(0).min(self.log.len());
                Arc::make_mut(&mut self.log).drain(..gone);
                self.trimmed = self.trimmed.max(to);
            }
            Write::Compacted(compacted) => self.compacted = compacted,
            Write::StopSign(stop_sign) => self.stop_sign = stop_sign,
            Write::Together(writes) => writes.into_iter().for_each(|write| self.apply(write)),
        }
    }
}
