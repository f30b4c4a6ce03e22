//! The servers, messages and requests of this Raft, and what they are in its specification.

use std::any::Any;

use shakedown_cluster::{Message as _, NodeId};
use shakedown_conform::Value;
use shakedown_conform::compare::{Meaning, Misread, Variables};
use shakedown_rafts::spec::values::{message_value, number_value};
use shakedown_rafts::spec::{Action, ActionNames, Sent, SpecDialect};
use shakedown_rafts::{RaftState, Role};

use super::values;
use super::view::{ServerView, SnapshotView, entry_text};
use crate::protocol::{Command, Entry, Message};
use crate::{Request, View};

/// The comparison with `specs/PlantedRaft.tla`.
pub struct PlantedSpec;

impl SpecDialect for PlantedSpec {
    type State = View;
    type Server = ServerView;
    type Contents = Message;

    const NAMES: ActionNames =
        ActionNames { heartbeat: "Heartbeat", request: "Request", crash: "Crash", restart: "Restart" };
    const CAMPAIGN_TICKS: usize = 1;

    fn spec_server(variables: &Variables, node: NodeId, servers: usize) -> Result<ServerView, Misread> {
        values::server_view(variables, node, servers)
    }

    fn server(view: &View) -> Option<ServerView> {
        Some(ServerView {
            term: view.term,
            role: view.role,
            vote: view.vote,
            commit: view.commit,
            machine: view.machine,
            snapshot: SnapshotView::from(view.log.snapshot()),
            entries: view.log.entries().to_vec(),
            voters: view.voters,
            votes_responded: view.votes_responded,
            votes_granted: view.votes_granted,
            progress: values::progress_of(&view.progress),
        })
    }

    fn spec_contents(message: &Value, servers: usize) -> Result<Message, Misread> {
        values::message(message, servers)
    }

    fn contents(contents: &dyn Any) -> Option<Message> {
        contents.downcast_ref::<Message>().cloned()
    }

    /// Of a snapshot it holds the length only.
    fn message_value(sent: &Sent<Message>) -> Value {
        let number = number_value;
        let entry = |entry: &Entry| {
            let (what, arg) = match entry.command {
                Command::Noop => ("noop", 0),
                Command::Put(key, value) => ("put", values::value_of_put(key, value).unwrap_or(value)),
                Command::Add(server) => ("add", server.number() as u64),
                Command::Remove(server) => ("remove", server.number() as u64),
            };
            let value = Value::record([("do", Value::string(what)), ("arg", number(arg))]);
            Value::record([("term", number(entry.term)), ("value", value)])
        };
        let (kind, fields) = match &sent.contents {
            Message::RequestVote { last_index, last_term, .. } => (
                "RequestVoteRequest",
                vec![("lastIndex", number(*last_index)), ("lastTerm", number(*last_term))],
            ),
            Message::RequestVoteResponse { granted, .. } => {
                ("RequestVoteResponse", vec![("granted", Value::Bool(*granted))])
            }
            Message::Append { prev_index, prev_term, entries, commit, .. } => {
                let entries = Value::tuple(entries.iter().map(entry).collect());
                let prev = [("prevIndex", number(*prev_index)), ("prevTerm", number(*prev_term))];
                (
                    "AppendEntriesRequest",
                    [prev.to_vec(), vec![("entries", entries), ("commit", number(*commit))]].concat(),
                )
            }
            Message::AppendResponse { success, match_index, .. } => (
                "AppendEntriesResponse",
                vec![("success", Value::Bool(*success)), ("index", number(*match_index))],
            ),
            Message::InstallSnapshot { snapshot, .. } => {
                let unknown = Entry { term: snapshot.term, command: Command::Noop };
                let entries = Value::tuple(vec![entry(&unknown); snapshot.index as usize]);
                ("InstallSnapshotRequest", vec![("snapshot", entries)])
            }
            Message::SnapshotResponse { match_index, .. } => {
                ("InstallSnapshotResponse", vec![("index", number(*match_index))])
            }
        };
        message_value(kind, (sent.from, sent.to), sent.contents.term(), fields)
    }

    fn handler(message: &Message) -> &'static str {
        match message {
            Message::RequestVote { .. } => "HandleRequestVote",
            Message::RequestVoteResponse { .. } => "HandleVote",
            Message::Append { .. } => "HandleAppend",
            Message::AppendResponse { .. } => "HandleAppendResponse",
            Message::InstallSnapshot { .. } => "HandleSnapshot",
            Message::SnapshotResponse { .. } => "HandleSnapshotResponse",
        }
    }

    fn describe(sent: &Sent<Message>) -> String {
        let Sent { from, to, contents: message } = sent;
        let entries = match message {
            Message::Append { entries, .. } if !entries.is_empty() => {
                format!(" {}", entries.iter().map(entry_text).collect::<Vec<_>>().join(" "))
            }
            _ => String::new(),
        };
        format!("{} {}>{} {}{entries}", message.kind(), from.number(), to.number(), message.describe())
    }

    /// What the next tick of a server does that does not lead, by the very function that decides it.
    fn campaigns(_node: NodeId, view: &View) -> bool {
        view.campaigns
    }

    /// Nothing, where the request is refused whatever it holds.
    fn request(node: NodeId, op: &str, view: &View, servers: usize) -> Meaning<Action<Message>> {
        let leads = view.role == Role::Leader;
        match serde_json::from_str(op) {
            Ok(Request::Put(key, value)) if leads => match values::value_of_put(key, value) {
                Some(value) => Meaning::Action(Action::Request(node, value)),
                None => Meaning::Unknown("a value is above 999, and has no number in the specification"),
            },
            Ok(Request::Add(whom)) if leads && whom.index() < servers => {
                Meaning::Action(Action::Add(node, whom))
            }
            Ok(Request::Remove(whom)) if leads && whom.index() < servers => {
                Meaning::Action(Action::Remove(node, whom))
            }
            Ok(Request::Compact) if view.commit >= view.first_index() => {
                Meaning::Action(Action::Compact(node))
            }
            _ => Meaning::Nothing,
        }
    }

    fn request_of(action: &Action<Message>) -> Result<String, String> {
        let request = match action {
            Action::Request(_, value) => {
                let (key, value) = values::put_of_value(*value).map_err(|error| error.to_string())?;
                Request::Put(key, value)
            }
            Action::Add(_, whom) => Request::Add(*whom),
            Action::Remove(_, whom) => Request::Remove(*whom),
            Action::Compact(_) => Request::Compact,
            _ => return Err("this action is no request".to_owned()),
        };
        serde_json::to_string(&request).map_err(|error| error.to_string())
    }
}
