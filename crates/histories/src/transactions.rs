//! Records of transactions as a history.

use crate::record::{Done, Item, Sink};
use crate::{Element, History, HistoryBuilder, Outcome};

/// Makes a history of transactions.
#[derive(Default)]
pub(crate) struct Transactions {
    builder: HistoryBuilder,
    list: Vec<Element>,
}

impl Sink for Transactions {
    type History = History;

    fn knows(&self, f: &str) -> Result<(), String> {
        match f {
            "txn" => Ok(()),
            _ => Err(format!(
                "the operation `{f}` is unknown: a transaction is a `txn`; operations on an object need a model such as `linearizable:register`"
            )),
        }
    }

    fn push(&mut self, done: Done) -> Result<(), String> {
        // What a transaction that did not succeed was to do is in what began it.
        let is_known = done.outcome == Outcome::Ok && done.answered != Item::Nil || done.asked == Item::Nil;
        let value = if is_known { done.answered } else { done.asked };
        let Item::List(ops) = value else {
            return Err(format!("{} is no list of operations", value.shown()));
        };
        self.builder.transaction(done.process, done.outcome, done.began, done.ended);
        ops.iter().try_for_each(|op| add_op(&mut self.builder, op, &mut self.list))
    }

    fn finish(self) -> History {
        self.builder.finish()
    }
}

pub(crate) fn add_op(builder: &mut HistoryBuilder, op: &Item, list: &mut Vec<Element>) -> Result<(), String> {
    let Item::List(parts) = op else { return Err(format!("{} is no operation", op.shown())) };
    let nothing = Item::Nil;
    let (f, key, value) = match parts.as_slice() {
        [f, key, value] => (f, key, value),
        // What a read is to return is not known when it begins.
        [f, key] if f.text() == Some("r") => (f, key, &nothing),
        _ => {
            return Err(format!("{} is no operation: it has a name, a key and a value", op.shown()));
        }
    };
    let name = key_name(key)?;
    let key = builder.key(&name);
    match f.text() {
        Some("append") => {
            let element = element(builder, value)?;
            builder.append(key, element);
        }
        Some("w") => {
            let element = element(builder, value)?;
            builder.write(key, element);
        }
        Some("r") => match value {
            Item::Nil => builder.read(key, None),
            Item::List(items) => {
                list.clear();
                for item in items {
                    list.push(element(builder, item)?);
                }
                builder.read(key, Some(list));
            }
            value => {
                let element = element(builder, value)?;
                builder.read_value(key, element);
            }
        },
        _ => return Err(format!("the operation {} is unknown: append, w or r", f.shown())),
    }
    Ok(())
}

fn key_name(key: &Item) -> Result<String, String> {
    match key {
        Item::Map(_) | Item::List(_) | Item::Nil => Err(format!("{} is no key", key.shown())),
        key => Ok(key.shown()),
    }
}

fn element(builder: &mut HistoryBuilder, item: &Item) -> Result<Element, String> {
    match item {
        Item::Number(number) => Ok(builder.number(*number)),
        Item::OtherNumber(text) | Item::Text(text) | Item::Word(text) => Ok(builder.element(text)),
        other => Err(format!("{} is no element", other.shown())),
    }
}
