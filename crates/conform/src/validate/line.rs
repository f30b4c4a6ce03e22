//! The lines of a trace, as they are read: JSON objects of a few known keys. `docs/formats.md` has them all.

use serde_json::{Map, Value as Json};
use shakedown_tla::Symbol;
use shakedown_tla::config::{Config, ConfigValue, Constant, Replacement};

use super::pattern::Pattern;

/// What a header says it is.
pub(super) const FORMAT: &str = "shakedown-trace";
/// The version of the format.
pub(super) const VERSION: u64 = 1;
/// The longest line, in bytes.
pub const LINE_BYTES_MAX: usize = 4 << 20;
/// The most constants that a header may set.
const CONSTANTS_MAX: usize = 1_000;
/// How much of a line is shown when something is wrong with it.
const SHOWN_CHARS_MAX: usize = 120;

/// The first line of a trace, if it is one of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Constants that take the place of those in the configuration.
    pub constants: Vec<(String, ConfigValue)>,
    /// Actions that leave no line behind.
    pub hidden: Vec<String>,
    /// The module that the trace was written for.
    pub spec: Option<String>,
}

impl Header {
    /// The header that a line is; nothing if it is an ordinary line.
    pub fn of(text: &str) -> Result<Option<Header>, String> {
        let fields = object(text)?;
        let Some(format) = fields.get("format") else { return Ok(None) };
        if format.as_str() != Some(FORMAT) {
            return Err(format!("its format is {}, not \"{FORMAT}\"", shown(&format.to_string())));
        }
        let mut header = Header::default();
        for (key, value) in &fields {
            match (key.as_str(), value) {
                ("format" | "note", _) => {}
                ("version", Json::Number(n)) if n.as_u64() == Some(VERSION) => {}
                ("version", other) => {
                    return Err(format!("format version {other}, this Shakedown reads version {VERSION}"));
                }
                ("spec", Json::String(name)) => header.spec = Some(name.clone()),
                ("constants", Json::Object(constants)) if constants.len() <= CONSTANTS_MAX => {
                    for (name, value) in constants {
                        let value = constant(value).map_err(|reason| format!("constant {name}: {reason}"))?;
                        header.constants.push((name.clone(), value));
                    }
                }
                ("hidden", Json::Array(names)) => {
                    let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                    header.hidden = names.collect::<Option<_>>().ok_or("`hidden` is an array of names")?;
                }
                (key, _) => {
                    return Err(format!(
                        "`{}` does not belong into a header like this: it has format, version, and perhaps spec, \
                         constants, hidden and note",
                        shown(key)
                    ));
                }
            }
        }
        if !fields.contains_key("version") {
            return Err(format!("the header has no version: write \"version\":{VERSION}"));
        }
        Ok(Some(header))
    }

    /// Puts the constants of the header in the place of those of a configuration, and leaves out what has no
    /// meaning for a trace: a view and a symmetry would take different states for one.
    pub fn apply(&self, config: &mut Config) {
        config.view = None;
        config.symmetry.clear();
        for (name, value) in &self.constants {
            let name = Symbol::new(name);
            let replacement = Replacement::Value(value.clone());
            match config.constants.iter_mut().find(|known| known.name == name && known.module.is_none()) {
                Some(known) => known.replacement = replacement,
                None => config.constants.push(Constant { name, module: None, replacement, line: 0 }),
            }
        }
    }
}

/// A constant: what a configuration could write.
fn constant(json: &Json) -> Result<ConfigValue, String> {
    let set = |items: &Vec<Json>| items.iter().map(constant).collect::<Result<_, _>>().map(ConfigValue::Set);
    Ok(match json {
        Json::Bool(b) => ConfigValue::Bool(*b),
        Json::Number(n) => {
            ConfigValue::Int(n.as_i64().ok_or_else(|| format!("{n} is no integer of 64 bits"))?)
        }
        Json::String(text) => ConfigValue::Str(text.clone()),
        Json::Array(items) => set(items)?,
        Json::Object(fields) => match fields.iter().next().map(|(key, value)| (key.as_str(), value)) {
            Some(("#model", Json::String(name))) if fields.len() == 1 => {
                ConfigValue::Model(Symbol::new(name))
            }
            Some(("#set", Json::Array(items))) if fields.len() == 1 => set(items)?,
            _ => return Err("an object is {\"#model\": \"name\"} or {\"#set\": […]}".to_owned()),
        },
        Json::Null => return Err("null is no value".to_owned()),
    })
}

/// A line that is no header.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// What is known of the initial state.
    Initial(Vec<(String, Pattern)>),
    /// Something happened.
    Event(LineEvent),
}

/// What a line says of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LineEvent {
    /// The action; nothing if it is not known.
    pub action: Option<String>,
    /// What is known of its arguments.
    pub arguments: Arguments,
    /// What is known of the state after it.
    pub state: Vec<(String, Pattern)>,
}

/// What is known of the arguments of an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Arguments {
    /// Nothing.
    #[default]
    Unknown,
    /// All of them in order, some perhaps unknown. The JSON is kept for actions that have to be called with
    /// values.
    InOrder(Vec<(Pattern, Json)>),
    /// Some of them by the names of the parameters.
    ByName(Vec<(String, Pattern, Json)>),
}

impl Line {
    /// Reads a line.
    pub fn parse(text: &str) -> Result<Line, String> {
        let fields = object(text)?;
        let mut event = LineEvent::default();
        let mut initial = None;
        for (key, value) in &fields {
            match (key.as_str(), value) {
                ("note", _) | ("action" | "args", Json::Null) => {}
                ("action", Json::String(name)) => event.action = Some(name.clone()),
                ("action", _) => return Err("`action` is the name of an action".to_owned()),
                ("args", Json::Array(items)) => {
                    let argument = |item: &Json| Ok((Pattern::of(item)?, item.clone()));
                    let arguments = items.iter().map(argument).collect::<Result<_, String>>();
                    event.arguments =
                        Arguments::InOrder(arguments.map_err(|reason| format!("`args`: {reason}"))?);
                }
                ("args", Json::Object(fields)) => {
                    let argument =
                        |(name, item): (&String, &Json)| Ok((name.clone(), Pattern::of(item)?, item.clone()));
                    let arguments = fields.iter().map(argument).collect::<Result<_, String>>();
                    event.arguments =
                        Arguments::ByName(arguments.map_err(|reason| format!("`args`: {reason}"))?);
                }
                ("args", _) => {
                    return Err(
                        "`args` is an array of arguments, or an object of some of them by name".to_owned()
                    );
                }
                ("state", value) => event.state = observed("state", value)?,
                ("initial", value) => initial = Some(observed("initial", value)?),
                ("format", _) => return Err("a header comes first, or not at all".to_owned()),
                (key, _) => {
                    return Err(format!(
                        "`{}` is not known: a line has action, args, state, initial and note; put what is meant for \
                         people only under note",
                        shown(key)
                    ));
                }
            }
        }
        match initial {
            None if event.action.is_none() && event.arguments != Arguments::Unknown => {
                Err("`args` without `action`: which action are they of?".to_owned())
            }
            None => Ok(Line::Event(event)),
            Some(initial) if event == LineEvent::default() => Ok(Line::Initial(initial)),
            Some(_) => Err("a line with `initial` has no action, args or state".to_owned()),
        }
    }
}

fn observed(key: &str, value: &Json) -> Result<Vec<(String, Pattern)>, String> {
    let Json::Object(fields) = value else {
        return Err(format!("`{key}` is an object: what is known of each variable, by its name"));
    };
    fields
        .iter()
        .map(|(name, part)| {
            let pattern =
                Pattern::of(part).map_err(|reason| format!("`{key}`, {}: {reason}", shown(name)))?;
            Ok((name.clone(), pattern))
        })
        .collect()
}

fn object(text: &str) -> Result<Map<String, Json>, String> {
    if text.len() > LINE_BYTES_MAX {
        return Err(format!("it has more than {LINE_BYTES_MAX} bytes"));
    }
    match serde_json::from_str(text) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(other) => Err(format!("a line is a JSON object, not {}", shown(&other.to_string()))),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

/// The beginning of a text from outside.
pub(super) fn shown(text: &str) -> String {
    if text.chars().count() <= SHOWN_CHARS_MAX {
        return text.to_owned();
    }
    text.chars().take(SHOWN_CHARS_MAX).chain(['…']).collect()
}
