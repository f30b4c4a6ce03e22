//! What an implementation declares to be compared with a specification of Raft.

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hash;

use shakedown_cluster::NodeId;
use shakedown_conform::Value;
use shakedown_conform::compare::{Meaning, Misread, Variables};

use super::{Action, ActionNames, Sent, ServerView};
use crate::RaftState;

/// The servers, messages and requests of an implementation, and what they are in its specification.
pub trait SpecDialect: 'static {
    /// What can be seen of a node.
    type State: RaftState;
    /// The mapped variables of a server.
    type Server: ServerView;
    /// The contents of a message, as far as they are compared.
    type Contents: Clone + Ord + Hash + Debug + Send + Sync + 'static;

    /// The names of actions in the specification.
    const NAMES: ActionNames;
    /// How many ticks it takes a server to campaign. Where it is more than one, a tick that changes no term
    /// is no action.
    const CAMPAIGN_TICKS: usize;

    /// The mapped variables of a server that is up, of a state of the specification with a number of servers.
    fn spec_server(variables: &Variables, node: NodeId, servers: usize) -> Result<Self::Server, Misread>;
    /// The same of the implementation; nothing where the node does not show them.
    fn server(state: &Self::State) -> Option<Self::Server>;

    /// The contents of a message of the specification, in a cluster with a number of servers.
    fn spec_contents(message: &Value, servers: usize) -> Result<Self::Contents, Misread>;
    /// The same of the implementation; nothing for a message of another protocol.
    fn contents(contents: &dyn Any) -> Option<Self::Contents>;
    /// The message of the specification, for one that is not in its network and will be refused: it may leave
    /// things out.
    fn message_value(sent: &Sent<Self::Contents>) -> Value;
    /// The action of the specification that handles a message.
    fn handler(contents: &Self::Contents) -> &'static str;
    /// A message in a few words.
    fn describe(sent: &Sent<Self::Contents>) -> String;

    /// Whether a server in this state campaigns when its time is up.
    fn campaigns(_node: NodeId, _state: &Self::State) -> bool {
        true
    }
    /// The meaning of a request to a node in this state, in a cluster with a number of servers.
    fn request(
        node: NodeId,
        op: &str,
        state: &Self::State,
        servers: usize,
    ) -> Meaning<Action<Self::Contents>>;
    /// The request, as JSON, that does an action: `Request`, `Add`, `Remove` or `Compact`.
    fn request_of(action: &Action<Self::Contents>) -> Result<String, String>;
}
