//! Facts: what a node reports while it works ("became leader in term 3", "committed entry 7").

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::Serialize;

use crate::{Name, NodeId};

/// A value inside a fact.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A truth value.
    Truth(bool),
    /// A text.
    Text(Cow<'static, str>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Number(number)
    }
}

/// So that a plain `4` is a value: without a suffix, it is an `i32`.
impl From<i32> for Value {
    fn from(number: i32) -> Value {
        Value::Number(number.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value::from(number as u64)
    }
}

/// A node by its number, counted from 1.
impl From<NodeId> for Value {
    fn from(node: NodeId) -> Value {
        Value::from(node.number())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Truth(truth)
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Value {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(Cow::Owned(text))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Truth(truth) => write!(f, "{truth}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// Something that happened inside a node: a name and named values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fact {
    /// What happened.
    #[serde(serialize_with = "as_text")]
    pub name: Name,
    /// The particulars.
    pub fields: Vec<(&'static str, Value)>,
}

fn as_text<S: serde::Serializer>(name: &Name, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_str())
}

impl Fact {
    /// A fact without particulars.
    pub fn new(name: &'static str) -> Fact {
        Fact { name: Name::new(name), fields: Vec::with_capacity(4) }
    }

    /// The fact with one more particular.
    #[must_use]
    pub fn with(mut self, field: &'static str, value: impl Into<Value>) -> Fact {
        self.fields.push((field, value.into()));
        self
    }

    /// The particular of this name.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }
}

/// The values stand for the fact: what they are called follows from its name.
impl Hash for Fact {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        for (_, value) in &self.fields {
            match value {
                Value::Number(number) => state.write_i64(*number),
                Value::Truth(truth) => state.write_u64(u64::from(*truth)),
                Value::Text(text) => text.hash(state),
            }
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        for (field, value) in &self.fields {
            write!(f, " {field}={value}")?;
        }
        Ok(())
    }
}
