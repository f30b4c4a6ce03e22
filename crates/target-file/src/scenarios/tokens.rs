//! Words, numbers, texts and signs, each with its place.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::{Mutex, PoisonError};

use super::BadScenarioText;

/// A place in a text, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    pub fn error(self, reason: impl Into<String>) -> BadScenarioText {
        BadScenarioText { line: self.line, column: self.column, reason: reason.into() }
    }
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name or a keyword, such as `fact` or `message.term`.
    Word(&'static str),
    Number(i64),
    /// In quotes.
    Text(&'static str),
    /// A sign, such as `<=`.
    Sign(&'static str),
    End,
}

impl Token {
    /// The token for people.
    pub fn shown(&self) -> String {
        match self {
            Token::Word(word) | Token::Sign(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

const SIGNS: [&str; 11] = ["!=", "<=", ">=", "(", ")", ",", "=", "<", ">", "+", "|"];

/// A text for all time: scenarios name things by `&'static str`, as those in Rust do. Each is kept once.
pub(super) fn kept(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known.get(text) {
        return text;
    }
    let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(text);
    text
}

/// The tokens of a text; the last one is its end.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, BadScenarioText> {
    let mut scan = Scan { chars: text.chars().peekable(), place: Place { line: 1, column: 1 } };
    let mut tokens = Vec::new();
    loop {
        scan.skip_space();
        let place = scan.place;
        let token = scan.token()?;
        let is_end = token == Token::End;
        tokens.push((token, place));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Scan<'t> {
    chars: Peekable<Chars<'t>>,
    place: Place,
}

impl Scan<'_> {
    fn take(&mut self) -> Option<char> {
        let taken = self.chars.next()?;
        if taken == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(taken)
    }

    /// Skips space and what stands behind `#`.
    fn skip_space(&mut self) {
        while let Some(&next) = self.chars.peek() {
            if next == '#' {
                while self.chars.peek().is_some_and(|next| *next != '\n') {
                    self.take();
                }
            } else if next.is_whitespace() {
                self.take();
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Result<Token, BadScenarioText> {
        let place = self.place;
        match self.chars.peek().copied() {
            None => Ok(Token::End),
            Some(quote @ ('"' | '\'')) => self.text(quote),
            Some(first) if first.is_alphabetic() || first == '_' => {
                let is_part = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
                Ok(Token::Word(kept(&self.while_it(is_part))))
            }
            Some(first) if first.is_ascii_digit() || first == '-' => {
                let digits = self.while_it(|c| c.is_ascii_digit() || c == '-');
                digits.parse().map(Token::Number).map_err(|_| place.error(format!("`{digits}` is no number")))
            }
            Some(first) => {
                self.take();
                let pair: String = [Some(first), self.chars.peek().copied()].into_iter().flatten().collect();
                let sign = SIGNS.into_iter().find(|sign| *sign == pair || *sign == first.to_string());
                let sign = sign.ok_or_else(|| place.error(format!("`{first}` has no meaning here")))?;
                if sign.len() == 2 {
                    self.take();
                }
                Ok(Token::Sign(sign))
            }
        }
    }

    fn while_it(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while self.chars.peek().is_some_and(|next| is_part(*next)) {
            taken.extend(self.take());
        }
        taken
    }

    /// A text in quotes. In double quotes, a backslash stands before a quote or another backslash.
    fn text(&mut self, quote: char) -> Result<Token, BadScenarioText> {
        let place = self.place;
        self.take();
        let mut text = String::new();
        loop {
            match self.take() {
                None | Some('\n') => return Err(place.error("this text has no closing quote on its line")),
                Some('\\') if quote == '"' => text.extend(self.take()),
                Some(next) if next == quote => return Ok(Token::Text(kept(&text))),
                Some(next) => text.push(next),
            }
        }
    }
}
