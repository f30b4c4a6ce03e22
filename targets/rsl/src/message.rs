//! What replicas send each other.

use std::hash::{Hash, Hasher};

use crate::{Ballot, Entry};

/// A message of the protocol. Decrees are numbered from 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// Who would be primary asks for promises.
    Prepare {
        /// Its ballot.
        ballot: Ballot,
        /// The first decree that it does not hold decided.
        decree: u64,
    },
    /// A replica promises to vote in no lower ballot.
    Promise {
        /// The ballot that it promises.
        ballot: Ballot,
        /// The first decree that it does not hold decided, which is the preparer's too.
        decree: u64,
        /// What it has voted for in that decree.
        vote: Option<Entry>,
    },
    /// The primary proposes. What it proposed before in this ballot is decided.
    Accept {
        /// Its ballot.
        ballot: Ballot,
        /// The decree.
        decree: u64,
        /// The value.
        value: u64,
    },
    /// A replica has voted.
    Accepted {
        /// The ballot.
        ballot: Ballot,
        /// The decree.
        decree: u64,
    },
    /// The primary is there, and so many decrees are decided.
    Heartbeat {
        /// Its ballot.
        ballot: Ballot,
        /// How many decrees it holds decided.
        decided: u64,
    },
    /// A replica has promised a higher ballot.
    Reject {
        /// That ballot.
        ballot: Ballot,
    },
    /// A replica is behind and asks for what is decided.
    Fetch {
        /// The first decree that it lacks.
        decree: u64,
    },
    /// What is decided.
    Learn {
        /// The first of the decrees.
        first: u64,
        /// Theirs and all that follow.
        entries: Vec<Entry>,
    },
}

impl shakedown_cluster::Message for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Prepare { .. } => "Prepare",
            Message::Promise { .. } => "Promise",
            Message::Accept { .. } => "Accept",
            Message::Accepted { .. } => "Accepted",
            Message::Heartbeat { .. } => "Heartbeat",
            Message::Reject { .. } => "Reject",
            Message::Fetch { .. } => "Fetch",
            Message::Learn { .. } => "Learn",
        }
    }

    fn describe(&self) -> String {
        match self {
            Message::Prepare { ballot, decree } => format!("ballot {ballot:?} decree {decree}"),
            Message::Promise { ballot, decree, vote: None } => format!("ballot {ballot:?} decree {decree}"),
            Message::Promise { ballot, decree, vote: Some(vote) } => {
                format!("ballot {ballot:?} decree {decree} vote {vote:?}")
            }
            Message::Accept { ballot, decree, value } => {
                format!("ballot {ballot:?} decree {decree} is {value}")
            }
            Message::Accepted { ballot, decree } => format!("ballot {ballot:?} decree {decree}"),
            Message::Heartbeat { ballot, decided } => format!("ballot {ballot:?} decided {decided}"),
            Message::Reject { ballot } => format!("ballot {ballot:?}"),
            Message::Fetch { decree } => format!("from decree {decree}"),
            Message::Learn { first, entries } => format!("from decree {first} {entries:?}"),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }
}
