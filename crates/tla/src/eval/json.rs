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
        let Some(text) = (self.outside.files)(path.as_str()) else {
            return fail(place, format!("file {path} cannot be read"));
        };
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
