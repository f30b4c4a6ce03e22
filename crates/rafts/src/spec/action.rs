//! The actions of a specification of Raft.

use shakedown_cluster::NodeId;
use shakedown_conform::compare::{Misread, read};
use shakedown_conform::{ActionCall, Value};

use super::{Sent, values};

/// An action with its arguments; `C` is the contents of a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action<C> {
    /// A server's time is up, and it runs for leader.
    Campaign(NodeId),
    /// A leader sends its heartbeats.
    Heartbeat(NodeId),
    /// A message is handled; specifications have an action for each kind.
    Handle(Sent<C>),
    /// A client asks a leader to append a value.
    Request(NodeId, u64),
    /// A leader is asked to add a server.
    Add(NodeId, NodeId),
    /// A leader is asked to remove a server.
    Remove(NodeId, NodeId),
    /// A server takes a snapshot and compacts its log.
    Compact(NodeId),
    /// A server stops.
    Crash(NodeId),
    /// A server comes back.
    Restart(NodeId),
    /// A message is lost.
    Lose(Sent<C>),
    /// A message is doubled.
    Repeat(Sent<C>),
    /// An action that the implementation does not have.
    Unknown(String),
}

/// The names of actions, as far as specifications differ in them.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "each is the name of the action of that name")]
pub struct ActionNames {
    pub heartbeat: &'static str,
    pub request: &'static str,
    pub crash: &'static str,
    pub restart: &'static str,
}

impl<C> Action<C> {
    /// Whether the action is the implementation's own, and not the environment's.
    pub fn is_own(&self) -> bool {
        matches!(self, Action::Campaign(_) | Action::Heartbeat(_) | Action::Handle(_) | Action::Unknown(_))
    }

    /// Reads a call of the specification; `sent` reads a message.
    pub(super) fn read(
        call: &ActionCall,
        names: &ActionNames,
        sent: impl Fn(&Value) -> Result<Sent<C>, Misread>,
    ) -> Result<Action<C>, Misread> {
        let argument = |place| read::argument(call, place);
        let node = || values::node(argument(0)?);
        let sent = || sent(argument(0)?);
        Ok(match call.name.as_str() {
            "Campaign" => Action::Campaign(node()?),
            name if name == names.heartbeat => Action::Heartbeat(node()?),
            name if name.starts_with("Handle") => Action::Handle(sent()?),
            name if name == names.request => Action::Request(node()?, read::number("a value", argument(1)?)?),
            "Change" => {
                let whom = values::node(argument(2)?)?;
                match read::text("a change", argument(1)?)? {
                    "add" => Action::Add(node()?, whom),
                    _ => Action::Remove(node()?, whom),
                }
            }
            "Compact" => Action::Compact(node()?),
            name if name == names.crash => Action::Crash(node()?),
            name if name == names.restart => Action::Restart(node()?),
            "Lose" => Action::Lose(sent()?),
            "Repeat" => Action::Repeat(sent()?),
            _ => Action::Unknown(call.to_string()),
        })
    }

    /// The call of the specification; `message` gives the value of a message, `handler` the action that
    /// handles it.
    pub(super) fn call(
        &self,
        names: &ActionNames,
        handler: impl Fn(&C) -> &'static str,
        message: impl Fn(&Sent<C>) -> Value,
    ) -> ActionCall {
        let server = |node: &NodeId| Value::Int(node.number() as i64);
        let change = |node, change, whom| ("Change", vec![server(node), Value::string(change), server(whom)]);
        let (name, arguments) = match self {
            Action::Campaign(node) => ("Campaign", vec![server(node)]),
            Action::Heartbeat(node) => (names.heartbeat, vec![server(node)]),
            Action::Handle(sent) => (handler(&sent.contents), vec![message(sent)]),
            Action::Request(node, value) => (names.request, vec![server(node), Value::Int(*value as i64)]),
            Action::Add(node, whom) => change(node, "add", whom),
            Action::Remove(node, whom) => change(node, "remove", whom),
            Action::Compact(node) => ("Compact", vec![server(node)]),
            Action::Crash(node) => (names.crash, vec![server(node)]),
            Action::Restart(node) => (names.restart, vec![server(node)]),
            Action::Lose(sent) => ("Lose", vec![message(sent)]),
            Action::Repeat(sent) => ("Repeat", vec![message(sent)]),
            Action::Unknown(text) => (text.split('(').next().unwrap_or_default(), Vec::new()),
        };
        ActionCall::new(name, arguments)
    }
}
