//! The levels of formulas: constant, state, action, temporal.
//!
//! A parameter counts as a constant, so what depends on the arguments of a call is not found; whatever is
//! reported is wrong.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::compile::level::{ACTION, CONSTANT, STATE, TEMPORAL};
use crate::error::{Error, Place};
use crate::loader::Sources;
use crate::stack::{CALLER_STACK_BYTES, StackGuard};
use crate::symbol::Symbol;
use crate::syntax::ast::{Access, Bound, Definition, Expr, Instance, Kind, Local, Module, Step, Unit};

/// What names of modules have for levels.
type Table = FxHashMap<Symbol, u8>;

/// The level of a name whose uses are looked for: above all others, so that what it is used in has it too.
const MARKED: u8 = TEMPORAL + 1;

/// How a marked name is used.
struct Uses {
    /// Whether at all.
    any: bool,
    /// Whether in what is primed or in an ENABLED: there, equals cannot be put for equals.
    opaque: bool,
}

/// Finds formulas whose level does not fit their place.
pub(super) fn check(sources: &Sources) -> Vec<Error> {
    let mut levels = Levels {
        sources,
        problems: Vec::new(),
        tables: FxHashMap::default(),
        scopes: Vec::new(),
        reading: Vec::new(),
        recursive: Vec::new(),
        named: Named::default(),
        opaque: false,
        guard: StackGuard::new(CALLER_STACK_BYTES),
    };
    let mut names: Vec<Symbol> = sources.modules.keys().copied().collect();
    names.sort_by_key(|name| name.as_str());
    for name in names {
        levels.table(name);
    }
    levels.problems
}

struct Levels<'s> {
    sources: &'s Sources,
    problems: Vec<Error>,
    tables: FxHashMap<Symbol, Table>,
    scopes: Vec<Table>,
    reading: Vec<Symbol>,
    /// The parameters of the RECURSIVE operator being read, which must not be primed.
    recursive: Vec<Symbol>,
    /// What the names of the module being read are.
    named: Named,
    /// Whether a marked name has been found in what is primed or in an ENABLED.
    opaque: bool,
    guard: StackGuard,
}

/// The definitions of a module.
#[derive(Default)]
struct Named {
    definitions: FxHashMap<Symbol, Arc<Definition>>,
    instances: FxHashMap<Symbol, Arc<Instance>>,
}

impl Levels<'_> {
    fn problem(&mut self, place: Place, message: &str) {
        if self.problems.len() < super::PROBLEMS_MAX {
            self.problems.push(Error::semantic(place, format!("level error: {message}")));
        }
    }

    /// The levels of a module's names. Modules of ours have constants only.
    fn table(&mut self, name: Symbol) -> Table {
        if let Some(table) = self.tables.get(&name) {
            return table.clone();
        }
        let Some(module) = self.sources.modules.get(&name).cloned() else { return Table::default() };
        if self.sources.native.contains(&name) || self.reading.contains(&name) {
            return Table::default();
        }
        self.reading.push(name);
        let outer = (std::mem::take(&mut self.scopes), std::mem::take(&mut self.named));
        let table = self.module(&module);
        (self.scopes, self.named) = outer;
        self.reading.pop();
        self.tables.insert(name, table.clone());
        table
    }

    fn module(&mut self, module: &Module) -> Table {
        self.scopes.push(Table::default());
        for (name, _) in &module.extends {
            let table = self.table(*name);
            self.import(&table);
        }
        let mut announced = Vec::new();
        for unit in &module.units {
            match unit {
                Unit::Variables(parameters) => {
                    parameters.iter().for_each(|parameter| self.set(parameter.name, STATE));
                }
                Unit::Constants(_) => {}
                Unit::Recursive(parameters) => announced.extend(parameters.iter().map(|p| p.name)),
                Unit::Definition(definition) => {
                    self.named.definitions.insert(definition.name, definition.clone());
                    self.definition(definition, &announced);
                }
                Unit::Assume(name, expr) => {
                    let level = self.level(expr);
                    if level > CONSTANT {
                        self.problem(expr.place, "an assumption is about constants only");
                    }
                    if let Some(name) = name {
                        self.set(*name, level);
                    }
                }
                Unit::Theorem(name, expr) => {
                    let level = self.level(expr);
                    self.set(*name, level);
                }
                Unit::Module(submodule) => {
                    let table = self.module(submodule);
                    self.tables.insert(submodule.name, table);
                }
                Unit::Instance(instance) => {
                    if let Some(name) = instance.name {
                        self.named.instances.insert(name, instance.clone());
                    }
                    self.instance(instance);
                }
            }
        }
        self.scopes.pop().unwrap_or_default()
    }

    fn import(&mut self, table: &Table) {
        for (name, level) in table {
            self.set(*name, *level);
        }
    }

    fn set(&mut self, name: Symbol, level: u8) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, level);
        }
    }

    fn definition(&mut self, definition: &Definition, announced: &[Symbol]) {
        self.scopes.push(Table::default());
        let outer = match announced.contains(&definition.name) {
            true => {
                std::mem::replace(&mut self.recursive, definition.parameters.iter().map(|p| p.name).collect())
            }
            false => self.recursive.clone(),
        };
        for parameter in &definition.parameters {
            self.set(parameter.name, CONSTANT);
        }
        let level = self.level(&definition.body);
        self.recursive = outer;
        self.scopes.pop();
        self.set(definition.name, level);
    }

    /// How a name is used in an expression, but not through definitions. What is wrong there is not reported
    /// again.
    fn uses(&mut self, name: Symbol, body: &Arc<Expr>) -> Uses {
        let reported = self.problems.len();
        let outer = std::mem::take(&mut self.opaque);
        self.scopes.push(Table::from_iter([(name, MARKED)]));
        let level = self.level(body);
        self.scopes.pop();
        self.problems.truncate(reported);
        let opaque = std::mem::replace(&mut self.opaque, outer);
        Uses { any: opaque || level == MARKED, opaque }
    }

    /// What stands for an operator of an instance has the same value for equal arguments: SANY calls it
    /// Leibniz.
    fn substituted_operator(&mut self, value: &Arc<Expr>) {
        let (parameters, body) = match &value.kind {
            Kind::Lambda(parameters, body) => (parameters.clone(), body.clone()),
            Kind::Apply(name, none) if none.is_empty() => match self.named.definitions.get(name) {
                Some(definition) => (definition.parameters.clone(), definition.body.clone()),
                None => return,
            },
            _ => return,
        };
        if parameters.iter().any(|parameter| self.uses(parameter.name, &body).opaque) {
            let message = "what stands for an operator primes a parameter, or asks whether it is enabled";
            self.problem(value.place, message);
        }
    }

    /// A temporal formula in the place of a constant that an assumption of the module is about.
    fn assumed(&mut self, module: Symbol, name: Symbol) -> bool {
        let Some(module) = self.sources.modules.get(&module).cloned() else { return false };
        module.units.iter().any(|unit| matches!(unit, Unit::Assume(_, expr) if self.uses(name, expr).any))
    }

    /// `I(x')!Name`: an argument that stands for a variable of `Name`.
    fn instantiated(&mut self, instance: &Instance, arguments: &[Arc<Expr>], name: Symbol, place: Place) {
        let levels: Vec<u8> = arguments.iter().map(|argument| self.level(argument)).collect();
        if levels.iter().all(|level| *level <= STATE) {
            return;
        }
        let Some(module) = self.sources.modules.get(&instance.module).cloned() else { return };
        let body = module.units.iter().find_map(|unit| match unit {
            Unit::Definition(definition) if definition.name == name => Some(definition.body.clone()),
            Unit::Theorem(known, body) if *known == name => Some(body.clone()),
            _ => None,
        });
        let Some(body) = body else { return };
        let parameters = instance.parameters.iter().map(|parameter| parameter.name).zip(levels);
        let parameters: Table = parameters.collect();
        let variables = self.declared(instance.module).into_iter().filter(|(_, is_variable)| *is_variable);
        for (variable, _) in variables {
            let given = instance.substitutions.iter().find(|(known, _)| *known == variable);
            self.scopes.push(parameters.clone());
            let level = match given {
                Some((_, value)) => self.level(value),
                None => parameters.get(&variable).copied().unwrap_or(CONSTANT),
            };
            self.scopes.pop();
            if level > STATE && self.uses(variable, &body).any {
                self.problem(place, "what stands for a variable of the instance must be a state function");
            }
        }
    }

    /// What is put in the place of variables is a state function at most; of a constant, where there are
    /// variables, a constant.
    fn instance(&mut self, instance: &Instance) {
        let declared = self.declared(instance.module);
        let has_variables = declared.values().any(|is_variable| *is_variable);
        for (name, value) in &instance.substitutions {
            let level = match &value.kind {
                Kind::Lambda(_, body) => self.level(body),
                _ => self.level(value),
            };
            match declared.get(name) {
                Some(true) if level > STATE => {
                    self.problem(value.place, "what stands for a variable must be a state function");
                }
                Some(false) if has_variables && level > CONSTANT => {
                    self.problem(value.place, "what stands for a constant must be constant");
                }
                Some(false) if level == TEMPORAL && self.assumed(instance.module, *name) => {
                    self.problem(
                        value.place,
                        "what stands for a constant that is assumed must not be temporal",
                    );
                }
                _ => {}
            }
            self.substituted_operator(value);
        }
        if instance.name.is_none() {
            let table = self.table(instance.module);
            let defined = table.into_iter().filter(|(name, _)| !declared.contains_key(name)).collect();
            self.import(&defined);
        }
    }

    /// The constants and variables of a module: whether each is a variable.
    fn declared(&self, name: Symbol) -> FxHashMap<Symbol, bool> {
        let mut declared = FxHashMap::default();
        let mut wanted = vec![name];
        let mut seen = Vec::new();
        while let Some(name) = wanted.pop() {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let Some(module) = self.sources.modules.get(&name) else { continue };
            wanted.extend(module.extends.iter().map(|(name, _)| *name));
            for unit in &module.units {
                match unit {
                    Unit::Constants(list) => declared.extend(list.iter().map(|p| (p.name, false))),
                    Unit::Variables(list) => declared.extend(list.iter().map(|p| (p.name, true))),
                    _ => {}
                }
            }
        }
        declared
    }

    fn most(&mut self, exprs: &[Arc<Expr>]) -> u8 {
        exprs.iter().map(|expr| self.level(expr)).max().unwrap_or(CONSTANT)
    }

    /// Operands of a propositional operator: actions and temporal formulas do not mix.
    fn joined(&mut self, exprs: &[Arc<Expr>], place: Place) -> u8 {
        let levels: Vec<u8> = exprs.iter().map(|expr| self.level(expr)).collect();
        if levels.contains(&ACTION) && levels.contains(&TEMPORAL) {
            self.problem(place, "an action and a temporal formula are combined: write [A]_v under []");
        }
        levels.into_iter().max().unwrap_or(CONSTANT)
    }

    /// The level of an expression; what is wrong inside it is reported.
    fn level(&mut self, expr: &Arc<Expr>) -> u8 {
        if self.guard.exceeded() {
            return CONSTANT;
        }
        match &expr.kind {
            Kind::Number(_) | Kind::String(_) | Kind::Bool(_) | Kind::At => CONSTANT,
            Kind::Apply(name, arguments) => self.applied(*name, arguments, expr.place),
            Kind::Path(steps) => self.path(steps, expr.place),
            Kind::Lambda(parameters, body) => {
                self.scopes.push(Table::default());
                parameters.iter().for_each(|parameter| self.set(parameter.name, CONSTANT));
                let level = self.level(body);
                self.scopes.pop();
                level
            }
            Kind::Label(_, _, body) | Kind::Field(body, _) => self.level(body),
            Kind::And(items) | Kind::Or(items) => self.joined(items, expr.place),
            Kind::SetEnum(items) | Kind::Tuple(items) | Kind::Product(items) => self.most(items),
            Kind::Quantified { bounds, body, .. } => self.quantified(bounds, body, expr.place),
            Kind::SetMap(body, bounds) | Kind::Function(bounds, body) => self.bound(bounds, body).0,
            Kind::SetFilter(bound, body) => self.bound(std::slice::from_ref(bound), body).0,
            Kind::Unbounded { names, body, quantifier } => {
                let level = self.within(names, body);
                if quantifier.len() > 2 { TEMPORAL } else { level }
            }
            Kind::Choose { names, set, body, .. } => {
                let outer = set.as_ref().map_or(CONSTANT, |set| self.level(set));
                outer.max(self.within(names, body))
            }
            Kind::Index(function, arguments) => self.level(function).max(self.most(arguments)),
            Kind::FunctionSet(a, b) => self.level(a).max(self.level(b)),
            Kind::Record(fields) | Kind::RecordSet(fields) => {
                fields.iter().map(|(_, value)| self.level(value)).max().unwrap_or(CONSTANT)
            }
            Kind::Except(function, updates) => self.except(function, updates),
            Kind::Box(action, subscript) | Kind::Angle(action, subscript) => {
                self.subscripted(action, subscript);
                ACTION
            }
            Kind::Fair { subscript, action, .. } => {
                self.subscripted(action, subscript);
                TEMPORAL
            }
            Kind::If(a, b, c) => self.level(a).max(self.level(b)).max(self.level(c)),
            Kind::Case(arms, other) => {
                let mut level = other.as_ref().map_or(CONSTANT, |other| self.level(other));
                for (guard, value) in arms {
                    level = level.max(self.level(guard)).max(self.level(value));
                }
                level
            }
            Kind::Let(locals, body) => self.local(locals, body),
        }
    }

    fn subscripted(&mut self, action: &Arc<Expr>, subscript: &Arc<Expr>) {
        if self.level(action) == TEMPORAL {
            self.problem(action.place, "a temporal formula is given where an action is needed");
        }
        if self.level(subscript) > STATE {
            self.problem(subscript.place, "a subscript must be a state function");
        }
    }

    fn except(&mut self, function: &Arc<Expr>, updates: &[(Vec<Access>, Arc<Expr>)]) -> u8 {
        let mut level = self.level(function);
        for (path, value) in updates {
            level = level.max(self.level(value));
            for access in path {
                if let Access::Index(arguments) = access {
                    level = level.max(self.most(arguments));
                }
            }
        }
        level
    }

    fn local(&mut self, locals: &[Local], body: &Arc<Expr>) -> u8 {
        self.scopes.push(Table::default());
        let mut announced = Vec::new();
        for local in locals {
            match local {
                Local::Definition(definition) => self.definition(definition, &announced),
                Local::Instance(instance) => self.instance(instance),
                Local::Recursive(parameters) => announced.extend(parameters.iter().map(|p| p.name)),
            }
        }
        let level = self.level(body);
        self.scopes.pop();
        level
    }

    fn within(&mut self, names: &[Symbol], body: &Arc<Expr>) -> u8 {
        self.scopes.push(Table::default());
        names.iter().for_each(|name| self.set(*name, CONSTANT));
        let level = self.level(body);
        self.scopes.pop();
        level
    }

    /// The level of a body with bounds, and of the bounds alone.
    fn bound(&mut self, bounds: &[Bound], body: &Arc<Expr>) -> (u8, u8) {
        let sets = bounds.iter().map(|bound| self.level(&bound.set)).max().unwrap_or(CONSTANT);
        let names: Vec<Symbol> = bounds.iter().flat_map(|bound| bound.names.iter().copied()).collect();
        (sets.max(self.within(&names, body)), sets)
    }

    fn quantified(&mut self, bounds: &[Bound], body: &Arc<Expr>, place: Place) -> u8 {
        let (level, sets) = self.bound(bounds, body);
        if level == TEMPORAL && sets >= ACTION {
            self.problem(place, "a temporal formula is quantified over a set that is not one of a state");
        }
        level
    }

    fn applied(&mut self, name: Symbol, arguments: &[Arc<Expr>], place: Place) -> u8 {
        match (name.as_str(), arguments) {
            ("=>" | "<=>" | "/\\" | "\\/", arguments) => self.joined(arguments, place),
            ("'", [operand]) => self.primed(operand, place),
            ("UNCHANGED", [operand]) => {
                let level = self.level(operand);
                self.opaque |= level == MARKED;
                if level > STATE {
                    self.problem(place, "UNCHANGED is given something that is no state function");
                }
                ACTION
            }
            ("ENABLED", [operand]) => {
                let level = self.level(operand);
                self.opaque |= level == MARKED;
                if level == TEMPORAL {
                    self.problem(place, "ENABLED is given a temporal formula");
                }
                STATE
            }
            ("[]" | "<>", [operand]) => self.temporal(name.as_str(), operand, place),
            ("~>" | "-+->", arguments) => {
                if arguments.iter().any(|argument| self.level(argument) == ACTION) {
                    self.problem(
                        place,
                        &format!("an operand of {name} is an action: it must be about states"),
                    );
                }
                TEMPORAL
            }
            (_, arguments) => {
                let known = self.scopes.iter().rev().find_map(|scope| scope.get(&name)).copied();
                self.most(arguments).max(known.unwrap_or(CONSTANT))
            }
        }
    }

    fn primed(&mut self, operand: &Arc<Expr>, place: Place) -> u8 {
        let level = self.level(operand);
        self.opaque |= level == MARKED;
        if level >= ACTION {
            self.problem(place, "a primed expression, or an action, is primed again");
        }
        if let Kind::Apply(name, none) = &operand.kind
            && none.is_empty()
            && self.recursive.contains(name)
        {
            self.problem(place, &format!("{name}, a parameter of a RECURSIVE operator, is primed"));
        }
        if level == STATE { ACTION } else { level }
    }

    fn temporal(&mut self, name: &str, operand: &Arc<Expr>, place: Place) -> u8 {
        let fits = match name {
            "[]" => matches!(operand.kind, Kind::Box(..)),
            _ => matches!(operand.kind, Kind::Angle(..)),
        };
        if self.level(operand) == ACTION && !fits {
            let form = if name == "[]" { "[A]_v" } else { "<<A>>_v" };
            self.problem(place, &format!("{name} is followed by an action not of form {form}"));
        }
        TEMPORAL
    }

    /// A definition of an instance has the level that it has in its module; whether what it is about is a
    /// constant there is open.
    fn path(&mut self, steps: &[Step], place: Place) -> u8 {
        if let [Step::Name(instance, arguments), Step::Name(name, _)] = steps
            && let Some(instance) = self.named.instances.get(instance).cloned()
            && instance.parameters.len() == arguments.len()
        {
            self.instantiated(&instance, arguments, *name, place);
        }
        let mut level = CONSTANT;
        for step in steps {
            if let Step::Name(_, arguments) | Step::Arguments(arguments) = step {
                level = level.max(self.most(arguments));
            }
        }
        level
    }
}
