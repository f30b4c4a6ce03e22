//! Paths into instances and definitions: `A!B!C`, `Name!:` and `Name!2`.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::call::Argument;
use super::module::named;
use super::scope::{Binding, Env, NamedInstance};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Bound, Kind, Step};

impl Compiler {
    /// What `A!B!C` stands for, and the arguments given to it.
    pub(super) fn resolve_path(
        &self,
        steps: &[Step],
        env: &Env,
        place: Place,
    ) -> Result<(Binding, Vec<Argument>)> {
        let Some((Step::Name(first, arguments), mut rest)) = steps.split_first() else {
            return Err(Box::new(Error::semantic(place, "this kind of path is not evaluated")));
        };
        let written = |arguments: &[Arc<ast::Expr>]| -> Vec<Argument> {
            arguments.iter().map(|e| Argument::Written(e.clone(), env.clone())).collect()
        };
        let mut binding = self.lookup(env, *first, place)?;
        let mut given = written(arguments);
        while let Some((step, after)) = rest.split_first() {
            rest = after;
            match (&binding, step) {
                (Binding::Instance(instance), Step::Name(name, arguments)) => {
                    let scope_env = self.instance_env(instance, &given, place)?;
                    binding = self.lookup(&scope_env, *name, place)?;
                    given = written(arguments);
                }
                (
                    Binding::Operator(operator),
                    step @ (Step::Part(_) | Step::Arguments(_) | Step::Name(..)),
                ) => {
                    let mut inner = operator.env.clone();
                    for (parameter, argument) in operator.parameters.iter().zip(&given) {
                        let bound = match argument {
                            Argument::Bound(binding) => binding.clone(),
                            Argument::Written(expr, env) => named(parameter.name, expr, env),
                        };
                        inner = inner.bind(parameter.name, bound);
                    }
                    given = Vec::new();
                    let (part, inner) = inside(&operator.body, inner, step, env).ok_or_else(|| {
                        Box::new(Error::semantic(place, "there is no such part of the definition"))
                    })?;
                    binding = named(operator.name, &part, &inner);
                }
                // `Name!:` is the statement of a theorem or the body of a definition.
                (Binding::Operator(_), Step::Other) if rest.is_empty() => {}
                _ => return Err(Box::new(Error::semantic(place, "this kind of path is not evaluated"))),
            }
        }
        Ok((binding, given))
    }

    /// The names inside a named instance with arguments.
    fn instance_env(
        &self,
        instance: &Rc<NamedInstance>,
        arguments: &[Argument],
        place: Place,
    ) -> Result<Env> {
        if instance.instance.parameters.len() != arguments.len() {
            return Err(Box::new(Error::semantic(place, "the instance has another number of parameters")));
        }
        if arguments.is_empty()
            && let Some(scope) = &*instance.scope.borrow()
        {
            return Ok(Env::default().module(scope.clone()));
        }
        let mut env = instance.env.clone();
        for (parameter, argument) in instance.instance.parameters.iter().zip(arguments) {
            let binding = match argument {
                Argument::Bound(binding) => binding.clone(),
                Argument::Written(expr, outer) => named(parameter.name, expr, outer),
            };
            env = env.bind(parameter.name, binding);
        }
        let scope = self.instantiate(&instance.instance, &env)?;
        if arguments.is_empty() {
            *instance.scope.borrow_mut() = Some(scope.clone());
        }
        Ok(Env::default().module(scope))
    }
}

/// A part of an expression, and the names it sees: `!n`, `!(arguments)` of what binds names, `!label`.
fn inside(body: &Arc<ast::Expr>, env: Env, step: &Step, outer: &Env) -> Option<(Arc<ast::Expr>, Env)> {
    match step {
        Step::Part(part) => Some((subexpression(body, *part)?, env)),
        Step::Name(label, arguments) if arguments.is_empty() => Some((labelled(body, *label)?, env)),
        Step::Arguments(arguments) => {
            let (names, inner) = binding(body)?;
            if names.len() != arguments.len() {
                return None;
            }
            let bind = |env: Env, (name, value): (Symbol, &Arc<ast::Expr>)| {
                env.bind(name, named(name, value, outer))
            };
            Some((inner, names.into_iter().zip(arguments).fold(env, bind)))
        }
        // A label under a quantifier takes what the bound names stand for: which argument is for which name
        // is not read.
        _ => None,
    }
}

/// The names that an expression binds, and what it binds them in.
fn binding(body: &Arc<ast::Expr>) -> Option<(Vec<Symbol>, Arc<ast::Expr>)> {
    let of = |bounds: &[Bound]| bounds.iter().flat_map(|bound| bound.names.iter().copied()).collect();
    match &body.kind {
        Kind::Quantified { bounds, body, .. } => Some((of(bounds), body.clone())),
        Kind::SetMap(inner, bounds) | Kind::Function(bounds, inner) => Some((of(bounds), inner.clone())),
        Kind::SetFilter(bound, inner) => Some((bound.names.clone(), inner.clone())),
        Kind::Choose { names, body, .. } | Kind::Unbounded { names, body, .. } => {
            Some((names.clone(), body.clone()))
        }
        Kind::Label(_, inner) => binding(inner),
        _ => None,
    }
}

/// The expression with a label, where no names are bound on the way to it.
fn labelled(body: &Arc<ast::Expr>, label: Symbol) -> Option<Arc<ast::Expr>> {
    let any = |items: &[Arc<ast::Expr>]| items.iter().find_map(|item| labelled(item, label));
    match &body.kind {
        Kind::Label(name, inner) if *name == label => Some(inner.clone()),
        Kind::And(items) | Kind::Or(items) | Kind::Tuple(items) | Kind::SetEnum(items) => any(items),
        Kind::Apply(_, items) => any(items),
        Kind::If(a, b, c) => any(&[a.clone(), b.clone(), c.clone()]),
        Kind::Let(_, inner) | Kind::Field(inner, _) => labelled(inner, label),
        _ => None,
    }
}

/// The n-th part of a definition's body.
fn subexpression(body: &Arc<ast::Expr>, part: usize) -> Option<Arc<ast::Expr>> {
    let index = part.checked_sub(1)?;
    match &body.kind {
        Kind::And(items)
        | Kind::Or(items)
        | Kind::Tuple(items)
        | Kind::SetEnum(items)
        | Kind::Product(items)
        | Kind::Apply(_, items) => items.get(index).cloned(),
        Kind::If(a, b, c) => [a, b, c].get(index).map(|e| (*e).clone()),
        Kind::FunctionSet(a, b) => [a, b].get(index).map(|e| (*e).clone()),
        Kind::Quantified { bounds, .. } | Kind::Function(bounds, _) | Kind::SetMap(_, bounds) => {
            bounds.get(index).map(|bound| bound.set.clone())
        }
        Kind::SetFilter(bound, _) if index == 0 => Some(bound.set.clone()),
        Kind::Let(_, body) | Kind::Label(_, body) => subexpression(body, part),
        _ => None,
    }
}
