//! The servers, messages and requests of the library, and what they are in its specification.

use std::any::Any;

use raft::eraftpb::MessageType;
use shakedown_cluster::{Message as _, NodeId};
use shakedown_conform::Value;
use shakedown_conform::compare::{Meaning, Misread, Variables};
use shakedown_rafts::Role;
use shakedown_rafts::spec::{Action, ActionNames, Sent, SpecDialect};

use super::view::{Body, Contents, ServerView};
use super::{ELECTION_TICK, values};
use crate::machine::Machine;
use crate::model::value_of;
use crate::{RaftMessage, RaftView, Request};

/// The comparison with `specs/RaftCrate.tla`.
pub struct CrateSpec;

impl SpecDialect for CrateSpec {
    type State = RaftView;
    type Server = ServerView;
    type Contents = Contents;

    const NAMES: ActionNames =
        ActionNames { heartbeat: "Beat", request: "Propose", crash: "Stop", restart: "Boot" };
    const CAMPAIGN_TICKS: usize = ELECTION_TICK;

    fn spec_server(variables: &Variables, node: NodeId, servers: usize) -> Result<ServerView, Misread> {
        values::server_view(variables, node, servers)
    }

    fn server(view: &RaftView) -> Option<ServerView> {
        Some(ServerView {
            term: view.term,
            role: view.role,
            vote: view.vote,
            leader: view.leader,
            commit: view.commit,
            machine: view.machine,
            standing: view.standing.as_deref()?.clone(),
        })
    }

    fn spec_contents(message: &Value, servers: usize) -> Result<Contents, Misread> {
        values::contents(message, servers)
    }

    fn contents(contents: &dyn Any) -> Option<Contents> {
        let message = contents.downcast_ref::<RaftMessage>()?;
        Some(Contents { term: message.0.term, body: body(message) })
    }

    fn message_value(sent: &Sent<Contents>) -> Value {
        values::message(sent)
    }

    fn handler(contents: &Contents) -> &'static str {
        match &contents.body {
            Body::VoteRequest { .. } => "HandleVoteRequest",
            Body::Vote { .. } => "HandleVoteResponse",
            Body::Append { .. } => "HandleAppend",
            Body::AppendResponse { .. } => "HandleAppendResponse",
            Body::Heartbeat { .. } => "HandleHeartbeat",
            Body::HeartbeatResponse => "HandleHeartbeatResponse",
            Body::Snapshot { .. } => "HandleSnapshot",
            Body::Other(kind) => kind,
        }
    }

    fn describe(sent: &Sent<Contents>) -> String {
        let Sent { from, to, contents: Contents { term, body } } = sent;
        format!("{}>{} term {term} {body:?}", from.number(), to.number())
    }

    /// Nothing, where the request changes nothing.
    fn request(node: NodeId, op: &str, view: &RaftView, _servers: usize) -> Meaning<Action<Contents>> {
        match serde_json::from_str(op) {
            Ok(Request::Put(values::KEY, value)) if view.role == Role::Leader && value > 0 => {
                Meaning::Action(Action::Request(node, value))
            }
            Ok(Request::Put(..)) if view.leader.is_none() => Meaning::Nothing,
            Ok(Request::Compact) if view.applied >= view.log.first() => {
                Meaning::Action(Action::Compact(node))
            }
            Ok(Request::Compact) => Meaning::Nothing,
            _ => Meaning::Unknown("a request that the specification does not know"),
        }
    }

    fn request_of(action: &Action<Contents>) -> Result<String, String> {
        let request = match action {
            Action::Request(_, value) => Request::Put(values::KEY, *value),
            Action::Compact(_) => Request::Compact,
            _ => return Err("the specification has no such request".to_owned()),
        };
        serde_json::to_string(&request).map_err(|error| error.to_string())
    }
}

fn body(message: &RaftMessage) -> Body {
    let m = &message.0;
    match m.get_msg_type() {
        MessageType::MsgRequestVote => {
            Body::VoteRequest { last: (m.index, m.log_term), commit: (m.commit, m.commit_term) }
        }
        MessageType::MsgRequestVoteResponse => {
            Body::Vote { granted: !m.reject, commit: (m.commit, m.commit_term) }
        }
        MessageType::MsgAppend => Body::Append {
            prev: (m.index, m.log_term),
            entries: m.entries.iter().map(|entry| (entry.term, value_of(entry))).collect(),
            commit: m.commit,
        },
        MessageType::MsgAppendResponse => Body::AppendResponse {
            success: !m.reject,
            index: m.index,
            hint: (m.reject_hint, if m.reject { m.log_term } else { 0 }),
        },
        MessageType::MsgHeartbeat => Body::Heartbeat { commit: m.commit },
        MessageType::MsgHeartbeatResponse => Body::HeartbeatResponse,
        MessageType::MsgSnapshot => {
            let metadata = m.get_snapshot().get_metadata();
            let machine = Machine::restore(m.get_snapshot()).digest();
            Body::Snapshot { last: (metadata.index, metadata.term), machine }
        }
        _ => Body::Other(message.kind()),
    }
}
