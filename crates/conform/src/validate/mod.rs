//! Trace validation: whether a recorded trace is a behaviour of a specification.
//!
//! A trace is JSON lines from any program: actions as far as they are known, with arguments as far as they
//! are known, and of the states between them whatever was observed. Some actions may be hidden: they happen
//! and leave no line. The [`Validator`] keeps the set of all states of the specification that are compatible
//! with the lines so far. If it becomes empty, the [`Refusal`] says at which line, in which states the
//! specification was there, and for every action what kept it from being what happened.

mod event;
mod line;
mod pattern;
mod refusal;
mod validator;

use std::io::{BufRead, Read};

use shakedown_tla::Spec;

pub use line::{Header, LINE_BYTES_MAX};
pub use pattern::Difference;
pub use refusal::{CandidateState, Obstacle, Refusal, Why};
pub use validator::{Reading, Validator};

/// How far a search may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most hidden actions between two lines.
    pub hidden: usize,
    /// The maximum number of candidate states; beyond it the result may be inconclusive.
    pub candidates: usize,
    /// The most lines.
    pub lines: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { hidden: 4, candidates: 10_000, lines: 10_000_000 }
    }
}

/// What was read, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many events were explained.
    pub events: u64,
    /// How many states are compatible with all of them.
    pub candidates: usize,
    /// How many there were at most.
    pub candidates_most: usize,
    /// How many states the specification made on the way.
    pub states_made: u64,
}

/// Whether a trace is a behaviour.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It is.
    Explained(Summary),
    /// It is not.
    Refused(Box<Refusal>, Summary),
    /// A line is not explained, but candidates had been left out before, at this line.
    Unknown(Box<Refusal>, Summary, u64),
}

/// Why a trace cannot be validated.
#[derive(Debug, thiserror::Error)]
pub enum BadTrace {
    /// A line is not as it should be.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A hidden action that there is not.
    #[error("the next-state action has no part called `{name}`, so it cannot be hidden: it has {known}")]
    Hidden {
        /// Its name.
        name: String,
        /// What there is.
        known: String,
    },
    /// There is no specification, as whoever should give it says.
    #[error("{0}")]
    NoSpec(String),
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] Box<shakedown_tla::Error>),
    /// The specification has no value where it should have one.
    #[error("at line {line} of the trace the specification fails: {error}")]
    Evaluation {
        /// The line of the trace.
        line: u64,
        /// What is wrong.
        error: Box<shakedown_tla::Error>,
    },
    /// The trace cannot be read.
    #[error("line {line}: {error}")]
    Read {
        /// Up to where it was read.
        line: u64,
        /// Why not.
        error: std::io::Error,
    },
}

/// Reads a trace to its end, or to the first line that is not explained. The specification is asked for once
/// the header has been read, for the header may set constants ([`Header::apply`]); what is hidden is what the
/// header and the caller say.
pub fn validate(
    trace: &mut dyn BufRead,
    spec: impl FnOnce(&Header) -> Result<Spec, String>,
    hidden: &[String],
    limits: Limits,
) -> Result<Verdict, BadTrace> {
    let mut lines = Lines { source: trace, number: 0, text: Vec::new(), limit: limits.lines };
    let first = lines.next()?.map(str::to_owned);
    let bad = |reason| BadTrace::Line { line: lines.number, reason };
    let header = first.as_deref().map(Header::of).transpose().map_err(bad)?.flatten();
    let is_header = header.is_some();
    let header = header.unwrap_or_default();
    let hidden: Vec<String> = hidden.iter().chain(&header.hidden).cloned().collect();
    let mut validator = Validator::new(spec(&header).map_err(BadTrace::NoSpec)?, &hidden, limits)?;
    let mut pending = first.filter(|_| !is_header);
    loop {
        let text = match pending.take() {
            Some(text) => text,
            None => match lines.next()? {
                Some(text) => text.to_owned(),
                None => return Ok(Verdict::Explained(validator.summary())),
            },
        };
        if let Reading::Refused(refusal) = validator.line(lines.number, &text)? {
            let summary = validator.summary();
            return Ok(match validator.cut_at {
                Some(line) => Verdict::Unknown(refusal, summary, line),
                None => Verdict::Refused(refusal, summary),
            });
        }
    }
}

/// The lines of a trace that are not blank, with their numbers.
struct Lines<'r> {
    source: &'r mut dyn BufRead,
    number: u64,
    text: Vec<u8>,
    limit: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<&str>, BadTrace> {
        loop {
            self.text.clear();
            let bad = |line, reason: String| BadTrace::Line { line, reason };
            let mut part = (&mut *self.source).take(LINE_BYTES_MAX as u64 + 1);
            let read = part.read_until(b'\n', &mut self.text);
            if read.map_err(|error| BadTrace::Read { line: self.number + 1, error })? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.text.len() > LINE_BYTES_MAX {
                return Err(bad(self.number, format!("it has more than {LINE_BYTES_MAX} bytes")));
            }
            if self.number > self.limit {
                return Err(bad(self.number, format!("a trace has at most {} lines", self.limit)));
            }
            if !self.text.trim_ascii().is_empty() {
                break;
            }
        }
        match std::str::from_utf8(&self.text) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                Err(BadTrace::Line { line: self.number, reason: format!("it is no UTF-8: {error}") })
            }
        }
    }
}
