//! Counterexamples: as messages, and as files in TLC's forms.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::messages::{Messages, Severity};
use super::places::{Places, Range};
use crate::Value;
use crate::check::{Trace, TraceStep};

/// The action of a step with its place.
fn action(step: &TraceStep, places: &Places) -> String {
    match &step.action {
        None => "<Initial predicate>".to_string(),
        Some(name) => match places.get(name) {
            Some(definition) => format!("<{name} {}>", definition.body),
            None => format!("<{name}>"),
        },
    }
}

/// The variables of a state; of those that differ from another, if only these are wanted.
pub(super) fn state_text(step: &TraceStep, before: Option<&TraceStep>) -> String {
    let mut text = String::new();
    for (index, (name, value)) in step.variables.iter().enumerate() {
        if before.is_none_or(|before| before.variables.get(index).is_none_or(|(_, old)| old != value)) {
            text.push_str(&format!("/\\ {name} = {value}\n"));
        }
    }
    text
}

/// Prints a behaviour.
pub(super) fn send(messages: &Messages, trace: &Trace, places: &Places, only_changes: bool) {
    let mut before: Option<&TraceStep> = None;
    for (index, step) in trace.steps.iter().enumerate() {
        let shown = before.filter(|_| only_changes && !messages.is_tool());
        let text = state_text(step, shown);
        messages.send(2217, Severity::State, &format!("{}: {}\n{text}", index + 1, action(step, places)));
        before = Some(step);
    }
    let Some(back_to) = trace.back_to else { return };
    let number = trace.steps.len() + 1;
    if back_to + 1 == trace.steps.len() {
        messages.send(2218, Severity::State, &format!("{number}: Stuttering"));
    } else if messages.is_tool() {
        messages.send(2122, Severity::State, &format!("{number}: Back to state {}", back_to + 1));
    } else {
        messages.line(&format!("Back to state {}", back_to + 1));
    }
}

/// The positions, from 0, of the states that each action leads from and to.
fn edges(trace: &Trace) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> = (1..trace.steps.len()).map(|to| (to - 1, to)).collect();
    if let (Some(back_to), Some(last)) = (trace.back_to, trace.steps.len().checked_sub(1)) {
        edges.push((last, back_to));
    }
    edges
}

/// A value of a trace as TLC's module Json writes it: sets are arrays, functions are objects.
fn plain(json: &Json) -> Json {
    let Json::Object(fields) = json else {
        return match json {
            Json::Array(items) => Json::Array(items.iter().map(plain).collect()),
            other => other.clone(),
        };
    };
    match (fields.len(), fields.iter().next()) {
        (1, Some((key, Json::Array(items)))) if key == "#set" => {
            Json::Array(items.iter().map(plain).collect())
        }
        (1, Some((key, Json::Array(pairs)))) if key == "#map" => {
            let pair = |pair: &Json| {
                let items = pair.as_array()?;
                let key = Value::from_json(items.first()?).ok()?.to_string();
                Some((key.trim_matches('"').to_string(), plain(items.get(1)?)))
            };
            Json::Object(pairs.iter().filter_map(pair).collect())
        }
        (1, Some((key, name))) if key == "#model" || key == "#expression" => name.clone(),
        _ => Json::Object(fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect()),
    }
}

fn location(range: &Range) -> Json {
    json!({
        "beginLine": range.from.0, "beginColumn": range.from.1,
        "endLine": range.to.0, "endColumn": range.to.1, "module": range.module,
    })
}

/// Where an action stands that has no place: TLC has numbers there as well.
fn no_range(module: &str) -> Range {
    Range { from: (0, 0), to: (0, 0), module: module.to_string() }
}

/// The form of `-dumpTrace json`.
pub(super) fn to_json(trace: &Trace, places: &Places, module: &str) -> Json {
    let state = |index: usize| {
        let step = &trace.steps[index];
        let names = step.variables.iter().map(|(name, _)| name.to_string());
        let fields: serde_json::Map<String, Json> = names.zip(step.json.iter().map(plain)).collect();
        json!([index + 1, fields])
    };
    let step = |(from, to): (usize, usize)| {
        let name = trace.steps[to].action.as_deref().unwrap_or("UnnamedAction");
        let range = places.get(name).map_or_else(|| no_range(module), |definition| definition.body.clone());
        let name = name.split('(').next().unwrap_or(name);
        json!([state(from), { "name": name, "location": location(&range) }, state(to)])
    };
    let mut names: Vec<String> = trace
        .steps
        .first()
        .map_or_else(Vec::new, |step| step.variables.iter().map(|(name, _)| name.to_string()).collect());
    names.sort();
    let actions: Vec<Json> = edges(trace).into_iter().map(step).collect();
    let states: Vec<Json> = (0..trace.steps.len()).map(state).collect();
    json!({ "counterexample": { "action": actions, "state": states }, "vars": names })
}

/// The form of `-dumpTrace tla`: a module.
pub(super) fn to_tla(trace: &Trace, places: &Places, module: &str, file: &Path) -> String {
    let state = |index: usize| {
        let fields = trace.steps[index].variables.iter().map(|(name, value)| format!("{name} |-> {value}"));
        format!("<<{}, [{}]>>", index + 1, fields.collect::<Vec<_>>().join(", "))
    };
    let step = |(from, to): (usize, usize)| {
        let name = trace.steps[to].action.as_deref().unwrap_or("UnnamedAction");
        let Range { from: start, to: end, module } =
            places.get(name).map_or_else(|| no_range(module), |definition| definition.body.clone());
        let name = name.split('(').next().unwrap_or(name);
        let location = format!(
            "[beginLine |-> {}, beginColumn |-> {}, endLine |-> {}, endColumn |-> {}, module |-> \"{module}\"]",
            start.0, start.1, end.0, end.1
        );
        format!("<<{}, [name |-> \"{name}\", location |-> {location}], {}>>", state(from), state(to))
    };
    let actions: Vec<String> = edges(trace).into_iter().map(step).collect();
    let states: Vec<String> = (0..trace.steps.len()).map(state).collect();
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (actions, states) = (actions.join(", "), states.join(", "));
    format!(
        "---- MODULE {name} ----\nLOCAL INSTANCE TLC\n\nCounterExample == \n\t[action |-> {{{actions}}}, state |-> {{{states}}}]\n\n====\n"
    )
}
