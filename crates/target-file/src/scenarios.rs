//! Scenarios as text: filters and properties in a small language of their own.
//!
//! The text is turned into the conditions, actions, filters and machines of `shakedown-scenario`, so a
//! scenario means the same as one in Rust. Nothing here interprets anything. `docs/target-scenarios.md` has
//! the grammar.
//!
//! - `tokens`: words, numbers, texts and signs, each with its place;
//! - `names`: what a scenario declares and what it refers to;
//! - `operand`: numbers, texts and fields of messages and facts that are compared;
//! - `condition`, `action`, `reader`: the grammar.

mod action;
mod condition;
mod names;
mod operand;
mod reader;
mod tokens;

use shakedown_cluster::{Message, Value};
use shakedown_scenario::Scenario;

use reader::Reader;

/// The largest text, in bytes.
const TEXT_MAX: usize = 1 << 20;

/// How a text reaches into the messages of a target.
pub struct Contents<M> {
    /// The value at a path of fields; nothing if there is none, or if it is a list or a map.
    pub field: fn(&M, &[&'static str]) -> Option<Value>,
    /// Puts a value at a path of fields.
    pub change: fn(&mut M, &[&'static str], &Value),
}

impl<M> Clone for Contents<M> {
    fn clone(&self) -> Contents<M> {
        *self
    }
}

impl<M> Copy for Contents<M> {}

/// Where a text is no scenario, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct BadScenarioText {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// What is wrong.
    pub reason: String,
}

/// The scenarios of a text, each of which begins with `scenario NAME`.
pub fn read_scenarios<M: Message>(
    text: &str,
    contents: Contents<M>,
) -> Result<Vec<Scenario<M>>, BadScenarioText> {
    let mut reader = Reader::new(text, contents)?;
    let mut scenarios: Vec<Scenario<M>> = Vec::new();
    while !reader.is_at_end() {
        let place = reader.place();
        let scenario = reader.named_scenario()?;
        if scenarios.iter().any(|known| known.name() == scenario.name()) {
            return Err(place.error(format!("there are two scenarios `{}`", scenario.name())));
        }
        scenarios.push(scenario);
    }
    Ok(scenarios)
}

/// The scenario of a text that is all one scenario of this name.
pub(crate) fn read_scenario<M: Message>(
    name: &str,
    text: &str,
    contents: Contents<M>,
) -> Result<Scenario<M>, BadScenarioText> {
    Reader::new(text, contents)?.only_scenario(name)
}
