//! openraft's RPCs as calls to peers.

use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};

use openraft::MessageSummary;
use openraft::error::{Fatal, NetworkError, RPCError, RaftError, ReplicationClosed, StreamingError};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::AppendEntriesResponse as Appended;
use openraft::raft::{AppendEntriesRequest, SnapshotResponse, VoteRequest, VoteResponse};
use openraft::storage::Snapshot;
use shakedown::async_node::Peer;
use shakedown::cluster::{Message, NodeId};

use crate::store::digest;
use crate::{LogId, Meta, OpenRaft, Types, Vote, ballot, place_of};

/// A call.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are openraft's own")]
pub enum Rpc {
    Append(AppendEntriesRequest<Types>),
    Vote(VoteRequest<u64>),
    Snapshot(Vote, Meta, u64),
}

/// The reply to a call.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are openraft's own")]
pub enum Reply {
    Success,
    PartialSuccess(Option<LogId>),
    Conflict,
    HigherVote(Vote),
    Vote(VoteResponse<u64>),
    Snapshot(Vote),
    Stopped,
}

impl Message for Rpc {
    fn kind(&self) -> &'static str {
        match self {
            Rpc::Append(append) if append.entries.is_empty() => "Heartbeat",
            Rpc::Append(_) => "Append",
            Rpc::Vote(_) => "RequestVote",
            Rpc::Snapshot(..) => "Snapshot",
        }
    }

    fn describe(&self) -> String {
        match self {
            Rpc::Append(append) => append.summary(),
            Rpc::Vote(vote) => vote.summary(),
            Rpc::Snapshot(vote, meta, _) => format!("{vote} {meta}"),
        }
    }

    /// What is left out follows from what the sender shows.
    fn digest<H: Hasher>(&self, hasher: &mut H) {
        let (vote, id, contents) = match self {
            Rpc::Append(append) => {
                (&append.vote, &append.prev_log_id, append.entries.last().map_or(0, digest))
            }
            Rpc::Vote(vote) => (&vote.vote, &vote.last_log_id, 0),
            Rpc::Snapshot(vote, meta, data) => (vote, &meta.last_log_id, *data),
        };
        (ballot(&vote.leader_id), vote.committed, id.as_ref().map(place_of), contents).hash(hasher);
    }
}

/// The peer that is the node itself makes the others.
impl RaftNetworkFactory<Types> for Peer<OpenRaft> {
    type Network = Peer<OpenRaft>;

    async fn new_client(&mut self, target: u64, _: &()) -> Peer<OpenRaft> {
        self.env().peer(NodeId::new(target as usize))
    }
}

type Append = AppendEntriesRequest<Types>;
type Failed = RPCError<u64, (), RaftError<u64>>;

fn unreachable_peer() -> NetworkError {
    NetworkError::new(&fmt::Error)
}

impl RaftNetwork<Types> for Peer<OpenRaft> {
    async fn append_entries(&mut self, rpc: Append, _: RPCOption) -> Result<Appended<u64>, Failed> {
        match self.call(Rpc::Append(rpc)).await {
            Ok(Reply::Success) => Ok(Appended::Success),
            Ok(Reply::PartialSuccess(id)) => Ok(Appended::PartialSuccess(id)),
            Ok(Reply::Conflict) => Ok(Appended::Conflict),
            Ok(Reply::HigherVote(vote)) => Ok(Appended::HigherVote(vote)),
            _ => Err(RPCError::Network(unreachable_peer())),
        }
    }

    async fn vote(&mut self, rpc: VoteRequest<u64>, _: RPCOption) -> Result<VoteResponse<u64>, Failed> {
        match self.call(Rpc::Vote(rpc)).await {
            Ok(Reply::Vote(reply)) => Ok(reply),
            _ => Err(RPCError::Network(unreachable_peer())),
        }
    }

    async fn full_snapshot(
        &mut self,
        vote: Vote,
        snapshot: Snapshot<Types>,
        cancel: impl Future<Output = ReplicationClosed> + 'static,
        option: RPCOption,
    ) -> Result<SnapshotResponse<u64>, StreamingError<Types, Fatal<u64>>> {
        let call = Rpc::Snapshot(vote, snapshot.meta, *snapshot.snapshot);
        match self.call_until(cancel, option.hard_ttl(), call).await {
            Err(closed) => Err(StreamingError::Closed(closed)),
            Ok(Some(Reply::Snapshot(vote))) => Ok(SnapshotResponse::new(vote)),
            Ok(_) => Err(StreamingError::Network(unreachable_peer())),
        }
    }
}
