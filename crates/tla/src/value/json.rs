//! Values as JSON and back.
//!
//! Numbers, booleans and strings are themselves; a sequence is an array, a record an object. What JSON does
//! not have is an object with one key that no record of a specification has: `{"#set": […]}`,
//! `{"#map": [[argument, value], …]}`, `{"#model": "name"}`. The conversion loses nothing, so what was
//! written can be read back.

use serde_json::{Map, Value as Json, json};

use super::Value;

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 200;

impl Value {
    /// The value as JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Undefined => Json::Null,
            Value::Bool(b) => json!(b),
            Value::Int(n) => json!(n),
            Value::Str(text) => json!(text.as_str()),
            Value::Model(name) => json!({ "#model": name.as_str() }),
            Value::Interval(low, high) => json!({ "#set": (*low..=*high).collect::<Vec<_>>() }),
            Value::Set(set) => json!({ "#set": set.items.iter().map(Value::to_json).collect::<Vec<_>>() }),
            Value::Tuple(tuple) => Json::Array(tuple.items.iter().map(Value::to_json).collect()),
            Value::Function(function) if function.is_record() => record(self, Value::to_json),
            Value::Function(_) => {
                let pairs: Vec<Json> =
                    self.pairs().iter().map(|(a, v)| Json::Array(vec![a.to_json(), v.to_json()])).collect();
                json!({ "#map": pairs })
            }
            Value::Lazy(set) => match set.expanded() {
                Some(set) => set.to_json(),
                None => json!({ "#expression": self.to_string() }),
            },
            Value::Lambda(_) => json!({ "#expression": self.to_string() }),
        }
    }

    /// The value that JSON stands for, or what is wrong with it.
    pub fn from_json(json: &Json) -> Result<Value, String> {
        from_json(json, 0)
    }
}

fn record(value: &Value, convert: impl Fn(&Value) -> Json) -> Json {
    let mut object = Map::new();
    for (name, value) in value.pairs() {
        if let Value::Str(name) = name {
            object.insert(name.to_string(), convert(&value));
        }
    }
    Json::Object(object)
}

/// JSON as module Json of the community writes it: sets are arrays, functions are objects keyed by text.
pub(crate) fn plain_json(value: &Value) -> Json {
    match value {
        Value::Model(name) => json!(name.as_str()),
        Value::Set(set) => Json::Array(set.items.iter().map(plain_json).collect()),
        Value::Tuple(tuple) => Json::Array(tuple.items.iter().map(plain_json).collect()),
        Value::Interval(low, high) => json!((*low..=*high).collect::<Vec<_>>()),
        Value::Function(function) if function.is_record() => record(value, plain_json),
        Value::Function(_) => {
            let mut object = Map::new();
            for (argument, value) in value.pairs() {
                let key = match argument {
                    Value::Str(text) => text.to_string(),
                    other => other.to_string(),
                };
                object.insert(key, plain_json(&value));
            }
            Json::Object(object)
        }
        other => other.to_json(),
    }
}

/// A sequence or a set as an array, as the community's module has it; a function that is no sequence is an
/// object all the same.
pub(crate) fn json_array(value: &Value) -> Option<Json> {
    (value.is_set() || value.is_function()).then(|| plain_json(value))
}

/// A function as an object; the fields of a sequence are counted from 0, as the community's module has it.
pub(crate) fn json_object(value: &Value) -> Option<Json> {
    match value {
        Value::Tuple(tuple) => {
            let fields = tuple.items.iter().enumerate();
            Some(Json::Object(fields.map(|(index, item)| (index.to_string(), plain_json(item))).collect()))
        }
        Value::Function(_) => Some(plain_json(value)),
        _ => None,
    }
}

fn from_json(json: &Json, depth: usize) -> Result<Value, String> {
    if depth > DEPTH_MAX {
        return Err("JSON is nested too deeply".to_string());
    }
    let list =
        |items: &Vec<Json>| items.iter().map(|v| from_json(v, depth + 1)).collect::<Result<Vec<_>, _>>();
    match json {
        Json::Null => Err("null is no TLA+ value".to_string()),
        Json::Bool(b) => Ok(Value::Bool(*b)),
        Json::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(n), _) => Ok(Value::Int(n)),
            // Like TLC, which has no other numbers, what is behind the point is dropped.
            (None, Some(real)) if real.abs() < 9.0e18 => Ok(Value::Int(real as i64)),
            _ => Err(format!("{n} is no integer of 64 bits")),
        },
        Json::String(text) => Ok(Value::string(text)),
        Json::Array(items) => Ok(Value::tuple(list(items)?)),
        Json::Object(object) => {
            if let (1, Some((key, inner))) = (object.len(), object.iter().next()) {
                match (key.as_str(), inner) {
                    ("#set", Json::Array(items)) => return Ok(Value::set(list(items)?)),
                    ("#model", Json::String(name)) => return Ok(Value::Model(crate::Symbol::new(name))),
                    ("#map", Json::Array(items)) => {
                        let mut pairs = Vec::new();
                        for item in items {
                            match item.as_array().map(Vec::as_slice) {
                                Some([argument, value]) => {
                                    pairs.push((
                                        from_json(argument, depth + 1)?,
                                        from_json(value, depth + 1)?,
                                    ));
                                }
                                _ => return Err("an entry of #map is a pair".to_string()),
                            }
                        }
                        return Ok(Value::function_from_pairs(pairs));
                    }
                    _ => {}
                }
            }
            let mut fields = Vec::new();
            for (name, value) in object {
                fields.push((Value::string(name), from_json(value, depth + 1)?));
            }
            Ok(Value::function_from_pairs(fields))
        }
    }
}
