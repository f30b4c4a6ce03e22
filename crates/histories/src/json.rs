//! Histories as JSON lines: a record a line, such as
//! `{"process": 0, "type": "ok", "f": "txn", "value": [["append", "x", 1], ["r", "y", [1, 2]]]}`.

use serde_json::Value;

use crate::record::{Item, ReadError, Recorder, Sink};
use crate::transactions::{Transactions, add_op};
use crate::{History, HistoryBuilder};

/// Reads a history of transactions. Empty lines are skipped.
pub fn read(text: &str) -> Result<History, ReadError> {
    read_into::<Transactions>(text)
}

pub(crate) fn read_into<S: Sink>(text: &str) -> Result<S::History, ReadError> {
    let mut recorder = Recorder::<S>::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(line)
            .map_err(|error| ReadError { line: number, message: format!("no JSON: {error}") })?;
        recorder.take(&mut item(value), number)?;
    }
    recorder.finish()
}

/// Adds the operations of the transaction that was begun last: a list such as `[["append", "x", 1], ["r",
/// "y", [1, 2]]]`. The error says what is wrong with them.
pub fn add_ops(builder: &mut HistoryBuilder, ops: Value) -> Result<(), String> {
    match item(ops) {
        Item::List(ops) => ops.iter().try_for_each(|op| add_op(builder, op, &mut Vec::new())),
        other => Err(format!("{} is no list of operations", other.shown())),
    }
}

/// The name and the value of a client's request: a list is a transaction, `{"f": "write", "value": 1}` and
/// `{"write": 1}` are a write of 1, and `"read"` is a read. Nothing if it has no name.
pub fn operation(request: Value) -> Option<(String, Value)> {
    match request {
        Value::Array(_) => Some(("txn".to_owned(), request)),
        Value::String(name) => Some((name, Value::Null)),
        Value::Object(mut fields) => match fields.get("f").and_then(Value::as_str).map(str::to_owned) {
            Some(name) => Some((name, fields.remove("value").unwrap_or_default())),
            None if fields.len() == 1 => fields.into_iter().next(),
            None => None,
        },
        _ => None,
    }
}

/// A value of a record.
pub fn item(value: Value) -> Item {
    match value {
        Value::Null => Item::Nil,
        Value::Bool(truth) => Item::Truth(truth),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Item::Number(number),
            None => Item::OtherNumber(number.to_string()),
        },
        Value::String(text) => Item::Text(text),
        Value::Array(items) => Item::List(items.into_iter().map(item).collect()),
        Value::Object(fields) => {
            Item::Map(fields.into_iter().map(|(name, value)| (Item::Text(name), item(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn requests_have_a_name_and_a_value() {
        for (request, f, value) in [
            (json!([["append", 1, 5]]), "txn", json!([["append", 1, 5]])),
            (json!({ "write": 1 }), "write", json!(1)),
            (json!({ "f": "cas", "value": [1, 2] }), "cas", json!([1, 2])),
            (json!("read"), "read", Value::Null),
        ] {
            assert_eq!(operation(request), Some((f.to_owned(), value)));
        }
        assert_eq!(operation(json!({ "key": 1, "value": 2 })), None);
        assert_eq!(operation(json!(7)), None);
    }
}
