//! Taking temporal formulas apart.
//!
//! A specification is a conjunction of an initial predicate, `[][Next]_v` and fairness; a property may be any
//! formula. [`Part`]s are what a conjunction is made of; [`Formula`] is what is left for liveness checking,
//! with only `[]`, `<>` and boolean operators in it: `~>`, WF and SF are written out by their definitions.

use std::rc::Rc;
use std::sync::Arc;

use super::Compiler;
use super::call::Argument;
use super::ir::Expr;
use super::level::{ACTION, CONSTANT, STATE, TEMPORAL};
use super::module::{named, operator_of};
use super::scope::{Binding, Env};
use crate::error::{Error, Place, Result};
use crate::eval::Machine;
use crate::stack::CALLER_STACK_BYTES;
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind, Local};
use crate::value::{SetIter, Value};

/// A formula for liveness checking. Leaves are predicates of a state or of a step.
pub(crate) enum Formula {
    Leaf(Expr, u8, Place),
    /// What has one value for good.
    Constant(bool),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    /// Fairness of an action: whether it is enabled, whether a step is one, whether strong. Kept whole
    /// because checkers treat it better than its definition.
    Fair(Box<(Formula, Formula)>, bool),
}

/// A conjunct of a specification or a property.
pub(crate) enum Part {
    /// A predicate of the first state.
    Initial(Arc<ast::Expr>, Env),
    /// `[]P`; and whether TLC takes it for a temporal formula, because it does not look into it.
    Invariant(Arc<ast::Expr>, Env, bool),
    /// `[][A]_v`: the action, the subscript, and the whole `[A]_v`.
    Steps(Arc<ast::Expr>, Arc<ast::Expr>, Env),
    /// Anything else.
    Temporal(Arc<ast::Expr>, Env),
}

impl Formula {
    /// Its value, if that follows from constants without a look into `[]` and `<>`: what TLC simplifies.
    pub(crate) fn constant(&self) -> Option<bool> {
        let junction = |parts: &[Formula], decides: bool| {
            let values: Vec<_> = parts.iter().map(Formula::constant).collect();
            let decided = values.contains(&Some(decides));
            let known = decided || values.iter().all(Option::is_some);
            known.then_some(decides == decided)
        };
        match self {
            Formula::Constant(value) => Some(*value),
            Formula::Not(inner) => inner.constant().map(|value| !value),
            Formula::And(parts) => junction(parts, false),
            Formula::Or(parts) => junction(parts, true),
            _ => None,
        }
    }
}

/// A formula with the names of definitions replaced by their bodies.
struct Unfolded {
    expr: Arc<ast::Expr>,
    env: Env,
    /// Whether an operator of an instance was applied to arguments inside that instance: TLC looks no
    /// further.
    opaque: bool,
}

/// Most instances of a quantifier of a temporal formula: each becomes a formula of its own.
const INSTANCES_MAX: usize = 1 << 14;

impl Compiler {
    /// The conjuncts of a formula.
    pub(crate) fn parts(&mut self, expr: &Arc<ast::Expr>, env: &Env, parts: &mut Vec<Part>) -> Result<()> {
        self.parts_inside(expr, env, false, parts)
    }

    /// The same of a formula that TLC may not have looked into.
    fn parts_inside(
        &mut self,
        expr: &Arc<ast::Expr>,
        env: &Env,
        opaque: bool,
        parts: &mut Vec<Part>,
    ) -> Result<()> {
        self.count_node(expr.place)?;
        if self.level(expr, env) < TEMPORAL {
            parts.push(Part::Initial(expr.clone(), env.clone()));
            return Ok(());
        }
        match &expr.kind {
            Kind::And(items) => {
                for item in items {
                    self.parts_inside(item, env, opaque, parts)?;
                }
                return Ok(());
            }
            Kind::Label(_, _, inner) => return self.parts_inside(inner, env, opaque, parts),
            Kind::Apply(name, arguments) if name.as_str() == "[]" && arguments.len() == 1 => {
                let Unfolded { expr: inner, env: inner_env, opaque: hidden } =
                    self.unfold(&arguments[0], env)?;
                let opaque = opaque || hidden;
                if let Kind::Box(action, subscript) = &inner.kind {
                    parts.push(Part::Steps(action.clone(), subscript.clone(), inner_env));
                    return Ok(());
                }
                if self.level(&inner, &inner_env) <= STATE {
                    parts.push(Part::Invariant(inner, inner_env, opaque));
                    return Ok(());
                }
                // `[](A /\ B)` is `[]A /\ []B`.
                if let Kind::And(items) = &inner.kind {
                    for item in items {
                        let place = item.place;
                        let always = Kind::Apply(Symbol::new("[]"), vec![item.clone()]);
                        let always = Arc::new(ast::Expr { place, kind: always });
                        self.parts_inside(&always, &inner_env, opaque, parts)?;
                    }
                    return Ok(());
                }
            }
            Kind::Let(locals, body) => {
                let inner = self.let_operators(locals, env);
                return self.parts_inside(body, &inner, opaque, parts);
            }
            Kind::Quantified { forall: true, .. } => {
                let instances = self.instances(expr, env)?;
                for (body, env) in &instances {
                    self.parts_inside(body, env, opaque, parts)?;
                }
                // Of nothing at all it is a tautology.
                if !instances.is_empty() {
                    return Ok(());
                }
            }
            Kind::Apply(..) | Kind::Path(_) => {
                let inner = self.unfold(expr, env)?;
                if !Arc::ptr_eq(&inner.expr, expr) {
                    return self.parts_inside(&inner.expr, &inner.env, opaque || inner.opaque, parts);
                }
            }
            _ => {}
        }
        parts.push(Part::Temporal(expr.clone(), env.clone()));
        Ok(())
    }

    /// Replaces the name of a definition by its body, as often as there is one.
    fn unfold(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Unfolded> {
        let (mut expr, mut env) = (expr.clone(), env.clone());
        let (mut instanced, mut opaque) = (false, false);
        for _ in 0..super::EXPANSION_DEPTH_MAX {
            let found = match &expr.kind {
                Kind::Label(_, _, inner) => {
                    expr = inner.clone();
                    continue;
                }
                Kind::Apply(name, arguments) => {
                    let arguments: Vec<Argument> =
                        arguments.iter().map(|e| Argument::Written(e.clone(), env.clone())).collect();
                    env.lookup(*name).map(|binding| (binding, arguments))
                }
                Kind::Path(steps) => Some(self.resolve_path(steps, &env, expr.place)?),
                _ => None,
            };
            let Some((binding, arguments)) = found else { return Ok(Unfolded { expr, env, opaque }) };
            let binding = match binding {
                Binding::Alias(name) => self.lookup(&self.root_env(), name, expr.place)?,
                binding => binding,
            };
            let Binding::Operator(operator) = binding else { return Ok(Unfolded { expr, env, opaque }) };
            if operator.recursive || operator.function || operator.parameters.len() != arguments.len() {
                return Ok(Unfolded { expr, env, opaque });
            }
            opaque |= instanced && !arguments.is_empty();
            instanced |= matches!(&expr.kind, Kind::Path(_));
            let mut inner = operator.env.clone();
            for (parameter, argument) in operator.parameters.iter().zip(arguments) {
                let bound = match argument {
                    Argument::Bound(binding) => binding,
                    Argument::Written(e, outer) if parameter.arity > 0 => {
                        self.operator_argument(&e, &outer)?
                    }
                    Argument::Written(e, outer) => match &e.kind {
                        // A plain name stays what it is, so that a variable can still be primed.
                        Kind::Apply(name, none) if none.is_empty() => self.lookup(&outer, *name, e.place)?,
                        _ => named(parameter.name, &e, &outer),
                    },
                };
                inner = inner.bind(parameter.name, bound);
            }
            expr = operator.body.clone();
            env = inner;
        }
        Err(Box::new(Error::semantic(expr.place, "the definition is cyclic, or nested too deeply")))
    }

    pub(super) fn let_operators(&self, locals: &[Local], env: &Env) -> Env {
        let mut inner = env.clone();
        for local in locals {
            match local {
                Local::Definition(definition) => {
                    inner = inner.bind(definition.name, operator_of(definition, &inner, false));
                }
                Local::Instance(instance) => {
                    if let Some(name) = instance.name {
                        let named = super::scope::NamedInstance {
                            instance: instance.clone(),
                            env: inner.clone(),
                            scope: Default::default(),
                        };
                        inner = inner.bind(name, Binding::Instance(Rc::new(named)));
                    }
                }
                Local::Recursive(_) => {}
            }
        }
        inner
    }

    /// The body of a quantifier with each combination of values of its bounds, which must be constant.
    fn instances(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Vec<(Arc<ast::Expr>, Env)>> {
        let Kind::Quantified { bounds, body, .. } = &expr.kind else { return Ok(Vec::new()) };
        let mut envs = vec![env.clone()];
        for bound in bounds {
            let set = self.constant_value(&bound.set, env)?;
            let values: Vec<Value> = match SetIter::new(&set) {
                Ok(values) => values.take(INSTANCES_MAX + 1).collect(),
                Err(message) => return Err(Box::new(Error::semantic(bound.set.place, message))),
            };
            let groups: Vec<&[Symbol]> =
                if bound.tuple { vec![bound.names.as_slice()] } else { bound.names.chunks(1).collect() };
            for names in groups {
                if envs.len().saturating_mul(values.len()) > INSTANCES_MAX {
                    let message = format!("a temporal quantifier has more than {INSTANCES_MAX} instances");
                    return Err(Box::new(Error::semantic(bound.set.place, message)));
                }
                let mut more = Vec::new();
                for env in &envs {
                    for value in &values {
                        let mut inner = env.clone();
                        if bound.tuple {
                            for (i, name) in names.iter().enumerate() {
                                let part = value.apply(&Value::Int(i as i64 + 1)).cloned();
                                inner = inner.bind(*name, Binding::Value(part.unwrap_or(Value::Undefined)));
                            }
                        } else if let [name] = names {
                            inner = inner.bind(*name, Binding::Value(value.clone()));
                        }
                        more.push(inner);
                    }
                }
                envs = more;
            }
        }
        Ok(envs.into_iter().map(|env| (body.clone(), env)).collect())
    }

    /// Evaluates a constant expression while compiling.
    fn constant_value(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Value> {
        let (compiled, _) = self.expr(expr, env, false)?;
        self.value_of(&compiled)
    }

    /// Evaluates while compiling, without a state.
    pub(super) fn value_of(&mut self, compiled: &Expr) -> Result<Value> {
        self.machine().eval(compiled)
    }

    /// What evaluates while compiling.
    pub(super) fn machine(&mut self) -> Machine {
        let names: Rc<[Symbol]> = self.variables.borrow().clone().into();
        let mut machine = Machine::new(names, CALLER_STACK_BYTES, self.outside.clone());
        machine.install(&self.functions, self.top_slots());
        self.finish();
        machine
    }

    /// Compiles a formula for liveness checking.
    pub(crate) fn formula(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Formula> {
        self.count_node(expr.place)?;
        let place = expr.place;
        let level = self.level(expr, env);
        if level < TEMPORAL {
            let (compiled, info) = self.expr(expr, env, false)?;
            if level == CONSTANT
                && info.is_constant()
                && let Ok(Value::Bool(value)) = self.value_of(&compiled)
            {
                return Ok(Formula::Constant(value));
            }
            return Ok(Formula::Leaf(compiled, level, place));
        }
        Ok(match &expr.kind {
            Kind::And(items) => Formula::And(self.formulas(items, env)?),
            Kind::Or(items) => Formula::Or(self.formulas(items, env)?),
            Kind::Label(_, _, inner) => self.formula(inner, env)?,
            Kind::Apply(name, arguments) => match (name.as_str(), arguments.as_slice()) {
                ("[]", [inner]) => Formula::Always(Box::new(self.formula(inner, env)?)),
                ("<>", [inner]) => Formula::Eventually(Box::new(self.formula(inner, env)?)),
                ("~", [inner]) => Formula::Not(Box::new(self.formula(inner, env)?)),
                ("=>", [left, right]) => Formula::Or(vec![
                    Formula::Not(Box::new(self.formula(left, env)?)),
                    self.formula(right, env)?,
                ]),
                ("<=>", [left, right]) => Formula::Or(vec![
                    Formula::And(self.formulas(&[left.clone(), right.clone()], env)?),
                    Formula::And(vec![
                        Formula::Not(Box::new(self.formula(left, env)?)),
                        Formula::Not(Box::new(self.formula(right, env)?)),
                    ]),
                ]),
                ("~>", [left, right]) => {
                    let left = Formula::Not(Box::new(self.formula(left, env)?));
                    let right = Formula::Eventually(Box::new(self.formula(right, env)?));
                    Formula::Always(Box::new(Formula::Or(vec![left, right])))
                }
                _ => return self.unfolded(expr, env),
            },
            Kind::Path(_) => return self.unfolded(expr, env),
            Kind::Let(locals, body) => {
                let inner = self.let_operators(locals, env);
                self.formula(body, &inner)?
            }
            Kind::Quantified { forall, .. } => {
                let mut all = Vec::new();
                for (body, env) in self.instances(expr, env)? {
                    all.push(self.formula(&body, &env)?);
                }
                if *forall { Formula::And(all) } else { Formula::Or(all) }
            }
            Kind::Fair { strong, subscript, action } => {
                let angle =
                    Arc::new(ast::Expr { place, kind: Kind::Angle(action.clone(), subscript.clone()) });
                let enabled = Arc::new(ast::Expr {
                    place,
                    kind: Kind::Apply(Symbol::new("ENABLED"), vec![angle.clone()]),
                });
                let (enabled, _) = self.expr(&enabled, env, false)?;
                let (taken, _) = self.expr(&angle, env, false)?;
                let enabled = Formula::Leaf(enabled, STATE, place);
                let taken = Formula::Leaf(taken, ACTION, place);
                Formula::Fair(Box::new((enabled, taken)), *strong)
            }
            Kind::If(condition, yes, no) => {
                let condition_holds = self.formula(condition, env)?;
                let condition_fails = Formula::Not(Box::new(self.formula(condition, env)?));
                Formula::Or(vec![
                    Formula::And(vec![condition_holds, self.formula(yes, env)?]),
                    Formula::And(vec![condition_fails, self.formula(no, env)?]),
                ])
            }
            _ => return Err(Box::new(Error::semantic(place, "this temporal formula cannot be checked"))),
        })
    }

    fn formulas(&mut self, items: &[Arc<ast::Expr>], env: &Env) -> Result<Vec<Formula>> {
        items.iter().map(|item| self.formula(item, env)).collect()
    }

    fn unfolded(&mut self, expr: &Arc<ast::Expr>, env: &Env) -> Result<Formula> {
        let inner = self.unfold(expr, env)?;
        if Arc::ptr_eq(&inner.expr, expr) {
            return Err(Box::new(Error::semantic(expr.place, "this temporal formula cannot be checked")));
        }
        self.formula(&inner.expr, &inner.env)
    }
}
