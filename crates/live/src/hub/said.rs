//! What servers and this program say to each other: a line of JSON each. `docs/live-library.md` describes
//! them.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use shakedown_remote::{Bytes, Pairs, ReportedFact, Value};

/// The version of the protocol.
pub(crate) const PROTOCOL: u32 = 1;

/// What a server says.
#[derive(Deserialize, Debug)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Said {
    /// Who it is: the first line of a connection.
    Hello { protocol: u32, token: String, node: usize },
    /// From now on it takes what it is given; also what clients ask, or not.
    Ready {
        #[serde(default)]
        requests: bool,
    },
    /// A message for another server.
    Send {
        to: usize,
        kind: String,
        #[serde(default)]
        fields: Pairs<Value>,
        #[serde(default)]
        payload: Bytes,
        #[serde(default)]
        text: Option<String>,
    },
    /// Something happened inside.
    Event {
        #[serde(flatten)]
        event: ReportedFact,
    },
    /// These fields of the state have changed.
    State { fields: Pairs<Value> },
    /// A timer is set.
    Timer { id: u64, name: String, ms: u64 },
    /// A timer is cleared.
    Clear { name: String },
    /// An action waits for permission.
    Action {
        id: u64,
        #[serde(flatten)]
        action: ReportedFact,
    },
    /// A request is answered.
    Answer {
        id: u32,
        #[serde(default)]
        answer: Value,
    },
    /// What was given under this number has been dealt with.
    Done { seq: u64 },
}

impl Said {
    pub fn read(line: &[u8]) -> Result<Said, String> {
        serde_json::from_slice(line).map_err(|error| error.to_string())
    }
}

/// What a server is given.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Given<'a> {
    /// The answer to a hello.
    Welcome { protocol: u32, node: usize, nodes: usize, life: u32, seed: String },
    /// Why the connection is closed.
    Error { reason: &'a str },
    /// The execution is over, and the connection is closed.
    End,
    /// A message.
    Deliver { seq: u64, from: usize, kind: &'a str, fields: &'a Value, payload: &'a Bytes },
    /// A client asks something.
    Request { seq: u64, id: u32, request: &'a Json },
    /// A timer goes off.
    Fire { seq: u64, id: u64, name: &'a str },
    /// An action may be done.
    Permit { seq: u64, id: u64 },
}
