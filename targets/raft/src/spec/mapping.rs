//! The mapping itself: views and actions, both ways.

use std::any::Any;
use std::sync::Arc;

use raft::eraftpb::MessageType;
use shakedown_check::Role;
use shakedown_cluster::{Board, Cluster, Message as _, MessageIndex, NodeId, Step};
use shakedown_conform::conformance::{Misread, Shown, StateMapping, Told, Variables, read};
use shakedown_conform::{ActionCall, Value};
use shakedown_explore::Sight;

use super::view::{Said, Sent, ServerView, SpecView};
use super::{ELECTION_TICK, values};
use crate::machine::Machine;
use crate::model::value_of;
use crate::{RaftMessage, RaftView, Request};

/// An action of the specification.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Action {
    Campaign(NodeId),
    Beat(NodeId),
    /// A message is handled; the specification has an action for each kind.
    Handle(Sent),
    Propose(NodeId, u64),
    Compact(NodeId),
    Stop(NodeId),
    Boot(NodeId),
    Lose(Sent),
    Repeat(Sent),
    /// An action that the target does not have.
    Unknown(String),
}

/// The mapping to `specs/RaftCrate.tla`.
#[derive(Default)]
pub struct CrateMapping {
    /// The terms of all servers when they were last looked at.
    terms: Vec<u64>,
}

impl StateMapping<RaftView> for CrateMapping {
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
            "Beat" => Action::Beat(node()?),
            name if name.starts_with("Handle") => Action::Handle(sent()?),
            "Propose" => Action::Propose(node()?, read::number("a value", argument(1)?)?),
            "Compact" => Action::Compact(node()?),
            "Stop" => Action::Stop(node()?),
            "Boot" => Action::Boot(node()?),
            "Lose" => Action::Lose(sent()?),
            "Repeat" => Action::Repeat(sent()?),
            _ => Action::Unknown(call.to_string()),
        })
    }

    fn call(action: &Action, variables: &Variables) -> ActionCall {
        let server = |node: &NodeId| Value::Int(node.number() as i64);
        let message = |sent: &Sent| find(sent, variables).unwrap_or_else(|| values::message(sent));
        let (name, arguments) = match action {
            Action::Campaign(node) => ("Campaign", vec![server(node)]),
            Action::Beat(node) => ("Beat", vec![server(node)]),
            Action::Handle(sent) => (handler(&sent.said), vec![message(sent)]),
            Action::Propose(node, value) => ("Propose", vec![server(node), Value::Int(*value as i64)]),
            Action::Compact(node) => ("Compact", vec![server(node)]),
            Action::Stop(node) => ("Stop", vec![server(node)]),
            Action::Boot(node) => ("Boot", vec![server(node)]),
            Action::Lose(sent) => ("Lose", vec![message(sent)]),
            Action::Repeat(sent) => ("Repeat", vec![message(sent)]),
            Action::Unknown(text) => (text.split('(').next().unwrap_or_default(), Vec::new()),
        };
        ActionCall::new(name, arguments)
    }

    fn is_own(action: &Action) -> bool {
        matches!(action, Action::Campaign(_) | Action::Beat(_) | Action::Handle(_) | Action::Unknown(_))
    }

    fn show(view: &SpecView) -> Vec<Shown> {
        view.show()
    }

    fn nodes(view: &SpecView) -> usize {
        view.servers.len()
    }

    fn view(&mut self, cluster: &dyn Cluster<State = RaftView>) -> SpecView {
        let board = cluster.board();
        self.terms.clear();
        self.terms.extend(cluster.states().iter().map(|state| state.term));
        let server =
            |(node, view): (NodeId, &RaftView)| board.is_up(node).then(|| server_view(view)).flatten();
        let servers = NodeId::first(board.size()).zip(cluster.states()).map(server).collect();
        let sent = |index| sent(index, board, |index| cluster.contents(index));
        let mut net: Vec<_> = board.under_way().filter_map(sent).collect();
        net.sort_unstable();
        SpecView { servers, net }
    }

    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = RaftView>) -> Told<Action> {
        let board = cluster.board();
        let told = |action: fn(Sent) -> Action| {
            let (Step::Deliver(id, kind) | Step::Drop(id, kind) | Step::Duplicate(id, kind)) = step else {
                return Told::Nothing;
            };
            let index = board.find(*id, *kind);
            let sent = index.and_then(|index| sent(index, board, |index| cluster.contents(index)));
            sent.map_or(Told::Unknown("a message cannot be read"), |sent| Told::Action(action(sent)))
        };
        let state = |node: &NodeId| cluster.states().get(node.index());
        match step {
            Step::Deliver(..) => told(Action::Handle),
            Step::Drop(..) => told(Action::Lose),
            Step::Duplicate(..) => told(Action::Repeat),
            Step::Tick(node) => match state(node) {
                Some(view) if view.role == Role::Leader => Told::Action(Action::Beat(*node)),
                _ => Told::Action(Action::Campaign(*node)),
            },
            Step::Request(node, op) => state(node).map_or(Told::Nothing, |view| request(*node, op, view)),
            Step::Crash { node, .. } => Told::Action(Action::Stop(*node)),
            Step::Restart(node) => Told::Action(Action::Boot(*node)),
            Step::Cut(..) | Step::Heal(..) => {
                Told::Unknown("links are cut, which the specification does not know: --weights cut=0")
            }
            Step::Tamper(..) | Step::Inject(..) => {
                Told::Unknown("a node lies, and the specification knows no lies")
            }
            Step::Fire(..) | Step::Flush(..) | Step::Round { .. } => Told::Nothing,
        }
    }

    /// A clock that goes on leads to an election sooner or later.
    fn outcome(&mut self, told: Told<Action>, cluster: &dyn Cluster<State = RaftView>) -> Told<Action> {
        let has_waited = |node: NodeId| {
            let now = cluster.states().get(node.index()).map(|state| state.term);
            now.as_ref() == self.terms.get(node.index())
        };
        match told {
            Told::Action(Action::Campaign(node)) if has_waited(node) => Told::Nothing,
            other => other,
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
        Ok(vec![match action {
            Action::Campaign(node) => return Ok(vec![Step::Tick(*node); ELECTION_TICK]),
            Action::Beat(node) => Step::Tick(*node),
            Action::Handle(sent) => named(sent).map(|(id, kind)| Step::Deliver(id, kind))?,
            Action::Lose(sent) => named(sent).map(|(id, kind)| Step::Drop(id, kind))?,
            Action::Repeat(sent) => named(sent).map(|(id, kind)| Step::Duplicate(id, kind))?,
            Action::Propose(node, value) => request(node, &Request::Put(values::KEY, *value))?,
            Action::Compact(node) => request(node, &Request::Compact)?,
            Action::Stop(node) => Step::Crash { node: *node, keep: 0 },
            Action::Boot(node) => Step::Restart(*node),
            Action::Unknown(action) => return Err(format!("the target does not know the action {action}")),
        }])
    }
}

/// What a request is to the specification: nothing, where it changes nothing.
fn request(node: NodeId, op: &str, view: &RaftView) -> Told<Action> {
    match serde_json::from_str(op) {
        Ok(Request::Put(values::KEY, value)) if view.role == Role::Leader && value > 0 => {
            Told::Action(Action::Propose(node, value))
        }
        Ok(Request::Put(..)) if view.leader.is_none() => Told::Nothing,
        Ok(Request::Compact) if view.applied >= view.log.first() => Told::Action(Action::Compact(node)),
        Ok(Request::Compact) => Told::Nothing,
        _ => Told::Unknown("a request that the specification does not know"),
    }
}

fn server_view(view: &RaftView) -> Option<ServerView> {
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

fn sent<'a>(
    index: MessageIndex,
    board: &Board,
    contents: impl Fn(MessageIndex) -> Option<&'a dyn Any>,
) -> Option<Sent> {
    let message = contents(index)?.downcast_ref::<RaftMessage>()?;
    let id = board.message(index).id;
    Some(Sent { from: id.from, to: id.to, term: message.0.term, said: said(message) })
}

fn said(message: &RaftMessage) -> Said {
    let m = &message.0;
    match m.get_msg_type() {
        MessageType::MsgRequestVote => {
            Said::VoteRequest { last: (m.index, m.log_term), commit: (m.commit, m.commit_term) }
        }
        MessageType::MsgRequestVoteResponse => {
            Said::Vote { granted: !m.reject, commit: (m.commit, m.commit_term) }
        }
        MessageType::MsgAppend => Said::Append {
            prev: (m.index, m.log_term),
            entries: m.entries.iter().map(|entry| (entry.term, value_of(entry))).collect(),
            commit: m.commit,
        },
        MessageType::MsgAppendResponse => Said::AppendResponse {
            success: !m.reject,
            index: m.index,
            hint: (m.reject_hint, if m.reject { m.log_term } else { 0 }),
        },
        MessageType::MsgHeartbeat => Said::Heartbeat { commit: m.commit },
        MessageType::MsgHeartbeatResponse => Said::HeartbeatResponse,
        MessageType::MsgSnapshot => {
            let metadata = m.get_snapshot().get_metadata();
            let machine = Machine::restore(m.get_snapshot()).digest();
            Said::Snapshot { last: (metadata.index, metadata.term), machine }
        }
        _ => Said::Other(message.kind()),
    }
}

fn handler(said: &Said) -> &'static str {
    match said {
        Said::VoteRequest { .. } => "HandleVoteRequest",
        Said::Vote { .. } => "HandleVoteResponse",
        Said::Append { .. } => "HandleAppend",
        Said::AppendResponse { .. } => "HandleAppendResponse",
        Said::Heartbeat { .. } => "HandleHeartbeat",
        Said::HeartbeatResponse => "HandleHeartbeatResponse",
        Said::Snapshot { .. } => "HandleSnapshot",
        Said::Other(kind) => kind,
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
