//! Reading JSON files through the caller's loader.

use super::Machine;
use crate::compile::builtin::Builtin;
use crate::error::{Place, Result, fail};
use crate::value::Value;

impl Machine {
    pub(super) fn read_json(&mut self, builtin: Builtin, path: &Value, place: Place) -> Result<Value> {
        let Value::Str(path) = path else {
            return fail(place, format!("{} is no path", path.brief()));
        };
        let text = match self.outside.files.read(path.as_str()) {
            Ok(text) => text,
            Err(reason) => return fail(place, reason),
        };
        self.room(json_bytes(&text), place)?;
        let parse = |text: &str| match serde_json::from_str(text) {
            Ok(json) => Value::from_json(&json),
            Err(error) => Err(error.to_string()),
        };
        let value = if builtin == Builtin::JsonDeserialize {
            parse(&text)
        } else {
            text.lines()
                .filter(|l| !l.trim().is_empty())
                .map(parse)
                .collect::<std::result::Result<_, _>>()
                .map(Value::tuple)
        };
        match value {
            Ok(value) => Ok(value),
            Err(message) => fail(place, format!("{path}: {message}")),
        }
    }
}

/// The most that a JSON text takes once it is parsed: a leaf of an object's tree for a brace, room for four
/// elements for a bracket, and an element or a share of a leaf for a comma.
fn json_bytes(text: &str) -> usize {
    text.bytes().fold(text.len(), |bytes, byte| {
        bytes.saturating_add(match byte {
            b'{' => 900,
            b'[' => 200,
            b',' => 180,
            b'\n' => 32,
            _ => 0,
        })
    })
}
