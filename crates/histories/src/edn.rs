//! Histories in Clojure's data notation, as Jepsen writes them (`history.edn`): a list of maps, or one map
//! after the other.

use crate::History;
use crate::record::{Item, ReadError, Recorder, Sink};
use crate::transactions::Transactions;

/// What ends a number, a word or a keyword.
const ENDS: &[u8] = b" \t\r\n,;()[]{}\"";
/// The deepest nesting of a record.
const DEPTH_MAX: usize = 64;

/// Reads a history of transactions.
pub fn read(text: &str) -> Result<History, ReadError> {
    read_into::<Transactions>(text)
}

/// Reads one value; nothing may follow it.
pub(crate) fn item(text: &str) -> Result<Item, ReadError> {
    let mut parser = Parser { bytes: text.as_bytes(), at: 0, line: 1 };
    let item = parser.item(0)?;
    parser.skip_space()?;
    match parser.peek() {
        None => Ok(item),
        Some(_) => Err(parser.wrong("something follows the value")),
    }
}

pub(crate) fn read_into<S: Sink>(text: &str) -> Result<S::History, ReadError> {
    let mut parser = Parser { bytes: text.as_bytes(), at: 0, line: 1 };
    let mut recorder = Recorder::<S>::default();
    let mut is_in_list = None;
    loop {
        parser.skip_space()?;
        match parser.peek() {
            None if is_in_list.is_some() => return Err(parser.wrong("the list of records does not end")),
            None => return recorder.finish(),
            Some(b'[' | b'(') if is_in_list.is_none() && recorder_is_new(&parser) => {
                is_in_list = Some(if parser.next() == Some(b'[') { b']' } else { b')' });
            }
            Some(byte) if Some(byte) == is_in_list => {
                parser.next();
                parser.skip_space()?;
                return match parser.peek() {
                    None => recorder.finish(),
                    Some(_) => Err(parser.wrong("something follows the list of records")),
                };
            }
            Some(_) => {
                let line = parser.line;
                let mut record = parser.item(0).map_err(|error| match parser.peek() {
                    Some(_) => error,
                    None => ReadError { line, message: "the text ends within this record".to_owned() },
                })?;
                recorder.take(&mut record, line)?;
            }
        }
    }
}

/// Whether nothing but space came before.
fn recorder_is_new(parser: &Parser<'_>) -> bool {
    !parser.bytes[..parser.at].contains(&b'{')
}

struct Parser<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    fn wrong(&self, message: impl Into<String>) -> ReadError {
        ReadError { line: self.line, message: message.into() }
    }

    /// Skips space, commas, comments, and what is marked to be skipped.
    fn skip_space(&mut self) -> Result<(), ReadError> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' => drop(self.next()),
                b';' => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.next();
                    }
                }
                b'#' if self.bytes.get(self.at + 1) == Some(&b'_') => {
                    self.at += 2;
                    self.item(0)?;
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn item(&mut self, depth: usize) -> Result<Item, ReadError> {
        if depth > DEPTH_MAX {
            return Err(self.wrong(format!("records nest at most {DEPTH_MAX} deep")));
        }
        self.skip_space()?;
        match self.peek() {
            None => Err(self.wrong("the text ends within a record")),
            Some(b'[') => self.items(b']', depth).map(Item::List),
            Some(b'(') => self.items(b')', depth).map(Item::List),
            Some(b'{') => self.map(depth),
            Some(b'"') => self.text(),
            Some(b'#') => {
                self.next();
                if self.peek() == Some(b'{') {
                    return self.items(b'}', depth).map(Item::List);
                }
                // A tag, such as #jepsen.history.Op, and what it stands before.
                self.word();
                self.item(depth + 1)
            }
            Some(b':') => {
                self.next();
                match self.word() {
                    word if word.is_empty() => Err(self.wrong("a colon without a keyword")),
                    word => Ok(Item::Word(word)),
                }
            }
            Some(b'0'..=b'9') if let Some(number) = self.small_number() => Ok(Item::Number(number)),
            Some(byte) => match self.word() {
                word if word.is_empty() => {
                    Err(self.wrong(format!("`{}` begins nothing", char::from(byte).escape_default())))
                }
                word => Ok(scalar(word)),
            },
        }
    }

    /// A plain number of a few digits, which most of a history consists of; nothing is read if it is anything
    /// else.
    fn small_number(&mut self) -> Option<i64> {
        let digits = self.bytes[self.at..].iter().take(18).take_while(|byte| byte.is_ascii_digit()).count();
        let after = self.bytes.get(self.at + digits).copied().unwrap_or(b' ');
        if !ENDS.contains(&after) {
            return None;
        }
        let digit = |number: i64, byte: &u8| number * 10 + i64::from(byte - b'0');
        let number = self.bytes[self.at..self.at + digits].iter().fold(0, digit);
        self.at += digits;
        Some(number)
    }

    fn items(&mut self, end: u8, depth: usize) -> Result<Vec<Item>, ReadError> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some(end) {
                self.next();
                return Ok(items);
            }
            items.push(self.item(depth + 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Item, ReadError> {
        let items = self.items(b'}', depth)?;
        if items.len() % 2 != 0 {
            return Err(self.wrong("a map has a key without a value"));
        }
        let mut items = items.into_iter();
        let mut fields = Vec::with_capacity(items.len() / 2);
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            fields.push((key, value));
        }
        Ok(Item::Map(fields))
    }

    fn text(&mut self) -> Result<Item, ReadError> {
        self.next();
        let mut bytes = Vec::new();
        loop {
            match self.next() {
                None => return Err(self.wrong("a text does not end")),
                Some(b'"') => break,
                Some(b'\\') => match self.next() {
                    Some(b'n') => bytes.push(b'\n'),
                    Some(b't') => bytes.push(b'\t'),
                    Some(b'r') => bytes.push(b'\r'),
                    Some(byte) => bytes.push(byte),
                    None => return Err(self.wrong("a text does not end")),
                },
                Some(byte) => bytes.push(byte),
            }
        }
        Ok(Item::Text(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Everything up to the next space, bracket or quotation mark.
    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|byte| !ENDS.contains(&byte)) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned()
    }
}

fn scalar(word: String) -> Item {
    match word.as_str() {
        "nil" => Item::Nil,
        "true" => Item::Truth(true),
        "false" => Item::Truth(false),
        text => match text.strip_suffix('N').unwrap_or(text).parse() {
            Ok(number) => Item::Number(number),
            Err(_) if text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') => {
                Item::OtherNumber(word)
            }
            Err(_) => Item::Word(word),
        },
    }
}
