//! Compiling expressions.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::bound::{at_name, tuple_of};
use super::call::{Argument, scoped};
use super::ir::{Act, Comprehension, ConstCell, Expr, Memo, One, SetOperation, Two};
use super::scope::{Binding, Env, Info};
use crate::error::{Error, Place, Result};
use crate::eval::mixes_types;
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Bound, Kind};
use crate::value::Value;

pub(super) type Typed = (Expr, Info);

/// From this cost on, an expression without loops is remembered, too.
const LONG_COST: u32 = 12;

impl Compiler {
    /// Compiles an expression; `primed` means that every variable in it is primed.
    pub(crate) fn expr(&mut self, expr: &Arc<ast::Expr>, env: &Env, primed: bool) -> Result<Typed> {
        self.count_node(expr.place)?;
        let (compiled, info) = self.kind(expr, env, primed)?;
        Ok(self.settle(compiled, info))
    }

    /// What has one value for good is evaluated once.
    pub(super) fn settle(&mut self, expr: Expr, info: Info) -> Typed {
        if !info.is_constant() {
            return (self.remembered(expr, info), info);
        }
        if matches!(expr, Expr::Const(_) | Expr::Cell(_) | Expr::Error(..) | Expr::Local(_) | Expr::Outer(..))
        {
            return (expr, info);
        }
        let slots = self.frame().high;
        let info = Info { cost: 1, ..info };
        (
            Expr::Cell(Rc::new(ConstCell { expr, slots, place: Place::none(), value: Default::default() })),
            info,
        )
    }

    /// Puts a memory around what may take long.
    fn remembered(&mut self, expr: Expr, info: Info) -> Expr {
        let branches = matches!(expr, Expr::And(..) | Expr::Or(..) | Expr::If(_) | Expr::Case(..));
        let long = branches && info.cost >= LONG_COST
            || matches!(
                expr,
                Expr::Forall(_)
                    | Expr::Exists(_)
                    | Expr::Choose(_)
                    | Expr::SetFilter(_)
                    | Expr::SetMap(_)
                    | Expr::BigUnion(_)
                    | Expr::Function(_)
                    | Expr::Call(..)
                    | Expr::HigherOrder(..)
            );
        if !long {
            return expr;
        }
        self.memos += 1;
        Expr::Memo(Box::new(Memo {
            site: self.memos,
            body: expr,
            keys: Default::default(),
            asked: Default::default(),
            found: Default::default(),
            resting: Default::default(),
        }))
    }

    fn exprs(&mut self, exprs: &[Arc<ast::Expr>], env: &Env, primed: bool) -> Result<(Box<[Expr]>, Info)> {
        let mut info = Info::CONST;
        let mut compiled = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let (expr, inner) = self.expr(expr, env, primed)?;
            info = info.join(inner);
            compiled.push(expr);
        }
        Ok((compiled.into_boxed_slice(), info))
    }

    fn two(
        &mut self,
        left: &Arc<ast::Expr>,
        right: &Arc<ast::Expr>,
        place: Place,
        env: &Env,
        primed: bool,
    ) -> Result<(Box<Two>, Info)> {
        let (left, a) = self.expr(left, env, primed)?;
        let (right, b) = self.expr(right, env, primed)?;
        Ok((Box::new(Two { left, right, place }), a.join(b)))
    }

    pub(super) fn one(
        &mut self,
        operand: &Arc<ast::Expr>,
        place: Place,
        env: &Env,
        primed: bool,
    ) -> Result<(Box<One>, Info)> {
        let (operand, info) = self.expr(operand, env, primed)?;
        Ok((Box::new(One { operand, place }), info))
    }

    fn kind(&mut self, expr: &Arc<ast::Expr>, env: &Env, primed: bool) -> Result<Typed> {
        let place = expr.place;
        Ok(match &expr.kind {
            Kind::Number(n) => (Expr::Const(Value::Int(*n)), Info::CONST),
            Kind::String(text) => (Expr::Const(Value::Str(*text)), Info::CONST),
            Kind::Bool(b) => (Expr::Const(Value::Bool(*b)), Info::CONST),
            Kind::Apply(name, arguments) => return self.apply(*name, arguments, place, env, primed),
            Kind::Path(steps) => {
                let (binding, arguments) = self.resolve_path(steps, env, place)?;
                return self.call(&binding, arguments, place, primed);
            }
            Kind::Lambda(..) => return Err(Box::new(Error::semantic(place, "a LAMBDA is not a value"))),
            Kind::Label(_, _, body) => return self.expr(body, env, primed),
            Kind::And(items) => {
                let (items, info) = self.exprs(items, env, primed)?;
                (Expr::And(items, place), info)
            }
            Kind::Or(items) => {
                let (items, info) = self.exprs(items, env, primed)?;
                (Expr::Or(items, place), info)
            }
            Kind::Quantified { forall, bounds, body } => {
                let start = self.frame().next;
                let (binders, inner, info) = self.binders(bounds, env, primed)?;
                let (body, body_info) = self.expr(body, &inner, primed)?;
                self.frame().next = start;
                let names = bounds.iter().flat_map(|bound| bound.names.iter().copied()).collect();
                let quantified = Box::new(Comprehension { binders, names, body, place });
                let info = info.join(body_info).outside(start);
                (if *forall { Expr::Forall(quantified) } else { Expr::Exists(quantified) }, info)
            }
            Kind::Unbounded { quantifier, .. } => {
                let message = format!("an unbounded {quantifier} cannot be evaluated");
                (Expr::Error(message, place), Info { impure: true, ..Info::CONST })
            }
            Kind::Choose { names, tuple, set, body } => {
                let Some(set) = set else {
                    return Ok(self.unbounded_choose(body, env, place));
                };
                let bound = Bound { names: names.clone(), tuple: *tuple, set: set.clone() };
                let (single, info) = self.single(&bound, body, env, primed, place)?;
                (Expr::Choose(single), info)
            }
            Kind::SetEnum(items) => {
                let (items, info) = self.exprs(items, env, primed)?;
                let constants: Option<Vec<Value>> = items
                    .iter()
                    .map(|e| match e {
                        Expr::Const(value) if !matches!(value, Value::Lazy(_)) => Some(value.clone()),
                        _ => None,
                    })
                    .collect();
                match constants {
                    Some(values) if !mixes_types(&values) => (Expr::Const(Value::set(values)), Info::CONST),
                    _ => (Expr::SetEnum(items, place), info),
                }
            }
            Kind::SetFilter(bound, body) => {
                let (single, info) = self.single(bound, body, env, primed, place)?;
                (Expr::SetFilter(single), info)
            }
            Kind::SetMap(body, bounds) => {
                let start = self.frame().next;
                let (binders, inner, info) = self.binders(bounds, env, primed)?;
                let (body, body_info) = self.expr(body, &inner, primed)?;
                self.frame().next = start;
                let names = bounds.iter().flat_map(|bound| bound.names.iter().copied()).collect();
                let map = Box::new(Comprehension { binders, names, body, place });
                (Expr::SetMap(map), info.join(body_info).outside(start))
            }
            Kind::Index(function, arguments) => {
                let argument = tuple_of(arguments, place);
                let (two, info) = self.two(function, &argument, place, env, primed)?;
                (Expr::Apply(two), info)
            }
            Kind::Function(bounds, body) => return self.function(bounds, body, env, primed, place, None),
            Kind::FunctionSet(domain, range) => {
                let (two, info) = self.two(domain, range, place, env, primed)?;
                (Expr::FunctionSet(two), info)
            }
            Kind::Record(fields) => {
                let (domain, values, info) = self.fields(fields, place, env, primed)?;
                (Expr::Record(domain, values), info)
            }
            Kind::RecordSet(fields) => {
                let (domain, values, info) = self.fields(fields, place, env, primed)?;
                (Expr::RecordSet(domain, values), info)
            }
            Kind::Field(record, name) => {
                let (one, info) = self.one(record, place, env, primed)?;
                (Expr::Field(one, *name, Default::default()), info)
            }
            Kind::Except(function, updates) => return self.except(function, updates, place, env, primed),
            Kind::At => match env.lookup(at_name()) {
                Some(binding) => return self.call(&binding, Vec::new(), place, primed),
                None => return Err(Box::new(Error::semantic(place, "`@` outside EXCEPT"))),
            },
            Kind::Tuple(items) => {
                let (items, info) = self.exprs(items, env, primed)?;
                (Expr::Tuple(items), info)
            }
            Kind::Product(items) => {
                let (items, info) = self.exprs(items, env, primed)?;
                (Expr::Product(items), info)
            }
            Kind::Box(action, subscript) => {
                let (action, a) = self.expr(action, env, primed)?;
                let (same, b) = self.unchanged(subscript, env, place)?;
                (Expr::Or(Box::new([action, same]), place), a.join(b))
            }
            Kind::Angle(action, subscript) => {
                let (action, a) = self.expr(action, env, primed)?;
                let (operand, b) = self.unchanged(subscript, env, place)?;
                let changed = Expr::Not(Box::new(One { operand, place }));
                (Expr::And(Box::new([action, changed]), place), a.join(b))
            }
            Kind::Fair { .. } => return Err(temporal(place)),
            Kind::If(condition, yes, no) => {
                let (condition, a) = self.expr(condition, env, primed)?;
                let (yes, b) = self.expr(yes, env, primed)?;
                let (no, c) = self.expr(no, env, primed)?;
                (Expr::If(Box::new((condition, yes, no, place))), a.join(b).join(c))
            }
            Kind::Case(arms, other) => {
                let mut info = Info::CONST;
                let mut compiled = Vec::new();
                for (guard, value) in arms {
                    let (guard, a) = self.expr(guard, env, primed)?;
                    let (value, b) = self.expr(value, env, primed)?;
                    info = info.join(a).join(b);
                    compiled.push((guard, value));
                }
                let other = match other {
                    Some(other) => {
                        let (other, a) = self.expr(other, env, primed)?;
                        info = info.join(a);
                        Some(Box::new(other))
                    }
                    None => None,
                };
                (Expr::Case(compiled.into_boxed_slice(), other, place), info)
            }
            Kind::Let(locals, body) => {
                let start = self.frame().next;
                let mut thunks = Vec::new();
                let inner = self.let_env(locals, env, primed, &mut thunks)?;
                let (body, info) = self.expr(body, &inner, primed)?;
                self.frame().next = start;
                (scoped(&thunks, body), info.outside(start))
            }
        })
    }

    fn apply(
        &mut self,
        name: Symbol,
        arguments: &[Arc<ast::Expr>],
        place: Place,
        env: &Env,
        primed: bool,
    ) -> Result<Typed> {
        if is_temporal(name.as_str(), arguments.len()) {
            return Err(temporal(place));
        }
        if let [left, right] = arguments {
            let wrap: Option<fn(Box<Two>) -> Expr> = match name.as_str() {
                "=" => Some(Expr::Equal),
                "#" => Some(Expr::Unequal),
                "=>" => Some(Expr::Implies),
                "<=>" => Some(Expr::Iff),
                "\\in" => Some(Expr::In),
                "\\notin" => Some(Expr::NotIn),
                "\\subseteq" => Some(Expr::Subset),
                "\\cup" => Some(|two| Expr::SetOperation(SetOperation::Cup, two)),
                "\\cap" => Some(|two| Expr::SetOperation(SetOperation::Cap, two)),
                "\\" => Some(|two| Expr::SetOperation(SetOperation::Minus, two)),
                _ => None,
            };
            if let Some(wrap) = wrap {
                let (two, info) = self.two(left, right, place, env, primed)?;
                return Ok((wrap(two), info));
            }
            if name.as_str() == "\\cdot" {
                let start = self.frame().next;
                let (first, second) = (self.action(left, env, false)?, self.action(right, env, false)?);
                self.frame().next = start;
                let info = Info { level: 2, low: 0, cost: 100, impure: true, ..Info::CONST };
                return Ok((Expr::Leads(Rc::new(Act::Compose(Box::new((first, second))))), info));
            }
        }
        if let [operand] = arguments {
            let wrap: Option<fn(Box<One>) -> Expr> = match name.as_str() {
                "~" => Some(Expr::Not),
                "SUBSET" => Some(Expr::Powerset),
                "UNION" => Some(Expr::BigUnion),
                "DOMAIN" => Some(Expr::Domain),
                _ => None,
            };
            if let Some(wrap) = wrap {
                let (one, info) = self.one(operand, place, env, primed)?;
                return Ok((wrap(one), info));
            }
            match name.as_str() {
                "'" => {
                    if primed && self.level(operand, env) > 0 {
                        return Err(Box::new(Error::semantic(place, "a primed expression is primed again")));
                    }
                    return self.expr(operand, env, true);
                }
                "UNCHANGED" => return self.unchanged(operand, env, place),
                "ENABLED" => {
                    let start = self.frame().next;
                    let outer = self.free.replace(super::Free::here(env));
                    let act = self.action(operand, env, false);
                    let free =
                        std::mem::replace(&mut self.free, outer).map_or(0, |free| free.numbers.len() as u32);
                    let act = act?;
                    self.frame().next = start;
                    // What the action uses of the frame is not tracked: any slot.
                    let info = Info { level: 1, low: 0, cost: 100, ..Info::CONST };
                    // `(ENABLED A)'`, as in an initial predicate, is about the state being made.
                    let info = Info { level: if primed { 2 } else { 1 }, impure: primed, ..info };
                    return Ok((Expr::Enabled(Rc::new(act), free, primed), info));
                }
                _ => {}
            }
        }
        let binding = self.lookup(env, name, place)?;
        let arguments = arguments.iter().map(|e| Argument::Written(e.clone(), env.clone())).collect();
        self.call(&binding, arguments, place, primed)
    }

    /// `e' = e`, as a list of variables where possible.
    pub(super) fn unchanged(&mut self, operand: &Arc<ast::Expr>, env: &Env, place: Place) -> Result<Typed> {
        let info = Info { level: 2, ..Info::CONST };
        let mut variables = Vec::new();
        if self.tuple_of_variables(operand, env, &mut variables) {
            return Ok((Expr::Unchanged(variables.into_boxed_slice(), place), info));
        }
        let (left, a) = self.expr(operand, env, true)?;
        let (right, b) = self.expr(operand, env, false)?;
        Ok((Expr::Equal(Box::new(Two { left, right, place })), info.join(a).join(b)))
    }

    /// Whether an expression is a variable or a tuple of such, however nested and named; which ones.
    pub(super) fn tuple_of_variables(
        &self,
        expr: &Arc<ast::Expr>,
        env: &Env,
        variables: &mut Vec<u32>,
    ) -> bool {
        match &expr.kind {
            Kind::Tuple(items) => items.iter().all(|item| self.tuple_of_variables(item, env, variables)),
            Kind::Label(_, _, inner) => self.tuple_of_variables(inner, env, variables),
            Kind::Apply(name, arguments) if arguments.is_empty() => match self.lookup(env, *name, expr.place)
            {
                Ok(binding) => self.bound_variables(&binding, variables),
                Err(_) => false,
            },
            Kind::Path(steps) => match self.resolve_path(steps, env, expr.place) {
                Ok((binding, arguments)) => arguments.is_empty() && self.bound_variables(&binding, variables),
                Err(_) => false,
            },
            _ => false,
        }
    }

    fn bound_variables(&self, binding: &Binding, variables: &mut Vec<u32>) -> bool {
        match binding {
            Binding::Variable(index) => {
                variables.push(*index);
                true
            }
            Binding::Operator(operator) if self.is_free(operator) => false,
            Binding::Operator(operator) if operator.parameters.is_empty() && !operator.recursive => {
                !self.guard.exceeded() && self.tuple_of_variables(&operator.body, &operator.env, variables)
            }
            Binding::Thunk(thunk) => self.tuple_of_variables(&thunk.body, &thunk.env, variables),
            _ => false,
        }
    }

    /// `CHOOSE x : x \notin S` and the like have no value that could be found; TLC takes them for model
    /// values only when the configuration says so.
    fn unbounded_choose(&mut self, _body: &Arc<ast::Expr>, _env: &Env, place: Place) -> Typed {
        let message = "an unbounded CHOOSE cannot be evaluated: replace it in the configuration".to_string();
        (Expr::Error(message, place), Info { impure: true, ..Info::CONST })
    }
}

/// What is wrong with a temporal formula where a value is needed.
pub(super) const TEMPORAL_VALUE: &str = "a temporal formula has no value in a state";

fn temporal(place: Place) -> Box<Error> {
    Box::new(Error::semantic(place, TEMPORAL_VALUE))
}

/// Whether it is a temporal operator with so many operands.
pub(super) fn is_temporal(operator: &str, operands: usize) -> bool {
    matches!((operator, operands), ("[]" | "<>", 1) | ("~>" | "-+->", 2))
}
