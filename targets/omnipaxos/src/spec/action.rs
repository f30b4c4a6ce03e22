//! The actions of the specification.

use shakedown_cluster::NodeId;
use shakedown_conform::compare::{Misread, read};
use shakedown_conform::{ActionCall, Value};

use super::Sent;
use super::body::{number, server};
use super::view::node;

/// An action with its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// The clock of a server goes on.
    Tick(NodeId),
    /// A message is handled; the specification has an action for each kind.
    Receive(Sent),
    /// A server is asked to become the leader.
    Lead(NodeId),
    /// A client asks a server to append a value.
    Request(NodeId, u64),
    /// A link breaks.
    Cut(NodeId, NodeId),
    /// A link is there again.
    Heal(NodeId, NodeId),
    /// A server crashes.
    Stop(NodeId),
    /// A server comes back.
    Boot(NodeId),
    /// An action that the implementation does not have.
    Unknown(String),
}

impl Action {
    /// Whether the action is the implementation's own, and not the environment's.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Action::Tick(_) | Action::Receive(_) | Action::Unknown(_))
    }

    /// Reads a call of the specification, in a cluster of this many servers.
    pub(super) fn read(call: &ActionCall, servers: usize) -> Result<Action, Misread> {
        let argument = |place| read::argument(call, place);
        let at = |place| node(argument(place)?);
        Ok(match call.name.as_str() {
            "Tick" => Action::Tick(at(0)?),
            "AskToLead" => Action::Lead(at(0)?),
            "Request" => Action::Request(at(0)?, read::number("a value", argument(1)?)?),
            "Cut" => Action::Cut(at(0)?, at(1)?),
            "Heal" => Action::Heal(at(0)?, at(1)?),
            "Stop" => Action::Stop(at(0)?),
            "Boot" => Action::Boot(at(0)?),
            name => {
                let sent = argument(0).and_then(|message| Sent::read(message, servers));
                match sent {
                    Ok(sent) if sent.body.names().is_some_and(|names| names.receive == name) => {
                        Action::Receive(sent)
                    }
                    _ => Action::Unknown(call.to_string()),
                }
            }
        })
    }

    /// The call of the specification, in a cluster of this many servers.
    pub(super) fn call(&self, servers: usize) -> ActionCall {
        let link = |a: &NodeId, b: &NodeId| vec![server(*a), server(*b)];
        let (name, arguments): (&str, Vec<Value>) = match self {
            Action::Tick(node) => ("Tick", vec![server(*node)]),
            Action::Lead(node) => ("AskToLead", vec![server(*node)]),
            Action::Request(node, value) => ("Request", vec![server(*node), number(*value)]),
            Action::Cut(a, b) => ("Cut", link(a, b)),
            Action::Heal(a, b) => ("Heal", link(a, b)),
            Action::Stop(node) => ("Stop", vec![server(*node)]),
            Action::Boot(node) => ("Boot", vec![server(*node)]),
            Action::Receive(sent) => {
                (sent.body.names().map_or("Receive", |names| names.receive), vec![sent.value(servers)])
            }
            Action::Unknown(text) => (text.split('(').next().unwrap_or_default(), Vec::new()),
        };
        ActionCall::new(name, arguments)
    }
}
