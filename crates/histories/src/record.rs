//! Records of what clients did, line by line, and how they become a history.

use rustc_hash::FxHashMap;

use crate::Outcome;

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
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Item {
    /// Nothing.
    #[default]
    Nil,
    /// True or false.
    Truth(bool),
    /// A whole number.
    Number(i64),
    /// Another number, as it was written.
    OtherNumber(String),
    /// A text.
    Text(String),
    /// A keyword or a symbol, without its colon.
    Word(String),
    /// A list, a vector or a set.
    List(Vec<Item>),
    /// A map, in the order in which it was written.
    Map(Vec<(Item, Item)>),
}

impl Item {
    /// The text of a text or a word.
    pub fn text(&self) -> Option<&str> {
        match self {
            Item::Text(text) | Item::Word(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&Item> {
        let Item::Map(fields) = self else { return None };
        fields.iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
    }

    /// The fields of a map; none of anything else.
    pub(crate) fn fields(&self) -> &[(Item, Item)] {
        match self {
            Item::Map(fields) => fields,
            _ => &[],
        }
    }

    /// The whole number that it is.
    pub fn number(&self) -> Option<i64> {
        match self {
            Item::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Item]> {
        match self {
            Item::List(items) => Some(items),
            _ => None,
        }
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
    time: Option<i64>,
    line: usize,
    f: Option<String>,
    value: Item,
}

/// An operation that is over, or will never be.
pub(crate) struct Done {
    /// The process, numbered in the order in which processes ended something.
    pub process: u32,
    /// The process as it was recorded.
    pub client: i64,
    pub f: Option<String>,
    pub outcome: Outcome,
    /// Positions in the recorded history.
    pub began: u32,
    pub ended: Option<u32>,
    /// Times as they were recorded.
    pub times: (Option<i64>, Option<i64>),
    /// What was asked, if it was recorded, and what the record at the end holds.
    pub asked: Item,
    pub answered: Item,
    /// The line of its last record.
    pub line: usize,
}

/// What records are put together for.
pub(crate) trait Sink: Default {
    type History;

    /// Whether operations of this name are known; the error names those that are.
    fn knows(&self, f: &str) -> Result<(), String>;

    fn push(&mut self, done: Done) -> Result<(), String>;

    fn finish(self) -> Self::History;
}

/// Puts records together: what began and how it ended.
#[derive(Default)]
pub(crate) struct Recorder<S> {
    begun: FxHashMap<i64, Begun>,
    processes: FxHashMap<i64, u32>,
    sink: S,
    position: u32,
    time: i64,
}

/// The most records of a history.
const RECORDS_MAX: u32 = u32::MAX - 2;

impl<S: Sink> Recorder<S> {
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
        let f = record.field("f").and_then(Item::text);
        if let Some(f) = f {
            self.sink.knows(f).map_err(wrong)?;
        }
        let f = f.filter(|f| *f != "txn").map(str::to_owned);
        let time = record.field("time").and_then(Item::number);
        self.advance(time).map_err(wrong)?;
        let kind = record.field("type").and_then(Item::text).map(str::to_owned);
        let value = take_value(record);
        let outcome = match kind.as_deref() {
            Some("invoke") => {
                return self.begin(process, Begun { position: self.position, time, line, f, value });
            }
            Some("ok") => Outcome::Ok,
            Some("fail") => Outcome::Fail,
            Some("info") => Outcome::Info,
            Some(other) => return Err(wrong(format!("`{other}` is no type: invoke, ok, fail or info"))),
            None => return Err(wrong("the record has no type".to_owned())),
        };
        // Without a beginning, it may have begun at any time.
        let begun = self.begun.remove(&process).unwrap_or(Begun {
            position: 0,
            time: None,
            line,
            f: None,
            value: Item::Nil,
        });
        let done = Done {
            process: self.number(process),
            client: process,
            f: f.or(begun.f),
            outcome,
            began: begun.position,
            ended: (outcome != Outcome::Info).then_some(self.position),
            times: (begun.time, time),
            asked: begun.value,
            answered: value,
            line,
        };
        self.sink.push(done).map_err(wrong)
    }

    /// Counts a record, and looks at its time.
    fn advance(&mut self, time: Option<i64>) -> Result<(), String> {
        if let Some(time) = time {
            if time < self.time {
                return Err(format!("the clock goes back: {time} after {}", self.time));
            }
            self.time = time;
        }
        if self.position >= RECORDS_MAX {
            return Err(format!("a history has at most {RECORDS_MAX} records"));
        }
        self.position += 1;
        Ok(())
    }

    fn begin(&mut self, process: i64, begun: Begun) -> Result<(), ReadError> {
        let line = begun.line;
        match self.begun.insert(process, begun) {
            None => Ok(()),
            Some(before) => Err(ReadError {
                line,
                message: format!(
                    "process {process} begins an operation, but the one of line {} has not ended",
                    before.line
                ),
            }),
        }
    }

    fn number(&mut self, process: i64) -> u32 {
        let next = self.processes.len() as u32;
        *self.processes.entry(process).or_insert(next)
    }

    /// The history of everything that was taken in. What never ended may have happened.
    pub fn finish(mut self) -> Result<S::History, ReadError> {
        let mut open: Vec<(i64, Begun)> = self.begun.drain().collect();
        open.sort_by_key(|(_, begun)| begun.position);
        for (process, begun) in open {
            let line = begun.line;
            let done = Done {
                process: self.number(process),
                client: process,
                f: begun.f,
                outcome: Outcome::Info,
                began: begun.position,
                ended: None,
                times: (begun.time, None),
                asked: begun.value,
                answered: Item::Nil,
                line,
            };
            self.sink.push(done).map_err(|message| ReadError { line, message })?;
        }
        Ok(self.sink.finish())
    }
}

fn take_value(record: &mut Item) -> Item {
    let Item::Map(fields) = record else { return Item::Nil };
    let value = fields.iter_mut().find(|(key, _)| key.text() == Some("value"));
    value.map_or(Item::Nil, |(_, value)| std::mem::replace(value, Item::Nil))
}
