//! What nodes send each other. Every message belongs to one attempt of one coordinator, that is to one
//! ballot.

use std::hash::{Hash, Hasher};

use shakedown_cluster::Message;

use crate::{Ballot, Held, Proposal};

/// How many rounds a phase has.
pub const ROUNDS_PER_PHASE: u32 = 6;

/// A message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mail {
    /// Round 1: promise me this ballot.
    Prepare {
        /// The ballot.
        ballot: Ballot,
        /// The key that it is for.
        key: u8,
        /// Another key, whose most recent commit is asked for.
        also: Option<u8>,
    },
    /// Round 2: promised.
    Promise {
        /// The ballot.
        ballot: Ballot,
        /// What the replica holds under the key.
        held: Held,
        /// The most recent commit under the other key that was asked for.
        also: Option<Proposal>,
    },
    /// Round 2: not promised.
    PromiseRefused {
        /// The ballot.
        ballot: Ballot,
        /// The higher one that was promised to somebody else.
        promised: Ballot,
    },
    /// Round 3, beside the proposals: the most recent commit, for a replica that misses it.
    Repair {
        /// The ballot of the attempt that noticed.
        ballot: Ballot,
        /// The key.
        key: u8,
        /// What was committed.
        commit: Proposal,
    },
    /// Round 3: accept this proposal.
    Propose {
        /// The key.
        key: u8,
        /// The proposal.
        proposal: Proposal,
    },
    /// Round 4: accepted.
    Accept {
        /// The ballot.
        ballot: Ballot,
    },
    /// Round 4: not accepted.
    AcceptRefused {
        /// The ballot.
        ballot: Ballot,
        /// The higher one that was promised to somebody else.
        promised: Ballot,
    },
    /// Round 5: this proposal is chosen.
    Commit {
        /// The key.
        key: u8,
        /// The proposal.
        proposal: Proposal,
    },
    /// Round 6: the commit has arrived.
    Ack {
        /// The ballot.
        ballot: Ballot,
    },
}

impl Mail {
    /// The ballot of the attempt that the message belongs to.
    pub fn ballot(&self) -> Ballot {
        match *self {
            Mail::Prepare { ballot, .. }
            | Mail::Promise { ballot, .. }
            | Mail::PromiseRefused { ballot, .. }
            | Mail::Repair { ballot, .. }
            | Mail::Accept { ballot }
            | Mail::AcceptRefused { ballot, .. }
            | Mail::Ack { ballot } => ballot,
            Mail::Propose { proposal, .. } | Mail::Commit { proposal, .. } => proposal.ballot,
        }
    }

    /// The round of its phase that the message belongs to, counted from 1.
    pub fn round(&self) -> u32 {
        match self {
            Mail::Prepare { .. } => 1,
            Mail::Promise { .. } | Mail::PromiseRefused { .. } => 2,
            Mail::Repair { .. } | Mail::Propose { .. } => 3,
            Mail::Accept { .. } | Mail::AcceptRefused { .. } => 4,
            Mail::Commit { .. } => 5,
            Mail::Ack { .. } => 6,
        }
    }
}

impl Message for Mail {
    fn kind(&self) -> &'static str {
        match self {
            Mail::Prepare { .. } => "Prepare",
            Mail::Promise { .. } => "Promise",
            Mail::PromiseRefused { .. } => "PromiseRefused",
            Mail::Repair { .. } => "Repair",
            Mail::Propose { .. } => "Propose",
            Mail::Accept { .. } => "Accept",
            Mail::AcceptRefused { .. } => "AcceptRefused",
            Mail::Commit { .. } => "Commit",
            Mail::Ack { .. } => "Ack",
        }
    }

    fn describe(&self) -> String {
        match self {
            Mail::Prepare { ballot, key, also: None } => format!("{ballot:?} k{key}"),
            Mail::Prepare { ballot, key, also: Some(also) } => format!("{ballot:?} k{key} reads k{also}"),
            Mail::Promise { ballot, held, also: None } => format!("{ballot:?} {held:?}"),
            Mail::Promise { ballot, held, also: Some(also) } => format!("{ballot:?} {held:?} read {also:?}"),
            Mail::PromiseRefused { ballot, promised } | Mail::AcceptRefused { ballot, promised } => {
                format!("{ballot:?} promised {promised:?}")
            }
            Mail::Repair { ballot, key, commit } => format!("{ballot:?} k{key} {commit:?}"),
            Mail::Propose { key, proposal } | Mail::Commit { key, proposal } => {
                format!("k{key} {proposal:?}")
            }
            Mail::Accept { ballot } | Mail::Ack { ballot } => format!("{ballot:?}"),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }
}
