//! Looking for successors: only some actions are run, and only some of the states that they make are kept.
//!
//! Whoever lays a recording beside a specification knows part of what happened. Actions that cannot have been
//! it are not run, and a state that does not fit is thrown away before it is encoded.

use std::cell::RefCell;
use std::rc::Rc;

use super::{ActionCall, State, Successor, Walker, finish, made};
use crate::compile::ir::Expr;
use crate::error::{Error, Place, Result};
use crate::eval::Machine;
use crate::model::Model;
use crate::stack::CALLER_STACK_BYTES;
use crate::symbol::Symbol;
use crate::value::Value;

/// Says by its name and its arguments whether an action is to be run.
pub type Choose = Rc<dyn Fn(Symbol, &[Value]) -> bool>;

/// A definition without parameters that can be asked for in a [`Draft`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Definition(usize);

/// A state that has just been made and is not kept yet.
pub struct Draft<'m> {
    machine: &'m mut Machine,
    definitions: &'m [Expr],
}

impl Draft<'_> {
    /// The value of a variable, by its position in [`Walker::variables`].
    pub fn variable(&self, position: usize) -> Option<&Value> {
        self.machine.next.get(position)
    }

    /// The value that a definition has in this state.
    pub fn definition(&mut self, definition: Definition) -> Result<Value> {
        match self.definitions.get(definition.0) {
            Some(expr) => self.machine.eval_in_next(expr),
            None => {
                let message = "the definition belongs to another specification".to_string();
                Err(Box::new(Error::Evaluation { place: Place::none(), message }))
            }
        }
    }
}

/// What came of looking for successors.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Those that were kept.
    pub successors: Vec<Successor>,
    /// How many were made and not kept.
    pub rejected: usize,
}

impl Walker {
    /// Prepares a definition without parameters, of state level, to be asked for in drafts.
    pub fn define(&mut self, name: &str) -> Result<Definition> {
        let expr = self.model.definition(&mut self.compiler, Symbol::new(name))?;
        self.compiler.finish();
        self.model.machine.install(&self.compiler.functions, self.compiler.top_slots());
        self.definitions.push(expr);
        Ok(Definition(self.definitions.len() - 1))
    }

    /// The value that a definition has in the state in which the variables have these values, in the order of
    /// [`Walker::variables`].
    pub fn evaluate(&mut self, values: &[Value], definition: Definition) -> Result<Value> {
        self.model.machine.set_stack(CALLER_STACK_BYTES);
        let Model { machine, variables, .. } = &mut self.model;
        if values.len() != variables.len() {
            let message = format!("{} values were given for {} variables", values.len(), variables.len());
            return Err(Box::new(Error::Evaluation { place: Place::none(), message }));
        }
        machine.next.clear();
        machine.next.extend_from_slice(values);
        let value = Draft { machine, definitions: &self.definitions }.definition(definition);
        machine.next.fill(Value::Undefined);
        value
    }

    /// With which values of the names bound by its outer `\\A` a definition is false in this state, which it
    /// must be. The values come from the outside in; there are none if it is false in another way.
    pub fn counterexample(
        &mut self,
        values: &[Value],
        definition: Definition,
    ) -> Result<Vec<(String, Value)>> {
        self.evaluate(values, definition)?;
        let Some(expr) = self.definitions.get(definition.0) else { return Ok(Vec::new()) };
        let found = self.model.machine.counterexample_in(values, expr)?;
        Ok(found.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    /// Whether an action of this name with so many arguments can be attempted: any definition of the root
    /// module can that is an action. The error says why not.
    pub fn prepare_action(&mut self, name: &str, arguments: usize) -> Result<()> {
        self.prepare(&ActionCall::new(name, vec![Value::Undefined; arguments]))
    }

    /// The initial states that are accepted.
    pub fn initial_where(
        &mut self,
        accept: &mut dyn FnMut(&mut Draft<'_>) -> Result<bool>,
    ) -> Result<Vec<State>> {
        self.model.machine.set_stack(CALLER_STACK_BYTES);
        let Model { machine, init, view, .. } = &mut self.model;
        let Some(init) = init else { return Ok(Vec::new()) };
        let (print, store) = ((&self.print, self.abstraction.as_ref()), &mut self.store);
        let definitions = &self.definitions;
        let mut states: Vec<State> = Vec::new();
        let result = machine.initial_states(init, &mut |machine| {
            if accepted(machine, definitions, accept)? {
                let state = made(machine, print, store, view.as_ref())?;
                if !states.contains(&state) {
                    states.push(state);
                }
            }
            Ok(true)
        });
        finish(machine, result)?;
        Ok(states)
    }

    /// The successors by actions that are chosen, as far as they are accepted. Which actions are chosen is
    /// asked with their names and arguments.
    pub fn successors_where(
        &mut self,
        state: &State,
        choose: Choose,
        accept: &mut dyn FnMut(&mut Draft<'_>) -> Result<bool>,
    ) -> Result<Found> {
        self.enter(state)?;
        let names: Rc<[Symbol]> = self.model.labels.iter().map(|(name, _, _)| *name).collect();
        let next_name = self.model.next_name;
        let Model { machine, next, view, .. } = &mut self.model;
        let Some(next) = next else { return Ok(Found::default()) };
        let (print, store) = ((&self.print, self.abstraction.as_ref()), &mut self.store);
        let definitions = &self.definitions;
        let mut found = Found::default();
        let chosen = Rc::clone(&choose);
        let known = Rc::clone(&names);
        machine.chooses = Some(Rc::new(move |label, values| {
            known.get(label as usize).is_some_and(|name| chosen(*name, values))
        }));
        machine.labelling = true;
        let result = machine.successors(next, &mut |machine| {
            let label = machine.label as usize;
            let name = names.get(label).copied().unwrap_or(next_name);
            // The innermost actions were chosen before they were run.
            let is_chosen = machine.innermost.get(label).copied().unwrap_or(false);
            if !is_chosen && !choose(name, &machine.label_arguments) {
                return Ok(true);
            }
            if accepted(machine, definitions, accept)? {
                let action = ActionCall { name, arguments: machine.label_arguments.clone() };
                let state = made(machine, print, store, view.as_ref())?;
                found.successors.push(Successor { action, state });
            } else {
                found.rejected += 1;
            }
            Ok(true)
        });
        machine.labelling = false;
        machine.chooses = None;
        finish(machine, result)?;
        Ok(found)
    }

    /// Runs an action with arguments from a state; keeps the successors that are accepted.
    pub fn attempt_where(
        &mut self,
        state: &State,
        action: &ActionCall,
        accept: &mut dyn FnMut(&mut Draft<'_>) -> Result<bool>,
    ) -> Result<Found> {
        self.prepare(action)?;
        self.enter(state)?;
        let Some(prepared) = self.prepared.get(&action.name) else { return Ok(Found::default()) };
        let Model { machine, view, .. } = &mut self.model;
        let (print, store) = ((&self.print, self.abstraction.as_ref()), &mut self.store);
        let definitions = &self.definitions;
        for (slot, argument) in prepared.slots.iter().zip(&action.arguments) {
            machine.set_top_slot(*slot, argument.clone());
        }
        let mut found = Found::default();
        let result = machine.successors(&prepared.act, &mut |machine| {
            if accepted(machine, definitions, accept)? {
                let state = made(machine, print, store, view.as_ref())?;
                found.successors.push(Successor { action: action.clone(), state });
            } else {
                found.rejected += 1;
            }
            Ok(true)
        });
        finish(machine, result)?;
        Ok(found)
    }

    /// Whether a state is accepted.
    pub fn accepts(
        &mut self,
        state: &State,
        accept: &mut dyn FnMut(&mut Draft<'_>) -> Result<bool>,
    ) -> Result<bool> {
        self.enter(state)?;
        let machine = &mut self.model.machine;
        // A draft is what comes next; nothing else is under way.
        machine.next.clone_from(&machine.cur);
        let result = accept(&mut Draft { machine, definitions: &self.definitions });
        machine.next.fill(Value::Undefined);
        if result.is_err() {
            machine.recover();
        }
        result
    }

    /// The actions that the next-state action consists of in a state, enabled or not, with their arguments.
    pub fn instances(&mut self, state: &State) -> Result<Vec<ActionCall>> {
        let instances: Rc<RefCell<Vec<ActionCall>>> = Rc::default();
        let kept = Rc::clone(&instances);
        // Explaining looks at every value of every bound.
        self.model.machine.explaining = true;
        let found = self.successors_where(
            state,
            Rc::new(move |name, arguments| {
                kept.borrow_mut().push(ActionCall { name, arguments: arguments.to_vec() });
                false
            }),
            &mut |_| Ok(false),
        );
        self.model.machine.explaining = false;
        found?;
        let mut distinct: Vec<ActionCall> = Vec::new();
        for instance in instances.take() {
            if !distinct.contains(&instance) {
                distinct.push(instance);
            }
        }
        Ok(distinct)
    }
}

fn accepted(
    machine: &mut Machine,
    definitions: &[Expr],
    accept: &mut dyn FnMut(&mut Draft<'_>) -> Result<bool>,
) -> Result<bool> {
    if let Some(name) = machine.missing() {
        let message = format!("variable {name}' is not assigned a value");
        return Err(Box::new(Error::Evaluation { place: Place::none(), message }));
    }
    accept(&mut Draft { machine, definitions })
}
