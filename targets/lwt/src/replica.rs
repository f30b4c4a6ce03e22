//! The replica: what a node holds under every key, all of it on its disk. Here is the bug.

use std::fmt;

use serde::Serialize;

use crate::ballot::{ballot_of, newer};
use crate::{Ballot, Proposal};

/// What a replica holds under a key, as it is reported.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Held {
    /// The ballot that was promised last.
    pub promised: Option<Ballot>,
    /// The proposal in progress: accepted, and not known to be committed.
    pub in_progress: Option<Proposal>,
    /// The most recent commit.
    pub commit: Option<Proposal>,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut space = "";
        if let Some(promised) = self.promised {
            write!(f, "promised {promised:?}")?;
            space = " ";
        }
        for (what, proposal) in [("in progress", self.in_progress), ("committed", self.commit)] {
            if let Some(proposal) = proposal {
                write!(f, "{space}{what} {proposal:?}")?;
                space = " ";
            }
        }
        Ok(())
    }
}

/// A replica of every key.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize)]
pub struct Replica {
    /// What is held under each key that was heard of, in the order of keys.
    keys: Vec<(u8, Held)>,
    /// The highest count of a ballot that this node has used or seen.
    pub(crate) count: u64,
}

impl Replica {
    /// Every key that was heard of, in order, and what is held under it.
    pub fn keys(&self) -> &[(u8, Held)] {
        &self.keys
    }

    /// What is held under a key.
    pub fn held(&self, key: u8) -> Held {
        self.keys.iter().find(|(known, _)| *known == key).map_or(Held::default(), |(_, held)| *held)
    }

    fn held_mut(&mut self, key: u8) -> &mut Held {
        let at = self.keys.binary_search_by_key(&key, |(known, _)| *known).unwrap_or_else(|at| {
            self.keys.insert(at, (key, Held::default()));
            at
        });
        &mut self.keys[at].1
    }

    /// Promises the ballot, and gives what was held before; the error is a ballot that was promised already
    /// and is not lower.
    ///
    /// Without `distinguish` the promise also becomes the ballot of the proposal in progress, which is the
    /// bug.
    pub(crate) fn promise(&mut self, key: u8, ballot: Ballot, distinguish: bool) -> Result<Held, Ballot> {
        let held = self.held_mut(key);
        let before = *held;
        if let Some(promised) = held.promised.filter(|promised| *promised >= ballot) {
            return Err(promised);
        }
        held.promised = Some(ballot);
        if let Some(in_progress) = held.in_progress.as_mut().filter(|_| !distinguish) {
            in_progress.ballot = ballot;
        }
        Ok(before)
    }

    /// Accepts the proposal; the error is a higher ballot that was promised.
    pub(crate) fn accept(&mut self, key: u8, proposal: Proposal) -> Result<(), Ballot> {
        let held = self.held_mut(key);
        if let Some(promised) = held.promised.filter(|promised| *promised > proposal.ballot) {
            return Err(promised);
        }
        held.promised = Some(proposal.ballot);
        held.in_progress = Some(proposal);
        Ok(())
    }

    /// Learns that the proposal was chosen. Commits may come late: the newest counts. What is in progress is
    /// done with if it is not newer than the commit (and it only looks newer than it is without
    /// `distinguish`).
    pub(crate) fn commit(&mut self, key: u8, proposal: Proposal) {
        let held = self.held_mut(key);
        held.commit = newer(held.commit, Some(proposal));
        if ballot_of(held.in_progress) <= Some(proposal.ballot) {
            held.in_progress = None;
        }
    }
}
