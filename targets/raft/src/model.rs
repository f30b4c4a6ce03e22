//! The library followed on the TLA+ model of Raft: its messages and requests in the words of that model.

use std::any::Any;

use protobuf::Message as _;
use raft::eraftpb::{ConfChange, ConfChangeType, Entry, EntryType, MessageType};
use shakedown_check::RegisterOp;
use shakedown_cluster::{BadOption, Options, RequestId};
use shakedown_rafts::model::{Dialect, RaftMessage as Body, addition_of, removal_of};

use crate::log_view::digest_of;
use crate::machine::{decode_put, encode_put};
use crate::node::{conf_change, context_of};
use crate::view::node_of;
use crate::{DiskMode, RaftMessage, Request};

/// The library's messages and requests.
pub struct LibraryDialect;

impl Dialect for LibraryDialect {
    const PASSES_OVER_COMMITTED: bool = true;

    fn message(contents: &dyn Any) -> Body {
        let Some(RaftMessage(m)) = contents.downcast_ref::<RaftMessage>() else {
            return Body::Unknown("message of another protocol");
        };
        let term = m.term;
        match m.get_msg_type() {
            MessageType::MsgRequestVote => {
                Body::RequestVote { term, last_index: m.index, last_term: m.log_term }
            }
            MessageType::MsgRequestVoteResponse => Body::Vote { term, granted: !m.reject },
            MessageType::MsgAppend => Body::Append {
                term,
                prev_index: m.index,
                prev_term: m.log_term,
                entries: m.entries.iter().map(|entry| (entry.term, value_of(entry))).collect(),
                commit: m.commit,
            },
            MessageType::MsgAppendResponse => {
                let index = if m.reject { m.reject_hint } else { m.index };
                Body::AppendReply { term, success: !m.reject, index }
            }
            MessageType::MsgHeartbeat => Body::Heartbeat { term },
            MessageType::MsgSnapshot => Body::Snapshot { term, index: m.get_snapshot().get_metadata().index },
            MessageType::MsgPropose => Body::Proposals(m.entries.iter().map(value_of).collect()),
            MessageType::MsgHeartbeatResponse => Body::Ignored("heartbeat response"),
            MessageType::MsgRequestPreVote | MessageType::MsgRequestPreVoteResponse => {
                Body::Ignored("question before an election")
            }
            MessageType::MsgTransferLeader => Body::Ignored("leadership to be handed over"),
            // The election that comes of it is seen at the receiver.
            MessageType::MsgTimeoutNow => Body::Ignored("time to campaign"),
            MessageType::MsgHup
            | MessageType::MsgBeat
            | MessageType::MsgUnreachable
            | MessageType::MsgSnapStatus
            | MessageType::MsgCheckQuorum
            | MessageType::MsgReadIndex
            | MessageType::MsgReadIndexResp => Body::Unknown("message that the library does not send here"),
        }
    }

    fn proposal(op: &str) -> Option<i64> {
        match serde_json::from_str(op).ok()? {
            Request::Put(_, value) => Some(small(value)),
            Request::Read(key) => Some(small(u64::from(key))),
            Request::Write(_, value) => Some(small(value)),
            Request::When { write, .. } => Some(small(write.1)),
            Request::Add(node) => Some(addition_of(node)),
            Request::Remove(node) => Some(removal_of(node)),
            Request::Compact | Request::Transfer(_) => None,
        }
    }

    fn entry(id: RequestId, op: &str) -> Option<u64> {
        let change = |kind, node| conf_change(kind, node).write_to_bytes().ok();
        let (kind, data) = match serde_json::from_str(op).ok()? {
            Request::Put(key, value) => (EntryType::EntryNormal, encode_put(key, value).to_vec()),
            Request::Read(key) => (EntryType::EntryNormal, serde_json::to_vec(&RegisterOp::Read(key)).ok()?),
            Request::Write(key, value) => {
                (EntryType::EntryNormal, serde_json::to_vec(&RegisterOp::Write(key, value)).ok()?)
            }
            Request::When { key, is, write } => {
                let op = RegisterOp::When { key, is, write };
                (EntryType::EntryNormal, serde_json::to_vec(&op).ok()?)
            }
            Request::Add(node) => (EntryType::EntryConfChange, change(ConfChangeType::AddNode, node)?),
            Request::Remove(node) => (EntryType::EntryConfChange, change(ConfChangeType::RemoveNode, node)?),
            Request::Compact | Request::Transfer(_) => return None,
        };
        let context = context_of(id).into();
        Some(digest_of(&Entry { entry_type: kind, data: data.into(), context, ..Entry::default() }))
    }

    fn first_entry() -> u64 {
        digest_of(&Entry::default())
    }
}

/// A number for an entry: the request that it came from, 0 for the entry that a new leader begins with.
pub(crate) fn value_of(entry: &Entry) -> i64 {
    if entry.get_entry_type() == EntryType::EntryConfChange {
        return change_of(&entry.data).unwrap_or(0);
    }
    if let Some((_, value)) = decode_put(&entry.data) {
        return small(value);
    }
    match serde_json::from_slice::<RegisterOp>(&entry.data) {
        Ok(RegisterOp::Read(key)) => small(u64::from(key)),
        Ok(RegisterOp::Write(_, value)) => small(value),
        Ok(RegisterOp::When { write, .. }) => small(write.1),
        Err(_) => 0,
    }
}

/// What stands for a change of the membership.
fn change_of(data: &[u8]) -> Option<i64> {
    let mut change = ConfChange::default();
    change.merge_from_bytes(data).ok()?;
    let node = node_of(change.node_id)?;
    match change.get_change_type() {
        ConfChangeType::AddNode => Some(addition_of(node)),
        ConfChangeType::RemoveNode => Some(removal_of(node)),
        // No request adds one.
        ConfChangeType::AddLearnerNode => None,
    }
}

fn small(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Whether the model knows what these options ask for.
pub(crate) fn check(options: &Options) -> Result<(), BadOption> {
    if options.get::<DiskMode>("disk")? == DiskMode::Buffered {
        let reason = "in the TLA+ model what is written is durable at once".to_owned();
        return Err(BadOption { name: "disk".to_owned(), value: DiskMode::Buffered.to_string(), reason });
    }
    Ok(())
}
