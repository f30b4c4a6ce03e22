//! Behaviours: the states of a counterexample and the actions between them.

use std::fmt;

use super::fingerprint::Fingerprint;
use crate::error::Result;
use crate::model::Model;
use crate::symbol::Symbol;
use crate::value::Value;

/// A behaviour as text and JSON: it can leave the thread that found it.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The states, in order.
    pub steps: Vec<TraceStep>,
    /// For an infinite behaviour, the position (from 0) that it goes back to after the last state.
    pub back_to: Option<usize>,
}

/// One state of a behaviour.
#[derive(Debug, Clone)]
pub struct TraceStep {
    /// The action that led here with its arguments; none for the initial state.
    pub action: Option<String>,
    /// The variables with their values as TLA+ writes them.
    pub variables: Vec<(Symbol, String)>,
    /// The values as JSON, in the order of the variables.
    pub json: Vec<serde_json::Value>,
}

impl TraceStep {
    pub(crate) fn new(names: &[Symbol], values: &[Value], action: Option<String>) -> TraceStep {
        TraceStep {
            action,
            variables: names.iter().zip(values).map(|(name, value)| (*name, value.to_string())).collect(),
            json: values.iter().map(Value::to_json).collect(),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let action = step.action.as_deref().unwrap_or("Initial predicate");
            writeln!(f, "State {}: <{action}>", index + 1)?;
            for (name, value) in &step.variables {
                writeln!(f, "/\\ {name} = {value}")?;
            }
            writeln!(f)?;
        }
        match self.back_to {
            Some(back) if back + 1 == self.steps.len() => {
                writeln!(f, "State {}: Stuttering", self.steps.len() + 1)
            }
            Some(back) => writeln!(f, "Back to state {}", back + 1),
            None => Ok(()),
        }
    }
}

/// Rebuilds the behaviour whose states have these fingerprints.
pub(crate) fn rebuild(model: &mut Model, print: &Fingerprint, prints: &[u64]) -> Result<Trace> {
    let mut trace = Trace::default();
    let names = model.variables.clone();
    let Some((first, rest)) = prints.split_first() else { return Ok(trace) };
    let mut found: Option<Vec<Value>> = None;
    if let Some(init) = &model.init {
        let view = model.view.as_ref();
        model.machine.recover();
        model.machine.initial_states(init, &mut |machine| {
            if print.of_next(machine, view)? == *first {
                found = Some(machine.next.clone());
                return Ok(false);
            }
            Ok(true)
        })?;
    }
    let Some(mut state) = found else { return Ok(trace) };
    trace.steps.push(TraceStep::new(&names, &state, None));
    for wanted in rest {
        let Some(next) = &model.next else { break };
        let view = model.view.as_ref();
        model.machine.recover();
        model.machine.cur.clone_from(&state);
        model.machine.labelling = true;
        let mut found: Option<(Vec<Value>, u32, Vec<Value>)> = None;
        // What fails after the wanted successor was found must not hide it.
        let result = model.machine.successors(next, &mut |machine| {
            if machine.missing().is_none() && print.of_next(machine, view)? == *wanted {
                found = Some((machine.next.clone(), machine.label, machine.label_arguments.clone()));
                return Ok(false);
            }
            Ok(true)
        });
        model.machine.labelling = false;
        let Some((values, label, arguments)) = found else {
            result?;
            break;
        };
        let action = describe(model.action_name(label), &arguments);
        trace.steps.push(TraceStep::new(&names, &values, Some(action)));
        state = values;
    }
    Ok(trace)
}

/// An action with its arguments, as one would write it.
pub(crate) fn describe(name: Symbol, arguments: &[Value]) -> String {
    if arguments.is_empty() {
        return name.to_string();
    }
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("{name}({})", arguments.join(", "))
}
