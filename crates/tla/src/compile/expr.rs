//! Compiling expressions.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::call::{Argument, scoped};
use super::ir::{
    Binder, Comprehension, ConstCell, Expr, Memo, One, Pattern, SetOperation, Single, Two, Update,
};
use super::module::operator_of;
use super::scope::{Binding, Env, Info, NamedInstance, Thunk};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Access, Bound, Kind, Local};
use crate::value::Value;

/// The name that `@` is bound to.
fn at_name() -> Symbol {
    Symbol::new("@")
}

type Typed = (Expr, Info);

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

    fn one(
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
            Kind::Label(_, body) => return self.expr(body, env, primed),
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
                let quantified = Box::new(Comprehension { binders, body, place });
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
                    Some(values) => (Expr::Const(Value::set(values)), Info::CONST),
                    None => (Expr::SetEnum(items, place), info),
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
                let map = Box::new(Comprehension { binders, body, place });
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

    /// The environment inside a LET.
    pub(super) fn let_env(
        &mut self,
        locals: &[Local],
        env: &Env,
        primed: bool,
        thunks: &mut Vec<Rc<Thunk>>,
    ) -> Result<Env> {
        let mut inner = env.clone();
        let mut recursive: Vec<Symbol> = Vec::new();
        for local in locals {
            match local {
                Local::Recursive(parameters) => recursive.extend(parameters.iter().map(|p| p.name)),
                Local::Instance(instance) => {
                    let named = NamedInstance {
                        instance: instance.clone(),
                        env: inner.clone(),
                        scope: Default::default(),
                    };
                    if let Some(name) = instance.name {
                        inner = inner.bind(name, Binding::Instance(Rc::new(named)));
                    }
                }
                Local::Definition(definition) => {
                    let is_recursive = recursive.contains(&definition.name);
                    let binding = if is_recursive && !definition.function {
                        self.local_recursion(locals, definition, &inner)
                    } else if definition.parameters.is_empty() && !definition.function {
                        let thunk = self.bind_lazily(&definition.body, &inner, primed);
                        thunks.push(thunk.clone());
                        Binding::Thunk(thunk)
                    } else if definition.function {
                        // A wrapper whose body is the function itself: evaluated once, like any LET value.
                        let operator = operator_of(definition, &inner, false);
                        let hidden = Symbol::new(&format!("{} (LET)", definition.name));
                        let with = inner.bind(hidden, operator);
                        let place = definition.place;
                        let body = Arc::new(ast::Expr { place, kind: Kind::Apply(hidden, Vec::new()) });
                        let thunk = self.bind_lazily(&body, &with, primed);
                        thunks.push(thunk.clone());
                        Binding::Thunk(thunk)
                    } else {
                        operator_of(definition, &inner, false)
                    };
                    inner = inner.bind(definition.name, binding);
                }
            }
        }
        Ok(inner)
    }

    /// A recursive operator of a LET: its environment must hold itself, and the others declared with it.
    fn local_recursion(&mut self, locals: &[Local], definition: &ast::Definition, env: &Env) -> Binding {
        let scope = Rc::new(super::scope::ModuleScope {
            name: Symbol::new("LET"),
            names: Default::default(),
            private: Default::default(),
            depth: env.depth(),
        });
        let inner = env.module(scope.clone());
        let declared: Vec<Symbol> = locals
            .iter()
            .flat_map(|local| match local {
                Local::Recursive(parameters) => parameters.iter().map(|p| p.name).collect(),
                _ => Vec::new(),
            })
            .collect();
        let mut own = None;
        for local in locals {
            let Local::Definition(other) = local else { continue };
            if declared.contains(&other.name) && !other.function {
                let binding = operator_of(other, &inner, true);
                if other.name == definition.name {
                    own = Some(binding.clone());
                }
                scope.names.borrow_mut().insert(other.name, binding);
            }
        }
        own.unwrap_or_else(|| operator_of(definition, &inner, true))
    }

    fn apply(
        &mut self,
        name: Symbol,
        arguments: &[Arc<ast::Expr>],
        place: Place,
        env: &Env,
        primed: bool,
    ) -> Result<Typed> {
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
            if matches!(name.as_str(), "~>" | "-+->") {
                return Err(temporal(place));
            }
            if name.as_str() == "\\cdot" {
                let message = "\\cdot is only evaluated as an action".to_string();
                return Ok((Expr::Error(message, place), Info { level: 2, impure: true, ..Info::CONST }));
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
                    let outer = self.free.replace(Default::default());
                    let act = self.action(operand, env, false);
                    let free = std::mem::replace(&mut self.free, outer).map_or(0, |free| free.len() as u32);
                    let act = act?;
                    self.frame().next = start;
                    // What the action uses of the frame is not tracked: any slot.
                    let info = Info { level: 1, low: 0, cost: 100, ..Info::CONST };
                    return Ok((Expr::Enabled(Rc::new(act), free), info));
                }
                "[]" | "<>" => return Err(temporal(place)),
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
            Kind::Label(_, inner) => self.tuple_of_variables(inner, env, variables),
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
            Binding::Operator(operator) if operator.stands_for_variable && self.free.is_some() => false,
            Binding::Operator(operator) if operator.parameters.is_empty() && !operator.recursive => {
                !self.guard.exceeded() && self.tuple_of_variables(&operator.body, &operator.env, variables)
            }
            Binding::Thunk(thunk) => self.tuple_of_variables(&thunk.body, &thunk.env, variables),
            _ => false,
        }
    }

    /// Bounds; the names they introduce are not in scope in their sets.
    pub(super) fn binders(
        &mut self,
        bounds: &[Bound],
        env: &Env,
        primed: bool,
    ) -> Result<(Box<[Binder]>, Env, Info)> {
        let mut binders = Vec::new();
        let mut inner = env.clone();
        let mut info = Info::CONST;
        for bound in bounds {
            let groups: Vec<&[Symbol]> =
                if bound.tuple { vec![bound.names.as_slice()] } else { bound.names.chunks(1).collect() };
            for names in groups {
                let (set, set_info) = self.expr(&bound.set, env, primed)?;
                info = info.join(set_info);
                let depth = self.depth();
                let mut slots = Vec::new();
                for name in names {
                    let slot = self.slot();
                    slots.push(Pattern::One(slot));
                    inner = inner.bind(*name, Binding::Slot(depth, slot));
                }
                let pattern = match (bound.tuple, slots.first()) {
                    (false, Some(only)) => only.clone(),
                    _ => Pattern::Tuple(slots.into_boxed_slice()),
                };
                binders.push(Binder { pattern, set, place: bound.set.place });
            }
        }
        Ok((binders.into_boxed_slice(), inner, info))
    }

    fn single(
        &mut self,
        bound: &Bound,
        body: &Arc<ast::Expr>,
        env: &Env,
        primed: bool,
        place: Place,
    ) -> Result<(Box<Single>, Info)> {
        let start = self.frame().next;
        let (binders, inner, info) = self.binders(std::slice::from_ref(bound), env, primed)?;
        let (body, body_info) = self.expr(body, &inner, primed)?;
        let frame = self.frame().size.clone();
        self.frame().next = start;
        let binder = binders
            .into_vec()
            .pop()
            .ok_or_else(|| Box::new(Error::semantic(place, "a bound without a name")))?;
        let single = Single { binder, body: Rc::new(body), frame, this: None, place };
        Ok((Box::new(single), info.join(body_info).outside(start)))
    }

    /// `[x \in S, y \in T |-> e]`: a function on a product if there are several names.
    fn function(
        &mut self,
        bounds: &[Bound],
        body: &Arc<ast::Expr>,
        env: &Env,
        primed: bool,
        place: Place,
        this: Option<u32>,
    ) -> Result<Typed> {
        let bound = match bounds {
            [bound] if bound.tuple || bound.names.len() == 1 => bound.clone(),
            _ => return self.function_on_product(bounds, body, env, primed, place, this),
        };
        let (mut single, info) = self.single(&bound, body, env, primed, place)?;
        single.this = this;
        Ok((Expr::Function(single), info))
    }

    /// A function of several arguments: its domain is the product of the bounds' sets.
    fn function_on_product(
        &mut self,
        bounds: &[Bound],
        body: &Arc<ast::Expr>,
        env: &Env,
        primed: bool,
        place: Place,
        this: Option<u32>,
    ) -> Result<Typed> {
        let start = self.frame().next;
        let (binders, inner, info) = self.binders(bounds, env, primed)?;
        let (body, body_info) = self.expr(body, &inner, primed)?;
        let frame = self.frame().size.clone();
        self.frame().next = start;
        let (patterns, sets): (Vec<Pattern>, Vec<Expr>) =
            binders.into_vec().into_iter().map(|binder| (binder.pattern, binder.set)).unzip();
        let pattern = Pattern::Tuple(patterns.into_boxed_slice());
        let binder = Binder { pattern, set: Expr::Product(sets.into_boxed_slice()), place };
        let single = Single { binder, body: Rc::new(body), frame, this, place };
        Ok((Expr::Function(Box::new(single)), info.join(body_info).outside(start)))
    }

    /// `f[x \in S] == e`, where `e` may mention `f`.
    pub(super) fn function_definition(
        &mut self,
        name: Symbol,
        body: &Arc<ast::Expr>,
        env: &Env,
        primed: bool,
    ) -> Result<Typed> {
        let Kind::Function(bounds, inner) = &body.kind else { return self.expr(body, env, primed) };
        let start = self.frame().next;
        let slot = self.slot();
        let with = env.bind(name, Binding::Slot(self.depth(), slot));
        let (mut expr, info) = self.function(bounds, inner, &with, primed, body.place, Some(slot))?;
        self.frame().next = start;
        // Nothing as low as the function's own slot is used: it does not mention itself.
        if let (Expr::Function(single), true) = (&mut expr, info.low > slot) {
            single.this = None;
        }
        let info = info.outside(start);
        Ok(self.settle(expr, info))
    }

    fn fields(
        &mut self,
        fields: &[(Symbol, Arc<ast::Expr>)],
        place: Place,
        env: &Env,
        primed: bool,
    ) -> Result<(Rc<crate::value::SetValue>, Box<[Expr]>, Info)> {
        let mut sorted: Vec<&(Symbol, Arc<ast::Expr>)> = fields.iter().collect();
        sorted.sort_by_key(|(name, _)| *name);
        if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Box::new(Error::semantic(place, "a field is given twice")));
        }
        let domain = Value::sorted_domain(sorted.iter().map(|(name, _)| Value::Str(*name)).collect());
        let mut info = Info::CONST;
        let mut values = Vec::new();
        for (_, value) in sorted {
            let (value, inner) = self.expr(value, env, primed)?;
            info = info.join(inner);
            values.push(value);
        }
        Ok((domain, values.into_boxed_slice(), info))
    }

    fn except(
        &mut self,
        function: &Arc<ast::Expr>,
        updates: &[(Vec<Access>, Arc<ast::Expr>)],
        place: Place,
        env: &Env,
        primed: bool,
    ) -> Result<Typed> {
        let start = self.frame().next;
        let (one, mut info) = self.one(function, place, env, primed)?;
        let mut compiled = Vec::new();
        for (path, value) in updates {
            let mut steps = Vec::new();
            for access in path {
                let (step, inner) = match access {
                    Access::Field(name) => (Expr::Const(Value::Str(*name)), Info::CONST),
                    Access::Index(arguments) => self.expr(&tuple_of(arguments, place), env, primed)?,
                };
                info = info.join(inner);
                steps.push(step);
            }
            let at = self.slot();
            let inner_env = env.bind(at_name(), Binding::Slot(self.depth(), at));
            let (value, inner) = self.expr(value, &inner_env, primed)?;
            info = info.join(inner);
            compiled.push(Update { path: steps.into_boxed_slice(), at, value });
        }
        self.frame().next = start;
        Ok((Expr::Except(one, compiled.into_boxed_slice()), info.outside(start)))
    }

    /// `CHOOSE x : x \notin S` and the like have no value that could be found; TLC takes them for model values only when
    /// the configuration says so.
    fn unbounded_choose(&mut self, _body: &Arc<ast::Expr>, _env: &Env, place: Place) -> Typed {
        let message = "an unbounded CHOOSE cannot be evaluated: replace it in the configuration".to_string();
        (Expr::Error(message, place), Info { impure: true, ..Info::CONST })
    }
}

/// `f[a, b]` is `f[<<a, b>>]`.
fn tuple_of(arguments: &[Arc<ast::Expr>], place: Place) -> Arc<ast::Expr> {
    match arguments {
        [only] => only.clone(),
        _ => Arc::new(ast::Expr { place, kind: Kind::Tuple(arguments.to_vec()) }),
    }
}

fn temporal(place: Place) -> Box<Error> {
    Box::new(Error::semantic(place, "a temporal formula has no value in a state"))
}
