//! A strategy that was chosen by text: the text is read once, and from then on it is this value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parameter::{ParameterInfo, Value};
use super::{STRATEGIES, StrategyInfo, UnknownStrategy};

/// A strategy and the values of its parameters, such as `pctcp:depth=10,messages=500`.
///
/// It is read from text with [`FromStr`] and prints as the very text that it was read from; in files it is
/// this text too. Two choices are equal if they print the same.
///
/// ```
/// use shakedown_explore::StrategyChoice;
///
/// let choice: StrategyChoice = "pctcp:depth=10".parse()?;
/// assert_eq!(choice.with("messages", "500")?.to_string(), "pctcp:depth=10,messages=500");
/// assert!("pctcp:depth=0".parse::<StrategyChoice>().is_err());
/// # Ok::<(), shakedown_explore::UnknownStrategy>(())
/// ```
#[derive(Clone)]
pub struct StrategyChoice {
    info: &'static StrategyInfo,
    /// What was given, each parameter once: what was given last counts.
    given: Vec<(&'static str, Value)>,
    text: String,
}

impl StrategyChoice {
    /// The strategy: its name, its parameters, and what it is.
    pub fn info(&self) -> &'static StrategyInfo {
        self.info
    }

    /// The same strategy with a value for one more parameter; it takes the place of one that was given
    /// before.
    pub fn with(mut self, name: &str, value: &str) -> Result<StrategyChoice, UnknownStrategy> {
        let parameter = self.parameter_named(name)?;
        self.give(parameter, value)?;
        self.text.push(if self.text.contains(':') { ',' } else { ':' });
        self.text.push_str(&format!("{name}={value}"));
        Ok(self)
    }

    /// The strategies of a text such as `random,pctcp:depth=3,messages=100,closure`: what follows a comma is
    /// a parameter of the strategy before it if it looks like one.
    pub fn list(text: &str) -> Result<Vec<StrategyChoice>, UnknownStrategy> {
        let mut strategies: Vec<StrategyChoice> = Vec::new();
        for part in split(text).map(str::trim).filter(|part| !part.is_empty()) {
            let parameter = part.split_once('=').filter(|(name, _)| !name.contains(':'));
            match (parameter, strategies.pop()) {
                (Some((name, value)), Some(last)) => strategies.push(last.with(name, value)?),
                (_, last) => {
                    strategies.extend(last);
                    strategies.push(part.parse()?);
                }
            }
        }
        Ok(strategies)
    }

    fn parameter_named(&self, name: &str) -> Result<&'static ParameterInfo, UnknownStrategy> {
        let parameters = self.info.parameters;
        parameters.iter().find(|known| known.name == name).ok_or_else(|| {
            let known: Vec<_> = parameters.iter().map(|known| known.name).collect();
            let known = match known.is_empty() {
                true => "it takes no parameters".to_owned(),
                false => format!("it takes {}", known.join(", ")),
            };
            self.bad(format!("there is no parameter `{name}`: {known}"))
        })
    }

    fn give(&mut self, parameter: &'static ParameterInfo, text: &str) -> Result<(), UnknownStrategy> {
        let name = parameter.name;
        let value = parameter.takes.read(text);
        let value = value.map_err(|wanted| self.bad(format!("`{name}` cannot be `{text}`: {wanted}")))?;
        self.given.retain(|(given, _)| *given != name);
        self.given.push((name, value));
        Ok(())
    }

    /// Whether a value was given for this parameter.
    pub(super) fn is_given(&self, parameter: &ParameterInfo) -> bool {
        self.given.iter().any(|(given, _)| *given == parameter.name)
    }

    /// What was given, or the default, unless that follows from something else.
    fn value(&self, parameter: &ParameterInfo) -> Option<Value> {
        let given = self.given.iter().find(|(given, _)| *given == parameter.name);
        given.map(|(_, value)| value.clone()).or_else(|| parameter.default_value())
    }

    /// The number that was given, or the default; nothing if that follows from something else, or if a word
    /// was given.
    pub(super) fn optional_number(&self, parameter: &ParameterInfo) -> Option<usize> {
        match self.value(parameter) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// The number that was given, or the default, which is a number.
    pub(super) fn number(&self, parameter: &ParameterInfo) -> usize {
        self.optional_number(parameter).expect("the parameter is a number and has one as its default")
    }

    /// The number that was given, or the default, which need not be whole.
    pub(super) fn real(&self, parameter: &ParameterInfo) -> f64 {
        match self.value(parameter) {
            Some(Value::Real(number)) => number,
            other => {
                unreachable!("`{}` is a number and has one as its default, not {other:?}", parameter.name)
            }
        }
    }

    /// The word that was given, or the default.
    pub(super) fn word(&self, parameter: &ParameterInfo) -> &'static str {
        match self.value(parameter) {
            Some(Value::Word(word)) => word,
            other => unreachable!("`{}` is a word and has one as its default, not {other:?}", parameter.name),
        }
    }

    /// The text that was given, or the default.
    pub(super) fn text(&self, parameter: &ParameterInfo) -> String {
        match self.value(parameter) {
            Some(Value::Text(text)) => text,
            other => unreachable!("`{}` is text and has some as its default, not {other:?}", parameter.name),
        }
    }

    /// Why the strategy cannot be had like this.
    pub(super) fn bad(&self, reason: impl Into<String>) -> UnknownStrategy {
        UnknownStrategy::Parameter { strategy: self.info.name, reason: reason.into() }
    }
}

impl FromStr for StrategyChoice {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<StrategyChoice, UnknownStrategy> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let info = STRATEGIES.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| UnknownStrategy::Name(name.chars().take(40).collect()))?;
        let mut choice = StrategyChoice { info, given: Vec::new(), text: text.to_owned() };
        let mut given = Vec::new();
        for part in split(rest).filter(|part| !part.is_empty()) {
            let named = part.split_once('=').filter(|_| !part.starts_with('['));
            let (name, value) = match (named, info.unnamed) {
                (Some(named), _) => named,
                // `fuzz:model` is `fuzz:guide=model`.
                (None, Some(unnamed)) => (unnamed, part),
                (None, None) => {
                    let reason =
                        format!("`{part}` is not of the form NAME=VALUE; a list needs brackets: NAME=[a, b]");
                    return Err(choice.bad(reason));
                }
            };
            given.push((choice.parameter_named(name)?, value));
        }
        // Only what was given last counts, so only that has to be a value of the parameter.
        for (place, (parameter, value)) in given.iter().enumerate() {
            if !given[place + 1..].iter().any(|(later, _)| later.name == parameter.name) {
                choice.give(parameter, value)?;
            }
        }
        Ok(choice)
    }
}

/// The parts of a text between commas that stand in no brackets.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    text.split(move |char| {
        match char {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0
    })
}

/// Random walk, which every target can be run with.
impl Default for StrategyChoice {
    fn default() -> StrategyChoice {
        let info = &STRATEGIES[0];
        StrategyChoice { info, given: Vec::new(), text: info.name.to_owned() }
    }
}

impl fmt::Display for StrategyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for StrategyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl PartialEq for StrategyChoice {
    fn eq(&self, other: &StrategyChoice) -> bool {
        self.text == other.text
    }
}

impl Eq for StrategyChoice {}

impl Serialize for StrategyChoice {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for StrategyChoice {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<StrategyChoice, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
