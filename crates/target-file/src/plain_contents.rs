//! How texts of scenarios reach into messages whose contents are plain values.

use shakedown_cluster::Value as FactValue;
use shakedown_remote::{PlainMessage, Value};

use crate::path::get;
use crate::scenarios::Contents;

/// Messages of target files.
pub(crate) const PLAIN: Contents<PlainMessage> = Contents { field, change };

fn field(message: &PlainMessage, path: &[&'static str]) -> Option<FactValue> {
    Some(match get(message.contents(), path.iter().copied())? {
        Value::Integer(number) => FactValue::Number(*number),
        Value::Truth(truth) => FactValue::Truth(*truth),
        Value::Text(text) => FactValue::from(text.clone()),
        Value::Null => FactValue::from("null"),
        _ => return None,
    })
}

fn change(message: &mut PlainMessage, path: &[&'static str], value: &FactValue) {
    let value = match value {
        FactValue::Number(number) => Value::Integer(*number),
        FactValue::Truth(truth) => Value::Truth(*truth),
        FactValue::Text(text) => Value::Text(text.clone().into_owned()),
    };
    let mut contents = message.contents().clone();
    if let Some(part) = part_of(&mut contents, path) {
        *part = value;
    }
    message.set_contents(contents);
}

/// The part of a value at a path; a field that is missing is added.
fn part_of<'v>(value: &'v mut Value, path: &[&'static str]) -> Option<&'v mut Value> {
    let Some((first, rest)) = path.split_first() else { return Some(value) };
    let part = match value {
        Value::List(values) => values.get_mut(first.parse::<usize>().ok()?)?,
        Value::Map(fields) => {
            let place = fields.iter().position(|(name, _)| name == first).unwrap_or_else(|| {
                fields.push(((*first).to_owned(), Value::Null));
                fields.len() - 1
            });
            &mut fields[place].1
        }
        _ => return None,
    };
    part_of(part, rest)
}
