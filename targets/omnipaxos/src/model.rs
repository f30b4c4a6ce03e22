//! The library on the TLA+ model of Sequence Paxos: `specs/SequencePaxos.tla`, by way of
//! `specs/SequencePaxosEvents.tla`.
//!
//! The election is not in the model: that somebody is elected is seen from the ballot that it promises.
//! Everything else that happens to a server is an action with what the server shows afterwards, so all that
//! it shows is compared, each time. Heartbeats and ticks that change nothing are left out.

use std::sync::Arc;

use shakedown_cluster::{BadOption, Board, Cluster, NodeId, Options, Step};
use shakedown_conform::follow::{EventMapping, Heard};
use shakedown_conform::{ActionCall, ModelSource, Value};

use crate::spec::{Body, ballot_value, number, server};
use crate::{Message, Request, View};

/// The name of the model that executions are followed on.
pub(crate) const FOLLOWED: &str = "SequencePaxosEvents";

/// The modules of the model, the root first.
const MODULES: &[(&str, &str)] = &[
    (FOLLOWED, include_str!("../../../specs/SequencePaxosEvents.tla")),
    ("SequencePaxos", include_str!("../../../specs/SequencePaxos.tla")),
];

/// The model with so many servers.
pub fn source(servers: usize) -> ModelSource {
    let names: Vec<String> = NodeId::first(servers).map(|node| node.number().to_string()).collect();
    let config = format!(
        "CONSTANTS Server = {{{}}} Value = {{0}} MaxRound = 0 MaxLog = 0 MaxNet = 0 MaxSession = 0 MaxDown = 0\n\
         KeepsDecided = TRUE With <- NoSends Without <- NoReceipt IsNext <- Always Asked <- NobodyAsked\n\
         INIT Init NEXT Next",
        names.join(", ")
    );
    ModelSource { modules: MODULES, config, abstraction: Some("Abstract") }
}

/// Whether the model can be laid beside the library with these options.
pub(crate) fn check(options: &Options) -> Result<(), BadOption> {
    let bad = |name: &str, reason: &str| {
        let value = options.text(name).unwrap_or_default().to_owned();
        Err(BadOption { name: name.to_owned(), value, reason: reason.to_owned() })
    };
    if options.get::<u64>("trim")? > 0 {
        return bad("trim", "the TLA+ model knows no trimmed logs");
    }
    if options.get::<u64>("batch_size")? > 1 {
        return bad("batch_size", "the TLA+ model knows no batches");
    }
    Ok(())
}

/// The mapping of one execution.
#[derive(Default)]
pub struct Mapping {
    /// The step that is about to be done, as far as the model is concerned.
    pending: Option<Pending>,
}

enum Pending {
    /// A message of Sequence Paxos, as the model names it and has it.
    Handled(NodeId, &'static str, Value),
    /// Something that means nothing to the model, unless it makes the server lead; and what the server showed
    /// before.
    Alone(NodeId, &'static str, View),
    /// A message that the mapping does not know.
    Unknown(&'static str),
    Requested(NodeId, u64),
    Crashed(NodeId),
    /// The servers that have a session with it from now on.
    Restarted(NodeId, Vec<NodeId>),
    Reconnected(NodeId, NodeId),
}

impl EventMapping<View> for Mapping {
    type Event = ActionCall;

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) {
        let board = cluster.board();
        self.pending = match step {
            Step::Deliver(id, kind) => {
                let contents = board.find(*id, *kind).and_then(|message| cluster.contents(message));
                Some(match contents.and_then(|contents| contents.downcast_ref::<Message>()) {
                    Some(message) => match pending(message, (id.from, id.to), board.size()) {
                        Some(pending) => pending,
                        None => alone(cluster, id.to, "heartbeat, nothing changed"),
                    },
                    None => Pending::Unknown("message that cannot be read"),
                })
            }
            Step::Request(node, op) => match serde_json::from_str(op) {
                Ok(Request::Append(value)) => Some(Pending::Requested(*node, value)),
                _ => Some(alone(cluster, *node, "request that changes nothing")),
            },
            Step::Tick(node) | Step::Fire(node, _) | Step::Flush(node) => {
                Some(alone(cluster, *node, "tick, nothing changed"))
            }
            Step::Crash { node, .. } => Some(Pending::Crashed(*node)),
            Step::Restart(node) => {
                let has_session =
                    |peer: &NodeId| peer != node && board.is_up(*peer) && !board.is_cut(*node, *peer);
                Some(Pending::Restarted(*node, NodeId::first(board.size()).filter(has_session).collect()))
            }
            Step::Heal(a, b) if board.is_up(*a) && board.is_up(*b) => Some(Pending::Reconnected(*a, *b)),
            // Nothing happens to a server, and the model has no network.
            _ => None,
        };
    }

    fn after_step(&mut self, _board: &Board, states: &[View], heard: &mut Heard<ActionCall>) {
        let Some(pending) = self.pending.take() else { return };
        let seen = |node: NodeId| shown(&states[node.index()], states.len());
        let event = match pending {
            Pending::Handled(node, action, message) => ActionCall::new(action, vec![message, seen(node)]),
            Pending::Requested(node, value) => {
                ActionCall::new("Requested", vec![server(node), number(value), seen(node)])
            }
            Pending::Alone(node, sort, before) => {
                let after = &states[node.index()];
                if is_same(&before, after) {
                    return heard.ignore(sort);
                }
                let is_elected = after.promise > before.promise && after.promise.pid == node.number() as u64;
                let action = if is_elected { "Elected" } else { "Rests" };
                ActionCall::new(action, vec![server(node), seen(node)])
            }
            Pending::Crashed(node) => ActionCall::new("Crashed", vec![server(node)]),
            Pending::Restarted(node, peers) => {
                let peers = Value::set(peers.into_iter().map(server).collect());
                ActionCall::new("Restarted", vec![server(node), peers, seen(node)])
            }
            Pending::Reconnected(a, b) => {
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                ActionCall::new("Reconnected", vec![server(a), server(b), seen(a), seen(b)])
            }
            Pending::Unknown(sort) => return heard.unknown(sort),
        };
        heard.event(event);
    }

    const ACTIONS: &'static [&'static str] = &[
        "Elected",
        "Requested",
        "Crashed",
        "Restarted",
        "Reconnected",
        "PrepareReqHandled",
        "PrepareHandled",
        "PromiseHandled",
        "AcceptSyncHandled",
        "AcceptDecideHandled",
        "AcceptedHandled",
        "DecideHandled",
        "NotAcceptedHandled",
        "ProposalForwardHandled",
    ];

    fn number(event: &ActionCall) -> usize {
        let name = event.name.as_str();
        Self::ACTIONS.iter().position(|action| *action == name).unwrap_or(usize::MAX)
    }

    fn action(event: &ActionCall) -> ActionCall {
        event.clone()
    }
}

fn alone(cluster: &dyn Cluster<State = View>, node: NodeId, sort: &'static str) -> Pending {
    match cluster.states().get(node.index()) {
        Some(view) => Pending::Alone(node, sort, view.clone()),
        None => Pending::Unknown("step of a server that does not exist"),
    }
}

/// Whether a server shows the same, as far as the model is concerned.
fn is_same(before: &View, after: &View) -> bool {
    (before.promise, before.accepted_round, before.decided)
        == (after.promise, after.accepted_round, after.decided)
        && (Arc::ptr_eq(&before.log, &after.log) || before.log == after.log)
}

/// What a server shows.
fn shown(view: &View, servers: usize) -> Value {
    Value::record([
        ("promised", ballot_value(view.promise, servers)),
        ("accepted", ballot_value(view.accepted_round, servers)),
        ("log", Value::tuple(view.log.iter().map(|entry| number(entry.0)).collect())),
        ("decided", number(view.decided)),
    ])
}

/// A message in the words of the model; nothing for those of the election.
fn pending(message: &Message, (from, to): (NodeId, NodeId), servers: usize) -> Option<Pending> {
    let body = Body::of(message)?;
    Some(match body.names() {
        Some(names) => Pending::Handled(to, names.handled, body.value((from, to), servers)),
        None => Pending::Unknown("message that the library does not send here"),
    })
}
