//! RPCs as calls between nodes.

use std::sync::Arc;

use anyhow::{Result, bail};
use async_raft::RaftNetwork;
use async_raft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, ConflictOpt, InstallSnapshotRequest,
    InstallSnapshotResponse, VoteRequest, VoteResponse,
};
use async_trait::async_trait;
use shakedown::cluster::{Message, NodeId};
use shakedown::tokio_node::Env;

use crate::{AsyncRaft, Put};

/// A request to a peer. The library's types cannot be cloned, and a network may double a message.
#[derive(Clone, Debug)]
pub enum Rpc {
    /// Entries, or none: a heartbeat.
    Append(Arc<AppendEntriesRequest<Put>>),
    /// A vote is asked for.
    Vote(Arc<VoteRequest>),
}

/// The reply of a peer.
#[derive(Clone, Debug)]
pub enum Reply {
    /// To entries.
    Append(Arc<AppendEntriesResponse>),
    /// To a vote.
    Vote(Arc<VoteResponse>),
    /// The peer cannot answer.
    Stopped,
}

/// A copy of a request, for the node that it arrives at.
pub fn copy_of_append(append: &AppendEntriesRequest<Put>) -> AppendEntriesRequest<Put> {
    AppendEntriesRequest {
        term: append.term,
        leader_id: append.leader_id,
        prev_log_index: append.prev_log_index,
        prev_log_term: append.prev_log_term,
        entries: append.entries.clone(),
        leader_commit: append.leader_commit,
    }
}

/// A copy of a request, for the node that it arrives at.
pub fn copy_of_vote(vote: &VoteRequest) -> VoteRequest {
    VoteRequest::new(vote.term, vote.candidate_id, vote.last_log_index, vote.last_log_term)
}

impl Message for Rpc {
    fn kind(&self) -> &'static str {
        match self {
            Rpc::Append(append) if append.entries.is_empty() => "Heartbeat",
            Rpc::Append(_) => "Append",
            Rpc::Vote(_) => "RequestVote",
        }
    }
}

/// The way to all peers.
pub struct Network(pub Env<AsyncRaft>);

impl Network {
    async fn call(&self, target: u64, rpc: Rpc) -> Result<Reply> {
        Ok(self.0.call(NodeId::new(target as usize), rpc).await?)
    }
}

#[async_trait]
impl RaftNetwork<Put> for Network {
    async fn append_entries(
        &self,
        target: u64,
        rpc: AppendEntriesRequest<Put>,
    ) -> Result<AppendEntriesResponse> {
        match self.call(target, Rpc::Append(Arc::new(rpc))).await? {
            Reply::Append(reply) => {
                let conflict = reply.conflict_opt.as_ref();
                let conflict_opt =
                    conflict.map(|conflict| ConflictOpt { term: conflict.term, index: conflict.index });
                Ok(AppendEntriesResponse { term: reply.term, success: reply.success, conflict_opt })
            }
            other => bail!("the peer cannot answer: {other:?}"),
        }
    }

    async fn install_snapshot(
        &self,
        _target: u64,
        _rpc: InstallSnapshotRequest,
    ) -> Result<InstallSnapshotResponse> {
        bail!("no snapshot is ever taken")
    }

    async fn vote(&self, target: u64, rpc: VoteRequest) -> Result<VoteResponse> {
        match self.call(target, Rpc::Vote(Arc::new(rpc))).await? {
            Reply::Vote(reply) => Ok(VoteResponse { term: reply.term, vote_granted: reply.vote_granted }),
            other => bail!("the peer cannot answer: {other:?}"),
        }
    }
}
