//! The mapping itself: views and actions, both ways.

use std::sync::Arc;

use shakedown_check::{RaftState, Role};
use shakedown_cluster::{Board, Cluster, MessageIndex, NodeId, Step};
use shakedown_conform::conformance::{Misread, Shown, StateMapping, Told, Variables, read};
use shakedown_conform::{ActionCall, Value};
use shakedown_explore::Sight;

use super::values;
use super::view::{Sent, ServerView, SnapshotView, SpecView};
use crate::protocol::{Command, Entry, Message};
use crate::{Request, View};

/// An action of the specification.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Action {
    Campaign(NodeId),
    Heartbeat(NodeId),
    /// A message is handled; the specification has an action for each kind.
    Handle(Sent),
    Request(NodeId, u64),
    Add(NodeId, NodeId),
    Remove(NodeId, NodeId),
    Compact(NodeId),
    Crash(NodeId),
    Restart(NodeId),
    Lose(Sent),
    Repeat(Sent),
    /// An action that this Raft does not have.
    Unknown(String),
}

/// The mapping to `specs/PlantedRaft.tla`.
#[derive(Default)]
pub struct PlantedMapping;

impl StateMapping<View> for PlantedMapping {
    type View = SpecView;
    type Action = Action;

    fn spec_view(variables: &Variables) -> Result<SpecView, Misread> {
        values::view(variables)
    }

    fn read_action(call: &ActionCall, nodes: usize) -> Result<Action, Misread> {
        let argument = |place| read::argument(call, place);
        let node = || values::node(argument(0)?);
        let sent = || values::sent(argument(0)?, nodes);
        Ok(match call.name.as_str() {
            "Campaign" => Action::Campaign(node()?),
            "Heartbeat" => Action::Heartbeat(node()?),
            "HandleRequestVote"
            | "HandleVote"
            | "HandleAppend"
            | "HandleAppendResponse"
            | "HandleSnapshot"
            | "HandleSnapshotResponse" => Action::Handle(sent()?),
            "Request" => Action::Request(node()?, read::number("a value", argument(1)?)?),
            "Change" => {
                let whom = values::node(argument(2)?)?;
                match read::text("a change", argument(1)?)? {
                    "add" => Action::Add(node()?, whom),
                    _ => Action::Remove(node()?, whom),
                }
            }
            "Compact" => Action::Compact(node()?),
            "Crash" => Action::Crash(node()?),
            "Restart" => Action::Restart(node()?),
            "Lose" => Action::Lose(sent()?),
            "Repeat" => Action::Repeat(sent()?),
            _ => Action::Unknown(call.to_string()),
        })
    }

    fn call(action: &Action, variables: &Variables) -> ActionCall {
        let server = |node: &NodeId| Value::Int(node.number() as i64);
        let message = |sent: &Sent| find(sent, variables).unwrap_or_else(|| message_value(sent));
        let (name, arguments) = match action {
            Action::Campaign(node) => ("Campaign", vec![server(node)]),
            Action::Heartbeat(node) => ("Heartbeat", vec![server(node)]),
            Action::Handle(sent) => (handler(&sent.message), vec![message(sent)]),
            Action::Request(node, value) => ("Request", vec![server(node), Value::Int(*value as i64)]),
            Action::Add(node, whom) => ("Change", vec![server(node), Value::string("add"), server(whom)]),
            Action::Remove(node, whom) => {
                ("Change", vec![server(node), Value::string("remove"), server(whom)])
            }
            Action::Compact(node) => ("Compact", vec![server(node)]),
            Action::Crash(node) => ("Crash", vec![server(node)]),
            Action::Restart(node) => ("Restart", vec![server(node)]),
            Action::Lose(sent) => ("Lose", vec![message(sent)]),
            Action::Repeat(sent) => ("Repeat", vec![message(sent)]),
            Action::Unknown(text) => {
                return ActionCall::new(text.split('(').next().unwrap_or_default(), Vec::new());
            }
        };
        ActionCall::new(name, arguments)
    }

    fn is_own(action: &Action) -> bool {
        matches!(action, Action::Campaign(_) | Action::Heartbeat(_) | Action::Handle(_) | Action::Unknown(_))
    }

    fn show(view: &SpecView) -> Vec<Shown> {
        view.show()
    }

    fn nodes(view: &SpecView) -> usize {
        view.servers.len()
    }

    fn view(&mut self, cluster: &dyn Cluster<State = View>) -> SpecView {
        let board = cluster.board();
        let server = |(node, view): (NodeId, &View)| board.is_up(node).then(|| server_view(view));
        let servers = NodeId::first(board.size()).zip(cluster.states()).map(server).collect();
        let sent = |index| sent(index, board, |index| cluster.contents(index));
        let mut net: Vec<_> = board.under_way().filter_map(sent).collect();
        net.sort_unstable();
        SpecView { servers, net }
    }

    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) -> Told<Action> {
        let board = cluster.board();
        let message = |step: &Step| {
            let (Step::Deliver(id, kind) | Step::Drop(id, kind) | Step::Duplicate(id, kind)) = step else {
                return None;
            };
            sent(board.find(*id, *kind)?, board, |index| cluster.contents(index))
        };
        let told = |message: Option<Sent>, action: fn(Sent) -> Action| {
            message.map_or(Told::Unknown("a message cannot be read"), |sent| Told::Action(action(sent)))
        };
        let state = |node: &NodeId| cluster.states().get(node.index());
        match step {
            Step::Deliver(..) => told(message(step), Action::Handle),
            Step::Drop(..) => told(message(step), Action::Lose),
            Step::Duplicate(..) => told(message(step), Action::Repeat),
            Step::Tick(node) => match state(node) {
                Some(view) if view.role == Role::Leader => Told::Action(Action::Heartbeat(*node)),
                // Who does not vote does not run.
                Some(view) if view.voters.contains(*node) => Told::Action(Action::Campaign(*node)),
                _ => Told::Nothing,
            },
            Step::Request(node, op) => {
                state(node).map_or(Told::Nothing, |view| request(*node, op, view, board.size()))
            }
            Step::Crash { node, .. } => Told::Action(Action::Crash(*node)),
            Step::Restart(node) => Told::Action(Action::Restart(*node)),
            Step::Cut(..) | Step::Heal(..) => {
                Told::Unknown("links are cut, which the specification does not know: --weights cut=0")
            }
            Step::Tamper(..) | Step::Inject(..) => {
                Told::Unknown("a node lies, and the specification knows no lies")
            }
            Step::Fire(..) | Step::Flush(..) | Step::Round { .. } => Told::Nothing,
        }
    }

    fn steps(action: &Action, sight: &Sight<'_>) -> Result<Vec<Step>, String> {
        let board = sight.board();
        let named = |sent: &Sent| {
            let found = board.deliverable().iter().find(|index| {
                self::sent(**index, board, |index| sight.contents(index)).as_ref() == Some(sent)
            });
            found
                .map(|index| board.name_of(*index))
                .ok_or_else(|| format!("no such message is under way: {}", sent.told()))
        };
        let request = |node: &NodeId, request: &Request| match serde_json::to_string(request) {
            Ok(op) => Ok(Step::Request(*node, Arc::from(op))),
            Err(error) => Err(error.to_string()),
        };
        let step = match action {
            Action::Campaign(node) | Action::Heartbeat(node) => Step::Tick(*node),
            Action::Handle(sent) => named(sent).map(|(id, kind)| Step::Deliver(id, kind))?,
            Action::Lose(sent) => named(sent).map(|(id, kind)| Step::Drop(id, kind))?,
            Action::Repeat(sent) => named(sent).map(|(id, kind)| Step::Duplicate(id, kind))?,
            Action::Request(node, value) => {
                let (key, value) = values::put_of_value(*value).map_err(|error| error.to_string())?;
                request(node, &Request::Put(key, value))?
            }
            Action::Add(node, whom) => request(node, &Request::Add(*whom))?,
            Action::Remove(node, whom) => request(node, &Request::Remove(*whom))?,
            Action::Compact(node) => request(node, &Request::Compact)?,
            Action::Crash(node) => Step::Crash { node: *node, keep: 0 },
            Action::Restart(node) => Step::Restart(*node),
            Action::Unknown(action) => return Err(format!("this Raft does not know the action {action}")),
        };
        Ok(vec![step])
    }
}

/// What a request is to the specification: nothing, where it is refused whatever it says.
fn request(node: NodeId, op: &str, view: &View, nodes: usize) -> Told<Action> {
    let leads = view.role == Role::Leader;
    match serde_json::from_str(op) {
        Ok(Request::Put(key, value)) if leads => match values::value_of_put(key, value) {
            Some(value) => Told::Action(Action::Request(node, value)),
            None => Told::Unknown("a value is above 999, and has no number in the specification"),
        },
        Ok(Request::Add(whom)) if leads && whom.index() < nodes => Told::Action(Action::Add(node, whom)),
        Ok(Request::Remove(whom)) if leads && whom.index() < nodes => {
            Told::Action(Action::Remove(node, whom))
        }
        Ok(Request::Compact) if view.commit >= view.first_index() => Told::Action(Action::Compact(node)),
        _ => Told::Nothing,
    }
}

fn server_view(view: &View) -> ServerView {
    ServerView {
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
    }
}

fn sent<'a>(
    index: MessageIndex,
    board: &Board,
    contents: impl Fn(MessageIndex) -> Option<&'a dyn std::any::Any>,
) -> Option<Sent> {
    let message = contents(index)?.downcast_ref::<Message>()?.clone();
    let id = board.message(index).id;
    Some(Sent { from: id.from, to: id.to, message })
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

/// The message of the specification's network that is this one.
fn find(sent: &Sent, variables: &Variables) -> Option<Value> {
    let servers = read::sequence("role", variables.get("role").ok()?).ok()?.len();
    let net = variables.get("net").ok()?.pairs();
    net.into_iter()
        .map(|(message, _)| message)
        .find(|message| values::sent(message, servers).as_ref() == Ok(sent))
}

/// A message that is not in the specification's network. Of a snapshot, it tells the length only.
fn message_value(sent: &Sent) -> Value {
    let number = |number: u64| Value::Int(number as i64);
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
    let (kind, fields) = match &sent.message {
        Message::RequestVote { last_index, last_term, .. } => {
            ("RequestVoteRequest", vec![("lastIndex", number(*last_index)), ("lastTerm", number(*last_term))])
        }
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
    let server = |node: NodeId| Value::Int(node.number() as i64);
    let common = [
        ("kind", Value::string(kind)),
        ("from", server(sent.from)),
        ("to", server(sent.to)),
        ("term", number(sent.message.term())),
    ];
    Value::record(common.into_iter().chain(fields))
}
