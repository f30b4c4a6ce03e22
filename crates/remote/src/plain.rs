//! The vocabulary of protocols that this program knows nothing of: messages, requests and states are plain
//! values.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use serde::{Serialize, Serializer};
use shakedown_cluster::{Message, Name};

use crate::frame::{Pairs, shorten};
use crate::packed::{Contents, change_fields};
use crate::{Packed, Value, Vocabulary};

/// The longest text that a message has in diagrams, in characters.
const DESCRIPTION_MAX: usize = 200;

/// Messages, requests and states as plain values.
pub struct Plain;

impl Vocabulary for Plain {
    type Message = PlainMessage;
    type Contents = Value;
    type Request = Value;
    type State = PlainState;
    type Changes = Pairs<Value>;

    fn read_message(kind: &str, contents: Value, text: Option<String>) -> Result<PlainMessage, String> {
        let kind = Name::intern(kind).map_err(|error| error.to_string())?;
        Ok(PlainMessage { kind, contents: Contents::Value(contents), text: text.map(Rc::from) })
    }

    fn contents(message: &PlainMessage) -> Value {
        message.contents().clone()
    }

    fn change(state: &mut PlainState, changes: Pairs<Value>) -> Result<(), String> {
        for (name, value) in changes.0 {
            match value {
                Value::Null => drop(state.0.remove(&name)),
                value => drop(state.0.insert(name, value)),
            }
        }
        Ok(())
    }
}

/// A message of a kind that its sender named.
#[derive(Clone, PartialEq, Debug)]
pub struct PlainMessage {
    kind: Name,
    contents: Contents,
    text: Option<Rc<str>>,
}

impl PlainMessage {
    /// A message whose contents stay packed until they are looked at.
    pub fn packed(kind: Name, contents: Packed, text: Option<Rc<str>>) -> PlainMessage {
        PlainMessage { kind, contents: Contents::Packed(contents), text }
    }

    /// What is in it.
    pub fn contents(&self) -> &Value {
        self.contents.value()
    }

    /// What its sender says of it in a few words.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// What is in it, as MessagePack, if it came so.
    pub fn as_packed(&self) -> Option<&[u8]> {
        match &self.contents {
            Contents::Packed(packed) => Some(packed.bytes()),
            Contents::Value(_) => None,
        }
    }

    /// Puts other contents in; the words for the former ones go.
    pub fn set_contents(&mut self, contents: Value) {
        (self.contents, self.text) = (Contents::Value(contents), None);
    }
}

impl Message for PlainMessage {
    fn kind(&self) -> &'static str {
        self.kind.as_str()
    }

    fn describe(&self) -> String {
        match (&self.text, self.contents()) {
            (Some(text), _) => text.to_string(),
            (None, Value::Map(fields)) => {
                let parts: Vec<_> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
                shorten(&parts.join(" "), DESCRIPTION_MAX)
            }
            (None, Value::Null) => String::new(),
            (None, value) => shorten(&value.to_string(), DESCRIPTION_MAX),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.kind.hash(hasher);
        self.contents.hash(hasher);
    }

    fn encode(&self) -> Option<String> {
        serde_json::to_string(&(self.kind.as_str(), self.contents())).ok()
    }

    fn decode(text: &str) -> Result<PlainMessage, String> {
        let (kind, contents): (String, Value) =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        Plain::read_message(&kind, contents, None)
    }
}

/// A state of named fields.
#[derive(Clone, PartialEq, Default)]
pub struct PlainState(BTreeMap<String, Value>);

impl PlainState {
    /// The value of a field.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    /// Takes in fields that changed, a map as MessagePack; whether anything is different now. Null takes a
    /// field away.
    pub fn change_packed(&mut self, fields: &[u8]) -> Result<bool, String> {
        change_fields(&mut self.0, fields)
    }

    /// Every field, by name.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Hash for PlainState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Serialize for PlainState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl fmt::Debug for PlainState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (name, value)) in self.0.iter().enumerate() {
            let gap = if number > 0 { " " } else { "" };
            match value {
                Value::Text(text) => write!(f, "{gap}{name} {text}")?,
                value => write!(f, "{gap}{name} {value}")?,
            }
        }
        Ok(())
    }
}
