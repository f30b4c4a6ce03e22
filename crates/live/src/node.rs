//! The types of a live server, as a [`Node`]: a description, never a value. Servers are processes; nothing of
//! them lives here.

use serde_json::{Map, Value as Json};
use shakedown_cluster::{Context, Node, NodeId};
use shakedown_remote::{Pairs, Plain, PlainMessage, PlainState, Value, Vocabulary};

/// A server. There is no value of this type: a cluster of servers is a [`crate::LiveCluster`].
pub enum LiveNode {}

impl Node for LiveNode {
    type Message = PlainMessage;
    type Request = Value;
    type Answer = Value;
    type State = PlainState;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        unreachable!("{} is a process, and is started as one", ctx.id())
    }

    fn receive(&mut self, _from: NodeId, _message: PlainMessage, _ctx: &mut Context<'_, Self>) {
        match *self {}
    }

    fn observe(&self) -> PlainState {
        match *self {}
    }
}

/// A message with what a decoder has read.
pub(crate) fn message(kind: &str, fields: &Map<String, Json>) -> Result<PlainMessage, String> {
    Plain::read_message(kind, value(&Json::Object(fields.clone())), None)
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Truth(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::Integer(number),
            (None, Some(number)) => Value::Large(number),
            (None, None) => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(value).collect()),
        Json::Object(fields) => {
            Value::Map(fields.iter().map(|(name, json)| (name.clone(), value(json))).collect())
        }
    }
}

/// What can be seen of a server from outside: whether it runs, and what it sent last.
pub(crate) fn set(state: &mut PlainState, field: &str, value: Value) {
    // Plain states take every field.
    let _ = Plain::change(state, Pairs(vec![(field.to_owned(), value)]));
}
