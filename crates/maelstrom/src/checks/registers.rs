//! The key-value store of the workload `lin-kv`, one register for each key.

use std::fmt;

use serde_json::Value;
use shakedown_check::{Doubt, Model, Understood};
use shakedown_cluster::RequestInfo;

use super::{Became, asked};

/// The error of a key that was never written.
const NO_KEY: u64 = 20;

/// See the module's text.
pub(super) struct Registers;

/// What clients ask. Keys and values are the texts of JSON values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    Read(u64),
    Write(u64, String),
    Cas(u64, String, String),
}

/// What they are answered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Answer {
    /// The value of a key; nothing if there is no such key.
    Value(Option<String>),
    Done,
}

impl Op {
    fn key(&self) -> u64 {
        match self {
            Op::Read(key) | Op::Write(key, _) | Op::Cas(key, ..) => *key,
        }
    }
}

impl Model for Registers {
    /// The value of each key, in the order of keys.
    type State = Vec<(u64, String)>;
    type Op = Op;
    type Answer = Answer;

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn step(&self, state: &Self::State, op: &Op, answer: Option<&Answer>) -> Option<Self::State> {
        let place = state.binary_search_by_key(&op.key(), |(key, _)| *key);
        let value = place.ok().map(|at| &state[at].1);
        let with = |value: &String| {
            let mut state = state.clone();
            match place {
                Ok(at) => state[at].1.clone_from(value),
                Err(at) => state.insert(at, (op.key(), value.clone())),
            }
            Some(state)
        };
        match (op, answer) {
            (Op::Read(_), Some(Answer::Value(read))) if read.as_ref() != value => None,
            (Op::Read(_), _) => Some(state.clone()),
            (Op::Write(_, new), _) => with(new),
            (Op::Cas(_, from, to), _) if value == Some(from) => with(to),
            // It was not answered, so it may have failed.
            (Op::Cas(..), None) => Some(state.clone()),
            (Op::Cas(..), Some(_)) => None,
        }
    }

    fn only_looks(&self, op: &Op, _answer: &Answer) -> bool {
        matches!(op, Op::Read(_))
    }

    fn keys(&self, op: &Op) -> Option<Vec<u64>> {
        Some(vec![op.key()])
    }
}

/// Reads a request and its answer. What was refused with a definite error did not happen and is left out, but
/// for a read of a key that does not exist: that shows that nothing was written.
pub(super) fn understand(request: &RequestInfo) -> Result<Understood<Registers>, Doubt> {
    let body = asked(request);
    let unknown = || Doubt::Unknown(format!("`{}` is no request of lin-kv", request.op));
    let key = body["key"].as_u64().ok_or_else(unknown)?;
    let text = |name: &str| body[name].to_string();
    let op = match body["type"].as_str() {
        Some("read") => Op::Read(key),
        Some("write") => Op::Write(key, text("value")),
        Some("cas") => Op::Cas(key, text("from"), text("to")),
        _ => return Err(unknown()),
    };
    Ok(match (Became::of(request), &op) {
        (Became::Done(answer), Op::Read(_)) => match answer.get("value") {
            Some(Value::Null) => Some((op, Some(Answer::Value(None)))),
            Some(value) => Some((op, Some(Answer::Value(Some(value.to_string()))))),
            None => {
                let text = format!("{} answered a read with {answer}, which has no `value`", request.node);
                return Err(Doubt::Violated(text));
            }
        },
        (Became::Done(_), _) => Some((op, Some(Answer::Done))),
        (Became::Refused(NO_KEY), Op::Read(_)) => Some((op, Some(Answer::Value(None)))),
        (Became::Refused(_), _) => None,
        (Became::Unknown, _) => Some((op, None)),
    })
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Read(key) => write!(f, "read {key}"),
            Op::Write(key, value) => write!(f, "write {key}={value}"),
            Op::Cas(key, from, to) => write!(f, "cas {key} {from}→{to}"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Value(Some(value)) => f.write_str(value),
            Answer::Value(None) => f.write_str("no such key"),
            Answer::Done => f.write_str("done"),
        }
    }
}
