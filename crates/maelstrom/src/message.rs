//! What nodes send: JSON objects with a sender, a receiver and a body.

use std::hash::{Hash, Hasher};

use serde_json::{Value, json};
use shakedown_cluster::{Message, Name, NodeId};

use crate::services::ServiceName;

/// The kind of a message whose type is no word that a kind may be.
const OTHER: &str = "message";

/// Whom a message is for or comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Party {
    Node(NodeId),
    /// The client of the request of this number, counted from 1; 0 is the client that sends `init` and
    /// `topology`.
    Client(u32),
    Service(ServiceName),
}

impl Party {
    /// Reads a name, in a cluster of this number of nodes.
    pub fn read(name: &str, nodes: usize) -> Option<Party> {
        if let Some(service) = ServiceName::of(name) {
            return Some(Party::Service(service));
        }
        if let Some(client) = name.strip_prefix('c') {
            return client.parse().ok().map(Party::Client);
        }
        NodeId::first(nodes).find(|node| node.to_string() == name).map(Party::Node)
    }
}

/// A message on the network. One to or from a service travels on the link of a node to itself.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) kind: Name,
    /// The service that it is for or comes from.
    pub(crate) service: Option<ServiceName>,
    /// Whether a service sent it.
    pub(crate) is_reply: bool,
    pub(crate) body: Value,
}

impl Envelope {
    /// A message between nodes.
    pub(crate) fn between_nodes(body: Value) -> Envelope {
        Envelope { kind: kind_of(&body, None), service: None, is_reply: false, body }
    }

    /// A message to a service, or from it.
    pub(crate) fn of_service(service: ServiceName, is_reply: bool, body: Value) -> Envelope {
        Envelope { kind: kind_of(&body, Some(service)), service: Some(service), is_reply, body }
    }
}

/// The type of a body as the kind of a message; those of services begin with the name of the service.
fn kind_of(body: &Value, service: Option<ServiceName>) -> Name {
    let text = body.get("type").and_then(Value::as_str).unwrap_or(OTHER);
    let name = match service {
        Some(service) => Name::intern(&format!("{}.{text}", service.text())),
        None => Name::intern(text),
    };
    name.unwrap_or(Name::new(OTHER))
}

impl Message for Envelope {
    fn kind(&self) -> &'static str {
        self.kind.as_str()
    }

    fn describe(&self) -> String {
        self.body.to_string()
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.body.to_string().hash(hasher);
    }
}

/// A line for a node.
pub(crate) fn line(from: &str, to: NodeId, body: &Value) -> String {
    json!({ "src": from, "dest": to.to_string(), "body": body }).to_string()
}
