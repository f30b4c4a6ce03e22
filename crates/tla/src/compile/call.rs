//! Calling operators: expansion, recursion, paths into instances, operators as arguments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::builtin::Builtin;
use super::ir::{self, ConstCell, Expr, Function, Shared};
use super::level::{ACTION, STATE};
use super::module::named;
use super::scope::{Binding, Compiled, Env, Info, NO_SLOT, NamedInstance, Operator, Thunk};
use super::{Compiler, EXPANSION_DEPTH_MAX};
use crate::error::{Error, Place, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind, Step};

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
        // What mentions primed variables has another value in each successor; what is wanted primed here but was bound
        // unprimed is another expression.
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

    /// Binds an expression that is evaluated when it is first needed; what it needs of the frame stays reserved.
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
    pub(super) fn operator_argument(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Binding> {
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
        if operator.recursive {
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
    fn body(&mut self, operator: &Operator, env: &Env, primed: bool) -> Result<(Expr, Info)> {
        if operator.function {
            return self.function_definition(operator.name, &operator.body, env, primed);
        }
        self.expr(&operator.body, env, primed)
    }

    /// Counts the nesting of expansions, so that a cyclic definition is an error instead of an endless expansion.
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

    /// A definition without parameters that depends on no frame: compiled once, evaluated in a frame of its own.
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

    /// The compiled function of a recursive operator with given operator arguments, and the depth of its frame if it uses
    /// frames outside its own.
    fn recursive_function(
        &mut self,
        operator: &Rc<Operator>,
        operators: &[(Symbol, Binding)],
        place: Place,
        primed: bool,
    ) -> Result<(u32, Option<u32>)> {
        let mut key = vec![Rc::as_ptr(operator).cast::<u8>() as usize, usize::from(primed)];
        let mut outer = operator.env.depth();
        for (_, binding) in operators {
            outer = outer.max(binding.depth());
            key.push(match binding {
                Binding::Operator(operator) => Rc::as_ptr(operator).cast::<u8>() as usize,
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
            compiler.expr(&operator.body, &env, primed)
        };
        let ((body, info), slots) =
            self.expand(operator.name, place, |compiler| compiler.in_new_frame(frame, compile))?;
        let function = Function { body, slots };
        self.functions[index as usize] = Some(Rc::new(function));
        self.function_infos[index as usize] =
            Some(Info { low: if depth.is_some() { 0 } else { NO_SLOT }, ..info });
        Ok((index, depth))
    }

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
                (Binding::Operator(operator), Step::Part(part)) => {
                    let mut inner = operator.env.clone();
                    for (parameter, argument) in operator.parameters.iter().zip(&given) {
                        let bound = match argument {
                            Argument::Bound(binding) => binding.clone(),
                            Argument::Written(expr, env) => named(parameter.name, expr, env),
                        };
                        inner = inner.bind(parameter.name, bound);
                    }
                    given = Vec::new();
                    let part = subexpression(&operator.body, *part).ok_or_else(|| {
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

    fn call_builtin(
        &mut self,
        builtin: Builtin,
        arguments: Vec<Argument>,
        place: Place,
        primed: bool,
    ) -> Result<(Expr, Info)> {
        if arguments.len() != builtin.arity() {
            let message = format!("{} takes {} arguments", builtin.name(), builtin.arity());
            return Err(Box::new(Error::semantic(place, message)));
        }
        let mut info = Info { impure: builtin.impure(), random: builtin.random(), ..Info::CONST };
        let mut values = Vec::new();
        let mut operators = Vec::new();
        let start = self.frame().next;
        for (position, argument) in arguments.iter().enumerate() {
            let operator_arity =
                builtin.operators().iter().find(|(p, _)| *p == position).map(|(_, arity)| *arity);
            if let Some(arity) = operator_arity {
                let binding = match argument {
                    Argument::Bound(binding) => binding.clone(),
                    Argument::Written(expr, env) => self.operator_argument(expr, env)?,
                };
                let slots: Vec<u32> = (0..arity).map(|_| self.slot()).collect();
                let depth = self.depth();
                let bound = slots.iter().map(|slot| Argument::Bound(Binding::Slot(depth, *slot))).collect();
                let (body, body_info) = self.call(&binding, bound, place, primed)?;
                info = info.join(body_info);
                operators.push(ir::Operator { slots: slots.into_boxed_slice(), body });
            } else {
                let (expr, argument_info) = match argument {
                    Argument::Bound(binding) => self.call(binding, Vec::new(), place, primed)?,
                    Argument::Written(expr, env) => self.expr(expr, env, primed)?,
                };
                info = info.join(argument_info);
                values.push(expr);
            }
        }
        self.frame().next = start;
        let info = info.outside(start);
        let expr = if operators.is_empty() {
            native(builtin, values, place)
        } else {
            Expr::HigherOrder(builtin, values.into_boxed_slice(), operators.into_boxed_slice(), place)
        };
        Ok(self.settle(expr, info))
    }
}

/// Operators that have nodes of their own.
fn native(builtin: Builtin, mut values: Vec<Expr>, place: Place) -> Expr {
    use super::ir::{Arithmetic as A, Comparison as C, One, Two};
    let mut two = |make: &dyn Fn(Box<Two>) -> Expr| {
        let right = values.pop();
        let left = values.pop();
        match (left, right) {
            (Some(left), Some(right)) => make(Box::new(Two { left, right, place })),
            _ => Expr::Error("an operand is missing".to_string(), place),
        }
    };
    match builtin {
        Builtin::Plus => two(&|two| Expr::Arithmetic(A::Add, two)),
        Builtin::Minus => two(&|two| Expr::Arithmetic(A::Subtract, two)),
        Builtin::Times => two(&|two| Expr::Arithmetic(A::Multiply, two)),
        Builtin::Divide => two(&|two| Expr::Arithmetic(A::Divide, two)),
        Builtin::Modulo => two(&|two| Expr::Arithmetic(A::Modulo, two)),
        Builtin::Power => two(&|two| Expr::Arithmetic(A::Power, two)),
        Builtin::Less => two(&|two| Expr::Compare(C::Less, two)),
        Builtin::LessEqual => two(&|two| Expr::Compare(C::LessEqual, two)),
        Builtin::Greater => two(&|two| Expr::Compare(C::Greater, two)),
        Builtin::GreaterEqual => two(&|two| Expr::Compare(C::GreaterEqual, two)),
        Builtin::DotDot => two(&Expr::Interval),
        Builtin::Negative => match values.pop() {
            Some(operand) => Expr::Negate(Box::new(One { operand, place })),
            None => Expr::Error("an operand is missing".to_string(), place),
        },
        _ => Expr::Builtin(builtin, values.into_boxed_slice(), place),
    }
}

/// Resets the slots of thunks that somebody uses, then evaluates.
pub(super) fn scoped(thunks: &[Rc<Thunk>], expr: Expr) -> Expr {
    let slots: Box<[u32]> = thunks.iter().filter(|t| t.used.get()).map(|t| t.slot).collect();
    if slots.is_empty() { expr } else { Expr::Scope(slots, Box::new(expr)) }
}

/// The n-th part of a definition's body.
fn subexpression(body: &Arc<ast::Expr>, part: usize) -> Option<Arc<ast::Expr>> {
    let index = part.checked_sub(1)?;
    match &body.kind {
        Kind::And(items)
        | Kind::Or(items)
        | Kind::Tuple(items)
        | Kind::SetEnum(items)
        | Kind::Apply(_, items) => items.get(index).cloned(),
        Kind::If(a, b, c) => [a, b, c].get(index).map(|e| (*e).clone()),
        Kind::Let(_, body) | Kind::Label(_, body) => subexpression(body, part),
        _ => None,
    }
}

fn core_operator(name: &str) -> bool {
    matches!(
        name,
        "=" | "#"
            | "\\in"
            | "\\notin"
            | "\\cup"
            | "\\cap"
            | "\\"
            | "\\subseteq"
            | "=>"
            | "<=>"
            | "SUBSET"
            | "UNION"
            | "DOMAIN"
            | "~"
            | "/\\"
            | "\\/"
            | "\\X"
    )
}

/// A core operator as an argument: `LAMBDA a, b : a op b`.
fn core_lambda(name: Symbol, place: Place) -> Binding {
    let one = matches!(name.as_str(), "SUBSET" | "UNION" | "DOMAIN" | "~");
    let names: Vec<Symbol> =
        if one { vec!["a"] } else { vec!["a", "b"] }.into_iter().map(Symbol::new).collect();
    let operands: Vec<Arc<ast::Expr>> =
        names.iter().map(|n| Arc::new(ast::Expr { place, kind: Kind::Apply(*n, Vec::new()) })).collect();
    let kind = match name.as_str() {
        "/\\" => Kind::And(operands),
        "\\/" => Kind::Or(operands),
        "\\X" => Kind::Product(operands),
        _ => Kind::Apply(name, operands),
    };
    let parameters = names.into_iter().map(|name| ast::Parameter { name, arity: 0, place }).collect();
    Binding::Operator(Rc::new(Operator {
        name,
        parameters,
        body: Arc::new(ast::Expr { place, kind }),
        env: Env::default(),
        recursive: false,
        function: false,
        stands_for_variable: false,
        place,
        compiled: RefCell::default(),
        level: Cell::new(None),
    }))
}
