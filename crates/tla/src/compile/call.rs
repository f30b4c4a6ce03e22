//! Calling operators: expansion, recursion, paths into instances, operators as arguments.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::ir::{ConstCell, Expr, Function, Shared};
use super::level::{ACTION, STATE};
use super::module::named;
use super::native::{core_lambda, core_operator};
use super::scope::{Binding, Compiled, Env, Info, NO_SLOT, Operator, Thunk};
use super::{Compiler, EXPANSION_DEPTH_MAX};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind};

/// An argument: an expression where it was written, or something already bound.
#[derive(Clone)]
pub(super) enum Argument {
    Written(Arc<ast::Expr>, Env),
    Bound(Binding),
}

/// Expressions that cost no more than this are evaluated at each use instead of being kept in a slot.
const CHEAP_COST: u32 = 1;

impl Compiler {
    /// The value of a name applied to arguments.
    pub(super) fn call(
        &mut self,
        binding: &Binding,
        arguments: Vec<Argument>,
        place: Place,
        primed: bool,
    ) -> Result<(Expr, Info)> {
        match binding {
            Binding::Operator(operator) => self.call_operator(operator, arguments, place, primed),
            Binding::Builtin(builtin) => self.call_builtin(*builtin, arguments, place, primed),
            _ if !arguments.is_empty() => {
                Err(Box::new(Error::semantic(place, "arguments are given to something that takes none")))
            }
            Binding::Value(value) => Ok((Expr::Const(value.clone()), Info::CONST)),
            Binding::Missing(name) => {
                let message = format!("constant {name} has no value: give it one in the configuration");
                Ok((Expr::Error(message, place), Info { impure: true, ..Info::CONST }))
            }
            Binding::Variable(index) => Ok(if primed {
                (Expr::Next(*index, place), Info { level: ACTION, ..Info::CONST })
            } else {
                (Expr::Var(*index, place), Info { level: STATE, ..Info::CONST })
            }),
            Binding::Slot(depth, slot) => {
                let low = if self.depth() == *depth { *slot } else { 0 };
                Ok((self.slot_expr(*depth, *slot), Info { low, ..Info::CONST }))
            }
            Binding::Thunk(thunk) => self.thunk(thunk, primed),
            Binding::Instance(_) => Err(Box::new(Error::semantic(place, "an instance is not an expression"))),
            Binding::Alias(name) => {
                let binding = self.lookup(&self.root_env(), *name, place)?;
                self.call(&binding, arguments, place, primed)
            }
        }
    }

    fn slot_expr(&self, depth: u32, slot: u32) -> Expr {
        let hops = self.depth() - depth;
        if hops == 0 { Expr::Local(slot) } else { Expr::Outer(hops, slot) }
    }

    fn thunk(&mut self, thunk: &Rc<Thunk>, primed: bool) -> Result<(Expr, Info)> {
        let (expr, info) = &thunk.compiled;
        // What mentions primed variables has another value in each successor; what is wanted primed here but
        // was bound unprimed is another expression.
        if info.level >= ACTION || (primed != thunk.primed && info.level > 0) {
            return self.expr(&thunk.body.clone(), &thunk.env.clone(), primed || thunk.primed);
        }
        let hops = self.depth() - thunk.depth;
        let cheap = match &**expr {
            Expr::Const(value) => Some(Expr::Const(value.clone())),
            Expr::Cell(cell) => Some(Expr::Cell(cell.clone())),
            Expr::Var(index, place) => Some(Expr::Var(*index, *place)),
            Expr::Local(slot) if hops == 0 => Some(Expr::Local(*slot)),
            Expr::Local(slot) => Some(Expr::Outer(hops, *slot)),
            Expr::Outer(inner, slot) => Some(Expr::Outer(inner + hops, *slot)),
            _ => None,
        };
        if let Some(cheap) = cheap {
            let low = if hops == 0 || info.low == NO_SLOT { info.low } else { 0 };
            return Ok((cheap, Info { cost: CHEAP_COST, low, ..*info }));
        }
        thunk.used.set(true);
        let low = if hops == 0 { info.low.min(thunk.slot) } else { 0 };
        let info = Info { low, cost: 2, ..*info };
        let expr = if hops == 0 {
            Expr::Lazy(thunk.slot, expr.clone())
        } else {
            Expr::LazyOuter(hops, thunk.slot, expr.clone())
        };
        Ok((expr, info))
    }

    /// Binds an expression that is evaluated when it is first needed; what it needs of the frame stays
    /// reserved.
    pub(super) fn bind_lazily(&mut self, body: &Arc<ast::Expr>, env: &Env, primed: bool) -> Rc<Thunk> {
        let slot = self.slot();
        let outer_high = {
            let frame = self.frame();
            std::mem::replace(&mut frame.high, frame.next)
        };
        let compiled = match self.expr(body, env, primed) {
            Ok((expr, info)) => (Rc::new(expr), info),
            // An argument that makes no sense is an error only when it is used.
            Err(error) => {
                let place = error.place().unwrap_or(body.place);
                let message = match *error {
                    Error::Semantic { message, .. } | Error::Evaluation { message, .. } => message,
                    other => other.to_string(),
                };
                (Rc::new(Expr::Error(message, place)), Info { impure: true, ..Info::CONST })
            }
        };
        let frame = self.frame();
        frame.next = frame.high;
        frame.high = frame.high.max(outer_high);
        Rc::new(Thunk {
            body: body.clone(),
            env: env.clone(),
            primed,
            depth: self.depth(),
            slot,
            used: Cell::new(false),
            compiled,
        })
    }

    /// Binds the parameters of an operator; thunks that were made are added to the list.
    pub(super) fn bind_arguments(
        &mut self,
        operator: &Operator,
        arguments: &[Argument],
        place: Place,
        primed: bool,
        thunks: &mut Vec<Rc<Thunk>>,
    ) -> Result<Env> {
        if operator.parameters.len() != arguments.len() {
            let message = format!(
                "{} takes {} arguments, {} are given",
                operator.name,
                operator.parameters.len(),
                arguments.len()
            );
            return Err(Box::new(Error::semantic(place, message)));
        }
        let mut env = operator.env.clone();
        for (parameter, argument) in operator.parameters.iter().zip(arguments) {
            let binding = match argument {
                Argument::Bound(binding) => binding.clone(),
                Argument::Written(expr, outer) if parameter.arity > 0 => {
                    self.operator_argument(expr, outer)?
                }
                Argument::Written(expr, outer) => match self.plain_name(expr, outer) {
                    Some(binding) => binding,
                    None => {
                        let thunk = self.bind_lazily(expr, outer, primed);
                        thunks.push(thunk.clone());
                        Binding::Thunk(thunk)
                    }
                },
            };
            env = env.bind(parameter.name, binding);
        }
        Ok(env)
    }

    /// What a plain name stands for, if it can be bound as it is.
    fn plain_name(&self, expr: &ast::Expr, env: &Env) -> Option<Binding> {
        let Kind::Apply(name, arguments) = &expr.kind else { return None };
        if !arguments.is_empty() {
            return None;
        }
        match self.lookup(env, *name, expr.place).ok()? {
            binding @ (Binding::Variable(_) | Binding::Slot(..) | Binding::Thunk(_) | Binding::Value(_)) => {
                Some(binding)
            }
            Binding::Operator(operator)
                if operator.parameters.is_empty() && operator.env.depth().is_none() =>
            {
                Some(Binding::Operator(operator))
            }
            _ => None,
        }
    }

    /// What an operator argument stands for.
    pub(super) fn operator_argument(&self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Binding> {
        match &expr.kind {
            Kind::Lambda(..) => Ok(named(Symbol::new("LAMBDA"), expr, env)),
            Kind::Apply(name, arguments) if arguments.is_empty() => match self.lookup(env, *name, expr.place)
            {
                Ok(binding) => Ok(binding),
                Err(_) if core_operator(name.as_str()) => Ok(core_lambda(*name, expr.place)),
                Err(error) => Err(error),
            },
            Kind::Path(steps) => Ok(self.resolve_path(steps, env, expr.place)?.0),
            _ => Ok(named(Symbol::new("argument"), expr, env)),
        }
    }

    fn call_operator(
        &mut self,
        operator: &Rc<Operator>,
        arguments: Vec<Argument>,
        place: Place,
        primed: bool,
    ) -> Result<(Expr, Info)> {
        if primed && let Some(index) = self.free_variable(operator) {
            return Ok((Expr::Next(index, place), Info { level: ACTION, impure: true, ..Info::CONST }));
        }
        // What an instance has in the place of an operator may be a path to one.
        if let (true, false, Kind::Path(steps)) =
            (operator.parameters.is_empty(), arguments.is_empty(), &operator.body.kind)
            && let (binding, given) = self.resolve_path(steps, &operator.env, place)?
            && given.is_empty()
        {
            return self.call(&binding, arguments, place, primed);
        }
        // A function that comes back to itself by way of others is a recursive operator, too.
        if operator.recursive || self.defining.contains(&address(operator)) {
            return self.call_recursive(operator, arguments, place, primed);
        }
        if operator.parameters.is_empty() && arguments.is_empty() {
            if operator.env.depth().is_none() {
                return self.call_shared(operator, place, primed);
            }
            return self
                .expand(operator.name, place, |compiler| compiler.body(operator, &operator.env, primed));
        }
        let start = self.frame().next;
        let mut thunks = Vec::new();
        let env = self.bind_arguments(operator, &arguments, place, primed, &mut thunks)?;
        let (expr, info) =
            self.expand(operator.name, place, |compiler| compiler.body(operator, &env, primed))?;
        self.frame().next = start;
        Ok((scoped(&thunks, expr), info.outside(start)))
    }

    /// The body of an operator; of a function definition, with the function itself in scope.
    fn body(&mut self, operator: &Rc<Operator>, env: &Env, primed: bool) -> Result<(Expr, Info)> {
        if !operator.function {
            return self.expr(&operator.body, env, primed);
        }
        self.defining.push(address(operator));
        let function = self.function_definition(operator.name, &operator.body, env, primed);
        self.defining.pop();
        function
    }

    /// Counts the nesting of expansions, so that a cyclic definition is an error instead of an endless
    /// expansion.
    pub(super) fn expand<T>(
        &mut self,
        name: Symbol,
        place: Place,
        compile: impl FnOnce(&mut Compiler) -> Result<T>,
    ) -> Result<T> {
        if self.expansions >= EXPANSION_DEPTH_MAX {
            return Err(Box::new(Error::semantic(
                place,
                format!("the definition of {name} is cyclic (is RECURSIVE missing?) or nested too deeply"),
            )));
        }
        self.expansions += 1;
        let result = compile(self);
        self.expansions -= 1;
        result
    }

    /// A definition without parameters that depends on no frame: compiled once, evaluated in a frame of its
    /// own.
    fn call_shared(&mut self, operator: &Rc<Operator>, place: Place, primed: bool) -> Result<(Expr, Info)> {
        let index = usize::from(primed);
        // Inside ENABLED, primed definitions may mean free values: they are compiled for it alone.
        let apart = primed && self.free.is_some();
        let known = operator.compiled.borrow()[index].clone().filter(|_| !apart);
        let (compiled, info) = match known {
            Some(known) => known,
            None => {
                let ((expr, info), slots) = self.expand(operator.name, place, |compiler| {
                    compiler.in_new_frame(0, |compiler| compiler.body(operator, &operator.env, primed))
                })?;
                let compiled = match expr {
                    Expr::Const(value) => Compiled::Const(value),
                    Expr::Cell(cell) => Compiled::Cell(cell),
                    Expr::Var(index, _) => Compiled::Var(index),
                    Expr::Next(index, _) => Compiled::Next(index),
                    expr if info.level == 0 && !info.impure && !matches!(expr, Expr::Error(..)) => {
                        Compiled::Cell(Rc::new(ConstCell {
                            expr,
                            slots,
                            place: operator.place,
                            value: Default::default(),
                        }))
                    }
                    Expr::Shared(shared) => Compiled::Shared(shared),
                    expr => Compiled::Shared(Rc::new(Shared { expr, slots })),
                };
                if !apart {
                    operator.compiled.borrow_mut()[index] = Some((compiled.clone(), info));
                }
                (compiled, info)
            }
        };
        // Drawn once for the whole definition.
        let random = info.random && info.level > 0;
        let info = Info { low: NO_SLOT, random, ..info };
        Ok(match compiled {
            Compiled::Const(value) => (Expr::Const(value), Info { cost: 1, ..info }),
            Compiled::Cell(cell) => (Expr::Cell(cell), Info { cost: 1, ..info }),
            Compiled::Var(index) => (Expr::Var(index, place), Info { cost: 1, ..info }),
            Compiled::Next(index) => (Expr::Next(index, place), Info { cost: 1, ..info }),
            Compiled::Shared(shared) => (Expr::Shared(shared), info),
        })
    }

    fn call_recursive(
        &mut self,
        operator: &Rc<Operator>,
        arguments: Vec<Argument>,
        place: Place,
        primed: bool,
    ) -> Result<(Expr, Info)> {
        if operator.parameters.len() != arguments.len() {
            let message = format!("{} takes {} arguments", operator.name, operator.parameters.len());
            return Err(Box::new(Error::semantic(place, message)));
        }
        let mut values = Vec::new();
        let mut info = Info::CONST;
        let mut operators: Vec<(Symbol, Binding)> = Vec::new();
        for (parameter, argument) in operator.parameters.iter().zip(&arguments) {
            if parameter.arity > 0 {
                let binding = match argument {
                    Argument::Bound(binding) => binding.clone(),
                    Argument::Written(expr, env) => self.operator_argument(expr, env)?,
                };
                operators.push((parameter.name, binding));
            } else {
                let (expr, argument_info) = match argument {
                    Argument::Bound(binding) => self.call(binding, Vec::new(), place, primed)?,
                    Argument::Written(expr, env) => self.expr(&expr.clone(), &env.clone(), primed)?,
                };
                info = info.join(argument_info);
                values.push(expr);
            }
        }
        let (index, depth) = self.recursive_function(operator, &operators, place, primed)?;
        let known = self.function_infos[index as usize];
        let body = known.unwrap_or(Info {
            level: self.operator_level(operator),
            low: if depth.is_some() { 0 } else { NO_SLOT },
            impure: true,
            random: true,
            cost: 20,
        });
        let info = Info { cost: info.cost + 20, ..info.join(body) };
        // The static link is the frame just outside the function's own.
        let link = depth.map(|depth| self.depth() + 1 - depth);
        Ok((Expr::Call(index, values.into_boxed_slice(), link, place), info))
    }

    /// The compiled function of a recursive operator with given operator arguments, and the depth of its
    /// frame if it uses frames outside its own.
    fn recursive_function(
        &mut self,
        operator: &Rc<Operator>,
        operators: &[(Symbol, Binding)],
        place: Place,
        primed: bool,
    ) -> Result<(u32, Option<u32>)> {
        let mut key = vec![address(operator), usize::from(primed)];
        let mut outer = operator.env.depth();
        for (_, binding) in operators {
            outer = outer.max(binding.depth());
            key.push(match binding {
                Binding::Operator(operator) => address(operator),
                Binding::Builtin(builtin) => *builtin as usize,
                _ => return Err(Box::new(Error::semantic(place, "an operator is expected as argument"))),
            });
        }
        if let Some(known) = self.function_keys.get(&key) {
            return Ok(*known);
        }
        let index = self.functions.len() as u32;
        let depth = outer.map(|depth| depth + 1);
        self.functions.push(None);
        self.function_infos.push(None);
        self.function_keys.insert(key, (index, depth));
        self.function_owners.push(Binding::Operator(operator.clone()));
        self.function_owners.extend(operators.iter().map(|(_, binding)| binding.clone()));
        let frame = depth.unwrap_or(0);
        let compile = |compiler: &mut Compiler| {
            let mut env = operator.env.clone();
            for parameter in &operator.parameters {
                let binding = match operators.iter().find(|(name, _)| *name == parameter.name) {
                    Some((_, binding)) => binding.clone(),
                    None => Binding::Slot(frame, compiler.slot()),
                };
                env = env.bind(parameter.name, binding);
            }
            compiler.body(operator, &env, primed)
        };
        let ((body, info), slots) =
            self.expand(operator.name, place, |compiler| compiler.in_new_frame(frame, compile))?;
        let function = Function { body, slots, unlisted: operator.function };
        self.functions[index as usize] = Some(Rc::new(function));
        self.function_infos[index as usize] =
            Some(Info { low: if depth.is_some() { 0 } else { NO_SLOT }, ..info });
        Ok((index, depth))
    }
}

pub(super) fn address(operator: &Rc<Operator>) -> usize {
    Rc::as_ptr(operator).cast::<u8>() as usize
}

/// Resets the slots of thunks that somebody uses, then evaluates.
pub(super) fn scoped(thunks: &[Rc<Thunk>], expr: Expr) -> Expr {
    let slots: Box<[u32]> = thunks.iter().filter(|t| t.used.get()).map(|t| t.slot).collect();
    if slots.is_empty() { expr } else { Expr::Scope(slots, Box::new(expr)) }
}
