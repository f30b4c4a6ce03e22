//! Reading modules unit by unit: declarations, definitions, EXTENDS and INSTANCE.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::table::{Entry, Role, Shape, Table};
use crate::compile::builtin::Builtin;
use crate::error::{Error, Place};
use crate::loader::Sources;
use crate::stack::{CALLER_STACK_BYTES, StackGuard};
use crate::standard;
use crate::symbol::Symbol;
use crate::syntax::ast::{Definition, Instance, Module, Parameter, Unit};

/// Finds what is wrong with the names of a specification.
pub(super) fn check(sources: &Sources) -> Vec<Error> {
    let mut names = Names {
        sources,
        problems: Vec::new(),
        quiet: false,
        tables: FxHashMap::default(),
        reading: Vec::new(),
        scopes: Vec::new(),
        inner: Vec::new(),
        module: sources.root,
        excepts: 0,
        guard: StackGuard::new(CALLER_STACK_BYTES),
    };
    names.table(sources.root);
    // Modules that only a LET inside an expression names.
    let mut others: Vec<Symbol> = sources.modules.keys().copied().collect();
    others.sort_by_key(|name| name.as_str());
    for name in others {
        names.table(name);
    }
    names.problems
}

/// The state of the check.
pub(super) struct Names<'s> {
    sources: &'s Sources,
    pub(super) problems: Vec<Error>,
    /// Whether the module being read is ours, and trusted.
    quiet: bool,
    tables: FxHashMap<Symbol, Rc<Table>>,
    reading: Vec<Symbol>,
    pub(super) scopes: Vec<FxHashMap<Symbol, Entry>>,
    /// Modules inside the ones being read.
    inner: Vec<FxHashMap<Symbol, Rc<Table>>>,
    pub(super) module: Symbol,
    /// How many EXCEPTs are open, for `@`.
    pub(super) excepts: usize,
    pub(super) guard: StackGuard,
}

impl Names<'_> {
    pub(super) fn problem(&mut self, place: Place, message: impl Into<String>) {
        if !self.quiet && self.problems.len() < super::PROBLEMS_MAX {
            self.problems.push(Error::semantic(place, message));
        }
    }

    /// What a module gives to others; none if there is no such module, which the loader has seen to.
    pub(super) fn table(&mut self, name: Symbol) -> Option<Rc<Table>> {
        if let Some(table) = self.inner.iter().rev().find_map(|modules| modules.get(&name)) {
            return Some(table.clone());
        }
        if let Some(table) = self.tables.get(&name) {
            return Some(table.clone());
        }
        let module = self.sources.modules.get(&name)?.clone();
        if self.reading.contains(&name) || self.guard.exceeded() {
            return None;
        }
        self.reading.push(name);
        let ours = self.sources.native.contains(&name);
        // A module is read as if nothing were around it.
        let scopes = std::mem::take(&mut self.scopes);
        let inner = std::mem::take(&mut self.inner);
        let before = (self.quiet, self.module, self.excepts);
        (self.quiet, self.module, self.excepts) = (ours, name, 0);
        let mut table = self.read(&module);
        (self.quiet, self.module, self.excepts) = before;
        self.scopes = scopes;
        self.inner = inner;
        if ours {
            native_names(name, &mut table);
        }
        self.reading.pop();
        let table = Rc::new(table);
        self.tables.insert(name, table.clone());
        Some(table)
    }

    /// Reads a module in the scopes that there are.
    fn read(&mut self, module: &Module) -> Table {
        self.scopes.push(FxHashMap::default());
        self.inner.push(FxHashMap::default());
        for (name, place) in &module.extends {
            if let Some(table) = self.table(*name) {
                self.extend(&table, *place);
            }
        }
        let mut recursive: FxHashMap<Symbol, (usize, Place)> = FxHashMap::default();
        for unit in &module.units {
            self.unit(unit, &mut recursive);
        }
        self.undefined(&recursive);
        let names = self.scopes.pop().unwrap_or_default();
        let modules = self.inner.pop().unwrap_or_default();
        Table { names: names.into_iter().filter(|(_, entry)| !entry.local).collect(), modules }
    }

    fn undefined(&mut self, recursive: &FxHashMap<Symbol, (usize, Place)>) {
        let mut missing: Vec<_> = recursive.iter().collect();
        missing.sort_by_key(|(name, _)| name.as_str());
        for (name, (_, place)) in missing {
            self.problem(*place, format!("{name} is declared RECURSIVE, and not defined"));
        }
    }

    /// Takes over the names of a module that is extended.
    fn extend(&mut self, table: &Table, place: Place) {
        let mut names: Vec<_> = table.names.iter().collect();
        names.sort_by_key(|(name, _)| name.as_str());
        for (name, entry) in names {
            let known = self.scopes.last().and_then(|scope| scope.get(name)).cloned();
            match known {
                Some(known) if known.yields || known.module == entry.module => {}
                Some(known) if (known.role == Role::Definition) != (entry.role == Role::Definition) => {
                    let message = format!(
                        "{name} is something else in module {} than in {}",
                        entry.module, known.module
                    );
                    self.problem(place, message);
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            self.insert(*name, entry.clone());
        }
        if let Some(inner) = self.inner.last_mut() {
            inner.extend(table.modules.iter().map(|(name, table)| (*name, table.clone())));
        }
    }

    pub(super) fn insert(&mut self, name: Symbol, entry: Entry) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, entry);
        }
    }

    fn unit(&mut self, unit: &Unit, recursive: &mut FxHashMap<Symbol, (usize, Place)>) {
        match unit {
            Unit::Constants(parameters) => {
                for parameter in parameters {
                    self.declare(
                        parameter.name,
                        Role::Constant,
                        Shape::plain(parameter.arity),
                        parameter.place,
                    );
                }
            }
            Unit::Variables(parameters) => {
                for parameter in parameters {
                    self.declare(parameter.name, Role::Variable, Shape::plain(0), parameter.place);
                }
            }
            Unit::Recursive(parameters) => self.recursive(parameters, recursive),
            Unit::Definition(definition) => self.definition(definition, recursive),
            Unit::Assume(name, expr) => {
                self.walk(expr);
                if let Some(name) = name {
                    self.declare(*name, Role::Definition, Shape::plain(0), expr.place);
                }
            }
            Unit::Theorem(name, expr) => {
                self.walk(expr);
                self.declare(*name, Role::Definition, Shape::plain(0), expr.place);
            }
            Unit::Module(submodule) => {
                let outer = std::mem::replace(&mut self.module, submodule.name);
                let table = self.read(submodule);
                self.module = outer;
                if let Some(inner) = self.inner.last_mut() {
                    inner.insert(submodule.name, Rc::new(table));
                }
            }
            Unit::Instance(instance) => self.instance(instance),
        }
    }

    pub(super) fn recursive(
        &mut self,
        parameters: &[Parameter],
        recursive: &mut FxHashMap<Symbol, (usize, Place)>,
    ) {
        for parameter in parameters {
            self.declare(
                parameter.name,
                Role::Definition,
                Shape::announced(parameter.arity),
                parameter.place,
            );
            recursive.insert(parameter.name, (parameter.arity, parameter.place));
        }
    }

    /// A definition, of a module or a LET.
    pub(super) fn definition(
        &mut self,
        definition: &Definition,
        recursive: &mut FxHashMap<Symbol, (usize, Place)>,
    ) {
        let Definition { name, parameters, body, function, place, local } = definition;
        let announced = recursive.remove(name);
        if let Some((arity, _)) = announced
            && arity != parameters.len()
        {
            let message = format!(
                "{name} takes {} arguments here, and {arity} where it is RECURSIVE",
                parameters.len()
            );
            self.problem(*place, message);
        }
        let shape = match function {
            true => Shape::Function(super::walk::bound_names(body)),
            false => Shape::Operator(parameters.iter().map(|parameter| parameter.arity).collect()),
        };
        self.scopes.push(FxHashMap::default());
        if *function && announced.is_none() {
            // The function is known in its own body.
            let entry = self.entry(Role::Definition, shape.clone(), *place);
            self.insert(*name, entry);
        }
        self.parameters(parameters);
        self.walk(body);
        self.scopes.pop();
        match announced {
            Some(_) => {
                let entry = Entry { local: *local, ..self.entry(Role::Definition, shape, *place) };
                self.insert(*name, entry);
            }
            None => {
                self.declare(*name, Role::Definition, shape, *place);
                if *local && let Some(entry) = self.scopes.last_mut().and_then(|scope| scope.get_mut(name)) {
                    entry.local = true;
                }
            }
        }
    }

    /// The parameters of an operator or a LAMBDA.
    pub(super) fn parameters(&mut self, parameters: &[Parameter]) {
        for parameter in parameters {
            self.declare(parameter.name, Role::Bound, Shape::plain(parameter.arity), parameter.place);
        }
    }

    fn entry(&self, role: Role, shape: Shape, place: Place) -> Entry {
        Entry { role, shape, module: self.module, place, yields: false, local: false }
    }

    /// Makes a name known, unless it is known as something else.
    pub(super) fn declare(&mut self, name: Symbol, role: Role, shape: Shape, place: Place) {
        if super::walk::is_of_the_language(name.as_str()) {
            self.problem(place, format!("{name} is an operator of the language, and cannot be defined"));
            return;
        }
        if let Some(known) = self.find(name).cloned()
            && !known.yields
        {
            let same_module =
                known.module == self.module && known.role == Role::Definition && role == Role::Definition;
            let conflicts = role == Role::Bound
                || known.role != role
                || known.shape.arity() != shape.arity()
                || (same_module && !matches!(known.shape, Shape::Instance(..)));
            if conflicts {
                let before = known.place;
                let where_before = if before.line == 0 {
                    format!("in module {}", known.module)
                } else {
                    format!("at {before}")
                };
                self.problem(place, format!("{name} is defined twice: it is known already, {where_before}"));
                return;
            }
            // Like SANY, which only warns of this: what was known first stays, but a LOCAL name does not hide
            // the other.
            if known.module != self.module {
                return;
            }
        }
        let entry = self.entry(role, shape, place);
        self.insert(name, entry);
    }

    /// What a name stands for here.
    pub(super) fn find(&self, name: Symbol) -> Option<&Entry> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&name))
    }

    /// An INSTANCE, of a module or a LET.
    pub(super) fn instance(&mut self, instance: &Instance) {
        let Instance { name, parameters, module, substitutions, local, place } = instance;
        let Some(table) = self.table(*module) else { return };
        self.scopes.push(FxHashMap::default());
        self.parameters(parameters);
        self.substitutions(&table, substitutions, *module, *place);
        self.scopes.pop();
        match name {
            Some(name) => {
                self.declare(*name, Role::Definition, Shape::Instance(*module, parameters.len()), *place);
                if *local && let Some(entry) = self.scopes.last_mut().and_then(|scope| scope.get_mut(name)) {
                    entry.local = true;
                }
            }
            None => self.import(&table, *local),
        }
    }

    /// Takes over the definitions of a module that is instantiated without a name.
    fn import(&mut self, table: &Table, local: bool) {
        for (name, entry) in &table.names {
            if entry.role != Role::Definition {
                continue;
            }
            let known = self
                .scopes
                .last()
                .is_some_and(|scope| scope.get(name).is_some_and(|e| !e.yields && !e.local));
            if !known {
                self.insert(*name, Entry { local, ..entry.clone() });
            }
        }
    }

    fn substitutions(
        &mut self,
        table: &Table,
        substitutions: &[(Symbol, std::sync::Arc<crate::syntax::ast::Expr>)],
        module: Symbol,
        place: Place,
    ) {
        let mut replaced: FxHashSet<Symbol> = FxHashSet::default();
        for (name, value) in substitutions {
            if !replaced.insert(*name) {
                self.problem(value.place, format!("{name} is substituted twice"));
            }
            match table.names.get(name).filter(|e| matches!(e.role, Role::Constant | Role::Variable)) {
                Some(entry) if entry.shape.arity() > 0 => {
                    let arity = entry.shape.arity();
                    self.operator_argument(value, arity);
                }
                Some(_) => self.walk(value),
                None => {
                    let message = format!("{name} is neither a constant nor a variable of module {module}");
                    self.problem(value.place, message);
                }
            }
        }
        for (name, entry) in table.declared() {
            if replaced.contains(&name) {
                continue;
            }
            let message = match self.find(name) {
                None => format!("the instance of {module} has nothing for {name}: add WITH {name} <- …"),
                Some(known) if known.shape.arity() != entry.shape.arity() => {
                    format!("{name} takes another number of arguments here than in module {module}")
                }
                Some(_) => continue,
            };
            self.problem(place, message);
        }
    }
}

/// The native operators of one of our modules.
fn native_names(module: Symbol, table: &mut Table) {
    for (name, builtin) in Builtin::of_module(module.as_str()) {
        let mut parameters = vec![0; builtin.arity()];
        for (position, arity) in builtin.operators() {
            parameters[*position] = *arity;
        }
        let entry = Entry {
            role: Role::Definition,
            shape: Shape::Operator(parameters.into()),
            module,
            place: Place { module, line: 0, column: 0 },
            yields: false,
            local: false,
        };
        table.names.insert(Symbol::new(name), entry);
    }
    let yields = !standard::is_standard(module.as_str());
    for entry in table.names.values_mut().filter(|entry| entry.module == module) {
        entry.yields = yields;
    }
}
