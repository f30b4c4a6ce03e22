//! Patterns: what a line of a trace knows of a value.
//!
//! A pattern is JSON. It is compared with a value of the specification, and the type of the value decides how
//! it is read: an array is a sequence where the value is one, and a set where the value is a set; a text is a
//! string or a model value; the keys of an object are fields of a record or arguments of a function. What an
//! object does not mention was not seen.

use std::fmt;

use serde_json::Value as Json;
use shakedown_tla::Value;
use shakedown_tla::value::SetIter;

/// The largest set that is listed to compare it.
const SET_SIZE_MAX: usize = 1 << 16;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// `null`: nothing.
    Any,
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A string, or a model value of this name.
    Text(String),
    /// `{"#model": "name"}`: a model value.
    Model(String),
    /// An array: all elements of a sequence, in order, or all elements of a set.
    List(Vec<Pattern>),
    /// An object: some fields of a record, some arguments of a function, some places of a sequence.
    Parts(Vec<(String, Pattern)>),
    /// `{"#set": […]}`: all elements of a set.
    Set(Vec<Pattern>),
    /// `{"#includes": […]}`: some elements of a set.
    Includes(Vec<Pattern>),
    /// `{"#excludes": […]}`: what is not in a set.
    Excludes(Vec<Pattern>),
    /// `{"#map": [[argument, value], …]}`: a whole function.
    Map(Vec<(Pattern, Pattern)>),
}

/// Where a value is not as a pattern says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The variable, and the place in it.
    pub place: String,
    /// What the trace says.
    pub trace: String,
    /// What the specification has there; nothing if it has no such place.
    pub specification: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specification {
            Some(value) => write!(f, "{} is {value}, the trace says {}", self.place, self.trace),
            None => write!(f, "there is no {}, the trace says {}", self.place, self.trace),
        }
    }
}

impl Pattern {
    /// The pattern that JSON stands for, or what is wrong with it.
    pub fn of(json: &Json) -> Result<Pattern, String> {
        let all = |items: &Vec<Json>| items.iter().map(Pattern::of).collect::<Result<Vec<_>, _>>();
        Ok(match json {
            Json::Null => Pattern::Any,
            Json::Bool(b) => Pattern::Bool(*b),
            Json::Number(n) => {
                Pattern::Int(n.as_i64().ok_or_else(|| format!("{n} is no integer of 64 bits"))?)
            }
            Json::String(text) => Pattern::Text(text.clone()),
            Json::Array(items) => Pattern::List(all(items)?),
            Json::Object(fields) => {
                let special = fields.iter().find(|(key, _)| key.starts_with('#'));
                match special {
                    None => Pattern::Parts(
                        fields
                            .iter()
                            .map(|(key, part)| Ok((key.clone(), Pattern::of(part)?)))
                            .collect::<Result<_, String>>()?,
                    ),
                    Some((key, _)) if fields.len() > 1 => {
                        return Err(format!("an object with `{key}` has no other keys"));
                    }
                    Some((key, inner)) => match (key.as_str(), inner) {
                        ("#model", Json::String(name)) => Pattern::Model(name.clone()),
                        ("#set", Json::Array(items)) => Pattern::Set(all(items)?),
                        ("#includes", Json::Array(items)) => Pattern::Includes(all(items)?),
                        ("#excludes", Json::Array(items)) => Pattern::Excludes(all(items)?),
                        ("#map", Json::Array(items)) => Pattern::Map(pairs(items)?),
                        _ => {
                            return Err(format!(
                                "`{key}` is not known: there are #model with a name, and #set, #includes, #excludes \
                                 and #map with arrays"
                            ));
                        }
                    },
                }
            }
        })
    }

    /// Whether a value is as the pattern says.
    pub fn matches(&self, value: &Value) -> bool {
        match (self, value) {
            (Pattern::Any, _) => true,
            (Pattern::Bool(known), Value::Bool(b)) => known == b,
            (Pattern::Int(known), Value::Int(n)) => known == n,
            (Pattern::Text(known), Value::Str(text) | Value::Model(text)) => known == text.as_str(),
            (Pattern::Model(known), Value::Model(name)) => known == name.as_str(),
            (Pattern::List(items), Value::Tuple(tuple)) => {
                let values = tuple.items();
                items.len() == values.len()
                    && items.iter().zip(values).all(|(item, value)| item.matches(value))
            }
            (Pattern::Parts(parts), Value::Tuple(_) | Value::Function(_)) => {
                parts.iter().all(|(key, part)| at_key(value, key).is_some_and(|value| part.matches(value)))
            }
            (Pattern::Map(pairs), Value::Tuple(_) | Value::Function(_)) => {
                let values = value.pairs();
                pairs.len() == values.len()
                    && pairs.iter().all(|(argument, part)| {
                        values.iter().any(|(key, value)| argument.matches(key) && part.matches(value))
                    })
            }
            (Pattern::List(items) | Pattern::Set(items), set) if set.is_set() => {
                elements(set).is_some_and(|values| is_set_of(items, &values))
            }
            (Pattern::Includes(items), set) if set.is_set() => elements(set).is_some_and(|values| {
                items.iter().all(|item| values.iter().any(|value| item.matches(value)))
            }),
            (Pattern::Excludes(items), set) if set.is_set() => elements(set).is_some_and(|values| {
                !items.iter().any(|item| values.iter().any(|value| item.matches(value)))
            }),
            _ => false,
        }
    }

    /// The first place where a value is not as the pattern says.
    pub fn difference(&self, value: &Value, place: &str) -> Option<Difference> {
        if self.matches(value) {
            return None;
        }
        match (self, value) {
            (Pattern::Parts(parts), Value::Tuple(_) | Value::Function(_)) => {
                parts.iter().find_map(|(key, part)| {
                    let place = format!("{place}[{key}]");
                    match at_key(value, key) {
                        Some(value) => part.difference(value, &place),
                        None => Some(Difference { place, trace: part.to_string(), specification: None }),
                    }
                })
            }
            (Pattern::List(items), Value::Tuple(tuple)) if items.len() == tuple.items().len() => (1..)
                .zip(items.iter().zip(tuple.items()))
                .find_map(|(number, (item, value))| item.difference(value, &format!("{place}[{number}]"))),
            _ => Some(Difference {
                place: place.to_owned(),
                trace: self.to_string(),
                specification: Some(value.to_string()),
            }),
        }
    }
}

fn pairs(items: &[Json]) -> Result<Vec<(Pattern, Pattern)>, String> {
    let pair = |item: &Json| match item.as_array().map(Vec::as_slice) {
        Some([argument, value]) => Ok((Pattern::of(argument)?, Pattern::of(value)?)),
        _ => Err("an entry of #map is a pair, [argument, value]".to_owned()),
    };
    items.iter().map(pair).collect()
}

/// The elements of a set, unless there are too many.
fn elements(set: &Value) -> Option<Vec<Value>> {
    if set.cardinality()? > SET_SIZE_MAX as u128 {
        return None;
    }
    SetIter::new(set).ok().map(Iterator::collect)
}

/// Whether these are all elements: as many, each of them one of these and each of these one of them.
fn is_set_of(items: &[Pattern], values: &[Value]) -> bool {
    items.len() == values.len()
        && items.iter().all(|item| values.iter().any(|value| item.matches(value)))
        && values.iter().all(|value| items.iter().any(|item| item.matches(value)))
}

/// The value of a function or record at what a key stands for.
fn at_key<'v>(function: &'v Value, key: &str) -> Option<&'v Value> {
    match function {
        Value::Tuple(tuple) => {
            key.parse::<usize>().ok()?.checked_sub(1).and_then(|place| tuple.items().get(place))
        }
        Value::Function(function) => {
            let place = function.domain().items().iter().position(|argument| is_key(argument, key))?;
            function.values().get(place)
        }
        _ => None,
    }
}

/// Whether a key stands for an argument: itself for numbers, strings and model values, otherwise as TLA+
/// writes it.
fn is_key(argument: &Value, key: &str) -> bool {
    match argument {
        Value::Int(n) => key.parse() == Ok(*n),
        Value::Str(text) | Value::Model(text) => text.as_str() == key,
        other => other.to_string() == key,
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, open: &str, items: &[Pattern], close: &str| {
            f.write_str(open)?;
            for (number, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if number > 0 { ", " } else { "" })?;
            }
            f.write_str(close)
        };
        match self {
            Pattern::Any => f.write_str("_"),
            Pattern::Bool(b) => f.write_str(if *b { "TRUE" } else { "FALSE" }),
            Pattern::Int(n) => write!(f, "{n}"),
            Pattern::Text(text) => write!(f, "{text:?}"),
            Pattern::Model(name) => f.write_str(name),
            Pattern::List(items) => list(f, "<<", items, ">>"),
            Pattern::Set(items) => list(f, "{", items, "}"),
            Pattern::Includes(items) => list(f, "a set with {", items, "}"),
            Pattern::Excludes(items) => list(f, "a set without {", items, "}"),
            Pattern::Parts(parts) => {
                f.write_str("[")?;
                for (number, (key, part)) in parts.iter().enumerate() {
                    write!(f, "{}{key} |-> {part}", if number > 0 { ", " } else { "" })?;
                }
                f.write_str(if parts.is_empty() { "…]" } else { ", …]" })
            }
            Pattern::Map(pairs) => {
                for (number, (argument, value)) in pairs.iter().enumerate() {
                    write!(f, "{}{argument} :> {value}", if number > 0 { " @@ " } else { "" })?;
                }
                if pairs.is_empty() { f.write_str("<<>>") } else { Ok(()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(json: Json) -> Value {
        Value::from_json(&json).expect("it is a value")
    }

    #[test]
    fn a_pattern_is_read_as_the_value_beside_it_asks_for() {
        let servers = value(
            json!({"#map": [[1, {"role": "leader", "log": [5, 6]}], [2, {"role": "follower", "log": []}]]}),
        );
        let set = value(json!({"#set": [1, {"#model": "s1"}, "text"]}));
        let grid = value(json!({"#map": [[[1, 2], true], [[2, 1], false]]}));
        let cases = [
            (json!(null), &servers, true),
            (json!({}), &servers, true),
            (json!({"1": {"role": "leader"}}), &servers, true),
            (json!({"1": {"role": "follower"}}), &servers, false),
            (json!({"3": null}), &servers, false),
            (json!({"2": {"log": []}}), &servers, true),
            (json!({"1": {"log": [5, null]}}), &servers, true),
            (json!({"1": {"log": [5]}}), &servers, false),
            (json!({"1": {"log": {"2": 6}}}), &servers, true),
            (json!({"1": {"log": {"3": 6}}}), &servers, false),
            (json!({"#map": [[1, {"role": "leader"}], [2, null]]}), &servers, true),
            (json!({"#map": [[1, null]]}), &servers, false),
            (json!(["s1", 1, "text"]), &set, true),
            (json!({"#set": [1, "text", {"#model": "s1"}]}), &set, true),
            (json!([1, "text"]), &set, false),
            (json!([1, 1, 1]), &set, false),
            (json!([1, "text", {"#model": "text"}]), &set, false),
            (json!({"#includes": ["s1"]}), &set, true),
            (json!({"#includes": ["s2"]}), &set, false),
            (json!({"#excludes": ["s2", 2]}), &set, true),
            (json!({"#excludes": ["s2", 1]}), &set, false),
            (json!({"<<1, 2>>": true}), &grid, true),
            (json!({"<<2, 1>>": true}), &grid, false),
            (json!(true), &set, false),
        ];
        for (json, value, fits) in cases {
            let pattern = Pattern::of(&json).expect("it is a pattern");
            assert_eq!(pattern.matches(value), fits, "{json} and {value}");
            assert_eq!(pattern.difference(value, "x").is_none(), fits, "{json} and {value}");
        }
    }

    #[test]
    fn a_difference_is_told_where_it_is() {
        let logs = value(json!([[{"term": 1}], [{"term": 1}, {"term": 2}]]));
        let cases = [
            (json!({"2": [null, {"term": 3}]}), "log[2][2][term] is 2, the trace says 3"),
            (json!({"2": [null]}), "log[2] is <<[term |-> 1], [term |-> 2]>>, the trace says <<_>>"),
            (json!({"3": []}), "there is no log[3], the trace says <<>>"),
        ];
        for (json, expected) in cases {
            let difference = Pattern::of(&json).expect("it is a pattern").difference(&logs, "log");
            assert_eq!(difference.expect("they differ").to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_a_reason() {
        for (json, reason) in [
            (json!(1.5), "1.5 is no integer of 64 bits"),
            (json!({"#set": [1], "more": 1}), "an object with `#set` has no other keys"),
            (json!({"#sett": [1]}), "`#sett` is not known"),
            (json!({"#map": [[1]]}), "an entry of #map is a pair"),
        ] {
            let error = Pattern::of(&json).expect_err("it is none");
            assert!(error.contains(reason), "{error}");
        }
    }
}
