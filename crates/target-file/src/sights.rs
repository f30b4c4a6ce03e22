//! What expressions see: states, requests and messages as values of TLA+.

use shakedown_cluster::{Board, NodeId};
use shakedown_remote::{PlainState, Value};
use shakedown_tla::Value as TlaValue;

/// Stands for what is not there.
pub(crate) fn none() -> TlaValue {
    TlaValue::string("none")
}

/// A node by its number, counted from 1.
pub(crate) fn node_value(node: NodeId) -> TlaValue {
    TlaValue::Int(node.number() as i64)
}

/// The states of all nodes as a function, brought up to date where nodes have run.
#[derive(Default)]
pub(crate) struct States {
    states: Vec<TlaValue>,
    /// How many moments have been looked at.
    known: usize,
}

impl States {
    /// The function from nodes to states.
    pub fn function(&mut self, board: &Board, states: &[PlainState]) -> Result<TlaValue, String> {
        if self.states.is_empty() {
            self.states = states.iter().map(state_value).collect::<Result<_, _>>()?;
        }
        for moment in &board.moments()[self.known..] {
            self.states[moment.node.index()] = state_value(&states[moment.node.index()])?;
        }
        self.known = board.moments().len();
        let pairs =
            NodeId::first(states.len()).map(|node| (node_value(node), self.states[node.index()].clone()));
        Ok(TlaValue::function_from_pairs(pairs.collect()))
    }
}

/// The nodes that run.
pub(crate) fn up_value(board: &Board) -> TlaValue {
    TlaValue::set(board.up().map(node_value).collect())
}

/// What clients asked and were answered.
pub(crate) fn requests_value(board: &Board) -> Result<TlaValue, String> {
    let mut requests = Vec::new();
    for request in board.requests() {
        let answer = request.answer.as_deref().map_or_else(|| Ok(none()), json_value)?;
        requests.push(TlaValue::record([
            ("node", node_value(request.node)),
            ("request", json_value(&request.op)?),
            ("answered", TlaValue::Bool(request.answer.is_some())),
            ("answer", answer),
        ]));
    }
    Ok(TlaValue::tuple(requests))
}

/// A text of JSON as a value.
pub(crate) fn json_value(text: &str) -> Result<TlaValue, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    value_of(&value)
}

/// A state as a record of the fields that it shows.
pub(crate) fn state_value(state: &PlainState) -> Result<TlaValue, String> {
    let fields: Vec<_> =
        state.fields().map(|(name, value)| Ok((name, value_of(value)?))).collect::<Result<_, String>>()?;
    Ok(TlaValue::record(fields))
}

/// A value in the terms of TLA+: lists are sequences, maps are records. Nothing is the string "null".
pub(crate) fn value_of(value: &Value) -> Result<TlaValue, String> {
    Ok(match value {
        Value::Null => TlaValue::string("null"),
        Value::Truth(truth) => TlaValue::Bool(*truth),
        Value::Integer(number) => TlaValue::Int(*number),
        Value::Large(number) => return Err(format!("TLA+ has no number as large as {number} here")),
        Value::Float(number) => return Err(format!("TLA+ has no number like {number}")),
        Value::Text(text) => TlaValue::string(text),
        Value::Bytes(bytes) => {
            TlaValue::tuple(bytes.iter().map(|byte| TlaValue::Int(i64::from(*byte))).collect())
        }
        Value::List(values) => TlaValue::tuple(values.iter().map(value_of).collect::<Result<_, _>>()?),
        Value::Map(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| Ok((name.as_str(), value_of(value)?)))
                .collect::<Result<_, String>>()?;
            TlaValue::record(fields)
        }
    })
}
