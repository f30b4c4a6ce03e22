//! A specification with a configuration, compiled for one thread.
//!
//! [`Spec`] is what can be shared: parsed modules and a configuration. [`Model`] is what a thread works with:
//! the machine, the initial predicate, the next-state action and everything to check, compiled.

use std::rc::Rc;
use std::sync::Arc;

use crate::budget::Budget;
use crate::compile::Compiler;
use crate::compile::ir::{Act, Expr};
use crate::compile::level::{ACTION, CONSTANT};
use crate::compile::scope::{Binding, Env};
use crate::compile::temporal::{Formula, Part};
use crate::config::Config;
use crate::error::{Error, Place, Result};
use crate::eval::{Machine, Outside};
use crate::loader::{Loader, Reader, Sources};
use crate::symbol::Symbol;
use crate::syntax::ast::{self, Kind};
use crate::value::Value;

/// A specification and its configuration.
#[derive(Clone)]
pub struct Spec {
    pub(crate) sources: Arc<Sources>,
    /// The configuration.
    pub config: Arc<Config>,
    /// Files that the specification reads.
    pub(crate) files: Arc<Reader>,
    /// The environment that it sees.
    pub(crate) environment: Arc<[(String, String)]>,
    /// How much memory it may take.
    pub(crate) budget: Budget,
}

impl Spec {
    /// Loads a module with all that it needs.
    pub fn load(root: &str, config: Config, loader: &dyn Loader) -> Result<Spec> {
        Spec::load_within(root, config, loader, Budget::default())
    }

    /// The same within a budget of memory, which is that of everything done with the specification.
    pub fn load_within(root: &str, config: Config, loader: &dyn Loader, budget: Budget) -> Result<Spec> {
        let sources = Sources::load_within(root, loader, &budget)?;
        crate::semantic::check(&sources)?;
        let files = Reader::new(loader.files());
        let (sources, config, files) = (Arc::new(sources), Arc::new(config), Arc::new(files));
        Ok(Spec { sources, config, files, environment: loader.environment().into(), budget })
    }

    pub(crate) fn outside(&self) -> Outside {
        let (files, environment) = (self.files.clone(), self.environment.clone());
        Outside { files, environment, budget: self.budget.clone() }
    }

    /// The same specification with a little more memory: to report what a run that used its budget up has
    /// found.
    pub(crate) fn with_reserve(&self) -> Spec {
        Spec { budget: self.budget.with_reserve(), ..self.clone() }
    }

    /// The line of the specification that a place points to.
    pub fn line(&self, place: Place) -> Option<&str> {
        self.sources.line(place)
    }
}

/// A named predicate.
pub(crate) struct Named {
    pub name: Symbol,
    pub expr: Expr,
    pub place: Place,
}

/// What remains of a property once its safety parts are taken out.
pub(crate) struct Liveness {
    pub name: Symbol,
    pub formula: Formula,
}

/// A compiled specification.
pub(crate) struct Model {
    pub machine: Machine,
    pub variables: Rc<[Symbol]>,
    pub init: Option<Act>,
    pub next: Option<Act>,
    pub assumptions: Vec<Named>,
    pub invariants: Vec<Named>,
    /// Initial predicates of properties.
    pub initial_properties: Vec<Named>,
    /// `[][A]_v` of properties.
    pub step_properties: Vec<Named>,
    pub constraints: Vec<Named>,
    pub action_constraints: Vec<Named>,
    pub view: Option<Expr>,
    pub alias: Option<Expr>,
    pub postconditions: Vec<Named>,
    /// What is to be true in some state, or of some step, and whether it is a predicate of steps.
    pub possible: Vec<(Named, bool)>,
    /// What a simulation evaluates now and then.
    pub periodic: Option<Named>,
    /// Permutations of model values under which states count as one; without the identity.
    pub symmetry: Vec<Vec<(Symbol, Symbol)>>,
    /// The fairness of the specification.
    pub fairness: Vec<Formula>,
    pub properties: Vec<Liveness>,
    /// Names and parameters of the actions.
    pub labels: Vec<(Symbol, Vec<Symbol>, Place)>,
    pub next_name: Symbol,
}

/// How much of a model is compiled.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scope {
    /// Everything.
    All,
    /// Without temporal properties and fairness.
    Safety,
}

impl Model {
    pub(crate) fn new(spec: &Spec, scope: Scope, stack_bytes: usize) -> Result<Model> {
        Model::with_compiler(spec, scope, stack_bytes).map(|(model, _)| model)
    }

    /// A model, and the compiler that can compile more for it.
    pub(crate) fn with_compiler(spec: &Spec, scope: Scope, stack_bytes: usize) -> Result<(Model, Compiler)> {
        let config = &*spec.config;
        let mut compiler = Compiler::new(spec.sources.clone(), config, stack_bytes, spec.outside())?;
        compiler.check_constants(config)?;
        let env = compiler.root_env();
        let variables: Rc<[Symbol]> = compiler.variables.borrow().clone().into();
        let mut model = Model {
            machine: Machine::new(variables.clone(), stack_bytes, spec.outside()),
            variables,
            init: None,
            next: None,
            assumptions: Vec::new(),
            invariants: Vec::new(),
            initial_properties: Vec::new(),
            step_properties: Vec::new(),
            constraints: Vec::new(),
            action_constraints: Vec::new(),
            view: None,
            alias: None,
            postconditions: Vec::new(),
            possible: Vec::new(),
            periodic: None,
            symmetry: Vec::new(),
            fairness: Vec::new(),
            properties: Vec::new(),
            labels: Vec::new(),
            next_name: Symbol::new("Next"),
        };
        let assumptions = compiler.assumptions.borrow().clone();
        for (name, expr, env) in assumptions {
            let (compiled, _) = compiler.expr(&expr, &env, false)?;
            let name = name.unwrap_or_else(|| Symbol::new("ASSUME"));
            model.assumptions.push(Named { name, expr: compiled, place: expr.place });
        }
        model.behaviour(&mut compiler, config, &env, scope)?;
        for name in &config.invariants {
            model.invariants.extend(invariant(&mut compiler, *name, &env)?);
        }
        model.constraints = named_all(&mut compiler, &config.constraints, &env, "CONSTRAINT")?;
        model.action_constraints =
            named_all(&mut compiler, &config.action_constraints, &env, "ACTION_CONSTRAINT")?;
        if let Some(view) = config.view {
            model.view = Some(named(&mut compiler, view, &env, "VIEW")?.expr);
        }
        if let Some(alias) = config.alias {
            reference(alias, "ALIAS", &compiler, &env)?;
            model.alias = named(&mut compiler, alias, &env, "ALIAS").ok().map(|n| n.expr);
        }
        model.postconditions = named_all(&mut compiler, &config.postconditions, &env, "POSTCONDITION")?;
        for name in &config.possible {
            let predicate = reference(*name, "_POSSIBLE", &compiler, &env)?;
            let of_steps = compiler.level(&predicate, &env) >= ACTION;
            model.possible.push((named(&mut compiler, *name, &env, "_POSSIBLE")?, of_steps));
        }
        if let Some(periodic) = config.periodic {
            model.periodic = Some(named(&mut compiler, periodic, &env, "_PERIODIC")?);
        }
        if let Some(reward) = config.reward {
            reference(reward, "_RL_REWARD", &compiler, &env)?;
        }
        for property in &config.properties {
            model.property(&mut compiler, *property, &env, scope)?;
        }
        model.check_completeness(config)?;
        let symmetry = named_all(&mut compiler, &config.symmetry, &env, "SYMMETRY")?;
        compiler.within_budget()?;
        compiler.finish();
        model.machine.install(&compiler.functions, compiler.top_slots());
        model.labels = compiler.labels.iter().map(|l| (l.name, l.parameters.to_vec(), l.place)).collect();
        model.machine.behaviour.wanted = compiler.uses_behaviour;
        let mut shown =
            Shown { visible: vec![false; model.labels.len()], innermost: vec![false; model.labels.len()] };
        if let Some(next) = &model.next {
            mark(next, 0, &mut shown);
        }
        (model.machine.visible, model.machine.innermost) = (shown.visible, shown.innermost);
        for set in symmetry {
            model.add_symmetry(&set)?;
        }
        model.machine.specification = model.described();
        Ok((model, compiler))
    }

    /// A definition without parameters.
    pub(crate) fn definition(&self, compiler: &mut Compiler, name: Symbol) -> Result<Expr> {
        let env = compiler.root_env();
        named(compiler, name, &env, "definition").map(|named| named.expr)
    }

    /// The initial predicate, the next-state action and the fairness.
    fn behaviour(&mut self, compiler: &mut Compiler, config: &Config, env: &Env, scope: Scope) -> Result<()> {
        if let Some(specification) = config.specification {
            let name = reference(specification, "SPECIFICATION", compiler, env)?;
            let mut parts = Vec::new();
            match env.lookup(specification) {
                Some(Binding::Operator(operator)) if operator.parameters.is_empty() => {
                    compiler.parts(&operator.body, &operator.env, &mut parts)?;
                }
                _ => compiler.parts(&name, env, &mut parts)?,
            }
            let mut initial = Vec::new();
            let mut next = Vec::new();
            for part in parts {
                match part {
                    Part::Initial(expr, env) => {
                        if let Kind::Apply(name, none) = &expr.kind
                            && none.is_empty()
                            && let Some(Binding::Variable(_)) = env.lookup(*name)
                        {
                            let message = format!(
                                "SPECIFICATION {specification} has the variable {name} for a conjunct, at {}",
                                expr.place
                            );
                            return Err(compiler.wrong_configuration(specification, message));
                        }
                        if !is_true(compiler, &expr, &env, "SPECIFICATION", specification)? {
                            initial.push((expr, env));
                        }
                    }
                    Part::Invariant(expr, env, _) => initial.push((expr, env)),
                    Part::Steps(action, _, env) => next.push((action, env)),
                    Part::Temporal(expr, env) => {
                        if scope == Scope::All {
                            self.fairness.push(compiler.formula(&expr, &env)?);
                        }
                    }
                }
            }
            self.init = Some(self.conjunction(compiler, &initial, true)?);
            if !next.is_empty() {
                if let [(action, _)] = next.as_slice()
                    && let Kind::Apply(name, _) = &action.kind
                {
                    self.next_name = *name;
                }
                self.next = Some(self.conjunction(compiler, &next, false)?);
            }
            return Ok(());
        }
        if let Some(init) = config.init {
            let name = reference(init, "INIT", compiler, env)?;
            self.init = Some(compiler.action(&name, env, true)?);
        }
        if let Some(next) = config.next {
            self.next_name = next;
            let name = reference(next, "NEXT", compiler, env)?;
            self.next = Some(compiler.action(&name, env, false)?);
        }
        let problem = |line: u32, message: &str| {
            let file = config.file.clone();
            Err(Box::new(Error::Config { file, line, column: line, message: message.to_string() }))
        };
        if self.init.is_none() != self.next.is_none() {
            return problem(0, "INIT and NEXT go together");
        }
        if self.init.is_none() && !self.variables.is_empty() {
            if config.is_empty {
                return problem(1, "the configuration is empty: give SPECIFICATION, or INIT and NEXT");
            }
            if !config.invariants.is_empty() {
                return problem(0, "neither SPECIFICATION nor INIT and NEXT are given");
            }
        }
        Ok(())
    }

    fn conjunction(
        &self,
        compiler: &mut Compiler,
        parts: &[(Arc<ast::Expr>, Env)],
        initial: bool,
    ) -> Result<Act> {
        let mut acts = Vec::new();
        for (expr, env) in parts {
            acts.push(compiler.action(expr, env, initial)?);
        }
        Ok(match acts.len() {
            1 => acts.remove(0),
            _ => Act::And(acts.into_boxed_slice()),
        })
    }

    fn property(&mut self, compiler: &mut Compiler, name: Symbol, env: &Env, scope: Scope) -> Result<()> {
        let expr = reference(name, "PROPERTY", compiler, env)?;
        let mut parts = Vec::new();
        compiler.parts(&expr, env, &mut parts)?;
        let mut rest = Vec::new();
        for part in parts {
            match part {
                Part::Initial(expr, env) if compiler.level(&expr, &env) >= ACTION => {
                    let message = format!(
                        "property {name} is about steps at {}, and not about behaviours: write [][A]_v",
                        expr.place
                    );
                    return Err(compiler.wrong_configuration(name, message));
                }
                Part::Initial(expr, env) if is_true(compiler, &expr, &env, "PROPERTY", name)? => {}
                Part::Initial(expr, env) => {
                    let (compiled, _) = compiler.expr(&expr, &env, false)?;
                    self.initial_properties.push(Named { name, expr: compiled, place: expr.place });
                }
                Part::Invariant(expr, env, false) => {
                    let (compiled, _) = compiler.expr(&expr, &env, false)?;
                    self.invariants.push(Named { name, expr: compiled, place: expr.place });
                }
                // True at first and after each step; TLC has another verdict for it than for an invariant.
                Part::Invariant(expr, env, true) => {
                    let place = expr.place;
                    let (now, _) = compiler.expr(&expr, &env, false)?;
                    let (next, _) = compiler.expr(&expr, &env, true)?;
                    self.initial_properties.push(Named { name, expr: now, place });
                    self.step_properties.push(Named { name, expr: next, place });
                }
                Part::Steps(action, subscript, env) => {
                    let place = action.place;
                    let boxed = Arc::new(ast::Expr { place, kind: Kind::Box(action, subscript) });
                    let (compiled, _) = compiler.expr(&boxed, &env, false)?;
                    self.step_properties.push(Named { name, expr: compiled, place });
                }
                Part::Temporal(expr, env) => {
                    if scope == Scope::All {
                        rest.push(compiler.formula(&expr, &env)?);
                    }
                }
            }
        }
        if !rest.is_empty() {
            self.properties.push(Liveness { name, formula: Formula::And(rest) });
        }
        Ok(())
    }

    /// Whether there are an initial predicate and a next-state action where something is to be checked, and
    /// whether the temporal properties say anything.
    fn check_completeness(&self, config: &Config) -> Result<()> {
        let of_steps =
            !self.invariants.is_empty() || !self.step_properties.is_empty() || !self.properties.is_empty();
        if self.init.is_some() && self.next.is_none() && of_steps {
            let message =
                "the specification has no next-state action: what is to be checked needs one".to_owned();
            return Err(Box::new(Error::Config { file: config.file.clone(), line: 0, column: 0, message }));
        }
        let mut values = self.properties.iter().map(|property| property.formula.constant());
        match self.properties.first() {
            Some(property) if values.all(|value| value == Some(true)) => {
                let message =
                    format!("the temporal property {} is always true: it checks nothing", property.name);
                Err(Box::new(Error::Evaluation { place: Place::none(), message }))
            }
            _ => Ok(()),
        }
    }

    fn add_symmetry(&mut self, set: &Named) -> Result<()> {
        let value = self.machine.eval(&set.expr)?;
        let wrong = || {
            let message = format!("SYMMETRY {} is no set of permutations of model values", set.name);
            Box::new(Error::semantic(set.place, message))
        };
        let items = value.list().map_err(|_| wrong())?;
        let mut generators = Vec::new();
        for permutation in items.items() {
            let mut pairs = Vec::new();
            for (from, to) in permutation.pairs() {
                match (from, to) {
                    (Value::Model(from), Value::Model(to)) => {
                        if from != to {
                            pairs.push((from, to));
                        }
                    }
                    _ => return Err(wrong()),
                }
            }
            pairs.sort();
            if !pairs.is_empty() {
                generators.push(pairs);
            }
        }
        self.symmetry.extend(generators);
        close_group(&mut self.symmetry);
        Ok(())
    }

    /// What the specification consists of, for `TLCGet("spec")`: names and places.
    fn described(&self) -> Value {
        let one = |name: Symbol, place: Place| {
            let (line, column) = (Value::Int(i64::from(place.line)), Value::Int(i64::from(place.column)));
            let location = Value::record([
                ("beginLine", line.clone()),
                ("beginColumn", column.clone()),
                ("endLine", line),
                ("endColumn", column),
                ("module", Value::Str(place.module)),
            ]);
            Value::record([("name", Value::Str(name)), ("location", location)])
        };
        let named = |list: &[Named]| Value::set(list.iter().map(|n| one(n.name, n.place)).collect());
        let shown = self.labels.iter().zip(&self.machine.innermost).filter(|(_, shown)| **shown);
        let actions = shown.map(|((name, _, place), _)| one(*name, *place)).collect();
        let properties = self.properties.iter().map(|p| one(p.name, Place::none())).collect();
        let nowhere = Place::none();
        let inits = self.init.iter().map(|_| one(Symbol::new("Init"), nowhere)).collect();
        Value::record([
            ("inits", Value::set(inits)),
            ("actions", Value::set(actions)),
            ("temporals", Value::empty_set()),
            ("invariants", named(&self.invariants)),
            ("impliedinits", named(&self.initial_properties)),
            ("impliedactions", named(&self.step_properties)),
            ("impliedtemporals", Value::set(properties)),
            ("variables", Value::set(self.variables.iter().map(|name| one(*name, nowhere)).collect())),
            ("actionconstraints", named(&self.action_constraints)),
            ("constraints", named(&self.constraints)),
        ])
    }

    /// The name of an action by its label.
    pub(crate) fn action_name(&self, label: u32) -> Symbol {
        self.labels.get(label as usize).map_or(self.next_name, |(name, _, _)| *name)
    }
}

/// Most permutations that a symmetry may have.
const PERMUTATIONS_MAX: usize = 5_040;

/// Adds the products of permutations until there are no new ones.
fn close_group(group: &mut Vec<Vec<(Symbol, Symbol)>>) {
    let generators = group.clone();
    group.sort();
    group.dedup();
    let mut position = 0;
    while position < group.len() && group.len() < PERMUTATIONS_MAX {
        let first = group[position].clone();
        for second in &generators {
            let product = multiply(&first, second);
            if !product.is_empty() && !group.contains(&product) {
                group.push(product);
            }
        }
        position += 1;
    }
}

/// First one permutation, then another.
fn multiply(first: &[(Symbol, Symbol)], second: &[(Symbol, Symbol)]) -> Vec<(Symbol, Symbol)> {
    let image = |pairs: &[(Symbol, Symbol)], name: Symbol| {
        pairs.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| *to)
    };
    let mut names: Vec<Symbol> = first.iter().chain(second).map(|(from, _)| *from).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .map(|name| (name, image(second, image(first, name))))
        .filter(|(from, to)| from != to)
        .collect()
}

/// Which labels name successors, and which of these have no other inside them.
struct Shown {
    visible: Vec<bool>,
    innermost: Vec<bool>,
}

/// Marks the labels that name successors, as TLC does: named operators that are reached through disjunctions
/// and quantifiers only; and, below the next-state action itself, through a conjunction of such. Says whether
/// there were any.
fn mark(act: &Act, names: u32, shown: &mut Shown) -> bool {
    match act {
        Act::Named(label, _, body) => {
            shown.visible[*label as usize] = true;
            shown.innermost[*label as usize] = !mark(body, names + 1, shown);
            true
        }
        Act::Or(acts) => mark_all(acts.iter(), names, shown),
        Act::Exists(_, body) | Act::Scope(_, body) => mark(body, names, shown),
        Act::And(acts) if names <= 1 => {
            let branches = acts.iter().filter(|act| matches!(act, Act::Or(_) | Act::Exists(..)));
            mark_all(branches, names + 1, shown)
        }
        _ => false,
    }
}

/// The same for each of these.
fn mark_all<'a>(acts: impl Iterator<Item = &'a Act>, names: u32, shown: &mut Shown) -> bool {
    let mut any = false;
    for act in acts {
        any |= mark(act, names, shown);
    }
    any
}

/// An expression that is just a name of the root module.
fn reference(name: Symbol, role: &str, compiler: &Compiler, env: &Env) -> Result<Arc<ast::Expr>> {
    let place = Place { module: compiler.root_name(), line: 0, column: 0 };
    if let Some((first, rest)) = name.as_str().split_once('!') {
        let steps = std::iter::once(first)
            .chain(rest.split('!'))
            .map(|part| ast::Step::Name(Symbol::new(part), Vec::new()))
            .collect();
        return Ok(Arc::new(ast::Expr { place, kind: Kind::Path(steps) }));
    }
    if env.lookup(name).is_none() {
        let message = format!("{role} {name} is not defined in module {}", compiler.root_name());
        return Err(compiler.wrong_configuration(name, message));
    }
    Ok(Arc::new(ast::Expr { place, kind: Kind::Apply(name, Vec::new()) }))
}

/// An INVARIANT; none if it is the constant TRUE.
fn invariant(compiler: &mut Compiler, name: Symbol, env: &Env) -> Result<Option<Named>> {
    let expr = reference(name, "INVARIANT", compiler, env)?;
    // The level before compiling is at least that of all arguments, used or not.
    let level = match compiler.level(&expr, env) {
        level if level < ACTION => level,
        level => compiler.expr(&expr, env, false).map_or(level, |(_, info)| info.level),
    };
    if level >= ACTION {
        let message =
            format!("the invariant {name} is no predicate of states: it has a prime or is temporal");
        return Err(Box::new(Error::Evaluation { place: Place::none(), message }));
    }
    match is_true(compiler, &expr, env, "INVARIANT", name)? {
        true => Ok(None),
        false => named(compiler, name, env, "INVARIANT").map(Some),
    }
}

/// Whether a conjunct of what a configuration names is a definition, or a constant, whose value is TRUE for
/// good. Any other value makes no sense there, as for TLC.
fn is_true(
    compiler: &mut Compiler,
    expr: &Arc<ast::Expr>,
    env: &Env,
    role: &str,
    of: Symbol,
) -> Result<bool> {
    let Kind::Apply(name, none) = &expr.kind else { return Ok(false) };
    if !none.is_empty() || compiler.level(expr, env) > CONSTANT {
        return Ok(false);
    }
    match compiler.lasting_value(expr, env)? {
        None => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        Some(value) => {
            let message =
                format!("{role} {of} can never be true, because {name} is the constant {}", value.brief());
            Err(compiler.wrong_configuration(of, message))
        }
    }
}

fn named(compiler: &mut Compiler, name: Symbol, env: &Env, role: &str) -> Result<Named> {
    let expr = reference(name, role, compiler, env)?;
    let (compiled, _) = compiler.expr(&expr, env, false)?;
    let place = match env.lookup(name) {
        Some(Binding::Operator(operator)) => operator.place,
        _ => expr.place,
    };
    Ok(Named { name, expr: compiled, place })
}

fn named_all(compiler: &mut Compiler, names: &[Symbol], env: &Env, role: &str) -> Result<Vec<Named>> {
    names.iter().map(|name| named(compiler, *name, env, role)).collect()
}
