//! What binds names: bounds, functions, EXCEPT; and records.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::expr::Typed;
use super::ir::{Binder, Expr, Pattern, Single, Update};
use super::scope::{Binding, Env, Info};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Access, Bound, Kind};
use crate::value::Value;

impl Compiler {
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

    pub(super) fn single(
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
    pub(super) fn function(
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

    pub(super) fn fields(
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

    pub(super) fn except(
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
}

/// `f[a, b]` is `f[<<a, b>>]`.
pub(super) fn tuple_of(arguments: &[Arc<ast::Expr>], place: Place) -> Arc<ast::Expr> {
    match arguments {
        [only] => only.clone(),
        _ => Arc::new(ast::Expr { place, kind: Kind::Tuple(arguments.to_vec()) }),
    }
}

/// The name that `@` is bound to.
pub(super) fn at_name() -> Symbol {
    Symbol::new("@")
}
