//! What goes over the wire: calls to a host and its replies, as types. `docs/node-protocol.md` describes
//! them.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use shakedown_cluster::{Fact, Name};

use crate::Value;

/// The version of the protocol that is spoken here.
pub const PROTOCOL: u32 = 1;

/// How frames are written, after the handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// A line of JSON each.
    Json,
    /// MessagePack, with its length before it.
    #[default]
    MsgPack,
}

/// The line that opens a connection.
#[derive(Serialize)]
#[serde(tag = "call", rename = "hello")]
pub(crate) struct Greeting {
    pub protocol: u32,
    pub encoding: Encoding,
}

/// What a host declares of itself.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    #[serde(default)]
    pub protocol: u32,
    /// How it writes frames from now on.
    #[serde(default)]
    pub encoding: Option<Encoding>,
    /// What is under test.
    #[serde(default)]
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// The calls that its nodes want to hear, beside those that every node hears.
    #[serde(default)]
    pub calls: Vec<String>,
    /// The kinds of messages that its nodes send, where it knows them beforehand.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Why it cannot go on.
    #[serde(default)]
    pub error: Option<String>,
}

/// The calls that a host need not hear, in the order of their bits in [`Heard`].
const OPTIONAL_CALLS: [&str; 6] = ["tick", "fire", "request", "flushed", "reconnected", "disconnected"];

/// Which of the optional calls a host hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Heard(u8);

impl Heard {
    pub fn of(calls: &[String]) -> Result<Heard, String> {
        let mut heard = 0;
        for call in calls {
            let place = OPTIONAL_CALLS.iter().position(|known| known == call);
            let place = place.ok_or_else(|| {
                format!(
                    "`calls` names `{}`, which is none of {}",
                    shorten(call, 40),
                    OPTIONAL_CALLS.join(", ")
                )
            })?;
            heard |= 1 << place;
        }
        Ok(Heard(heard))
    }

    pub fn hears(self, call: &str) -> bool {
        OPTIONAL_CALLS.iter().position(|known| *known == call).is_none_or(|place| self.0 >> place & 1 == 1)
    }
}

/// A call of a node. `M` is what a message looks like on the wire, and `R` what a request looks like.
#[derive(Serialize)]
#[serde(tag = "call", rename_all = "lowercase")]
#[expect(missing_docs, reason = "the fields are those of the protocol's page")]
pub enum Call<'a, M, R> {
    Boot {
        seq: u64,
        node: u64,
        id: usize,
        nodes: usize,
        life: u32,
        now: u64,
        seed: String,
        options: BTreeMap<&'a str, &'a str>,
        disk: &'a BTreeMap<String, Value>,
    },
    Receive {
        seq: u64,
        node: u64,
        now: u64,
        from: usize,
        kind: &'a str,
        message: M,
    },
    Tick {
        seq: u64,
        node: u64,
        now: u64,
    },
    Fire {
        seq: u64,
        node: u64,
        now: u64,
        timer: &'a str,
    },
    Request {
        seq: u64,
        node: u64,
        now: u64,
        id: u32,
        request: &'a R,
    },
    Flushed {
        seq: u64,
        node: u64,
        now: u64,
    },
    Reconnected {
        seq: u64,
        node: u64,
        now: u64,
        peer: usize,
    },
    Disconnected {
        seq: u64,
        node: u64,
        now: u64,
        peer: usize,
    },
    Observe {
        seq: u64,
        node: u64,
    },
    Crash {
        seq: u64,
        node: u64,
    },
}

impl<M, R> Call<'_, M, R> {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Call::Boot { .. } => "boot",
            Call::Receive { .. } => "receive",
            Call::Tick { .. } => "tick",
            Call::Fire { .. } => "fire",
            Call::Request { .. } => "request",
            Call::Flushed { .. } => "flushed",
            Call::Reconnected { .. } => "reconnected",
            Call::Disconnected { .. } => "disconnected",
            Call::Observe { .. } => "observe",
            Call::Crash { .. } => "crash",
        }
    }
}

/// What a node did in one call. `M` is what a message looks like on the wire, `P` what changes of the state
/// look like.
#[derive(Deserialize, Debug)]
#[serde(bound = "M: Deserialize<'de>, P: Deserialize<'de>")]
pub struct Reply<M, P> {
    /// The number of the call.
    pub seq: u64,
    /// Messages that were sent.
    #[serde(default = "Vec::new")]
    pub sends: Vec<Sent<M>>,
    /// Answers to clients.
    #[serde(default)]
    pub answers: Vec<Answered>,
    /// What happened inside.
    #[serde(default)]
    pub facts: Vec<ReportedFact>,
    /// Timers that were set and cancelled.
    #[serde(default)]
    pub timers: Vec<TimerChange>,
    /// Writes and flushes.
    #[serde(default)]
    pub disk: Vec<DiskChange>,
    /// What changed of the state.
    #[serde(default = "none")]
    pub state: Option<P>,
    /// Why the node failed.
    #[serde(default)]
    pub panic: Option<Failure>,
}

fn none<T>() -> Option<T> {
    None
}

/// A message that was sent.
#[derive(Deserialize, Debug)]
pub struct Sent<M> {
    /// Whom it is for.
    pub to: usize,
    /// Its kind.
    pub kind: String,
    /// Its contents.
    pub message: M,
    /// A few words on it.
    #[serde(default)]
    pub text: Option<String>,
}

/// An answer to a client.
#[derive(Deserialize, Debug)]
pub struct Answered {
    /// The number of the request.
    pub id: u32,
    /// The answer.
    #[serde(default)]
    pub answer: Value,
}

/// Something that happened inside a node.
#[derive(Deserialize, Debug)]
pub struct ReportedFact {
    /// What happened.
    pub name: String,
    /// The particulars, in order.
    #[serde(default)]
    pub fields: Pairs<Value>,
}

impl ReportedFact {
    /// The fact, with names for all time.
    pub fn read(self) -> Result<Fact, String> {
        let name_of = |what: &str, text: &str| {
            Name::intern(text).map_err(|error| format!("the name of {what} is bad: {error}"))
        };
        let mut read = Fact::new(name_of("a fact", &self.name)?.as_str());
        for (field, value) in self.fields.0 {
            let field = name_of("a field of a fact", &field)?.as_str();
            read = match value {
                Value::Integer(number) => read.with(field, number),
                Value::Large(number) => read.with(field, number),
                Value::Truth(truth) => read.with(field, truth),
                Value::Text(text) => read.with(field, text),
                other => {
                    return Err(format!(
                        "the field `{field}` of a fact is {}",
                        shorten(&other.to_string(), 60)
                    ));
                }
            };
        }
        Ok(read)
    }
}

/// A timer that is set, or cancelled.
#[derive(Deserialize, Debug)]
pub struct TimerChange {
    /// The timer that is set.
    #[serde(default)]
    pub set: Option<String>,
    /// To how many ticks.
    #[serde(default)]
    pub ticks: u64,
    /// The timer that is cancelled.
    #[serde(default)]
    pub cancel: Option<String>,
}

/// One write, or a flush.
#[derive(Deserialize, Debug)]
pub struct DiskChange {
    /// What is written, by key.
    #[serde(default)]
    pub put: Pairs<Value>,
    /// The keys that are deleted.
    #[serde(default)]
    pub delete: Vec<String>,
    /// Whether this is a flush.
    #[serde(default)]
    pub flush: bool,
}

/// Why a node failed.
#[derive(Deserialize, Debug)]
pub struct Failure {
    /// What happened.
    #[serde(default)]
    pub message: String,
    /// Where.
    #[serde(default)]
    pub place: String,
}

/// A map in the order in which it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs<T>(pub Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Pairs<T> {
        Pairs(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs<T>, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
    type Value = Pairs<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

/// The beginning of a text, with three dots if there is more of it.
pub(crate) fn shorten(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
