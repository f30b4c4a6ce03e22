//! Events: lines of a trace whose names have been looked up in the specification.

use std::rc::Rc;

use serde_json::Value as Json;
use shakedown_tla::walk::{ActionCall, Definition, Draft, Walker};
use shakedown_tla::{Symbol, Value};

use super::line::{Arguments, LineEvent, shown};
use super::pattern::{Difference, Pattern};

/// The most different names that are looked up as definitions.
const DEFINITIONS_MAX: usize = 1_000;
/// How many names are listed when one is not known.
const NAMES_SHOWN_MAX: usize = 40;

/// What happened, as far as it is known.
pub(super) struct Event {
    pub action: Action,
    pub state: Observed,
}

/// Which action it was.
pub(super) enum Action {
    /// Any of the next-state action, or none: the trace does not say.
    Any,
    /// One of the next-state action, with what is known of its arguments.
    Named(Symbol, Rc<[Pattern]>),
    /// A definition that is no part of the next-state action, with all its arguments.
    Called(ActionCall),
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Action::Any => f.write_str("some action, or none"),
            Action::Called(call) => write!(f, "{call}"),
            Action::Named(name, arguments) if arguments.is_empty() => write!(f, "{name}"),
            Action::Named(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
                write!(f, "{name}({})", arguments.join(", "))
            }
        }
    }
}

/// What is known of a state.
#[derive(Default)]
pub(super) struct Observed(Vec<(Place, String, Pattern)>);

/// Where in a state.
#[derive(Clone, Copy)]
enum Place {
    Variable(usize),
    Definition(Definition),
}

impl Observed {
    /// Whether a state is like this.
    pub fn fits(&self, draft: &mut Draft<'_>) -> shakedown_tla::Result<bool> {
        for (place, _, pattern) in &self.0 {
            let fits = match place {
                Place::Variable(position) => {
                    draft.variable(*position).is_some_and(|value| pattern.matches(value))
                }
                Place::Definition(definition) => pattern.matches(&draft.definition(*definition)?),
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Every variable in which a state is not like this, with the first place in it.
    pub fn differences(&self, draft: &mut Draft<'_>) -> shakedown_tla::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for (place, name, pattern) in &self.0 {
            differences.extend(match place {
                Place::Variable(position) => {
                    draft.variable(*position).and_then(|value| pattern.difference(value, name))
                }
                Place::Definition(definition) => pattern.difference(&draft.definition(*definition)?, name),
            });
        }
        Ok(differences)
    }
}

/// The names of a specification that a trace may use.
pub(super) struct Names {
    /// The actions of the next-state action, with their parameters.
    actions: Vec<(Symbol, Vec<Symbol>)>,
    variables: Vec<Symbol>,
    definitions: Vec<(String, Definition)>,
}

impl Names {
    pub fn of(walker: &Walker) -> Names {
        Names { actions: walker.actions(), variables: walker.variables().to_vec(), definitions: Vec::new() }
    }

    /// The action of the next-state action that has this name.
    pub fn action(&self, name: &str) -> Option<&(Symbol, Vec<Symbol>)> {
        self.actions.iter().find(|(known, _)| known.as_str() == name)
    }

    /// The names of the actions of the next-state action.
    pub fn listed(&self) -> String {
        listed(self.actions.iter().map(|(name, _)| name.as_str()))
    }

    /// Looks up what a line says.
    pub fn event(&mut self, line: LineEvent, walker: &mut Walker) -> Result<Event, String> {
        let action = match line.action {
            None => Action::Any,
            Some(name) => match self.action(&name) {
                Some((symbol, parameters)) => {
                    Action::Named(*symbol, known_arguments(&name, parameters, line.arguments)?.into())
                }
                None => Action::Called(self.call(&name, line.arguments, walker)?),
            },
        };
        Ok(Event { action, state: self.observed(line.state, walker)? })
    }

    /// Looks up what is said of a state.
    pub fn observed(
        &mut self,
        state: Vec<(String, Pattern)>,
        walker: &mut Walker,
    ) -> Result<Observed, String> {
        let place = |(name, pattern): (String, Pattern)| Ok((self.place(&name, walker)?, name, pattern));
        state.into_iter().map(place).collect::<Result<_, String>>().map(Observed)
    }

    fn place(&mut self, name: &str, walker: &mut Walker) -> Result<Place, String> {
        if let Some(position) = self.variables.iter().position(|known| known.as_str() == name) {
            return Ok(Place::Variable(position));
        }
        if let Some((_, definition)) = self.definitions.iter().find(|(known, _)| known == name) {
            return Ok(Place::Definition(*definition));
        }
        if self.definitions.len() >= DEFINITIONS_MAX {
            return Err(format!("more than {DEFINITIONS_MAX} different definitions"));
        }
        let definition = walker.define(name).map_err(|error| {
            let variables = listed(self.variables.iter().map(|name| name.as_str()));
            format!(
                "`{}` is neither a variable ({variables}) nor a definition without parameters: {error}",
                shown(name)
            )
        })?;
        self.definitions.push((name.to_owned(), definition));
        Ok(Place::Definition(definition))
    }

    /// An action that is no part of the next-state action is called: all its arguments have to be there.
    fn call(&self, name: &str, arguments: Arguments, walker: &mut Walker) -> Result<ActionCall, String> {
        let arguments = match arguments {
            Arguments::Unknown => Vec::new(),
            Arguments::InOrder(arguments) => arguments,
            Arguments::ByName(_) => {
                return Err(format!(
                    "{name} is no part of the next-state action, so its arguments are an array"
                ));
            }
        };
        if let Err(error) = walker.prepare_action(name, arguments.len()) {
            return Err(format!(
                "`{}` is neither an action of the next-state action ({}) nor another that can be called: {error}",
                shown(name),
                self.listed()
            ));
        }
        let value = |(_, json): &(Pattern, Json)| {
            Value::from_json(json).map_err(|reason| {
                format!("{name} is no part of the next-state action, so all its arguments have to be known: {reason}")
            })
        };
        Ok(ActionCall::new(name, arguments.iter().map(value).collect::<Result<_, String>>()?))
    }
}

/// What is known of every argument, in order.
fn known_arguments(name: &str, parameters: &[Symbol], arguments: Arguments) -> Result<Vec<Pattern>, String> {
    match arguments {
        Arguments::Unknown => Ok(vec![Pattern::Any; parameters.len()]),
        Arguments::InOrder(known) if known.len() == parameters.len() => {
            Ok(known.into_iter().map(|(pattern, _)| pattern).collect())
        }
        Arguments::InOrder(known) => Err(format!(
            "{name} has {} arguments ({}), {} are given; write null for one that is not known",
            parameters.len(),
            listed(parameters.iter().map(|name| name.as_str())),
            known.len()
        )),
        Arguments::ByName(known) => {
            let mut patterns = vec![Pattern::Any; parameters.len()];
            for (parameter, pattern, _) in known {
                let place = parameters.iter().position(|known| known.as_str() == parameter);
                let place = place.ok_or_else(|| {
                    let parameters = listed(parameters.iter().map(|name| name.as_str()));
                    format!("{name} has no parameter `{}`: it has {parameters}", shown(&parameter))
                })?;
                patterns[place] = pattern;
            }
            Ok(patterns)
        }
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let rest = names.len().saturating_sub(NAMES_SHOWN_MAX);
    names.truncate(NAMES_SHOWN_MAX);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    if names.is_empty() { "none".to_owned() } else { names.join(", ") + &more }
}
