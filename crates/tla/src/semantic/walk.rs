//! Reading expressions: every name is known, and has the number of arguments that it takes.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use super::table::{Role, Shape, UNKNOWN};
use crate::error::Place;
use crate::symbol::Symbol;
use crate::syntax::ast::{Access, Bound, Expr, Kind, Local, Step};

impl Names<'_> {
    /// Looks at an expression.
    pub(super) fn walk(&mut self, expr: &Arc<Expr>) {
        if self.guard.exceeded() {
            return;
        }
        match &expr.kind {
            Kind::Number(_) | Kind::String(_) | Kind::Bool(_) => {}
            Kind::At => {
                if self.excepts == 0 {
                    self.problem(expr.place, "`@` outside EXCEPT");
                }
            }
            Kind::Apply(name, arguments) => self.applied(*name, arguments, expr.place),
            Kind::Path(steps) => self.path(steps, expr.place),
            Kind::Lambda(parameters, body) => {
                self.problem(expr.place, "a LAMBDA is given where a value is needed");
                self.scopes.push(FxHashMap::default());
                self.parameters(parameters);
                self.walk(body);
                self.scopes.pop();
            }
            Kind::Label(_, _, body) => self.walk(body),
            Kind::Field(record, _) => self.walk(record),
            Kind::And(items)
            | Kind::Or(items)
            | Kind::SetEnum(items)
            | Kind::Tuple(items)
            | Kind::Product(items) => {
                self.walk_all(items);
            }
            Kind::Quantified { bounds, body, .. } => self.bound(bounds, body),
            Kind::SetMap(body, bounds) | Kind::Function(bounds, body) => self.bound(bounds, body),
            Kind::SetFilter(bound, body) => self.bound(std::slice::from_ref(bound), body),
            Kind::Unbounded { names, body, .. } => self.within(names, expr.place, body),
            Kind::Choose { names, set, body, .. } => {
                if let Some(set) = set {
                    self.walk(set);
                }
                self.within(names, expr.place, body);
            }
            Kind::Index(function, arguments) => self.index(function, arguments),
            Kind::FunctionSet(a, b) => {
                self.walk(a);
                self.walk(b);
            }
            Kind::Box(a, b) | Kind::Angle(a, b) => {
                self.walk(a);
                self.walk(b);
            }
            Kind::Fair { subscript, action, .. } => {
                self.walk(subscript);
                self.walk(action);
            }
            Kind::Record(fields) | Kind::RecordSet(fields) => self.fields(fields, expr.place),
            Kind::Except(function, updates) => self.except(function, updates),
            Kind::If(a, b, c) => {
                self.walk(a);
                self.walk(b);
                self.walk(c);
            }
            Kind::Case(arms, other) => {
                for (guard, value) in arms {
                    self.walk(guard);
                    self.walk(value);
                }
                if let Some(other) = other {
                    self.walk(other);
                }
            }
            Kind::Let(locals, body) => self.local(locals, body),
        }
    }

    fn walk_all(&mut self, exprs: &[Arc<Expr>]) {
        for expr in exprs {
            self.walk(expr);
        }
    }

    /// Looks at what is inside a scope with some more names.
    fn within(&mut self, names: &[Symbol], place: Place, body: &Arc<Expr>) {
        self.scopes.push(FxHashMap::default());
        for name in names {
            self.declare(*name, Role::Bound, Shape::plain(0), place);
        }
        self.walk(body);
        self.scopes.pop();
    }

    /// A body with bounds, whose sets do not see the bound names.
    fn bound(&mut self, bounds: &[Bound], body: &Arc<Expr>) {
        for bound in bounds {
            self.walk(&bound.set);
        }
        let names: Vec<Symbol> = bounds.iter().flat_map(|bound| bound.names.iter().copied()).collect();
        let place = bounds.first().map_or(body.place, |bound| bound.set.place);
        self.within(&names, place, body);
    }

    fn fields(&mut self, fields: &[(Symbol, Arc<Expr>)], place: Place) {
        let mut known = FxHashSet::default();
        for (name, value) in fields {
            if !known.insert(*name) {
                self.problem(place, format!("the record has two fields {name}"));
            }
            self.walk(value);
        }
    }

    fn except(&mut self, function: &Arc<Expr>, updates: &[(Vec<Access>, Arc<Expr>)]) {
        self.walk(function);
        for (path, value) in updates {
            for access in path {
                if let Access::Index(arguments) = access {
                    self.walk_all(arguments);
                }
            }
            self.excepts += 1;
            self.walk(value);
            self.excepts -= 1;
        }
    }

    fn local(&mut self, locals: &[Local], body: &Arc<Expr>) {
        self.scopes.push(FxHashMap::default());
        let mut recursive = FxHashMap::default();
        for local in locals {
            match local {
                Local::Definition(definition) => self.definition(definition, &mut recursive),
                Local::Instance(instance) => self.instance(instance),
                Local::Recursive(parameters) => self.recursive(parameters, &mut recursive),
            }
        }
        self.walk(body);
        self.scopes.pop();
    }

    fn index(&mut self, function: &Arc<Expr>, arguments: &[Arc<Expr>]) {
        self.walk(function);
        self.walk_all(arguments);
        if let Kind::Apply(name, none) = &function.kind
            && none.is_empty()
            && let Some(Shape::Function(arity)) = self.find(*name).map(|entry| entry.shape.clone())
            && arguments.len() > 1
            && arguments.len() != arity
        {
            let message = format!("function {name} has {arity} arguments, and {} are given", arguments.len());
            self.problem(function.place, message);
        }
    }

    /// An operator with arguments, or a plain name.
    fn applied(&mut self, name: Symbol, arguments: &[Arc<Expr>], place: Place) {
        if is_of_the_language(name.as_str()) {
            self.walk_all(arguments);
            return;
        }
        let Some(shape) = self.find(name).map(|entry| entry.shape.clone()) else {
            self.problem(place, format!("unknown operator `{name}`"));
            self.walk_all(arguments);
            return;
        };
        if matches!(shape, Shape::Instance(..)) {
            self.problem(
                place,
                format!("{name} is an instance: name one of its definitions, like {name}!Init"),
            );
            return;
        }
        self.arguments(name, &shape, arguments, place);
    }

    fn arguments(&mut self, name: Symbol, shape: &Shape, arguments: &[Arc<Expr>], place: Place) {
        if shape.arity() != arguments.len() {
            let message = format!("{name} takes {} arguments, {} are given", shape.arity(), arguments.len());
            self.problem(place, message);
            return;
        }
        let Shape::Operator(parameters) = shape else { return };
        for (argument, arity) in arguments.iter().zip(parameters.iter()) {
            match arity {
                0 => self.walk(argument),
                arity => self.operator_argument(argument, *arity),
            }
        }
    }

    /// An argument that is an operator of so many arguments.
    pub(super) fn operator_argument(&mut self, argument: &Arc<Expr>, arity: usize) {
        let found = match &argument.kind {
            Kind::Lambda(parameters, body) => {
                self.scopes.push(FxHashMap::default());
                self.parameters(parameters);
                self.walk(body);
                self.scopes.pop();
                Some(parameters.len())
            }
            Kind::Apply(name, none) if none.is_empty() => match self.find(*name).map(|e| e.shape.arity()) {
                None if is_of_the_language(name.as_str()) => return,
                None => return self.problem(argument.place, format!("unknown operator `{name}`")),
                known => known,
            },
            // A path may leave out the arguments of instances, which then belong to the operator; it is not
            // followed.
            Kind::Path(_) => return,
            _ => {
                self.walk(argument);
                Some(0)
            }
        };
        if found != Some(arity) && arity != UNKNOWN {
            self.problem(argument.place, format!("an operator of {arity} arguments is needed here"));
        }
    }

    /// `A!B!C(x)`: instances are followed, paths into definitions are not.
    fn path(&mut self, steps: &[Step], place: Place) {
        let Some((Step::Name(first, arguments), rest)) = steps.split_first() else { return };
        let Some(entry) = self.find(*first).cloned() else {
            return self.problem(place, format!("unknown operator `{first}`"));
        };
        let mut shape = entry.shape;
        let mut given = arguments;
        let mut last = *first;
        for step in rest {
            let Shape::Instance(module, parameters) = shape else {
                return match shape {
                    Shape::Operator(_) if !given.is_empty() => self.arguments(last, &shape, given, place),
                    _ => self.walk_all(given),
                };
            };
            if given.len() != parameters {
                return self.problem(
                    place,
                    format!("the instance takes {parameters} arguments, {} are given", given.len()),
                );
            }
            self.walk_all(given);
            let (Step::Name(name, arguments), Some(table)) = (step, self.table(module)) else { return };
            let Some(found) = table.names.get(name) else {
                return self.problem(place, format!("module {module} does not define {name}"));
            };
            shape = found.shape.clone();
            given = arguments;
            last = *name;
        }
        if let (Some(Step::Name(last, _)), Shape::Operator(_)) = (rest.last(), &shape) {
            // As an operator argument it stands without any.
            if given.is_empty() {
                return;
            }
            self.arguments(*last, &shape, given, place);
        } else {
            self.walk_all(given);
        }
    }
}

/// How many names the bounds of a function constructor have.
pub(super) fn bound_names(body: &Expr) -> usize {
    match &body.kind {
        Kind::Function(bounds, _) => bounds.iter().map(|b| if b.tuple { 1 } else { b.names.len() }).sum(),
        _ => 1,
    }
}

/// Whether an operator belongs to the language and cannot be defined.
pub(super) fn is_of_the_language(name: &str) -> bool {
    matches!(
        name,
        "=" | "#"
            | "/="
            | "/\\"
            | "\\/"
            | "~"
            | "=>"
            | "<=>"
            | "\\equiv"
            | "\\in"
            | "\\notin"
            | "\\subseteq"
            | "\\cup"
            | "\\cap"
            | "\\"
            | "\\X"
            | "\\cdot"
            | "'"
            | "[]"
            | "<>"
            | "~>"
            | "-+->"
            | "SUBSET"
            | "UNION"
            | "DOMAIN"
            | "ENABLED"
            | "UNCHANGED"
            | "TRUE"
            | "FALSE"
            | "BOOLEAN"
            | "STRING"
    )
}
