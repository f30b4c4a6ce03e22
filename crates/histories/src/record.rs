//! Records of what clients did, line by line, and how they become a history.

use rustc_hash::FxHashMap;

use crate::{Element, History, HistoryBuilder, Outcome};

/// Why a history cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A value of a record, whatever it was written in.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    Nil,
    Truth(bool),
    Number(i64),
    /// A number that is none of the above, as it was written.
    OtherNumber(String),
    Text(String),
    /// A keyword or a symbol, without its colon.
    Word(String),
    List(Vec<Item>),
    Map(Vec<(Item, Item)>),
}

impl Item {
    /// The text of a text or a word.
    fn text(&self) -> Option<&str> {
        match self {
            Item::Text(text) | Item::Word(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a field.
    fn field(&self, name: &str) -> Option<&Item> {
        let Item::Map(fields) = self else { return None };
        fields.iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
    }

    /// The item as people write it.
    pub fn shown(&self) -> String {
        match self {
            Item::Nil => "nil".to_owned(),
            Item::Truth(truth) => truth.to_string(),
            Item::Number(number) => number.to_string(),
            Item::OtherNumber(text) | Item::Text(text) | Item::Word(text) => text.clone(),
            Item::List(items) => {
                let items: Vec<String> = items.iter().take(4).map(Item::shown).collect();
                format!("[{}]", items.join(" "))
            }
            Item::Map(_) => "{…}".to_owned(),
        }
    }
}

/// What a client has begun and not ended.
struct Begun {
    /// When it began.
    position: u32,
    line: usize,
    value: Item,
}

/// Puts records together: what began and how it ended.
#[derive(Default)]
pub(crate) struct Recorder {
    begun: FxHashMap<i64, Begun>,
    processes: FxHashMap<i64, u32>,
    builder: HistoryBuilder,
    list: Vec<Element>,
    position: u32,
    time: i64,
}

/// The most records of a history.
const RECORDS_MAX: u32 = u32::MAX - 2;

impl Recorder {
    /// Takes in a record. Those of processes that are no clients, such as a nemesis, are skipped.
    pub fn take(&mut self, record: &mut Item, line: usize) -> Result<(), ReadError> {
        let wrong = |message: String| ReadError { line, message };
        if !matches!(record, Item::Map(_)) {
            return Err(wrong(format!("{} is no record: records are maps", record.shown())));
        }
        let process = match record.field("process") {
            Some(Item::Number(process)) => *process,
            Some(Item::Word(_) | Item::Text(_)) => return Ok(()),
            Some(other) => return Err(wrong(format!("{} is no process", other.shown()))),
            None => return Err(wrong("the record has no process".to_owned())),
        };
        if let Some(f) = record.field("f").and_then(Item::text)
            && f != "txn"
        {
            return Err(wrong(format!("the operation `{f}` is unknown: only `txn` is checked")));
        }
        if let Some(Item::Number(time)) = record.field("time") {
            if *time < self.time {
                return Err(wrong(format!("the clock goes back: {time} after {}", self.time)));
            }
            self.time = *time;
        }
        let kind = record.field("type").and_then(Item::text).map(str::to_owned);
        let value = take_value(record);
        if self.position >= RECORDS_MAX {
            return Err(wrong(format!("a history has at most {RECORDS_MAX} records")));
        }
        self.position += 1;
        let outcome = match kind.as_deref() {
            Some("invoke") => {
                let begun = Begun { position: self.position, line, value };
                if let Some(before) = self.begun.insert(process, begun) {
                    return Err(wrong(format!(
                        "process {process} begins an operation, but the one of line {} has not ended",
                        before.line
                    )));
                }
                return Ok(());
            }
            Some("ok") => Outcome::Ok,
            Some("fail") => Outcome::Fail,
            Some("info") => Outcome::Info,
            Some(other) => return Err(wrong(format!("`{other}` is no type: invoke, ok, fail or info"))),
            None => return Err(wrong("the record has no type".to_owned())),
        };
        let begun = self.begun.remove(&process);
        let ended = (outcome != Outcome::Info).then_some(self.position);
        let (began, value) = match begun {
            // What an operation that did not succeed was to do is in what began it.
            Some(begun) if outcome != Outcome::Ok || value == Item::Nil => (begun.position, begun.value),
            Some(begun) => (begun.position, value),
            // Without a beginning, it may have begun at any time.
            None => (0, value),
        };
        self.push(process, outcome, began, ended, &value).map_err(wrong)
    }

    fn push(
        &mut self,
        process: i64,
        outcome: Outcome,
        began: u32,
        ended: Option<u32>,
        value: &Item,
    ) -> Result<(), String> {
        let next = self.processes.len() as u32;
        let process = *self.processes.entry(process).or_insert(next);
        let Item::List(ops) = value else {
            return Err(format!("{} is no list of operations", value.shown()));
        };
        self.builder.transaction(process, outcome, began, ended);
        ops.iter().try_for_each(|op| add_op(&mut self.builder, op, &mut self.list))
    }

    /// The history of everything that was taken in. What never ended may have happened.
    pub fn finish(mut self) -> Result<History, ReadError> {
        let mut open: Vec<(i64, Begun)> = self.begun.drain().collect();
        open.sort_by_key(|(_, begun)| begun.position);
        for (process, begun) in open {
            self.push(process, Outcome::Info, begun.position, None, &begun.value)
                .map_err(|message| ReadError { line: begun.line, message })?;
        }
        Ok(self.builder.finish())
    }
}

fn take_value(record: &mut Item) -> Item {
    let Item::Map(fields) = record else { return Item::Nil };
    let value = fields.iter_mut().find(|(key, _)| key.text() == Some("value"));
    value.map_or(Item::Nil, |(_, value)| std::mem::replace(value, Item::Nil))
}

pub(crate) fn add_op(builder: &mut HistoryBuilder, op: &Item, list: &mut Vec<Element>) -> Result<(), String> {
    let Item::List(parts) = op else { return Err(format!("{} is no operation", op.shown())) };
    let [f, key, value] = parts.as_slice() else {
        return Err(format!("{} is no operation: it has a name, a key and a value", op.shown()));
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
