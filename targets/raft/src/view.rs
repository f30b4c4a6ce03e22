//! What can be seen of a node: what Raft's invariants are stated over.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use raft::{ProgressTracker, StateRole};
use serde::Serialize;
use shakedown_check::RegisterValues;
use shakedown_cluster::{NODES_MAX, NodeId, NodeSet};
use shakedown_rafts::{LogEntry, Membership, RaftState, Role, nodes_as_json};

use crate::LogView;
use crate::spec::Standing;

/// A node as it is seen from outside.
#[derive(Clone, Default, Serialize)]
pub struct RaftView {
    /// Its term.
    pub term: u64,
    /// Whom it voted for in this term.
    pub vote: Option<NodeId>,
    /// What it is in this term.
    pub role: Role,
    /// Whom it takes for the leader.
    pub leader: Option<NodeId>,
    /// Up to which entry it knows the log to be committed.
    pub commit: u64,
    /// Up to which entry it has applied the log.
    pub applied: u64,
    /// Stands for what applying the log has led to.
    pub machine: u64,
    /// Its log.
    pub log: LogView,
    /// The voters of the configuration that it has applied.
    #[serde(serialize_with = "nodes_as_json")]
    pub voters: NodeSet,
    /// What every key holds, where the map is taken for registers.
    #[serde(skip)]
    pub registers: Option<Arc<RegisterValues>>,
    /// On a leader, the first peer whose next index is not above its matched index, with both.
    pub progress_below_match: Option<(NodeId, u64, u64)>,
    /// What it keeps besides, where it is compared with a specification.
    #[serde(skip)]
    pub standing: Option<Arc<Standing>>,
}

/// A view is hashed whenever it changes, so its small fields go into one word.
impl Hash for RaftView {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64((self.role as u64) << 32 | number_of(self.vote) << 16 | number_of(self.leader));
        state.write_u64(self.term);
        state.write_u64(self.commit);
        state.write_u64(self.applied);
        state.write_u64(self.machine);
        self.log.hash(state);
        if let Some((peer, matched, next)) = self.progress_below_match {
            state.write_u64(peer.number() as u64);
            state.write_u64(matched);
            state.write_u64(next);
        }
    }
}

impl fmt::Debug for RaftView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} term {}", self.role.name(), self.term)?;
        if let Some(vote) = self.vote {
            write!(f, " vote {vote}")?;
        }
        if let Some(leader) = self.leader {
            write!(f, " leader {leader}")?;
        }
        write!(f, " commit {} applied {} log {:?}", self.commit, self.applied, self.log)?;
        write!(f, " voters {:?}", self.voters)?;
        if let Some((peer, matched, next)) = self.progress_below_match {
            write!(f, " {peer} matched {matched} next {next}")?;
        }
        Ok(())
    }
}

impl RaftState for RaftView {
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
        self.log.first()
    }

    fn last_index(&self) -> u64 {
        self.log.last()
    }

    fn entry(&self, number: u64) -> Option<LogEntry> {
        self.log.entry(number)
    }

    fn vote(&self) -> Option<NodeId> {
        self.vote
    }

    /// A change counts from when it is applied.
    fn membership(&self) -> Option<Membership> {
        Some(Membership::of(self.voters))
    }

    fn applied(&self) -> Option<(u64, u64)> {
        Some((self.applied, self.machine))
    }

    fn log_version(&self) -> Option<u64> {
        Some(self.log.version())
    }

    fn log_rewritten(&self) -> Option<u64> {
        Some(self.log.rewritten())
    }
}

/// The node that raft knows by this number; 0 is none.
pub(crate) fn node_of(raft_id: u64) -> Option<NodeId> {
    if (1..=NODES_MAX as u64).contains(&raft_id) { Some(NodeId::new(raft_id as usize)) } else { None }
}

/// The voters that raft knows by these numbers.
pub(crate) fn voters_of(raft_ids: &[u64]) -> NodeSet {
    raft_ids.iter().filter_map(|id| node_of(*id)).collect()
}

/// The number that raft knows the node by.
pub(crate) fn number_of(node: Option<NodeId>) -> u64 {
    node.map_or(0, NodeId::number) as u64
}

pub(crate) fn role_of(role: StateRole) -> Role {
    match role {
        StateRole::Follower => Role::Follower,
        StateRole::PreCandidate => Role::PreCandidate,
        StateRole::Candidate => Role::Candidate,
        StateRole::Leader => Role::Leader,
    }
}

/// The peer of the lowest number whose next index is not above its matched index, with both.
pub(crate) fn find_progress_below_match(own: u64, peers: &ProgressTracker) -> Option<(NodeId, u64, u64)> {
    let below = peers.iter().filter(|(id, progress)| **id != own && progress.next_idx <= progress.matched);
    let (id, progress) = below.min_by_key(|(id, _)| **id)?;
    Some((node_of(*id)?, progress.matched, progress.next_idx))
}
