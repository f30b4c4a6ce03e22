//! `graph`, `run` and `fmt`: walking a specification and printing its states.

use serde_json::{Value as Json, json};

use super::files::{CommandError, json_of, load};
use super::output::print_out;
use super::{Fmt, Graph, GraphFormat, Run};
use crate::walk::{ActionCall, Walker};
use crate::{Place, Spec, Value};

impl Graph {
    pub(super) fn run(&self) -> Result<u8, CommandError> {
        let (spec, _) = load(&self.files)?;
        let mut walker = Walker::new(&spec)?;
        let graph = walker.graph(self.states)?;
        let text = match self.format {
            GraphFormat::Dot => walker.to_dot(&graph),
            GraphFormat::Json => format!("{:#}\n", walker.graph_to_json(&graph)),
        };
        Ok(print_out(&text, 0))
    }
}

impl Run {
    pub(super) fn run(&self) -> Result<u8, CommandError> {
        let (spec, _) = load(&self.files)?;
        let actions = actions_of(&json_of(&self.actions)?)?;
        let mut walker = Walker::new(&spec)?;
        let run = walker.run(&actions)?;
        if run.states.is_empty() {
            return Err(CommandError::usage("the specification has no initial state"));
        }
        if self.json {
            let states: Vec<Json> = run.states.iter().map(|state| walker.to_json(state)).collect();
            let stutters: Vec<Json> = run
                .stutters
                .iter()
                .map(|(position, place)| {
                    json!({
                        "position": position,
                        "action": actions[*position].to_string(),
                        "blocked_at": place.to_string(),
                        "conjunct": spec.line(*place),
                    })
                })
                .collect();
            let text = format!("{:#}\n", json!({ "states": states, "stutters": stutters }));
            return Ok(print_out(&text, 0));
        }
        let mut text = String::new();
        for (index, state) in run.states.iter().enumerate() {
            let action = index.checked_sub(1).map(|position| (position, &actions[position]));
            let Some((position, action)) = action else {
                text.push_str(&format!("State 1: <Initial predicate>\n{}\n\n", walker.to_text(state)));
                continue;
            };
            match run.stutters.iter().find(|(stuttered, _)| *stuttered == position) {
                Some((_, place)) => {
                    text.push_str(&format!("Stutter: <{action}> {}\n\n", blocked(&spec, *place)));
                }
                None => {
                    text.push_str(&format!("State {}: <{action}>\n{}\n\n", index + 1, walker.to_text(state)));
                }
            }
        }
        let stutters = run.stutters.len();
        text.push_str(&format!(
            "{} actions, {} taken, {stutters} stutters\n",
            actions.len(),
            actions.len() - stutters
        ));
        Ok(print_out(&text, 0))
    }
}

/// Which conjunct blocked an action.
fn blocked(spec: &Spec, place: Place) -> String {
    match spec.line(place) {
        Some(line) => format!("is blocked at {place}: {line}"),
        None => format!("is blocked at {place}"),
    }
}

fn actions_of(json: &Json) -> Result<Vec<ActionCall>, CommandError> {
    let Json::Array(items) = json else {
        return Err(CommandError::usage("the actions are no JSON array"));
    };
    let wrong = |position: usize, what: &str| CommandError::usage(format!("action {}: {what}", position + 1));
    let mut actions = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let (name, arguments) = match item {
            Json::String(name) => (name.as_str(), &[][..]),
            Json::Object(fields) => {
                let name = fields.get("action").and_then(Json::as_str);
                let arguments =
                    fields.get("arguments").map_or(Some(&[][..]), |a| a.as_array().map(Vec::as_slice));
                match (name, arguments) {
                    (Some(name), Some(arguments)) => (name, arguments),
                    (None, _) => return Err(wrong(position, "it has no \"action\", which is its name")),
                    (_, None) => return Err(wrong(position, "its \"arguments\" are no array")),
                }
            }
            _ => return Err(wrong(position, "it is neither a text nor an object")),
        };
        let values = arguments.iter().map(Value::from_json).collect::<Result<Vec<_>, _>>();
        actions.push(ActionCall::new(name, values.map_err(|what| wrong(position, &what))?));
    }
    Ok(actions)
}

impl Fmt {
    pub(super) fn run(&self) -> Result<u8, CommandError> {
        let json = json_of(&self.state)?;
        let states = match &json {
            Json::Array(states) => states.as_slice(),
            // What `run --json` and `graph --format json` print.
            Json::Object(fields) if fields.get("states").is_some_and(Json::is_array) => {
                fields["states"].as_array().map(Vec::as_slice).unwrap_or_default()
            }
            one => std::slice::from_ref(one),
        };
        let mut text = String::new();
        for (index, state) in states.iter().enumerate() {
            let Json::Object(fields) = state else {
                return Err(CommandError::usage(format!("state {} is no object of variables", index + 1)));
            };
            if index > 0 {
                text.push('\n');
            }
            for (name, value) in fields {
                let value =
                    Value::from_json(value).map_err(|what| CommandError::usage(format!("{name}: {what}")))?;
                text.push_str(&format!("/\\ {name} = {value}\n"));
            }
        }
        Ok(print_out(&text, 0))
    }
}
