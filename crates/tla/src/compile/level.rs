//! The level of an expression before it is compiled: constant, state, action or temporal.
//!
//! Recursive operators and formulas need it: whether a call may be evaluated once, and whether a definition
//! is a temporal formula to be taken apart.

use std::rc::Rc;

use super::Compiler;
use super::scope::{Binding, Env, Operator};
use crate::syntax::ast::{Access, Expr, Kind, Local, Step};

pub(crate) const CONSTANT: u8 = 0;
pub(crate) const STATE: u8 = 1;
pub(crate) const ACTION: u8 = 2;
pub(crate) const TEMPORAL: u8 = 3;

impl Compiler {
    /// The level of an expression.
    pub(crate) fn level(&self, expr: &Expr, env: &Env) -> u8 {
        if self.guard.exceeded() {
            return CONSTANT;
        }
        let all = |exprs: &[std::sync::Arc<Expr>]| {
            exprs.iter().map(|e| self.level(e, env)).max().unwrap_or(CONSTANT)
        };
        match &expr.kind {
            Kind::Number(_) | Kind::String(_) | Kind::Bool(_) | Kind::At => CONSTANT,
            Kind::Apply(name, arguments) => {
                let inner = all(arguments);
                match (name.as_str(), arguments.len()) {
                    ("'", 1) if inner > CONSTANT => inner.max(ACTION),
                    ("UNCHANGED", 1) => ACTION,
                    ("[]" | "<>", 1) | ("~>" | "-+->", 2) => TEMPORAL,
                    ("ENABLED", 1) => inner.min(STATE),
                    _ => inner.max(self.name_level(env.lookup(*name))),
                }
            }
            Kind::Path(steps) => {
                let mut level = CONSTANT;
                for step in steps {
                    if let Step::Name(_, arguments) | Step::Arguments(arguments) = step {
                        level = level.max(all(arguments));
                    }
                }
                match self.resolve_path(steps, env, expr.place) {
                    Ok((binding, _)) => level.max(self.name_level(Some(binding))),
                    Err(_) => level,
                }
            }
            Kind::Lambda(_, body) | Kind::Label(_, _, body) | Kind::Field(body, _) => self.level(body, env),
            Kind::Unbounded { body, quantifier, .. } => {
                if quantifier.len() > 2 {
                    TEMPORAL
                } else {
                    self.level(body, env)
                }
            }
            Kind::And(items)
            | Kind::Or(items)
            | Kind::SetEnum(items)
            | Kind::Tuple(items)
            | Kind::Product(items) => all(items),
            Kind::Quantified { bounds, body, .. } => {
                bounds.iter().map(|b| self.level(&b.set, env)).fold(self.level(body, env), u8::max)
            }
            Kind::Choose { set, body, .. } => {
                self.level(body, env).max(set.as_ref().map_or(CONSTANT, |s| self.level(s, env)))
            }
            Kind::SetFilter(bound, body) => self.level(&bound.set, env).max(self.level(body, env)),
            Kind::SetMap(body, bounds) | Kind::Function(bounds, body) => {
                bounds.iter().map(|b| self.level(&b.set, env)).fold(self.level(body, env), u8::max)
            }
            Kind::Index(function, arguments) => self.level(function, env).max(all(arguments)),
            Kind::FunctionSet(a, b) => self.level(a, env).max(self.level(b, env)),
            Kind::Record(fields) | Kind::RecordSet(fields) => {
                fields.iter().map(|(_, e)| self.level(e, env)).max().unwrap_or(CONSTANT)
            }
            Kind::Except(function, updates) => {
                let mut level = self.level(function, env);
                for (path, value) in updates {
                    level = level.max(self.level(value, env));
                    for access in path {
                        if let Access::Index(arguments) = access {
                            level = level.max(all(arguments));
                        }
                    }
                }
                level
            }
            Kind::Box(action, subscript) | Kind::Angle(action, subscript) => {
                ACTION.max(self.level(action, env)).max(self.level(subscript, env))
            }
            Kind::Fair { .. } => TEMPORAL,
            Kind::If(a, b, c) => self.level(a, env).max(self.level(b, env)).max(self.level(c, env)),
            Kind::Case(arms, other) => arms
                .iter()
                .map(|(guard, value)| self.level(guard, env).max(self.level(value, env)))
                .chain(other.iter().map(|e| self.level(e, env)))
                .max()
                .unwrap_or(CONSTANT),
            Kind::Let(locals, body) => locals
                .iter()
                .map(|local| match local {
                    Local::Definition(definition) => self.level(&definition.body, env),
                    _ => CONSTANT,
                })
                .fold(self.level(body, env), u8::max),
        }
    }

    fn name_level(&self, binding: Option<Binding>) -> u8 {
        match binding {
            Some(Binding::Variable(_)) => STATE,
            Some(Binding::Operator(operator)) => self.operator_level(&operator),
            Some(Binding::Thunk(thunk)) => thunk.compiled.1.level,
            Some(Binding::Alias(name)) => match &self.root {
                Some(root) => {
                    let target = root.names.borrow().get(&name).cloned();
                    match target {
                        Some(Binding::Alias(_)) | None => CONSTANT,
                        target => self.name_level(target),
                    }
                }
                None => CONSTANT,
            },
            _ => CONSTANT,
        }
    }

    /// The level of a definition's body.
    pub(crate) fn operator_level(&self, operator: &Rc<Operator>) -> u8 {
        if let Some(level) = operator.level.get() {
            return level;
        }
        // While it is being computed, a recursive use counts as constant: the other uses decide.
        operator.level.set(Some(CONSTANT));
        let level = self.level(&operator.body, &operator.env);
        operator.level.set(Some(level));
        level
    }
}
