//! TLC's configuration files: which formulas are the specification, what its constants are, and what to
//! check.

use std::fmt;

use crate::error::{Error, Result};
use crate::symbol::Symbol;
use crate::value::Value;

/// A configuration.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file it was read from, for messages; empty if it was read from no file.
    pub file: String,
    /// Whether it says anything at all.
    pub is_empty: bool,
    /// `SPECIFICATION`.
    pub specification: Option<Symbol>,
    /// `INIT`.
    pub init: Option<Symbol>,
    /// `NEXT`.
    pub next: Option<Symbol>,
    /// `CONSTANTS`, in order.
    pub constants: Vec<Constant>,
    /// `INVARIANTS`.
    pub invariants: Vec<Symbol>,
    /// `PROPERTIES`.
    pub properties: Vec<Symbol>,
    /// `CONSTRAINTS`.
    pub constraints: Vec<Symbol>,
    /// `ACTION_CONSTRAINTS`.
    pub action_constraints: Vec<Symbol>,
    /// `SYMMETRY`.
    pub symmetry: Vec<Symbol>,
    /// `VIEW`.
    pub view: Option<Symbol>,
    /// `ALIAS`.
    pub alias: Option<Symbol>,
    /// `POSTCONDITIONS`: what holds in the end.
    pub postconditions: Vec<Symbol>,
    /// `_POSSIBLE`: what is true in at least one state, or of at least one step.
    pub possible: Vec<Symbol>,
    /// `_PERIODIC`: what is evaluated now and then in a simulation.
    pub periodic: Option<Symbol>,
    /// `_RL_REWARD`: what TLC's simulation learns from; only its name is checked.
    pub reward: Option<Symbol>,
    /// `CHECK_DEADLOCK`; on unless it is said otherwise.
    pub check_deadlock: Option<bool>,
    /// Where the names above are written, for messages.
    lines: Vec<(Symbol, u32, u32)>,
}

impl Config {
    /// The line and the column of a name that the configuration mentions; zeros if it was not read from a
    /// text.
    pub(crate) fn place_of(&self, name: Symbol) -> (u32, u32) {
        self.lines
            .iter()
            .find(|(known, ..)| *known == name)
            .map_or((0, 0), |(_, line, column)| (*line, *column))
    }
}

/// What stands in the place of a constant or a definition.
#[derive(Debug, Clone)]
pub struct Constant {
    /// Its name.
    pub name: Symbol,
    /// The module that it is replaced in, for `name <-[module] other`.
    pub module: Option<Symbol>,
    /// What it becomes.
    pub replacement: Replacement,
    /// Where in the configuration.
    pub line: u32,
}

/// What a constant becomes.
#[derive(Debug, Clone)]
pub enum Replacement {
    /// `name = value`.
    Value(ConfigValue),
    /// `name(argument, …) = value`: what a constant operator is for these arguments.
    Case(Vec<ConfigValue>, ConfigValue),
    /// `name <- operator`.
    Operator(Symbol),
}

/// A value that a configuration can write.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigValue {
    /// A number.
    Int(i64),
    /// A string.
    Str(String),
    /// A boolean.
    Bool(bool),
    /// A model value.
    Model(Symbol),
    /// A set.
    Set(Vec<ConfigValue>),
}

impl ConfigValue {
    pub(crate) fn to_value(&self) -> Value {
        match self {
            ConfigValue::Int(n) => Value::Int(*n),
            ConfigValue::Str(text) => Value::string(text),
            ConfigValue::Bool(b) => Value::Bool(*b),
            ConfigValue::Model(name) => Value::Model(*name),
            ConfigValue::Set(items) => Value::set(items.iter().map(ConfigValue::to_value).collect()),
        }
    }
}

const KEYWORDS: &[&str] = &[
    "SPECIFICATION",
    "INIT",
    "NEXT",
    "CONSTANT",
    "CONSTANTS",
    "INVARIANT",
    "INVARIANTS",
    "PROPERTY",
    "PROPERTIES",
    "CONSTRAINT",
    "CONSTRAINTS",
    "ACTION_CONSTRAINT",
    "ACTION_CONSTRAINTS",
    "SYMMETRY",
    "VIEW",
    "ALIAS",
    "POSTCONDITION",
    "POSTCONDITIONS",
    "_PERIODIC",
    "_POSSIBLE",
    "_RL_REWARD",
    "CHECK_DEADLOCK",
];

/// Characters that operators are made of.
const OPERATOR_CHARACTERS: &str = "+-*/\\^<>=#$%&|:.?!@~()";

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Symbol(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Text(text) => write!(f, "\"{text}\""),
            Token::Symbol(symbol) => write!(f, "`{symbol}`"),
        }
    }
}

impl Config {
    /// Reads a configuration.
    pub fn parse(text: &str) -> Result<Config> {
        Config::parse_file("", text)
    }

    /// Reads a configuration; errors name the file.
    pub fn parse_file(file: &str, text: &str) -> Result<Config> {
        let mut config = Config { file: file.to_string(), ..Config::default() };
        config.read(text).map_err(|mut error| {
            if let Error::Config { file: place, .. } = &mut *error {
                *place = file.to_string();
            }
            error
        })?;
        Ok(config)
    }

    fn read(&mut self, text: &str) -> Result<()> {
        let tokens = tokenize(text)?;
        self.is_empty = tokens.is_empty();
        let mut reader = Reader { tokens, position: 0, lines: Vec::new() };
        while let Some((token, spot)) = reader.next() {
            let Token::Word(word) = &token else {
                return Err(error(spot, format!("expected a keyword, found {token}")));
            };
            reader.section(word, spot, self)?;
        }
        self.lines = reader.lines;
        Ok(())
    }
}

/// A place in a configuration: its line and its column, from 1.
#[derive(Debug, Clone, Copy)]
struct Spot {
    line: u32,
    column: u32,
}

fn error(spot: Spot, message: impl Into<String>) -> Box<Error> {
    let Spot { line, column } = spot;
    Box::new(Error::Config { file: String::new(), line, column, message: message.into() })
}

struct Reader {
    tokens: Vec<(Token, Spot)>,
    position: usize,
    lines: Vec<(Symbol, u32, u32)>,
}

impl Reader {
    fn next(&mut self) -> Option<(Token, Spot)> {
        let token = self.tokens.get(self.position).cloned();
        self.position += 1;
        token
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.position).map(|(token, _)| token)
    }

    /// The next token's place, or that of the last one.
    fn spot(&self) -> Spot {
        let position = self.position.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(position).map_or(Spot { line: 1, column: 1 }, |(_, spot)| *spot)
    }

    fn word(&mut self) -> Result<Symbol> {
        match self.next() {
            Some((Token::Word(word), spot)) => {
                let name = Symbol::new(&word);
                self.lines.push((name, spot.line, spot.column));
                Ok(name)
            }
            Some((token, spot)) => Err(error(spot, format!("expected a name, found {token}"))),
            None => Err(error(self.spot(), "a name is missing at the end")),
        }
    }

    /// The one name of a keyword that may be given once.
    fn once(&mut self, keyword: &str, spot: Spot, name: &mut Option<Symbol>) -> Result<()> {
        if name.is_some() {
            return Err(error(spot, format!("{keyword} is given twice")));
        }
        *name = Some(self.word()?);
        Ok(())
    }

    /// The names up to the next keyword.
    fn words(&mut self) -> Result<Vec<Symbol>> {
        let mut words = Vec::new();
        loop {
            match self.peek() {
                Some(Token::Symbol(",")) => self.position += 1,
                Some(Token::Word(word)) if !KEYWORDS.contains(&word.as_str()) => words.push(self.word()?),
                _ => return Ok(words),
            }
        }
    }

    fn section(&mut self, keyword: &str, spot: Spot, config: &mut Config) -> Result<()> {
        match keyword {
            "SPECIFICATION" => self.once(keyword, spot, &mut config.specification)?,
            "INIT" => self.once(keyword, spot, &mut config.init)?,
            "NEXT" => self.once(keyword, spot, &mut config.next)?,
            "VIEW" => self.once(keyword, spot, &mut config.view)?,
            "ALIAS" => self.once(keyword, spot, &mut config.alias)?,
            "_PERIODIC" => self.once(keyword, spot, &mut config.periodic)?,
            "_RL_REWARD" => self.once(keyword, spot, &mut config.reward)?,
            "POSTCONDITION" | "POSTCONDITIONS" => config.postconditions.extend(self.words()?),
            "_POSSIBLE" => config.possible.extend(self.words()?),
            "SYMMETRY" => config.symmetry.extend(self.words()?),
            "INVARIANT" | "INVARIANTS" => config.invariants.extend(self.words()?),
            "PROPERTY" | "PROPERTIES" => config.properties.extend(self.words()?),
            "CONSTRAINT" | "CONSTRAINTS" => config.constraints.extend(self.words()?),
            "ACTION_CONSTRAINT" | "ACTION_CONSTRAINTS" => config.action_constraints.extend(self.words()?),
            "CHECK_DEADLOCK" => match self.word()?.as_str() {
                "TRUE" => config.check_deadlock = Some(true),
                "FALSE" => config.check_deadlock = Some(false),
                other => return Err(error(spot, format!("CHECK_DEADLOCK is TRUE or FALSE, not {other}"))),
            },
            "CONSTANT" | "CONSTANTS" => self.constants(config)?,
            other => return Err(error(spot, format!("unknown keyword {other}"))),
        }
        Ok(())
    }

    fn constants(&mut self, config: &mut Config) -> Result<()> {
        loop {
            match self.peek() {
                Some(Token::Symbol(",")) => {
                    self.position += 1;
                    continue;
                }
                Some(Token::Word(word)) if !KEYWORDS.contains(&word.as_str()) => {}
                _ => return Ok(()),
            }
            let spot = self.spot();
            let name = self.word()?;
            let name = Symbol::new(crate::syntax::spelling(name.as_str()));
            let arguments = self.arguments()?;
            let (module, replacement) = match self.next() {
                Some((Token::Symbol("="), _)) => {
                    let module = self.module(spot)?;
                    let value = self.value(0)?;
                    (
                        module,
                        arguments.map_or(Replacement::Value(value.clone()), |arguments| {
                            Replacement::Case(arguments, value)
                        }),
                    )
                }
                Some((Token::Symbol("<-"), _)) if arguments.is_none() => {
                    (self.module(spot)?, Replacement::Operator(self.word()?))
                }
                _ => return Err(error(spot, format!("expected `=` or `<-` after {name}"))),
            };
            config.constants.push(Constant { name, module, replacement, line: spot.line });
        }
    }

    /// `(value, …)`, if there is one.
    fn arguments(&mut self) -> Result<Option<Vec<ConfigValue>>> {
        if self.peek() != Some(&Token::Symbol("(")) {
            return Ok(None);
        }
        let mut arguments = Vec::new();
        loop {
            self.position += 1;
            arguments.push(self.value(0)?);
            match self.peek() {
                Some(Token::Symbol(",")) => {}
                Some(Token::Symbol(")")) => break,
                _ => return Err(error(self.spot(), "`)` is missing")),
            }
        }
        self.position += 1;
        Ok(Some(arguments))
    }

    /// `[Module]`, if there is one.
    fn module(&mut self, spot: Spot) -> Result<Option<Symbol>> {
        if self.peek() != Some(&Token::Symbol("[")) {
            return Ok(None);
        }
        self.position += 1;
        let module = self.word()?;
        match self.next() {
            Some((Token::Symbol("]"), _)) => Ok(Some(module)),
            _ => Err(error(spot, "`]` is missing")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<ConfigValue> {
        let spot = self.spot();
        if depth > 100 {
            return Err(error(spot, "sets are nested too deeply"));
        }
        match self.next() {
            Some((Token::Text(text), _)) => Ok(ConfigValue::Str(text)),
            Some((Token::Word(word), _)) => Ok(match word.as_str() {
                "TRUE" => ConfigValue::Bool(true),
                "FALSE" => ConfigValue::Bool(false),
                _ => match word.parse::<i64>() {
                    Ok(n) => ConfigValue::Int(n),
                    Err(_) if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                        return Err(error(spot, format!("the number {word} does not fit into 64 bits")));
                    }
                    Err(_) => ConfigValue::Model(Symbol::new(&word)),
                },
            }),
            Some((Token::Symbol("-"), _)) => match self.value(depth + 1)? {
                ConfigValue::Int(n) => Ok(ConfigValue::Int(-n)),
                _ => Err(error(spot, "a number is expected after `-`")),
            },
            Some((Token::Symbol("{"), _)) => {
                let mut items = Vec::new();
                loop {
                    match self.peek() {
                        Some(Token::Symbol("}")) => {
                            self.position += 1;
                            return Ok(ConfigValue::Set(items));
                        }
                        Some(Token::Symbol(",")) => self.position += 1,
                        Some(_) => items.push(self.value(depth + 1)?),
                        None => return Err(error(spot, "`}` is missing")),
                    }
                }
            }
            Some((token, spot)) => Err(error(spot, format!("expected a value, found {token}"))),
            None => Err(error(spot, "a value is missing at the end")),
        }
    }
}

fn tokenize(text: &str) -> Result<Vec<(Token, Spot)>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut spot = Spot { line: 1, column: 1 };
    while let Some(c) = rest.chars().next() {
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if rest.starts_with("\\*") {
            line_end(rest)
        } else if rest.starts_with("(*") {
            comment_end(rest).ok_or_else(|| error(spot, "a comment does not end"))?
        } else if c == '"' {
            let end = rest[1..].find('"').ok_or_else(|| error(spot, "a string does not end"))?;
            tokens.push((Token::Text(rest[1..=end].to_string()), spot));
            end + 2
        } else if is_word(c) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            tokens.push((Token::Word(rest[..end].to_string()), spot));
            end
        } else if rest.starts_with("----") || rest.starts_with("====") {
            line_end(rest)
        } else if let Some(length) =
            operator_before_arrow(rest).or_else(|| operator_after_arrow(rest, &tokens))
        {
            tokens.push((Token::Word(rest[..length].to_string()), spot));
            length
        } else if let Some(symbol) = ["<-", "=", "{", "}", ",", "[", "]", "-", "(", ")"]
            .into_iter()
            .find(|symbol| rest.starts_with(symbol))
        {
            tokens.push((Token::Symbol(symbol), spot));
            symbol.len()
        } else {
            return Err(error(spot, format!("unexpected `{c}`")));
        };
        let (read, left) = rest.split_at(length);
        spot = spot.after(read);
        rest = left;
    }
    Ok(tokens)
}

impl Spot {
    /// The place after a text that starts here.
    fn after(self, text: &str) -> Spot {
        match text.rsplit_once('\n') {
            Some((before, last)) => Spot {
                line: self.line + 1 + before.matches('\n').count() as u32,
                column: 1 + last.chars().count() as u32,
            },
            None => Spot { column: self.column + text.chars().count() as u32, ..self },
        }
    }
}

/// How long an operator is that a text starts with, if `<-` follows it: `++ <- Op`.
fn operator_before_arrow(text: &str) -> Option<usize> {
    let named = |c: char| OPERATOR_CHARACTERS.contains(c);
    let length = match text.strip_prefix('\\') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            1 + rest.find(|c: char| !c.is_ascii_alphabetic())?
        }
        _ => text.find(|c: char| !named(c))?,
    };
    (length > 0 && text[length..].trim_start().starts_with("<-")).then_some(length)
}

/// How long an operator is that a text starts with, after `<-`: `Plus <- +`.
fn operator_after_arrow(text: &str, tokens: &[(Token, Spot)]) -> Option<usize> {
    if !matches!(tokens.last(), Some((Token::Symbol("<-"), _))) {
        return None;
    }
    let length = text.find(|c: char| !OPERATOR_CHARACTERS.contains(c)).unwrap_or(text.len());
    (length > 0).then_some(length)
}

/// How long the rest of the line is.
fn line_end(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '!')
}

/// Where a comment that starts here ends; comments nest.
fn comment_end(text: &str) -> Option<usize> {
    let mut depth = 0;
    let bytes = text.as_bytes();
    let mut i = 0;
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"(*" => {
                depth += 1;
                i += 2;
            }
            b"*)" => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => i += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_values_sets_and_replacements() {
        let config = Config::parse(
            "CONSTANTS N = 3 \\* three\n  S = {a, b, {1, -2}}\n  Foo <- Bar\n Baz <-[Mod] Qux\nINIT I NEXT N\n\
             INVARIANTS A, B C\nCHECK_DEADLOCK FALSE",
        )
        .unwrap();
        assert_eq!(config.constants.len(), 4);
        let set = ConfigValue::Set(vec![
            ConfigValue::Model(Symbol::new("a")),
            ConfigValue::Model(Symbol::new("b")),
            ConfigValue::Set(vec![ConfigValue::Int(1), ConfigValue::Int(-2)]),
        ]);
        assert!(matches!(&config.constants[1].replacement, Replacement::Value(v) if *v == set));
        assert_eq!(config.constants[3].module, Some(Symbol::new("Mod")));
        assert_eq!(config.invariants.len(), 3);
        assert_eq!(config.check_deadlock, Some(false));
    }

    #[test]
    fn errors_have_the_file_the_line_and_the_column() {
        let message = Config::parse("INIT Init\nCONSTANT N 3").unwrap_err().to_string();
        assert_eq!(message, "configuration:2:10: expected `=` or `<-` after N");
        let message = Config::parse("\n\nFOO Init").unwrap_err().to_string();
        assert_eq!(message, "configuration:3:1: unknown keyword FOO");
        let message =
            Config::parse_file("Big.cfg", "CONSTANT\n  N = 9223372036854775808").unwrap_err().to_string();
        assert_eq!(message, "Big.cfg:2:7: the number 9223372036854775808 does not fit into 64 bits");
    }
}
