//! What can be seen of a node from outside.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use omnipaxos::ballot_leader_election::Ballot;
use serde::{Serialize, Serializer};
use shakedown_check::{LogState, PaxosState};
use shakedown_cluster::NodeId;

use crate::spec::Standing;
use crate::{Disk, Entry};

/// A ballot, in the order in which ballots compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct BallotView {
    /// The number of the ballot.
    pub n: u32,
    /// The priority of its server.
    pub priority: u32,
    /// Its server; 0 before there is any.
    pub pid: u64,
}

impl From<Ballot> for BallotView {
    fn from(ballot: Ballot) -> BallotView {
        BallotView { n: ballot.n, priority: ballot.priority, pid: ballot.pid }
    }
}

impl fmt::Display for BallotView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/n{}", self.n, self.pid)?;
        if self.priority == 0 { Ok(()) } else { write!(f, "/p{}", self.priority) }
    }
}

impl fmt::Debug for BallotView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The state of one server. The log is shared, not copied, so that looking costs next to nothing.
#[derive(Clone, Serialize)]
pub struct View {
    /// The ballot that the server has promised.
    pub promise: BallotView,
    /// The ballot in which it has accepted its log.
    pub accepted_round: BallotView,
    /// The leader that it follows; 0 if it knows none.
    pub leader: u64,
    /// How many entries it holds decided.
    pub decided: u64,
    /// How many entries of the log are trimmed away.
    pub trimmed: u64,
    /// The rest of the log.
    #[serde(serialize_with = "numbers")]
    pub log: Arc<Vec<Entry>>,
    /// What the library shows besides, where it is compared with a specification.
    #[serde(skip)]
    pub standing: Option<Arc<Standing>>,
}

/// What is only shown beside a specification is no part of an execution's fingerprint.
impl Hash for View {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.promise.hash(state);
        self.accepted_round.hash(state);
        self.leader.hash(state);
        self.decided.hash(state);
        self.trimmed.hash(state);
        self.log.hash(state);
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("promise", &self.promise)
            .field("accepted_round", &self.accepted_round)
            .field("leader", &self.leader)
            .field("decided", &self.decided)
            .field("trimmed", &self.trimmed)
            .field("log", &self.log)
            .finish()
    }
}

fn numbers<S: Serializer>(log: &Arc<Vec<Entry>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(log.iter().map(|entry| entry.0))
}

impl View {
    pub(crate) fn new(disk: &Disk, promise: Ballot, leader: u64, decided: u64) -> View {
        View {
            promise: promise.into(),
            accepted_round: disk.accepted_round.unwrap_or_default().into(),
            leader,
            decided,
            trimmed: disk.trimmed,
            log: Arc::clone(&disk.log),
            standing: None,
        }
    }
}

impl PaxosState for View {
    fn ballot(&self) -> u64 {
        self.accepted_round.n.into()
    }

    fn is_primary(&self, node: NodeId) -> bool {
        self.leader == node.number() as u64
    }

    fn decree(&self) -> u64 {
        self.trimmed + self.log.len() as u64
    }

    fn decided(&self) -> u64 {
        self.decided
    }
}

impl LogState for View {
    type Entry = u64;

    fn decided(&self) -> u64 {
        self.decided
    }

    fn decided_entry(&self, number: u64) -> Option<u64> {
        let place = number.checked_sub(self.trimmed + 1)?;
        self.log.get(usize::try_from(place).ok()?).map(|entry| entry.0)
    }
}
