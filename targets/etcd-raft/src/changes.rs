//! How a node's view changes, as its host reports it.

use std::sync::Arc;

use protobuf::Message as _;
use raft::eraftpb::Entry;
use serde::{Deserialize, Deserializer};
use shakedown_check::RegisterValues;
use shakedown_cluster::{NODES_MAX, NodeId, NodeSet};
use shakedown_raft::spec::{PeerView, Standing};
use shakedown_raft::{RaftView, machine_digest};
use shakedown_rafts::Role;
use shakedown_remote::Bytes;

use crate::vocabulary::split_request;

/// The fields of a view that changed.
#[derive(Deserialize)]
pub struct Changes {
    term: Option<u64>,
    /// 0 for nobody.
    vote: Option<u64>,
    role: Option<Role>,
    /// 0 for nobody.
    leader: Option<u64>,
    commit: Option<u64>,
    applied: Option<u64>,
    /// The keys and values of the map.
    values: Option<Vec<(u8, u64)>>,
    voters: Option<Vec<u64>>,
    log: Option<LogChange>,
    /// The first peer whose next index is not above its matched index: itself, matched, next.
    #[serde(default, deserialize_with = "some")]
    below: Option<Option<(u64, u64, u64)>>,
    #[serde(default, deserialize_with = "some")]
    standing: Option<Option<ReportedStanding>>,
}

/// A field that is there, also if it is null.
fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// From index `from` on, the log has exactly these entries; those before `first` are compacted.
#[derive(Deserialize)]
struct LogChange {
    first: u64,
    from: u64,
    entries: Vec<Bytes>,
}

#[derive(Deserialize)]
struct ReportedStanding {
    snapshot: (u64, u64),
    snapshot_values: Vec<(u8, u64)>,
    entries: Vec<(u64, i64)>,
    votes: (usize, usize),
    peers: Vec<Peer>,
    waited: Vec<u64>,
}

#[derive(Deserialize)]
struct Peer {
    state: PeerState,
    paused: bool,
    pending: u64,
    heard: bool,
    next: u64,
    matched: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum PeerState {
    Probe,
    Replicate,
    Snapshot,
}

fn node_of(number: u64) -> Result<Option<NodeId>, String> {
    match usize::try_from(number) {
        Ok(0) => Ok(None),
        Ok(number) if number <= NODES_MAX => Ok(Some(NodeId::new(number))),
        _ => Err(format!("there is no node {number}")),
    }
}

fn nodes_of(numbers: &[u64]) -> Result<NodeSet, String> {
    let nodes = numbers.iter().map(|number| node_of(*number)?.ok_or_else(|| "there is no node 0".to_owned()));
    nodes.collect()
}

impl Changes {
    pub(crate) fn apply(self, view: &mut RaftView) -> Result<(), String> {
        if let Some(term) = self.term {
            view.term = term;
        }
        if let Some(vote) = self.vote {
            view.vote = node_of(vote)?;
        }
        if let Some(role) = self.role {
            view.role = role;
        }
        if let Some(leader) = self.leader {
            view.leader = node_of(leader)?;
        }
        if let Some(commit) = self.commit {
            view.commit = commit;
        }
        if let Some(applied) = self.applied {
            view.applied = applied;
        }
        if let Some(LogChange { first, from, entries }) = self.log {
            let entries = entries.iter().map(read_entry).collect::<Result<Vec<_>, _>>()?;
            view.log.rewrite(first, from, &entries)?;
        }
        if self.values.is_some() || self.voters.is_some() {
            if let Some(voters) = self.voters {
                view.voters = nodes_of(&voters)?;
            }
            if let Some(values) = self.values {
                view.registers = Some(Arc::new(values.into_iter().collect()));
            }
            let values = view.registers.get_or_insert_default();
            view.machine = machine_digest(values, view.voters);
        }
        if let Some(below) = self.below {
            view.progress_below_match = match below {
                Some((peer, matched, next)) => node_of(peer)?.map(|peer| (peer, matched, next)),
                None => None,
            };
        }
        if let Some(standing) = self.standing {
            view.standing = standing.map(|standing| Arc::new(standing.read(view.voters)));
        }
        Ok(())
    }
}

fn read_entry(bytes: &Bytes) -> Result<Entry, String> {
    let mut entry = Entry::default();
    entry.merge_from_bytes(&bytes.0).map_err(|error| format!("this is no raft entry: {error}"))?;
    split_request(&mut entry);
    Ok(entry)
}

impl ReportedStanding {
    /// The voters are those of the node: no specification that it is compared with changes them.
    fn read(self, voters: NodeSet) -> Standing {
        let values: RegisterValues = self.snapshot_values.into_iter().collect();
        let machine = machine_digest(&values, voters);
        let peer = |peer: Peer| PeerView {
            state: match peer.state {
                PeerState::Probe => "probe",
                PeerState::Replicate => "replicate",
                PeerState::Snapshot => "snapshot",
            },
            paused: peer.paused,
            pending: peer.pending,
            heard: peer.heard,
            next: peer.next,
            matched: peer.matched,
        };
        Standing {
            snapshot: (self.snapshot.0, self.snapshot.1, machine),
            entries: self.entries,
            votes: self.votes,
            peers: self.peers.into_iter().map(peer).collect(),
            waited: self.waited,
        }
    }
}
