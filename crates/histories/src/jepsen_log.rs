//! Histories in the log lines that Jepsen printed before it wrote files:
//! `INFO  jepsen.util - 3 :invoke :cas [1 4]`. All other lines are skipped.

use crate::edn;
use crate::operations::{Operation, Operations};
use crate::record::{Item, ReadError, Recorder};

/// Whether a text is such a log.
pub fn is_log(text: &str) -> bool {
    text.lines().any(|line| fields(line).is_some())
}

/// Reads a history of operations.
pub fn read(text: &str) -> Result<Vec<Operation>, ReadError> {
    let mut recorder = Recorder::<Operations>::default();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((process, rest)) = fields(line) else { continue };
        let (kind, rest) = first_word(rest);
        let (f, value) = first_word(rest);
        let wrong = |message: String| ReadError { line: number, message };
        let process = match process.parse() {
            Ok(process) => Item::Number(process),
            // A nemesis.
            Err(_) if process.starts_with(':') => Item::Word(process.to_owned()),
            Err(_) => return Err(wrong(format!("`{process}` is no process"))),
        };
        let value = match edn::item(value) {
            // What comes after a time-out is a remark about it.
            Ok(Item::Word(_)) | Err(_) if kind != ":ok" => Item::Nil,
            Ok(value) => value,
            Err(error) => return Err(wrong(error.message)),
        };
        let word = |word: &str| Item::Word(word.trim_start_matches(':').to_owned());
        let fields = [("process", process), ("type", word(kind)), ("f", word(f)), ("value", value)];
        let fields = fields.into_iter().map(|(name, value)| (Item::Word(name.to_owned()), value));
        recorder.take(&mut Item::Map(fields.collect()), number)?;
    }
    recorder.finish()
}

/// The process and what follows it, if the line is about an operation.
fn fields(line: &str) -> Option<(&str, &str)> {
    let mut rest = line;
    for word in ["INFO", "jepsen.util", "-"] {
        rest = rest.trim_start().strip_prefix(word)?;
    }
    let (process, rest) = first_word(rest.trim_start());
    rest.starts_with(':').then_some((process, rest))
}

/// The first word, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}
