//! Reading TLA+ values as Rust ones. Each function is told `what` the value is, for the error.

use shakedown_tla::Value;
use shakedown_tla::walk::ActionCall;

use super::Misread;

/// The argument of an action at this place, counted from 0.
pub fn argument(call: &ActionCall, place: usize) -> Result<&Value, Misread> {
    let argument = call.arguments.get(place);
    argument.ok_or_else(|| Misread::new(call.name.as_str(), "an action with its arguments", call))
}

/// A number.
pub fn number(what: &str, value: &Value) -> Result<u64, Misread> {
    let number = value.as_int().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| Misread::new(what, "a natural number", value))
}

/// A truth value.
pub fn truth(what: &str, value: &Value) -> Result<bool, Misread> {
    value.as_bool().ok_or_else(|| Misread::new(what, "a truth value", value))
}

/// A string.
pub fn text<'a>(what: &str, value: &'a Value) -> Result<&'a str, Misread> {
    match value {
        Value::Str(text) => Ok(text.as_str()),
        _ => Err(Misread::new(what, "a string", value)),
    }
}

/// The elements of a sequence, or of a function whose domain is `1..n`.
pub fn sequence<'a>(what: &str, value: &'a Value) -> Result<&'a [Value], Misread> {
    match value {
        Value::Tuple(tuple) => Ok(tuple.items()),
        _ => Err(Misread::new(what, "a sequence", value)),
    }
}

/// The elements of a finite set.
pub fn set(what: &str, value: &Value) -> Result<Vec<Value>, Misread> {
    match value {
        Value::Set(set) => Ok(set.items().to_vec()),
        Value::Interval(low, high) => Ok((*low..=*high).map(|n| Value::Int(i64::from(n))).collect()),
        _ => Err(Misread::new(what, "a set", value)),
    }
}

/// A field of a record.
pub fn field<'a>(value: &'a Value, name: &'static str) -> Result<&'a Value, Misread> {
    value.field(name).ok_or_else(|| Misread::new(name, "a field", value))
}
