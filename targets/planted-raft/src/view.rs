//! What can be seen of a node: the variables of the protocol, which Raft's invariants are stated over.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Serialize, Serializer};
use shakedown_cluster::{NodeId, NodeSet};
use shakedown_rafts::{LogEntry, Membership, RaftState, Role, nodes_as_json};

use crate::protocol::{self, Log, Progress, Raft, Server, Servers};

/// A node as it is seen from outside.
#[derive(Clone, Serialize)]
pub struct View {
    /// Its term.
    pub term: u64,
    /// Whom it voted for in this term.
    pub vote: Option<NodeId>,
    /// What it is in this term.
    pub role: Role,
    /// Whom it takes for the leader.
    pub leader: Option<NodeId>,
    /// Up to which entry it knows the log to be committed. So far it has applied it.
    pub commit: u64,
    /// Stands for what applying the log has led to.
    pub machine: u64,
    /// Its log.
    #[serde(serialize_with = "log_as_json")]
    pub log: Arc<Log>,
    /// The voters of the latest configuration in its log.
    #[serde(serialize_with = "nodes_as_json")]
    pub voters: NodeSet,
    /// On a candidate, who answered.
    #[serde(serialize_with = "nodes_as_json")]
    pub votes_responded: NodeSet,
    /// On a candidate, who said yes.
    #[serde(serialize_with = "nodes_as_json")]
    pub votes_granted: NodeSet,
    /// On a leader, what it knows of the log of every node, in order.
    pub progress: Vec<Progress>,
    /// Whether it runs for leader once it has waited for too long. It follows from the rest unless something
    /// is wrong, so it is shown only to who compares.
    #[serde(skip)]
    pub campaigns: bool,
}

impl View {
    pub(crate) fn of(raft: &Raft) -> View {
        View {
            term: raft.term(),
            vote: raft.vote().map(node_of),
            role: role_of(raft.role()),
            leader: raft.leader().map(node_of),
            commit: raft.commit(),
            machine: raft.machine().digest(),
            log: Arc::clone(raft.log()),
            voters: nodes_of(raft.configuration().voters),
            votes_responded: nodes_of(raft.votes_responded()),
            votes_granted: nodes_of(raft.votes_granted()),
            progress: raft.progress().to_vec(),
            campaigns: raft.campaigns(),
        }
    }

    /// Brings the view up to date; whether anything has changed.
    pub(crate) fn update(&mut self, raft: &Raft) -> bool {
        let mut is_changed = note(&mut self.term, raft.term());
        is_changed |= note(&mut self.vote, raft.vote().map(node_of));
        is_changed |= note(&mut self.role, role_of(raft.role()));
        is_changed |= note(&mut self.leader, raft.leader().map(node_of));
        // The machine changes with the commit index, or when a snapshot is installed, and then the log does
        // too.
        let is_other_log = !Arc::ptr_eq(&self.log, raft.log()) || self.log.version() != raft.log().version();
        if note(&mut self.commit, raft.commit()) || is_other_log {
            is_changed = true;
            self.machine = raft.machine().digest();
        }
        if is_other_log {
            self.log = Arc::clone(raft.log());
            self.voters = nodes_of(raft.configuration().voters);
        }
        if raft.role() == protocol::Role::Candidate || !self.votes_responded.is_empty() {
            is_changed |= note(&mut self.votes_responded, nodes_of(raft.votes_responded()));
            is_changed |= note(&mut self.votes_granted, nodes_of(raft.votes_granted()));
        }
        if self.progress != raft.progress() {
            is_changed = true;
            self.progress.clear();
            self.progress.extend_from_slice(raft.progress());
        }
        self.campaigns = raft.campaigns();
        is_changed
    }
}

/// Notes what is seen now; whether it is something else than before.
fn note<T: PartialEq>(known: &mut T, now: T) -> bool {
    let is_changed = *known != now;
    *known = now;
    is_changed
}

/// A view is hashed after every change, so its small fields share words.
impl Hash for View {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let number = |node: Option<NodeId>| node.map_or(0, NodeId::number) as u64;
        state.write_u64((self.role as u64) << 32 | number(self.vote) << 16 | number(self.leader));
        state.write_u64(self.term << 32 ^ self.commit);
        state.write_u64(self.machine ^ self.log.digest());
        if !self.votes_responded.is_empty() {
            self.votes_responded.hash(state);
            self.votes_granted.hash(state);
        }
        for progress in &self.progress {
            state.write_u64(progress.next << 32 ^ progress.matched);
        }
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} term {}", self.role.name(), self.term)?;
        if let Some(vote) = self.vote {
            write!(f, " vote {vote}")?;
        }
        if let Some(leader) = self.leader {
            write!(f, " leader {leader}")?;
        }
        write!(f, " commit {} log {}..{} of terms", self.commit, self.first_index(), self.log.last())?;
        self.log.entries().iter().try_for_each(|entry| write!(f, " {}", entry.term))?;
        write!(f, " voters {}", self.voters)?;
        if !self.votes_granted.is_empty() {
            write!(f, " votes {}", self.votes_granted)?;
        }
        Ok(())
    }
}

impl RaftState for View {
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
        self.log.snapshot().index + 1
    }

    fn last_index(&self) -> u64 {
        self.log.last()
    }

    fn entry(&self, number: u64) -> Option<LogEntry> {
        let entry = self.log.entry(number)?;
        Some(LogEntry { term: entry.term, digest: entry.command.digest() })
    }

    fn vote(&self) -> Option<NodeId> {
        self.vote
    }

    /// A change counts from when it is in the log.
    fn membership(&self) -> Option<Membership> {
        Some(Membership::of(self.voters))
    }

    fn applied(&self) -> Option<(u64, u64)> {
        Some((self.commit, self.machine))
    }

    fn log_version(&self) -> Option<u64> {
        Some(self.log.version())
    }

    fn log_rewritten(&self) -> Option<u64> {
        Some(self.log.rewritten())
    }
}

pub(crate) fn node_of(server: Server) -> NodeId {
    NodeId::from_index(server.index())
}

pub(crate) fn server_of(node: NodeId) -> Server {
    Server::from_index(node.index())
}

pub(crate) fn nodes_of(servers: Servers) -> NodeSet {
    servers.iter().map(node_of).collect()
}

pub(crate) fn role_of(role: protocol::Role) -> Role {
    match role {
        protocol::Role::Follower => Role::Follower,
        protocol::Role::Candidate => Role::Candidate,
        protocol::Role::Leader => Role::Leader,
    }
}

fn log_as_json<S: Serializer>(log: &Arc<Log>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct AsJson<'a> {
        snapshot: &'a protocol::Snapshot,
        entries: &'a [protocol::Entry],
    }
    AsJson { snapshot: log.snapshot(), entries: log.entries() }.serialize(serializer)
}
