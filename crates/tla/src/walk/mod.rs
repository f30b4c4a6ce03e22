//! Walking a specification under control: what tests of implementations need.
//!
//! A [`Walker`] gives initial states, all successors of a state with the actions that lead to them, and runs
//! actions that the caller chooses, one by one or a whole list. A [`State`] is compact, hashable and may
//! leave the thread; its values are read through the walker. [`Graph`] is the whole labelled state graph.

mod graph;
mod search;
mod state;

use std::collections::HashMap;

use rustc_hash::FxHashSet;

use self::state::Store;
use crate::check::check_gathered;
use crate::check::fingerprint::Fingerprint;
use crate::check::trace::describe;
use crate::compile::Compiler;
use crate::compile::ir::{Act, Expr};
use crate::error::{Error, Place, Result};
use crate::eval::Machine;
use crate::model::{Model, Scope, Spec};
use crate::stack::CALLER_STACK_BYTES;
use crate::symbol::Symbol;
use crate::value::Value;
use crate::value::encode::decoded_bytes;

pub use graph::{Graph, GraphEdge};
pub use search::{Choose, Definition, Draft, Found};
pub use state::State;

/// An action with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ActionCall {
    /// The name of the operator.
    pub name: Symbol,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

impl ActionCall {
    /// An action without arguments, or with them.
    pub fn new(name: &str, arguments: Vec<Value>) -> ActionCall {
        ActionCall { name: Symbol::new(name), arguments }
    }
}

impl std::fmt::Display for ActionCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&describe(self.name, &self.arguments))
    }
}

/// A successor and the action that leads to it.
#[derive(Debug, Clone)]
pub struct Successor {
    /// The action.
    pub action: ActionCall,
    /// The state.
    pub state: State,
}

/// What came of running an action.
#[derive(Debug, Clone)]
pub enum Attempt {
    /// It is enabled and leads to these states.
    Taken(Vec<State>),
    /// It is not enabled: the conjunct that it got furthest to and that is false.
    Blocked(Place),
}

/// What came of running a list of actions.
#[derive(Debug, Clone)]
pub struct Run {
    /// The initial state, then the state after each action; after an action that was blocked, the same state
    /// again.
    pub states: Vec<State>,
    /// The actions that were not enabled: their position in the list, and the conjunct that blocked them.
    pub stutters: Vec<(usize, Place)>,
}

/// An action compiled on its own: its parameters are slots.
struct Prepared {
    act: Act,
    slots: Vec<u32>,
}

/// Walks a specification.
pub struct Walker {
    model: Model,
    compiler: Compiler,
    print: Fingerprint,
    store: Store,
    prepared: HashMap<Symbol, Prepared>,
    /// What [`State::abstraction`] is made of, besides the fingerprint.
    abstraction: Option<Expr>,
    /// What [`Walker::define`] was asked for.
    definitions: Vec<Expr>,
}

impl Walker {
    /// Compiles a specification for walking. Properties and fairness are left out.
    pub fn new(spec: &Spec) -> Result<Walker> {
        let (mut model, compiler) = Model::with_compiler(spec, Scope::Safety, CALLER_STACK_BYTES)?;
        for assumption in &model.assumptions {
            if !model.machine.holds_apart(&assumption.expr, assumption.place)? {
                let message = "the assumption is false".to_string();
                return Err(Box::new(Error::Evaluation { place: assumption.place, message }));
            }
        }
        let print = Fingerprint::of_model(&model);
        Ok(Walker {
            model,
            compiler,
            print,
            store: Store::new(),
            prepared: HashMap::new(),
            abstraction: None,
            definitions: Vec::new(),
        })
    }

    /// From now on, states carry a number for the value that this definition without parameters has in them:
    /// what matters of a state to the caller ([`State::abstraction`]). Fingerprints stay what they are.
    pub fn abstract_by(&mut self, definition: &str) -> Result<()> {
        let expr = self.model.definition(&mut self.compiler, Symbol::new(definition))?;
        self.compiler.finish();
        self.model.machine.install(&self.compiler.functions, self.compiler.top_slots());
        self.abstraction = Some(expr);
        Ok(())
    }

    /// The names of the variables, in the order of their declaration.
    pub fn variables(&self) -> &[Symbol] {
        &self.model.variables
    }

    /// The names of the actions that the next-state action consists of, each with its parameters.
    pub fn actions(&self) -> Vec<(Symbol, Vec<Symbol>)> {
        let mut actions: Vec<(Symbol, Vec<Symbol>)> = Vec::new();
        for (index, (name, parameters, _)) in self.model.labels.iter().enumerate() {
            let shown = self.model.machine.visible.get(index).copied().unwrap_or(false);
            // The next-state action as a whole is no part of itself, unless it has no parts.
            let is_whole = *name == self.model.next_name && !self.model.machine.innermost[index];
            if shown && !is_whole && !actions.iter().any(|(known, _)| known == name) {
                actions.push((*name, parameters.clone()));
            }
        }
        actions
    }

    /// All initial states, in the order in which they are generated, without repetitions.
    pub fn initial(&mut self) -> Result<Vec<State>> {
        self.model.machine.set_stack(CALLER_STACK_BYTES);
        let Model { machine, init, view, .. } = &mut self.model;
        let Some(init) = init else { return Ok(Vec::new()) };
        let (print, store) = ((&self.print, self.abstraction.as_ref()), &mut self.store);
        let mut states: Vec<State> = Vec::new();
        let mut seen = FxHashSet::default();
        let result = machine.initial_states(init, &mut |machine| {
            let state = made(machine, print, store, view.as_ref())?;
            if seen.insert(state.fingerprint()) {
                check_gathered(states.len())?;
                states.push(state);
            }
            Ok(true)
        });
        finish(machine, result)?;
        Ok(states)
    }

    /// All successors of a state with the actions that lead to them, whatever the configuration's constraints
    /// say. Two actions that lead to the same state are two successors.
    pub fn successors(&mut self, state: &State) -> Result<Vec<Successor>> {
        self.expand(state, false)
    }

    /// All successors of a state, or those that the action constraints let through.
    fn expand(&mut self, state: &State, is_constrained: bool) -> Result<Vec<Successor>> {
        self.enter(state)?;
        let names: Vec<Symbol> = self.model.labels.iter().map(|(name, _, _)| *name).collect();
        let next_name = self.model.next_name;
        let Model { machine, next, view, action_constraints, .. } = &mut self.model;
        let Some(next) = next else { return Ok(Vec::new()) };
        let (print, store) = ((&self.print, self.abstraction.as_ref()), &mut self.store);
        let mut successors = Vec::new();
        machine.labelling = true;
        let result = machine.successors(next, &mut |machine| {
            for constraint in action_constraints.iter().filter(|_| is_constrained) {
                if !machine.holds_apart(&constraint.expr, constraint.place)? {
                    return Ok(true);
                }
            }
            let name = names.get(machine.label as usize).copied().unwrap_or(next_name);
            let action = ActionCall { name, arguments: machine.label_arguments.clone() };
            check_gathered(successors.len())?;
            successors.push(Successor { action, state: made(machine, print, store, view.as_ref())? });
            Ok(true)
        });
        machine.labelling = false;
        finish(machine, result)?;
        Ok(successors)
    }

    /// Runs an action with arguments from a state.
    pub fn attempt(&mut self, state: &State, action: &ActionCall) -> Result<Attempt> {
        self.prepare(action)?;
        self.enter(state)?;
        self.attempt_here(action)
    }

    /// Runs a list of actions from the first initial state. An action that is not enabled changes nothing and
    /// is counted; of several successors the first is taken.
    pub fn run(&mut self, actions: &[ActionCall]) -> Result<Run> {
        let Some(mut state) = self.initial()?.into_iter().next() else {
            return Ok(Run { states: Vec::new(), stutters: Vec::new() });
        };
        let mut run = Run { states: Vec::with_capacity(actions.len() + 1), stutters: Vec::new() };
        run.states.push(state.clone());
        for (position, action) in actions.iter().enumerate() {
            match self.attempt(&state, action)? {
                Attempt::Taken(states) => {
                    if let Some(first) = states.into_iter().next() {
                        state = first;
                    }
                }
                Attempt::Blocked(place) => run.stutters.push((position, place)),
            }
            run.states.push(state.clone());
        }
        Ok(run)
    }

    /// The value of a variable in a state.
    pub fn value(&mut self, state: &State, variable: &str) -> Option<Value> {
        let index = self.model.variables.iter().position(|name| name.as_str() == variable)?;
        self.store.decode(state, self.model.variables.len())?.into_iter().nth(index)
    }

    /// Every variable and its value in a state, in the order of declaration.
    pub fn values(&mut self, state: &State) -> Vec<(String, Value)> {
        let values = self.store.decode(state, self.model.variables.len()).unwrap_or_default();
        self.model.variables.iter().map(ToString::to_string).zip(values).collect()
    }

    /// A state as JSON: an object of its variables.
    pub fn to_json(&mut self, state: &State) -> serde_json::Value {
        let values = self.store.decode(state, self.model.variables.len()).unwrap_or_default();
        let fields = self.model.variables.iter().zip(values);
        serde_json::Value::Object(fields.map(|(name, value)| (name.to_string(), value.to_json())).collect())
    }

    /// A state as TLA+ text: a conjunction of its variables' values.
    pub fn to_text(&mut self, state: &State) -> String {
        let values = self.store.decode(state, self.model.variables.len()).unwrap_or_default();
        let lines: Vec<String> = self
            .model
            .variables
            .iter()
            .zip(values)
            .map(|(name, value)| format!("/\\ {name} = {value}"))
            .collect();
        lines.join("\n")
    }

    /// Makes a state the current one.
    fn enter(&mut self, state: &State) -> Result<()> {
        self.model.machine.set_stack(CALLER_STACK_BYTES);
        self.model.machine.room(decoded_bytes(state.encoded_bytes()), Place::none())?;
        if self.store.enter(state, &mut self.model.machine.cur) {
            return Ok(());
        }
        let message = "the state belongs to another specification".to_string();
        Err(Box::new(Error::Evaluation { place: Place::none(), message }))
    }

    /// Compiles an action on its own.
    fn prepare(&mut self, action: &ActionCall) -> Result<()> {
        let known = self.prepared.get(&action.name).map(|prepared| prepared.slots.len());
        let parameters = match known {
            Some(parameters) => parameters,
            None => {
                let (act, slots) = self.compiler.prepare_action(action.name)?;
                self.compiler.finish();
                self.model.machine.install(&self.compiler.functions, self.compiler.top_slots());
                let parameters = slots.len();
                self.prepared.insert(action.name, Prepared { act, slots });
                parameters
            }
        };
        if parameters != action.arguments.len() {
            let message =
                format!("{} takes {parameters} arguments, {} are given", action.name, action.arguments.len());
            return Err(Box::new(Error::semantic(Place::none(), message)));
        }
        Ok(())
    }

    /// Runs a prepared action from the current state.
    fn attempt_here(&mut self, action: &ActionCall) -> Result<Attempt> {
        let Some(prepared) = self.prepared.get(&action.name) else {
            return Err(Box::new(Error::semantic(Place::none(), format!("unknown action {}", action.name))));
        };
        let Model { machine, view, .. } = &mut self.model;
        let (print, store) = ((&self.print, self.abstraction.as_ref()), &mut self.store);
        for (slot, argument) in prepared.slots.iter().zip(&action.arguments) {
            machine.set_top_slot(*slot, argument.clone());
        }
        machine.explaining = true;
        machine.blocked = None;
        let mut states: Vec<State> = Vec::new();
        let result = machine.successors(&prepared.act, &mut |machine| {
            let state = made(machine, print, store, view.as_ref())?;
            if !states.contains(&state) {
                states.push(state);
            }
            Ok(true)
        });
        machine.explaining = false;
        finish(machine, result)?;
        if states.is_empty() {
            let place = machine.blocked.map_or_else(Place::none, |blocked| blocked.place);
            return Ok(Attempt::Blocked(place));
        }
        Ok(Attempt::Taken(states))
    }
}

fn finish(machine: &mut Machine, result: Result<bool>) -> Result<()> {
    if result.is_err() {
        machine.recover();
        machine.labelling = false;
        machine.explaining = false;
        machine.chooses = None;
    }
    result.map(|_| ())
}

/// The state that the machine has just made.
fn made(
    machine: &mut Machine,
    (print, abstraction): (&Fingerprint, Option<&Expr>),
    store: &mut Store,
    view: Option<&Expr>,
) -> Result<State> {
    if let Some(name) = machine.missing() {
        let message = format!("variable {name}' is not assigned a value");
        return Err(Box::new(Error::Evaluation { place: Place::none(), message }));
    }
    let fingerprint = print.of_next(machine, view)?;
    let abstraction = match abstraction {
        Some(expr) => machine.eval_in_next(expr)?.hash64(),
        None => fingerprint,
    };
    let Machine { next, allowance, .. } = machine;
    store.encode(next, allowance, (fingerprint, abstraction))?.ok_or_else(|| {
        let message = "a variable has an infinite value".to_string();
        Box::new(Error::Evaluation { place: Place::none(), message })
    })
}
