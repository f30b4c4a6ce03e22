//! Paths into instances and definitions: `A!B!C`, `Name!:` and `Name!2`.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::bound::tuple_of;
use super::call::Argument;
use super::module::{named, operator_of};
use super::scope::{Binding, Env, NamedInstance};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Bound, Kind, Local, Step};

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
        // The parameters on the way that no arguments are given for: what is found takes them too.
        let mut open: Vec<ast::Parameter> = Vec::new();
        while let Some((step, after)) = rest.split_first() {
            rest = after;
            match (&binding, step) {
                (Binding::Instance(instance), Step::Name(name, arguments)) => {
                    let scope_env = self.instance_env(instance, &given, place)?;
                    binding = match scope_env.written(*name) {
                        Some(written) => written,
                        None => self.lookup(&scope_env, *name, place)?,
                    };
                    given = written(arguments);
                }
                // `Name!:` is the statement of a theorem or the body of a definition.
                (Binding::Operator(_), Step::Other) => {}
                (Binding::Operator(operator), step) => {
                    if given.is_empty() {
                        open.extend_from_slice(&operator.parameters);
                    }
                    let mut inner = operator.env.clone();
                    for (parameter, argument) in operator.parameters.iter().zip(&given) {
                        inner = inner.bind(parameter.name, self.as_written(parameter, argument)?);
                    }
                    let whole = Part { name: operator.name, body: operator.body.clone(), env: inner };
                    let part = if let (Kind::Case(arms, other), Step::Part(arm)) = (&whole.body.kind, step) {
                        let (side, after) = rest.split_first().unzip();
                        rest = after.unwrap_or(rest);
                        side.and_then(|side| part_of_case(arms, other.as_ref(), *arm, side))
                            .map(|body| whole.with(&body))
                    } else {
                        whole.inside(step, env)
                    };
                    let missing =
                        || Box::new(Error::semantic(place, "there is no such part of the definition"));
                    binding = part.ok_or_else(missing)?;
                    given = match step {
                        Step::Name(_, arguments)
                            if matches!(&binding, Binding::Operator(operator)
                            if operator.parameters.len() == arguments.len()) =>
                        {
                            written(arguments)
                        }
                        _ => Vec::new(),
                    };
                }
                _ => return Err(Box::new(Error::semantic(place, "this kind of path is not evaluated"))),
            }
        }
        if let (Binding::Operator(operator), false) = (&binding, open.is_empty()) {
            open.extend_from_slice(&operator.parameters);
            let kind = Kind::Lambda(open, operator.body.clone());
            binding = named(operator.name, &Arc::new(ast::Expr { place, kind }), &operator.env);
        }
        Ok((binding, given))
    }

    /// What a parameter stands for, without a slot for its value.
    fn as_written(&self, parameter: &ast::Parameter, argument: &Argument) -> Result<Binding> {
        match argument {
            Argument::Bound(binding) => Ok(binding.clone()),
            Argument::Written(expr, env) if parameter.arity > 0 => self.operator_argument(expr, env),
            Argument::Written(expr, env) => Ok(named(parameter.name, expr, env)),
        }
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
            env = env.bind(parameter.name, self.as_written(parameter, argument)?);
        }
        let scope = self.instantiate(&instance.instance, &env)?;
        if arguments.is_empty() {
            *instance.scope.borrow_mut() = Some(scope.clone());
        }
        Ok(Env::default().module(scope))
    }
}

/// An expression that a path has come to, and the names it sees.
struct Part {
    name: Symbol,
    body: Arc<ast::Expr>,
    env: Env,
}

impl Part {
    fn with(&self, body: &Arc<ast::Expr>) -> Binding {
        named(self.name, body, &self.env)
    }

    /// What a step leads to: `!n`, `!(arguments)` and `!@` of what binds names, `!label`, `!Name` of a LET.
    fn inside(&self, step: &Step, outer: &Env) -> Option<Binding> {
        match step {
            Step::Part(part) => match &unlabelled(&self.body).kind {
                Kind::Let(locals, body) if *part == 1 => {
                    Some(named(self.name, body, &definitions(locals, &self.env)))
                }
                _ => Some(self.with(&subexpression(&self.body, *part)?)),
            },
            Step::Arguments(arguments) => {
                let (names, body) = binding(&self.body)?;
                let env = bound(&self.env, &names, arguments, outer)?;
                Some(named(self.name, &body, &env))
            }
            // What the names stand for is left open: an operator that takes it.
            Step::Names => {
                let (names, body) = binding(&self.body)?;
                Some(self.with(&lambda(&names, &body)))
            }
            Step::Name(name, arguments) => {
                if let Some((names, body, env)) = labelled(&self.body, *name, &self.env) {
                    if arguments.is_empty() {
                        return Some(named(self.name, &lambda(names, body), &env));
                    }
                    let env = bound(&env, names, arguments, outer)?;
                    return Some(named(self.name, body, &env));
                }
                match &unlabelled(&self.body).kind {
                    Kind::Let(locals, _) if locals.iter().any(|local| defines(local, *name)) => {
                        definitions(locals, &self.env).lookup(*name)
                    }
                    _ => None,
                }
            }
            Step::Other => None,
        }
    }
}

/// The operator that takes what names stand for.
fn lambda(names: &[Symbol], body: &Arc<ast::Expr>) -> Arc<ast::Expr> {
    if names.is_empty() {
        return body.clone();
    }
    let place = body.place;
    let parameter = |name: &Symbol| ast::Parameter { name: *name, arity: 0, place };
    let parameters = names.iter().map(parameter).collect();
    Arc::new(ast::Expr { place, kind: Kind::Lambda(parameters, body.clone()) })
}

/// The environment with names bound to arguments that were written elsewhere.
fn bound(env: &Env, names: &[Symbol], arguments: &[Arc<ast::Expr>], outer: &Env) -> Option<Env> {
    let bind =
        |env: Env, (name, value): (&Symbol, &Arc<ast::Expr>)| env.bind(*name, named(*name, value, outer));
    (names.len() == arguments.len()).then(|| names.iter().zip(arguments).fold(env.clone(), bind))
}

fn defines(local: &Local, name: Symbol) -> bool {
    matches!(local, Local::Definition(definition) if definition.name == name)
}

/// The environment inside a LET, without slots for values: a path may be followed from any frame.
fn definitions(locals: &[Local], env: &Env) -> Env {
    locals.iter().fold(env.clone(), |env, local| match local {
        Local::Definition(definition) => env.bind(definition.name, operator_of(definition, &env, false)),
        Local::Instance(instance) => match instance.name {
            Some(name) => {
                let scope = Default::default();
                let named = NamedInstance { instance: instance.clone(), env: env.clone(), scope };
                env.bind(name, Binding::Instance(Rc::new(named)))
            }
            None => env,
        },
        Local::Recursive(_) => env,
    })
}

fn unlabelled(body: &Arc<ast::Expr>) -> &Arc<ast::Expr> {
    match &body.kind {
        Kind::Label(_, _, inner) => unlabelled(inner),
        _ => body,
    }
}

/// The names that an expression binds, and what it binds them in.
fn binding(body: &Arc<ast::Expr>) -> Option<(Vec<Symbol>, Arc<ast::Expr>)> {
    let of = |bounds: &[Bound]| bounds.iter().flat_map(|bound| bound.names.iter().copied()).collect();
    match &unlabelled(body).kind {
        Kind::Quantified { bounds, body, .. } => Some((of(bounds), body.clone())),
        Kind::SetMap(inner, bounds) | Kind::Function(bounds, inner) => Some((of(bounds), inner.clone())),
        Kind::SetFilter(bound, inner) => Some((bound.names.clone(), inner.clone())),
        Kind::Choose { names, body, .. } | Kind::Unbounded { names, body, .. } => {
            Some((names.clone(), body.clone()))
        }
        _ => None,
    }
}

/// The expression with a label, the names that the label takes (all that are bound on the way to it), and the
/// names of the LETs around it.
fn labelled<'b>(
    body: &'b Arc<ast::Expr>,
    label: Symbol,
    env: &Env,
) -> Option<(&'b [Symbol], &'b Arc<ast::Expr>, Env)> {
    match &body.kind {
        Kind::Label(name, names, inner) if *name == label => Some((names, inner, env.clone())),
        Kind::Let(locals, inner) => labelled(inner, label, &definitions(locals, env)),
        Kind::And(items) | Kind::Or(items) | Kind::Tuple(items) | Kind::SetEnum(items) => {
            items.iter().find_map(|item| labelled(item, label, env))
        }
        Kind::Apply(_, items) => items.iter().find_map(|item| labelled(item, label, env)),
        Kind::If(a, b, c) => [a, b, c].into_iter().find_map(|item| labelled(item, label, env)),
        Kind::Field(inner, _)
        | Kind::Quantified { body: inner, .. }
        | Kind::Unbounded { body: inner, .. }
        | Kind::Choose { body: inner, .. }
        | Kind::SetMap(inner, _)
        | Kind::SetFilter(_, inner)
        | Kind::Function(_, inner) => labelled(inner, label, env),
        _ => None,
    }
}

/// The n-th part of a definition's body.
fn subexpression(body: &Arc<ast::Expr>, part: usize) -> Option<Arc<ast::Expr>> {
    let index = part.checked_sub(1)?;
    let of_two =
        |first: &Arc<ast::Expr>, second: &Arc<ast::Expr>| [first, second].get(index).map(|e| (*e).clone());
    match &unlabelled(body).kind {
        Kind::And(items)
        | Kind::Or(items)
        | Kind::Tuple(items)
        | Kind::SetEnum(items)
        | Kind::Product(items)
        | Kind::Apply(_, items) => items.get(index).cloned(),
        Kind::If(a, b, c) => [a, b, c].get(index).map(|e| (*e).clone()),
        Kind::FunctionSet(a, b) | Kind::Box(a, b) | Kind::Angle(a, b) => of_two(a, b),
        Kind::Fair { subscript, action, .. } => of_two(subscript, action),
        Kind::Index(function, arguments) => of_two(function, &tuple_of(arguments, body.place)),
        Kind::Field(record, name) => {
            let place = body.place;
            of_two(record, &Arc::new(ast::Expr { place, kind: Kind::String(*name) }))
        }
        Kind::Record(fields) | Kind::RecordSet(fields) => fields.get(index).map(|(_, value)| value.clone()),
        Kind::Quantified { bounds, .. } | Kind::Function(bounds, _) | Kind::SetMap(_, bounds) => {
            bounds.get(index).map(|bound| bound.set.clone())
        }
        Kind::SetFilter(Bound { set, .. }, _)
        | Kind::Choose { set: Some(set), .. }
        | Kind::Except(set, _)
            if index == 0 =>
        {
            Some(set.clone())
        }
        _ => None,
    }
}

/// The guard (1) or the value (2) of an arm of CASE; OTHER has a value only.
fn part_of_case(
    arms: &[(Arc<ast::Expr>, Arc<ast::Expr>)],
    other: Option<&Arc<ast::Expr>>,
    arm: usize,
    side: &Step,
) -> Option<Arc<ast::Expr>> {
    match (arms.get(arm.checked_sub(1)?), side) {
        (Some((guard, _)), Step::Part(1)) => Some(guard.clone()),
        (Some((_, value)), Step::Part(2)) => Some(value.clone()),
        (None, Step::Part(2)) if arm == arms.len() + 1 => other.cloned(),
        _ => None,
    }
}
