//! Changes of the tree of a JSON document.

use serde_json::{Map, Value, json};

use super::HOSTILE_TEXTS;
use crate::Random;

/// The input with one node of its tree changed; nothing if it is no JSON. Of JSON lines one line is changed.
pub(crate) fn mutate(input: &[u8], donor: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    if let Ok(mut tree) = serde_json::from_slice::<Value>(input) {
        let donor = serde_json::from_slice(donor).unwrap_or(Value::Null);
        return Some(changed(&mut tree, &donor, random));
    }
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let at = random.below(lines.len());
    if random.one_in(4) {
        let other = random.below(lines.len());
        lines.swap(at, other);
        return Some(lines.join(&b'\n'));
    }
    let mut tree = serde_json::from_slice::<Value>(lines[at]).ok()?;
    let donors: Vec<&[u8]> = donor.split(|byte| *byte == b'\n').collect();
    let donor: &[u8] = donors[random.below(donors.len())];
    let donor = serde_json::from_slice(donor).unwrap_or(Value::Null);
    let line = changed(&mut tree, &donor, random);
    lines[at] = &line;
    Some(lines.join(&b'\n'))
}

fn changed(tree: &mut Value, donor: &Value, random: &mut Random) -> Vec<u8> {
    if random.one_in(12) {
        return broken_text(&tree.to_string(), random);
    }
    let mut donor = donor.clone();
    let from = random.below(count(&donor));
    let given = node(&mut donor, from).clone();
    let at = random.below(count(tree));
    change(node(tree, at), given, random);
    serde_json::to_vec(tree).expect("a tree of JSON can be written")
}

/// How many nodes a tree has.
fn count(tree: &Value) -> usize {
    1 + match tree {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// The node of a number, counted from the root down.
fn node(tree: &mut Value, number: usize) -> &mut Value {
    if number == 0 {
        return tree;
    }
    let mut left = number - 1;
    let children: Box<dyn Iterator<Item = &mut Value>> = match tree {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => Box::new(std::iter::empty()),
    };
    for child in children {
        let size = count(child);
        if left < size {
            return node(child, left);
        }
        left -= size;
    }
    unreachable!("the number is below the count of nodes")
}

fn change(node: &mut Value, given: Value, random: &mut Random) {
    if random.one_in(4) {
        *node = if random.one_in(2) { given } else { scalar(random) };
        return;
    }
    match node {
        Value::Array(items) => change_items(items, given, random),
        Value::Object(fields) => change_fields(fields, given, random),
        Value::String(text) => *text = other_text(text, random),
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            *node = match random.below(5) {
                0 => json!(old.wrapping_add(1)),
                1 => json!(old.wrapping_sub(1)),
                2 => json!(old.wrapping_mul(1_000)),
                3 => json!(old as f64 + 0.5),
                _ => json!(old ^ (1 << random.below(63))),
            };
        }
        _ => *node = scalar(random),
    }
}

fn change_items(items: &mut Vec<Value>, given: Value, random: &mut Random) {
    let at = random.below(items.len());
    match random.below(5) {
        0 if !items.is_empty() => {
            items.remove(at);
        }
        1 if !items.is_empty() => {
            let again = vec![items[at].clone(); 1 + random.below(300)];
            items.splice(at..at, again);
        }
        2 if !items.is_empty() => {
            let other = random.below(items.len());
            items.swap(at, other);
        }
        3 => items.clear(),
        _ => items.insert(at, given),
    }
}

fn change_fields(fields: &mut Map<String, Value>, given: Value, random: &mut Random) {
    let names: Vec<String> = fields.keys().cloned().collect();
    let name = names.get(random.below(names.len())).cloned().unwrap_or_default();
    match random.below(4) {
        0 => {
            fields.remove(&name);
        }
        1 => {
            let value = fields.remove(&name).unwrap_or(Value::Null);
            fields.insert(other_text(&name, random), value);
        }
        2 => {
            fields.insert((*random.pick(HOSTILE_TEXTS)).to_owned(), given);
        }
        _ => {
            fields.insert(name, given);
        }
    }
}

fn scalar(random: &mut Random) -> Value {
    match random.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(1e308),
        7 => json!(65_536),
        8 => json!([]),
        9 => json!({}),
        10 => json!("A".repeat(1 + random.below(100_000))),
        _ => json!(random.pick(HOSTILE_TEXTS)),
    }
}

fn other_text(text: &str, random: &mut Random) -> String {
    let places: Vec<usize> = text.char_indices().map(|(index, _)| index).chain([text.len()]).collect();
    let at = *random.pick(&places);
    match random.below(5) {
        0 => text[..at].to_owned(),
        1 => text[at..].to_owned(),
        2 => format!("{}{}{}", &text[..at], random.pick(HOSTILE_TEXTS), &text[at..]),
        3 => (*random.pick(HOSTILE_TEXTS)).to_owned(),
        _ => {
            // Numbers in texts, such as those of nodes and messages in steps.
            let digit = char::from(b'0' + random.below(10) as u8);
            text.chars().map(|c| if c.is_ascii_digit() && random.one_in(2) { digit } else { c }).collect()
        }
    }
}

/// What no tree can be: the same name twice, numbers beyond every type, nesting without end, text after the
/// end.
fn broken_text(text: &str, random: &mut Random) -> Vec<u8> {
    let depth = 1 + random.below(20_000);
    let text = match random.below(6) {
        0 => text.replacen(":{", &format!(":{}", "[".repeat(depth)), 1),
        1 => text.replacen('{', r#"{"format":"other","format":1,"#, 1),
        2 => text.replacen(":1", ":1e400", 1),
        3 => text.replacen(":1", ":-99999999999999999999999", 1),
        4 => format!("{text}{text}"),
        _ => format!("{}{text}{}", "[".repeat(depth), "]".repeat(depth)),
    };
    text.into_bytes()
}
