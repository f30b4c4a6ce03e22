//! Numbers, texts and fields of messages and facts that are compared.

use std::borrow::Cow;

use shakedown_cluster::{Message, Value};
use shakedown_scenario::{EventView, Memory};

use super::Contents;

/// Something that has a value at an event, or has none.
#[derive(Clone)]
pub(super) enum Operand {
    Exactly(Value),
    /// `message.term`
    Message(Vec<&'static str>),
    /// `fact.term`
    Fact(&'static str),
    /// `recorded.first.term`
    Recorded(&'static str, Vec<&'static str>),
    /// `noted.term`
    Noted(&'static str),
    Node,
    From,
    To,
    /// Another one, and a number that is added to it.
    Sum(Box<Operand>, i64),
}

impl Operand {
    /// Its value, if it has one.
    pub fn value<M: Message>(
        &self,
        event: &EventView<'_, M>,
        memory: &Memory<M>,
        contents: Contents<M>,
    ) -> Option<Value> {
        match self {
            Operand::Recorded(name, path) => (contents.field)(memory.recorded(name)?, path),
            Operand::Noted(name) => memory.number(name).map(Value::Number),
            Operand::Sum(operand, more) => sum(operand.value(event, memory, contents)?, *more),
            other => other.of_event(event, contents),
        }
    }
}

impl Operand {
    /// The value of one that no memory is needed for.
    pub fn of_event<M: Message>(&self, event: &EventView<'_, M>, contents: Contents<M>) -> Option<Value> {
        match self {
            Operand::Exactly(value) => Some(value.clone()),
            Operand::Message(path) => (contents.field)(event.message()?, path),
            Operand::Fact(field) => event.fact()?.get(field).cloned(),
            Operand::Node => Some(event.node().into()),
            Operand::From => event.from().map(Value::from),
            Operand::To => event.to().map(Value::from),
            Operand::Recorded(..) | Operand::Noted(_) => None,
            Operand::Sum(operand, more) => sum(operand.of_event(event, contents)?, *more),
        }
    }
}

impl Operand {
    /// The value where only the contents of the message and the memory are at hand.
    pub fn of_contents<M: Message>(
        &self,
        message: &M,
        memory: &Memory<M>,
        contents: Contents<M>,
    ) -> Option<Value> {
        match self {
            Operand::Exactly(value) => Some(value.clone()),
            Operand::Message(path) => (contents.field)(message, path),
            Operand::Recorded(name, path) => (contents.field)(memory.recorded(name)?, path),
            Operand::Noted(name) => memory.number(name).map(Value::Number),
            Operand::Sum(operand, more) => sum(operand.of_contents(message, memory, contents)?, *more),
            Operand::Fact(_) | Operand::Node | Operand::From | Operand::To => None,
        }
    }

    /// The operand as it is written.
    pub fn shown(&self) -> String {
        match self {
            Operand::Exactly(value) => value.to_string(),
            Operand::Message(path) => format!("message.{}", path.join(".")),
            Operand::Fact(field) => format!("fact.{field}"),
            Operand::Recorded(name, path) => format!("recorded.{name}.{}", path.join(".")),
            Operand::Noted(name) => format!("noted.{name}"),
            Operand::Node => "node".to_owned(),
            Operand::From => "from".to_owned(),
            Operand::To => "to".to_owned(),
            Operand::Sum(operand, more) => format!("{} + {more}", operand.shown()),
        }
    }
}

fn sum(value: Value, more: i64) -> Option<Value> {
    match value {
        Value::Number(number) => Some(Value::Number(number.wrapping_add(more))),
        _ => None,
    }
}

/// How two values compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    Different,
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Comparison {
    pub fn of(sign: &str) -> Option<Comparison> {
        Some(match sign {
            "=" => Comparison::Equal,
            "!=" => Comparison::Different,
            "<" => Comparison::Below,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Above,
            ">=" => Comparison::AtLeast,
            _ => return None,
        })
    }

    /// Whether it holds. Only numbers have an order; what has no value compares with nothing.
    pub fn holds(self, left: Option<&Value>, right: Option<&Value>) -> bool {
        let (Some(left), Some(right)) = (left, right) else { return false };
        let order = match (left, right) {
            (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
            _ => None,
        };
        match self {
            Comparison::Equal => left == right,
            Comparison::Different => left != right,
            Comparison::Below => order.is_some_and(|order| order.is_lt()),
            Comparison::AtMost => order.is_some_and(|order| order.is_le()),
            Comparison::Above => order.is_some_and(|order| order.is_gt()),
            Comparison::AtLeast => order.is_some_and(|order| order.is_ge()),
        }
    }
}

/// A word as a value: `true` and `false` are truth values.
pub(super) fn word_value(word: &'static str) -> Value {
    match word {
        "true" => Value::Truth(true),
        "false" => Value::Truth(false),
        word => Value::Text(Cow::Borrowed(word)),
    }
}
