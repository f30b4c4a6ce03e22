//! What can be seen of a replica.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use shakedown_check::{BallotedLog, LogState, PaxosState};
use shakedown_cluster::NodeId;

use crate::{Ballot, Entry, Replica, Role};

/// A replica as it is seen from outside.
#[derive(Clone, Debug, Hash, Serialize)]
pub struct View {
    /// What it does.
    pub role: Role,
    /// It votes in no lower ballot.
    pub promised: Ballot,
    /// The ballot of its last vote.
    pub accepted: Ballot,
    /// What it has voted for in the first decree that it does not hold decided.
    pub vote: Option<Entry>,
    /// What it holds decided.
    #[serde(serialize_with = "entries")]
    pub decided: Arc<Vec<Entry>>,
}

impl View {
    pub(crate) fn of(replica: &Replica) -> View {
        let durable = replica.durable();
        View {
            role: replica.role(),
            promised: durable.promised,
            accepted: durable.accepted,
            vote: durable.vote,
            decided: Arc::clone(&durable.decided),
        }
    }
}

fn entries<S: Serializer>(log: &Arc<Vec<Entry>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(log.iter())
}

impl LogState for View {
    type Entry = u64;

    fn decided(&self) -> u64 {
        self.decided.len() as u64
    }

    fn decided_entry(&self, number: u64) -> Option<u64> {
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        self.decided.get(place).map(|entry| entry.value)
    }
}

impl PaxosState for View {
    fn ballot(&self) -> u64 {
        self.accepted.number
    }

    fn is_primary(&self, _node: NodeId) -> bool {
        self.role == Role::Primary
    }

    fn decree(&self) -> u64 {
        (self.decided.len() + usize::from(self.vote.is_some())) as u64
    }

    fn decided(&self) -> u64 {
        self.decided.len() as u64
    }
}

impl BallotedLog for View {
    fn has_entry_of(&self, ballot: u64) -> bool {
        self.decided.iter().chain(&self.vote).any(|entry| entry.ballot.number == ballot)
    }
}
