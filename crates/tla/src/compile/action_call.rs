//! Calling operators, and applying functions, that make successor states.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::action::scoped;
use super::call::{Argument, address};
use super::ir::{Act, ActFunction, Expr, Label, Two};
use super::level::{ACTION, STATE};
use super::scope::{Binding, Env, Operator};
use crate::error::{Error, Place, Result};
use crate::syntax::ast::{self, Kind};
use crate::value::Value;

/// A recursive operator as it is compiled once: its address, whether it is part of an initial predicate, and
/// which of its parameters stand for variables.
pub(super) type ActKey = (usize, bool, Vec<Option<u32>>);

impl Compiler {
    pub(super) fn action_call(
        &mut self,
        operator: &Rc<Operator>,
        arguments: Vec<Argument>,
        expr: &Arc<ast::Expr>,
        env: &Env,
        initial: bool,
    ) -> Result<Act> {
        if operator.recursive && self.free.is_none() && self.makes_states(operator, &arguments, initial) {
            return self.recursive_action(operator, &arguments, expr.place, initial);
        }
        if operator.recursive || operator.function {
            return self.guard(expr, env, initial);
        }
        let mut thunks = Vec::new();
        let inner = self.bind_arguments(operator, &arguments, expr.place, initial, &mut thunks)?;
        // The label shows the values of plain parameters.
        let mut values = Vec::new();
        let mut names = Vec::new();
        for parameter in operator.parameters.iter().filter(|p| p.arity == 0) {
            if let Some(binding) = inner.lookup(parameter.name) {
                let (value, _) = self.call(&binding, Vec::new(), expr.place, false)?;
                values.push(value);
                names.push(parameter.name);
            }
        }
        let label = self.labels.len() as u32;
        self.labels.push(Label {
            name: operator.name,
            parameters: names.into_boxed_slice(),
            place: operator.place,
        });
        let body = self
            .expand(operator.name, expr.place, |compiler| compiler.action(&operator.body, &inner, initial))?;
        let named = Act::Named(label, values.into_boxed_slice(), Box::new(body));
        Ok(scoped(&thunks, named))
    }

    /// Whether a recursive operator may assign variables.
    fn makes_states(&self, operator: &Rc<Operator>, arguments: &[Argument], initial: bool) -> bool {
        let level = self.operator_level(operator);
        if !initial {
            return level >= ACTION;
        }
        let written = |argument: &Argument| match argument {
            Argument::Written(expr, env) => self.level(expr, env) >= STATE,
            Argument::Bound(_) => false,
        };
        level >= STATE || arguments.iter().any(written)
    }

    /// A recursive operator that assigns variables: it has a frame of its own, and its arguments are values,
    /// but for those that are variables, which it may assign.
    fn recursive_action(
        &mut self,
        operator: &Rc<Operator>,
        arguments: &[Argument],
        place: Place,
        initial: bool,
    ) -> Result<Act> {
        if operator.parameters.len() != arguments.len() || operator.parameters.iter().any(|p| p.arity > 0) {
            let message = format!("{} takes {} plain arguments", operator.name, operator.parameters.len());
            return Err(Box::new(Error::semantic(place, message)));
        }
        let mut values = Vec::new();
        let mut variables = Vec::new();
        for argument in arguments {
            let variable = self.variable_argument(argument);
            variables.push(variable);
            if variable.is_some() {
                continue;
            }
            let (value, _) = match argument {
                Argument::Bound(binding) => self.call(binding, Vec::new(), place, initial)?,
                Argument::Written(expr, env) => self.expr(expr, env, initial)?,
            };
            values.push(value);
        }
        let key: ActKey = (address(operator), initial, variables.clone());
        let known = self.act_functions.get(&key).cloned();
        let (function, depth) = match known {
            Some(known) => known,
            None => {
                let depth = operator.env.depth().map(|depth| depth + 1);
                let function = Rc::new(OnceCell::new());
                self.act_functions.insert(key, (function.clone(), depth));
                self.function_owners.push(Binding::Operator(operator.clone()));
                let frame = depth.unwrap_or(0);
                let compile = |compiler: &mut Compiler| {
                    let mut env = operator.env.clone();
                    for (parameter, variable) in operator.parameters.iter().zip(&variables) {
                        let binding = match variable {
                            Some(variable) => Binding::Variable(*variable),
                            None => Binding::Slot(frame, compiler.slot()),
                        };
                        env = env.bind(parameter.name, binding);
                    }
                    compiler.action(&operator.body, &env, initial)
                };
                let (body, slots) =
                    self.expand(operator.name, place, |compiler| compiler.in_new_frame(frame, compile))?;
                let _ = function.set(ActFunction { body, slots });
                (function, depth)
            }
        };
        let link = depth.map(|depth| self.depth() + 1 - depth);
        Ok(Act::Call(function, values.into_boxed_slice(), link, place))
    }

    /// The variable that an argument is.
    fn variable_argument(&self, argument: &Argument) -> Option<u32> {
        let Argument::Written(expr, env) = argument else { return None };
        let mut variables = Vec::new();
        let plain = self.tuple_of_variables(expr, env, &mut variables) && !self.is_tuple(expr, env);
        match variables.as_slice() {
            [variable] if plain => Some(*variable),
            _ => None,
        }
    }

    /// `f[e]`, where the values of `f` are actions: its body, for these arguments. None if `f` is anything
    /// else, or applies itself.
    pub(super) fn function_action(
        &mut self,
        function: &Arc<ast::Expr>,
        arguments: &[Arc<ast::Expr>],
        env: &Env,
        initial: bool,
    ) -> Result<Option<Act>> {
        let place = function.place;
        let found = match &function.kind {
            Kind::Apply(name, none) if none.is_empty() => self.lookup(env, *name, place)?,
            Kind::Path(steps) => self.resolve_path(steps, env, place)?.0,
            _ => return Ok(None),
        };
        let Binding::Operator(operator) = found else { return Ok(None) };
        let Kind::Function(bounds, body) = &operator.body.kind else { return Ok(None) };
        let names = bounds.iter().flat_map(|bound| bound.names.iter().map(move |name| (name, bound)));
        let level = if initial { STATE } else { ACTION };
        if !operator.function
            || self.defining.contains(&address(&operator))
            || bounds.iter().any(|bound| bound.tuple)
            || names.clone().count() != arguments.len()
            || self.operator_level(&operator) < level
        {
            return Ok(None);
        }
        let mut thunks = Vec::new();
        let mut inner = operator.env.clone();
        let mut acts = Vec::new();
        for ((name, bound), argument) in names.zip(arguments) {
            let thunk = self.bind_lazily(argument, env, initial);
            thunks.push(thunk.clone());
            let binding = Binding::Thunk(thunk);
            let (left, _) = self.call(&binding, Vec::new(), place, initial)?;
            let (right, _) = self.expr(&bound.set, &operator.env, initial)?;
            let fits = Expr::In(Box::new(Two { left, right, place }));
            let message = format!("an argument of {} is not in its domain", operator.name);
            let yes = Expr::Const(Value::Bool(true));
            let checked = Expr::If(Box::new((fits, yes, Expr::Error(message, place), place)));
            acts.push(Act::Guard(checked, place));
            inner = inner.bind(*name, binding);
        }
        self.defining.push(address(&operator));
        let body = self.expand(operator.name, place, |compiler| compiler.action(body, &inner, initial));
        self.defining.pop();
        acts.push(body?);
        Ok(Some(scoped(&thunks, Act::And(acts.into_boxed_slice()))))
    }
}
