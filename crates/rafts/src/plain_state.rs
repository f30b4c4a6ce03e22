//! The state of a Raft node as plain data.

use serde::{Deserialize, Serialize};
use shakedown_cluster::{NodeId, NodeSet};

use crate::{LogEntry, Membership, RaftState, Role, nodes_as_json};

/// The state of a Raft node as plain data: what a node in another language reports as JSON, or what a small
/// adapter shows without a type of its own. What is left out of the JSON has its default.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlainState {
    /// Its term.
    pub term: u64,
    /// What it is in this term.
    pub role: Role,
    /// The node that it voted for in this term.
    pub vote: Option<NodeId>,
    /// The node that it takes for the leader.
    pub leader: Option<NodeId>,
    /// Up to which entry it knows the log to be committed.
    pub commit: u64,
    /// Up to which entry the log is applied, and a digest of what applying it has led to.
    pub applied: Option<(u64, u64)>,
    /// How many entries have been compacted away.
    pub compacted: u64,
    /// The entries after those.
    pub log: Vec<LogEntry>,
    /// The voters; empty where they cannot be seen.
    #[serde(serialize_with = "nodes_as_json", deserialize_with = "nodes_from_json")]
    pub voters: NodeSet,
    /// While a joint change is under way, the voters before it.
    #[serde(serialize_with = "nodes_as_json", deserialize_with = "nodes_from_json")]
    pub outgoing: NodeSet,
    /// Nodes that do not vote.
    #[serde(serialize_with = "nodes_as_json", deserialize_with = "nodes_from_json")]
    pub learners: NodeSet,
    /// The number of the entry that made the membership.
    pub membership_entry: Option<u64>,
}

impl RaftState for PlainState {
    type Term = u64;

    fn term(&self) -> u64 {
        self.term
    }

    fn role(&self) -> Role {
        self.role
    }

    fn commit(&self) -> u64 {
        self.commit
    }

    fn first_index(&self) -> u64 {
        self.compacted + 1
    }

    fn last_index(&self) -> u64 {
        self.compacted + self.log.len() as u64
    }

    fn entry(&self, number: u64) -> Option<LogEntry> {
        let place = usize::try_from(number.checked_sub(self.first_index())?).ok()?;
        self.log.get(place).copied()
    }

    fn vote(&self) -> Option<NodeId> {
        self.vote
    }

    fn membership(&self) -> Option<Membership> {
        let PlainState { voters, outgoing, learners, membership_entry: entry, .. } = *self;
        (!voters.is_empty()).then_some(Membership { voters, outgoing, learners, entry })
    }

    fn applied(&self) -> Option<(u64, u64)> {
        self.applied
    }
}

fn nodes_from_json<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<NodeSet, D::Error> {
    Ok(Vec::<NodeId>::deserialize(deserializer)?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_node_reports_as_json_is_a_raft_state() {
        let text = r#"{"term":3,"role":"leader","vote":"n1","commit":5,"compacted":4,
            "log":[{"term":2,"digest":7},{"term":3,"digest":8}],"voters":["n1","n2","n3"]}"#;
        let state: PlainState = serde_json::from_str(text).expect("a state");
        assert_eq!((state.term(), state.role(), state.commit()), (3, Role::Leader, 5));
        assert_eq!((state.first_index(), state.last_index()), (5, 6));
        assert_eq!(state.entry(6), Some(LogEntry { term: 3, digest: 8 }));
        assert_eq!((state.entry(4), state.entry(7)), (None, None));
        assert_eq!(state.membership().map(|membership| membership.voters.len()), Some(3));
        let again = serde_json::to_string(&state).expect("plain data");
        assert_eq!(serde_json::from_str::<PlainState>(&again).expect("it reads back"), state);
    }

    #[test]
    fn nodes_that_report_nothing_of_their_voters_have_no_membership() {
        assert_eq!(serde_json::from_str::<PlainState>("{}").expect("all defaults").membership(), None);
    }
}
