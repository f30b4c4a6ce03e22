//! Behaviours: the states of a counterexample and the actions between them.

use std::fmt;

use super::fingerprint::Fingerprint;
use crate::budget::Allowance;
use crate::error::{Place, Result};
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

/// The most parts of a value that is shown, and what each takes as text and as JSON.
const NODES_SHOWN_MAX: usize = 1 << 20;
const SHOWN_NODE_BYTES: usize = 160;

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
    pub(crate) fn new(
        names: &[Symbol],
        values: &[Value],
        action: Option<String>,
        allowance: &mut Allowance,
    ) -> TraceStep {
        let mut step = TraceStep { action, variables: Vec::new(), json: Vec::new() };
        for (name, value) in names.iter().zip(values) {
            let bytes = value.nodes_up_to(NODES_SHOWN_MAX).map(|nodes| nodes * SHOWN_NODE_BYTES);
            let (text, json) = match bytes {
                Some(bytes) if allowance.take(bytes, Place::none()).is_ok() => {
                    (value.to_string(), value.to_json())
                }
                // What is too large to be shown is cut.
                _ => (value.brief(), serde_json::json!({ "#expression": value.brief() })),
            };
            step.variables.push((*name, text));
            step.json.push(json);
        }
        step
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

/// A behaviour out of its states and the actions between them. With an ALIAS, its fields are shown instead of
/// the variables; where it has no value, the variables are.
pub(crate) fn behaviour(
    model: &mut Model,
    states: &[(Vec<Value>, Option<String>)],
    back_to: Option<usize>,
) -> Trace {
    let mut steps = Vec::with_capacity(states.len());
    if model.alias.is_some() {
        model.machine.behaviour.whole = states.iter().map(|(values, _)| values.clone()).collect();
    }
    if !model.postconditions.is_empty() {
        let named = |action: &Option<String>| action.as_deref().map(plain_name);
        let plain: Vec<_> = states.iter().map(|(values, action)| (values.clone(), named(action))).collect();
        model.machine.set_counterexample(&plain, back_to);
    }
    for (index, (values, action)) in states.iter().enumerate() {
        let after = states.get(index + 1).or_else(|| states.get(back_to.unwrap_or(index)));
        let fields = model.alias.as_ref().and_then(|alias| {
            model.machine.recover();
            model.machine.behaviour.states =
                states[..=index].iter().map(|(values, _)| values.clone()).collect();
            model.machine.progress.level = index as i64 + 1;
            model.machine.action_label = action.as_deref().map(plain_name);
            model.machine.cur.clone_from_slice(values);
            model.machine.next.clone_from_slice(after.map_or(values.as_slice(), |(values, _)| values));
            let value = model.machine.eval_apart(alias).ok();
            model.machine.recover();
            value.filter(|value| matches!(value, Value::Function(f) if f.is_record()))
        });
        steps.push(match fields {
            Some(record) => {
                let pairs = record.pairs();
                let names: Vec<Symbol> = pairs.iter().filter_map(|(name, _)| name.as_symbol()).collect();
                let values: Vec<Value> = pairs.into_iter().map(|(_, value)| value).collect();
                TraceStep::new(&names, &values, action.clone(), &mut model.machine.allowance)
            }
            None => {
                let allowance = &mut model.machine.allowance;
                TraceStep::new(&model.variables, values, action.clone(), allowance)
            }
        });
    }
    Trace { steps, back_to }
}

/// Rebuilds the behaviour whose states have these fingerprints.
pub(crate) fn rebuild(model: &mut Model, print: &Fingerprint, prints: &[u64]) -> Result<Trace> {
    let Some((first, rest)) = prints.split_first() else { return Ok(Trace::default()) };
    let mut found: Option<Vec<Value>> = None;
    if let Some(init) = &model.init {
        let view = model.view.as_ref();
        model.machine.recover();
        model.machine.progress.level = 0;
        model.machine.initial_states(init, &mut |machine| {
            if print.of_next(machine, view)? == *first {
                found = Some(machine.next.clone());
                return Ok(false);
            }
            Ok(true)
        })?;
    }
    let Some(mut state) = found else { return Ok(Trace::default()) };
    let mut states = vec![(state.clone(), None)];
    for (level, wanted) in (1..).zip(rest) {
        let Some(next) = &model.next else { break };
        let view = model.view.as_ref();
        model.machine.recover();
        model.machine.cur.clone_from(&state);
        model.machine.progress.level = level;
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
        states.push((values.clone(), Some(action)));
        state = values;
    }
    Ok(behaviour(model, &states, None))
}

/// The name of an action without its arguments.
fn plain_name(described: &str) -> Symbol {
    Symbol::new(described.split('(').next().unwrap_or(described))
}

/// An action with its arguments, as one would write it.
pub(crate) fn describe(name: Symbol, arguments: &[Value]) -> String {
    if arguments.is_empty() {
        return name.to_string();
    }
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("{name}({})", arguments.join(", "))
}
