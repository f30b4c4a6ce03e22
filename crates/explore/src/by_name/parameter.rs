//! A parameter of a strategy: its name, its default, what it takes and one line of help, all in one place.

use std::fmt;

/// The largest number that a parameter takes, unless it has a limit of its own.
const NUMBER_MAX: usize = 1_000_000;

/// A parameter of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParameterInfo {
    /// Its name.
    pub name: &'static str,
    /// Its value unless one is given.
    pub default: ParameterDefault,
    /// One line on what it is.
    pub about: &'static str,
    /// The values that it takes.
    pub takes: Takes,
}

/// What a parameter is unless a value is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterDefault {
    /// This value.
    Value(&'static str),
    /// A value that follows from the target, the campaign or another parameter: where it comes from, in a
    /// word or two.
    Derived(&'static str),
}

impl fmt::Display for ParameterDefault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterDefault::Value(text) | ParameterDefault::Derived(text) => f.write_str(text),
        }
    }
}

/// The values that a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// A whole number between these two.
    Number(usize, usize),
    /// A whole number between these two, or this word.
    NumberOr(&'static str, usize, usize),
    /// A number from 0 to 1.
    Share,
    /// A probability.
    Probability,
    /// A number above 0.
    Positive,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text. What it means depends on the target.
    Text,
}

impl Takes {
    /// The value that a text stands for; the error names what was expected instead.
    pub(super) fn read(&self, text: &str) -> Result<Value, String> {
        let real = |is_one: fn(&f64) -> bool| text.parse().ok().filter(is_one).map(Value::Real);
        let value = match self {
            Takes::NumberOr(word, ..) if text == *word => Some(Value::Word(word)),
            Takes::Number(least, most) | Takes::NumberOr(_, least, most) => {
                text.parse().ok().filter(|number| (least..=most).contains(&number)).map(Value::Number)
            }
            Takes::Share | Takes::Probability => real(|number| (0.0..=1.0).contains(number)),
            Takes::Positive => real(|number| number.is_finite() && *number > 0.0),
            Takes::Word(words) => words.iter().copied().find(|word| *word == text).map(Value::Word),
            Takes::Text => Some(Value::Text(text.to_owned())),
        };
        value.ok_or_else(|| match self {
            Takes::Number(least, most) | Takes::NumberOr(_, least, most) => {
                format!("expected a number from {least} to {most}")
            }
            Takes::Probability => "expected a probability, from 0 to 1".to_owned(),
            Takes::Word(words) => format!("choose one of {}", words.join(", ")),
            other => format!("expected {other}"),
        })
    }
}

impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Takes::Number(least, most) => write!(f, "a number from {least} to {most}"),
            Takes::NumberOr(word, least, most) => write!(f, "a number from {least} to {most}, or {word}"),
            Takes::Share => f.write_str("a number from 0 to 1"),
            Takes::Probability => f.write_str("a probability"),
            Takes::Positive => f.write_str("a number above 0"),
            Takes::Word(words) => write!(f, "one of {}", words.join(", ")),
            Takes::Text => f.write_str("text"),
        }
    }
}

/// A value that was given to a parameter.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Number(usize),
    Real(f64),
    Word(&'static str),
    Text(String),
}

impl ParameterInfo {
    const fn new(name: &'static str, default: &'static str, takes: Takes, about: &'static str) -> Self {
        ParameterInfo { name, default: ParameterDefault::Value(default), about, takes }
    }

    /// A number above 0.
    pub(super) const fn number(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self::new(name, default, Takes::Number(1, NUMBER_MAX), about)
    }

    /// A number that may be 0.
    pub(super) const fn count(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self::new(name, default, Takes::Number(0, NUMBER_MAX), about)
    }

    /// A number that may be 0, or a word.
    pub(super) const fn count_or(
        word: &'static str,
        name: &'static str,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Self::new(name, default, Takes::NumberOr(word, 0, NUMBER_MAX), about)
    }

    /// A number from 0 to 1.
    pub(super) const fn share(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self::new(name, default, Takes::Share, about)
    }

    /// A probability.
    pub(super) const fn probability(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self::new(name, default, Takes::Probability, about)
    }

    /// A number above 0 that need not be whole.
    pub(super) const fn positive(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self::new(name, default, Takes::Positive, about)
    }

    /// One of these words, of which the first is the default.
    pub(super) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self::new(name, words[0], Takes::Word(words), about)
    }

    /// Any text.
    pub(super) const fn text(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self::new(name, default, Takes::Text, about)
    }

    /// The same parameter with other limits.
    pub(super) const fn within(self, least: usize, most: usize) -> Self {
        Self { takes: Takes::Number(least, most), ..self }
    }

    /// The same parameter, whose default follows from something else: what stands there says from what.
    pub(super) const fn derived(self) -> Self {
        match self.default {
            ParameterDefault::Value(text) => Self { default: ParameterDefault::Derived(text), ..self },
            ParameterDefault::Derived(_) => self,
        }
    }

    /// The default, if it is a value.
    pub(super) fn default_value(&self) -> Option<Value> {
        match self.default {
            ParameterDefault::Value(text) => self.takes.read(text).ok(),
            ParameterDefault::Derived(_) => None,
        }
    }
}

/// All parameters of two lists, in order.
pub(super) const fn joined<const N: usize>(
    first: &[ParameterInfo],
    second: &[ParameterInfo],
) -> [ParameterInfo; N] {
    assert!(N == first.len() + second.len(), "there is room for all of them");
    let mut all = [first[0]; N];
    let mut place = 0;
    while place < N {
        all[place] = if place < first.len() { first[place] } else { second[place - first.len()] };
        place += 1;
    }
    all
}
