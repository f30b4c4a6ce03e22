//! Compiling actions, and initial predicates, which are actions whose every variable is primed.
//!
//! Slots of an action are not reused by the conjuncts after it: those run *inside* it, as its continuation.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::call::Argument;
use super::expr::{TEMPORAL_VALUE, is_temporal};
use super::ir::{Act, Expr, One};
use super::scope::{Binding, Env, Thunk};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind};
use crate::value::Value;

impl Compiler {
    /// Compiles an action. With `initial`, an initial predicate: unprimed variables are what is assigned.
    pub(crate) fn action(&mut self, expr: &Arc<ast::Expr>, env: &Env, initial: bool) -> Result<Act> {
        self.count_node(expr.place)?;
        let place = expr.place;
        match &expr.kind {
            Kind::And(items) => {
                let mut acts = Vec::with_capacity(items.len());
                for item in items {
                    match self.action(item, env, initial)? {
                        Act::And(inner) => acts.extend(inner),
                        act => acts.push(act),
                    }
                }
                Ok(Act::And(acts.into_boxed_slice()))
            }
            Kind::Or(items) => {
                let start = self.frame().next;
                let mut end = start;
                let mut acts = Vec::with_capacity(items.len());
                for item in items {
                    self.frame().next = start;
                    acts.push(self.action(item, env, initial)?);
                    end = end.max(self.frame().next);
                }
                self.frame().next = end;
                let tests = acts.iter().all(only_tests);
                self.tested(tests, Act::Or(acts.into_boxed_slice()), expr, env, initial)
            }
            Kind::Label(_, _, inner) => self.action(inner, env, initial),
            Kind::Quantified { forall, bounds, body } => {
                let start = self.frame().next;
                let (binders, inner, _) = self.binders(bounds, env, initial)?;
                let body = Box::new(self.action(body, &inner, initial)?);
                if *forall && is_test(&body) {
                    self.frame().next = start;
                    return self.guard(expr, env, initial);
                }
                if *forall {
                    return Ok(Act::Forall(binders, body));
                }
                self.tested(only_tests(&body), Act::Exists(binders, body), expr, env, initial)
            }
            Kind::If(condition, yes, no) => {
                let (condition, _) = self.expr(condition, env, initial)?;
                let start = self.frame().next;
                let yes = self.action(yes, env, initial)?;
                let end = std::mem::replace(&mut self.frame().next, start);
                let no = self.action(no, env, initial)?;
                let frame = self.frame();
                frame.next = frame.next.max(end);
                Ok(Act::If(condition, Box::new((yes, no)), place))
            }
            Kind::Case(arms, other) => {
                let start = self.frame().next;
                let mut end = start;
                let mut compiled = Vec::new();
                for (guard, value) in arms {
                    self.frame().next = start;
                    let (guard, _) = self.expr(guard, env, initial)?;
                    compiled.push((guard, self.action(value, env, initial)?));
                    end = end.max(self.frame().next);
                }
                self.frame().next = start;
                let other = match other {
                    Some(other) => Some(Box::new(self.action(other, env, initial)?)),
                    None => None,
                };
                let frame = self.frame();
                frame.next = frame.next.max(end);
                Ok(Act::Case(compiled.into_boxed_slice(), other, place))
            }
            Kind::Let(locals, body) => {
                let mut thunks = Vec::new();
                let inner = self.let_env(locals, env, initial, &mut thunks)?;
                let body = self.action(body, &inner, initial)?;
                Ok(scoped(&thunks, body))
            }
            Kind::Box(action, subscript) if !initial => {
                let act = self.action(action, env, initial)?;
                let same = self.unchanged_act(subscript, env, place)?;
                Ok(Act::Or(Box::new([act, same])))
            }
            Kind::Angle(action, _) if !initial => {
                let act = self.action(action, env, initial)?;
                let Kind::Angle(_, subscript) = &expr.kind else { return Ok(act) };
                let (operand, _) = self.unchanged(subscript, env, place)?;
                let changed = Expr::Not(Box::new(One { operand, place }));
                Ok(Act::And(Box::new([act, Act::Guard(changed, place)])))
            }
            // As in TLC, this is an error only where the action gets so far.
            Kind::Apply(name, operands) if is_temporal(name.as_str(), operands.len()) => {
                Ok(Act::Guard(Expr::Error(TEMPORAL_VALUE.to_string(), place), place))
            }
            Kind::Apply(name, arguments) => {
                let known = self.assignment(name.as_str(), arguments, place, env, initial)?;
                if let Some(act) = known {
                    return Ok(act);
                }
                if is_core(name.as_str()) {
                    return self.guard(expr, env, initial);
                }
                match self.lookup(env, *name, place)? {
                    Binding::Operator(operator) => {
                        let arguments =
                            arguments.iter().map(|e| Argument::Written(e.clone(), env.clone())).collect();
                        self.action_call(&operator, arguments, expr, env, initial)
                    }
                    Binding::Thunk(thunk) if arguments.is_empty() => {
                        self.action(&thunk.body.clone(), &thunk.env.clone(), initial)
                    }
                    _ => self.guard(expr, env, initial),
                }
            }
            Kind::Path(steps) => match self.resolve_path(steps, env, place)? {
                (Binding::Operator(operator), arguments) => {
                    self.action_call(&operator, arguments, expr, env, initial)
                }
                _ => self.guard(expr, env, initial),
            },
            Kind::Index(function, arguments) => {
                match self.function_action(function, arguments, env, initial)? {
                    Some(act) => Ok(act),
                    None => self.guard(expr, env, initial),
                }
            }
            _ => self.guard(expr, env, initial),
        }
    }

    /// Compiles a named action of the root module on its own, with its parameters as slots.
    pub(crate) fn prepare_action(&mut self, name: Symbol) -> Result<(Act, Vec<u32>)> {
        let place = Place::none();
        let env = self.root_env();
        let Binding::Operator(operator) = self.lookup(&env, name, place)? else {
            return Err(Box::new(Error::semantic(place, format!("{name} is no action"))));
        };
        let mut inner = operator.env.clone();
        let mut slots = Vec::new();
        for parameter in &operator.parameters {
            let slot = self.slot();
            slots.push(slot);
            inner = inner.bind(parameter.name, Binding::Slot(self.depth(), slot));
        }
        let act = self.action(&operator.body.clone(), &inner, false)?;
        Ok((act, slots))
    }

    pub(super) fn guard(&mut self, expr: &Arc<ast::Expr>, env: &Env, initial: bool) -> Result<Act> {
        let start = self.frame().next;
        let (guard, _) = self.expr(expr, env, initial)?;
        self.frame().next = start;
        Ok(Act::Guard(guard, expr.place))
    }

    /// `x' = e`, `x' \in S`, `UNCHANGED e` and `A \cdot B`.
    fn assignment(
        &mut self,
        name: &str,
        arguments: &[Arc<ast::Expr>],
        place: Place,
        env: &Env,
        initial: bool,
    ) -> Result<Option<Act>> {
        Ok(match (name, arguments) {
            ("=" | "\\in" | "\\subseteq", [left, right]) => {
                let Some(variable) = self.assigned_variable(left, env, initial) else { return Ok(None) };
                let start = self.frame().next;
                let (value, _) = self.expr(right, env, initial)?;
                self.frame().next = start;
                Some(match name {
                    "=" => Act::Assign(variable, value, place),
                    "\\in" => Act::AssignIn(variable, value, place),
                    _ => {
                        let subsets = Expr::Powerset(Box::new(One { operand: value, place }));
                        Act::AssignIn(variable, subsets, place)
                    }
                })
            }
            // Like TLC: if the left side holds, the right side is an action that may branch.
            ("=>", [left, right]) => {
                let (condition, _) = self.expr(left, env, initial)?;
                let consequence = self.action(right, env, initial)?;
                let nothing = Act::Guard(Expr::Const(Value::Bool(true)), place);
                Some(Act::If(condition, Box::new((consequence, nothing)), place))
            }
            ("UNCHANGED", [operand]) if !initial => Some(self.unchanged_act(operand, env, place)?),
            ("\\cdot", [first, second]) if !initial => {
                let first = self.action(first, env, initial)?;
                let second = self.action(second, env, initial)?;
                Some(Act::Compose(Box::new((first, second))))
            }
            _ => None,
        })
    }

    /// A disjunction of tests leads to as many successors as there are ways for it to be true, like TLC's.
    /// That it is false is found out by its truth value, if that is remembered.
    fn tested(
        &mut self,
        tests: bool,
        act: Act,
        expr: &Arc<ast::Expr>,
        env: &Env,
        initial: bool,
    ) -> Result<Act> {
        if !tests || initial || self.free.is_some() {
            return Ok(act);
        }
        let (truth, _) = self.expr(expr, env, false)?;
        if !matches!(truth, Expr::Memo(_)) {
            return Ok(act);
        }
        Ok(Act::And(Box::new([Act::Guard(truth, expr.place), act])))
    }

    fn unchanged_act(&mut self, operand: &Arc<ast::Expr>, env: &Env, place: Place) -> Result<Act> {
        if self.free.is_some()
            && let Some(act) = self.unchanged_free(operand, env, place)?
        {
            return Ok(act);
        }
        let start = self.frame().next;
        let (expr, _) = self.unchanged(operand, env, place)?;
        self.frame().next = start;
        if let Expr::Unchanged(variables, place) = expr {
            return Ok(Act::Unchanged(variables, place));
        }
        // A tuple with anything else in it: its variables keep their values, what else there is is compared.
        match self.items_of_tuple(operand, env) {
            Some(items) => {
                let acts: Result<Vec<Act>> =
                    items.iter().map(|(item, env)| self.unchanged_act(item, env, place)).collect();
                Ok(Act::And(acts?.into_boxed_slice()))
            }
            None => Ok(Act::Guard(expr, place)),
        }
    }

    /// The items of what is a tuple, under whatever name.
    fn items_of_tuple(&self, expr: &Arc<ast::Expr>, env: &Env) -> Option<Vec<(Arc<ast::Expr>, Env)>> {
        let binding = match &expr.kind {
            Kind::Tuple(items) => {
                return Some(items.iter().map(|item| (item.clone(), env.clone())).collect());
            }
            Kind::Label(_, _, inner) => return self.items_of_tuple(inner, env),
            Kind::Apply(name, none) if none.is_empty() => self.lookup(env, *name, expr.place).ok()?,
            Kind::Path(steps) => match self.resolve_path(steps, env, expr.place).ok()? {
                (binding, arguments) if arguments.is_empty() => binding,
                _ => return None,
            },
            _ => return None,
        };
        match binding {
            Binding::Operator(operator)
                if operator.parameters.is_empty() && !operator.recursive && !self.guard.exceeded() =>
            {
                self.items_of_tuple(&operator.body, &operator.env)
            }
            Binding::Thunk(thunk) => self.items_of_tuple(&thunk.body, &thunk.env),
            _ => None,
        }
    }

    /// UNCHANGED inside ENABLED, where some variables are free: one by one.
    fn unchanged_free(&mut self, operand: &Arc<ast::Expr>, env: &Env, place: Place) -> Result<Option<Act>> {
        let binding = match &operand.kind {
            Kind::Tuple(items) => {
                let mut acts = Vec::new();
                for item in items {
                    acts.push(self.unchanged_act(item, env, place)?);
                }
                return Ok(Some(Act::And(acts.into_boxed_slice())));
            }
            Kind::Apply(name, none) if none.is_empty() => self.lookup(env, *name, place)?,
            Kind::Path(steps) => self.resolve_path(steps, env, place)?.0,
            _ => return Ok(None),
        };
        let Binding::Operator(operator) = binding else { return Ok(None) };
        if let Some(index) = self.free_variable(&operator) {
            let start = self.frame().next;
            let (value, _) = self.expr(operand, env, false)?;
            self.frame().next = start;
            return Ok(Some(Act::Assign(index, value, place)));
        }
        if operator.parameters.is_empty()
            && !operator.recursive
            && matches!(operator.body.kind, Kind::Tuple(_) | Kind::Apply(..))
        {
            return self.unchanged_free(&operator.body, &operator.env, place);
        }
        Ok(None)
    }

    /// The variable that `x'` (or `x` in an initial predicate) assigns, through parameters and substitutions.
    fn assigned_variable(&mut self, expr: &Arc<ast::Expr>, env: &Env, initial: bool) -> Option<u32> {
        let inner = match &expr.kind {
            Kind::Apply(name, arguments) if name.as_str() == "'" && !initial => arguments.first()?,
            // A parameter that stands for `x'`.
            Kind::Apply(name, arguments) if arguments.is_empty() && !initial => {
                return match self.lookup(env, *name, expr.place).ok()? {
                    Binding::Thunk(thunk) => self.assigned_variable(&thunk.body, &thunk.env, initial),
                    Binding::Operator(operator)
                        if operator.parameters.is_empty() && !self.guard.exceeded() =>
                    {
                        self.assigned_variable(&operator.body, &operator.env, initial)
                    }
                    _ => None,
                };
            }
            Kind::Apply(_, arguments) if arguments.is_empty() && initial => expr,
            Kind::Path(_) if initial => expr,
            // A definition of an instance, or what a LET defines, that stands for `x'`.
            Kind::Path(steps) => {
                return match self.resolve_path(steps, env, expr.place).ok()? {
                    (Binding::Operator(operator), arguments)
                        if arguments.is_empty()
                            && operator.parameters.is_empty()
                            && !self.guard.exceeded() =>
                    {
                        self.assigned_variable(&operator.body, &operator.env, initial)
                    }
                    _ => None,
                };
            }
            Kind::Let(locals, body) if !initial => {
                return self.assigned_variable(body, &self.let_operators(locals, env), initial);
            }
            _ => return None,
        };
        if matches!(inner.kind, Kind::Tuple(_)) {
            return None;
        }
        if let (Kind::Apply(name, none), true) = (&inner.kind, self.free.is_some())
            && let (true, Ok(Binding::Operator(operator))) =
                (none.is_empty(), self.lookup(env, *name, inner.place))
            && let Some(index) = self.free_variable(&operator)
        {
            return Some(index);
        }
        let mut variables = Vec::new();
        let plain = self.tuple_of_variables(inner, env, &mut variables) && !self.is_tuple(inner, env);
        match variables.as_slice() {
            [variable] if plain => Some(*variable),
            _ => None,
        }
    }

    /// Whether a name stands for a tuple in the end: `<<x>>' = e` assigns nothing.
    pub(super) fn is_tuple(&self, expr: &Arc<ast::Expr>, env: &Env) -> bool {
        let binding = match &expr.kind {
            Kind::Tuple(_) => return true,
            Kind::Apply(name, _) => self.lookup(env, *name, expr.place).ok(),
            Kind::Path(steps) => self.resolve_path(steps, env, expr.place).ok().map(|(binding, _)| binding),
            _ => None,
        };
        match binding {
            Some(Binding::Operator(operator)) => self.is_tuple(&operator.body, &operator.env),
            Some(Binding::Thunk(thunk)) => self.is_tuple(&thunk.body, &thunk.env),
            _ => false,
        }
    }
}

pub(super) fn scoped(thunks: &[Rc<Thunk>], act: Act) -> Act {
    let slots: Box<[u32]> = thunks.iter().filter(|t| t.used.get()).map(|t| t.slot).collect();
    if slots.is_empty() { act } else { Act::Scope(slots, Box::new(act)) }
}

/// Whether an action only tests, in one way: a `\A` over it is a test too, and needs no continuation.
fn is_test(act: &Act) -> bool {
    match act {
        Act::Guard(..) => true,
        Act::And(acts) => acts.iter().all(is_test),
        Act::Named(_, _, body) | Act::Scope(_, body) => is_test(body),
        Act::If(_, branches, _) => is_test(&branches.0) && is_test(&branches.1),
        _ => false,
    }
}

/// Whether an action only tests, in whatever number of ways.
fn only_tests(act: &Act) -> bool {
    match act {
        Act::Guard(..) => true,
        Act::And(acts) | Act::Or(acts) => acts.iter().all(only_tests),
        Act::Named(_, _, body) | Act::Scope(_, body) | Act::Exists(_, body) => only_tests(body),
        Act::If(_, branches, _) => only_tests(&branches.0) && only_tests(&branches.1),
        _ => false,
    }
}

fn is_core(name: &str) -> bool {
    matches!(
        name,
        "=" | "#"
            | "=>"
            | "<=>"
            | "\\in"
            | "\\notin"
            | "\\subseteq"
            | "~"
            | "'"
            | "UNCHANGED"
            | "ENABLED"
            | "[]"
            | "<>"
            | "~>"
            | "-+->"
            | "\\cdot"
            | "\\cup"
            | "\\cap"
            | "\\"
    )
}
