//! Building the table of a module's names: declarations, definitions, EXTENDS and INSTANCE.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Compiler;
use super::builtin::Builtin;
use super::scope::{Binding, Env, ModuleScope, NamedInstance, Operator};
use crate::error::{Error, Place, Result};
use crate::standard;
use crate::symbol::Symbol;
use crate::syntax::ast::{Definition, Expr, Instance, Kind, Module, Unit};

/// About what a name of a module's table takes, and a unit with its operator.
const NAME_BYTES: usize = 64;
const UNIT_BYTES: usize = 320;

/// What the constants and variables of the modules being read stand for.
pub(super) struct Context {
    /// The substitutions of an instance: explicit ones, and where to look for the others. None for the root
    /// module.
    instance: Option<(HashMap<Symbol, Binding>, Env)>,
    scopes: RefCell<HashMap<Symbol, Rc<ModuleScope>>>,
    /// The variables that stand for variables of the instance.
    taken: RefCell<FxHashSet<u32>>,
    depth: Option<u32>,
}

impl Compiler {
    /// Reads the root module.
    pub(super) fn read_root(&mut self) -> Result<()> {
        let context =
            Context { instance: None, scopes: RefCell::default(), taken: RefCell::default(), depth: None };
        let root = self.module_scope(self.sources.root, Place::none(), &context)?;
        self.root = Some(root);
        Ok(())
    }

    /// The names of a module in a context.
    fn module_scope(&self, name: Symbol, place: Place, context: &Context) -> Result<Rc<ModuleScope>> {
        if let Some(scope) = context.scopes.borrow().get(&name) {
            return Ok(scope.clone());
        }
        if self.guard.exceeded() {
            return Err(Box::new(Error::semantic(place, "modules extend each other in a circle")));
        }
        let kind = usize::from(context.instance.is_some());
        if let Some(scope) = self.plain.borrow()[kind].get(&name) {
            return Ok(scope.clone());
        }
        // A module inside another is known only where it is: the loader has seen to the others.
        if self.reading.borrow().contains(&name) {
            return Err(Box::new(Error::semantic(
                place,
                format!("module {name} extends or instantiates itself"),
            )));
        }
        let is_plain = !self.submodules.borrow().contains_key(&name) && self.is_plain(name);
        let (module, parent) = match self.submodules.borrow().get(&name).cloned() {
            Some(found) => found,
            None => match self.sources.modules.get(&name) {
                Some(module) => (module.clone(), Env::default()),
                None => return Err(Box::new(Error::semantic(place, format!("module {name} is not found")))),
            },
        };
        let scope = Rc::new(ModuleScope {
            name,
            names: RefCell::default(),
            written: RefCell::default(),
            private: RefCell::default(),
            variables: RefCell::default(),
            depth: if is_plain { None } else { context.depth },
        });
        context.scopes.borrow_mut().insert(name, scope.clone());
        self.reading.borrow_mut().push(name);
        let read = self.read_module(&module, &scope, &parent, context);
        self.reading.borrow_mut().pop();
        read?;
        if is_plain {
            self.plain.borrow_mut()[kind].insert(name, scope.clone());
        }
        Ok(scope)
    }

    /// Whether a module declares nothing that an instance can replace, nor do those that it extends: then one
    /// table of its names serves all instances.
    fn is_plain(&self, name: Symbol) -> bool {
        if let Some(known) = self.plainness.borrow().get(&name) {
            return *known;
        }
        let declares = |unit: &Unit| {
            matches!(unit, Unit::Constants(_) | Unit::Variables(_) | Unit::Module(_) | Unit::Instance(_))
        };
        let is_plain = self.sources.modules.get(&name).is_some_and(|module| {
            !module.units.iter().any(declares) && module.extends.iter().all(|(name, _)| self.is_plain(*name))
        });
        self.plainness.borrow_mut().insert(name, is_plain);
        is_plain
    }

    fn read_module(
        &self,
        module: &Arc<Module>,
        scope: &Rc<ModuleScope>,
        parent: &Env,
        context: &Context,
    ) -> Result<()> {
        let env = parent.module(scope.clone());
        for (name, place) in &module.extends {
            let extended = self.module_scope(*name, *place, context)?;
            self.room(extended.names.borrow().len() * NAME_BYTES, *place)?;
            import(scope, &extended, false);
            scope.variables.borrow_mut().extend_from_slice(&extended.variables.borrow());
        }
        let mut recursive: FxHashSet<Symbol> = FxHashSet::default();
        let mut defined: FxHashSet<Symbol> = FxHashSet::default();
        for unit in &module.units {
            self.room(UNIT_BYTES, Place { module: scope.name, line: 0, column: 0 })?;
            match unit {
                Unit::Constants(parameters) => {
                    for parameter in parameters {
                        let binding = self.constant(parameter.name, parameter.place, scope.name, context)?;
                        scope.names.borrow_mut().insert(parameter.name, binding);
                    }
                }
                Unit::Variables(parameters) => {
                    for parameter in parameters {
                        let binding = self.variable(parameter.name, parameter.place, context)?;
                        scope.variables.borrow_mut().push(parameter.name);
                        scope.names.borrow_mut().insert(parameter.name, binding);
                    }
                }
                Unit::Recursive(parameters) => recursive.extend(parameters.iter().map(|p| p.name)),
                Unit::Definition(definition) => {
                    if !defined.insert(definition.name) {
                        let message = format!("{} is defined twice", definition.name);
                        return Err(Box::new(Error::semantic(definition.place, message)));
                    }
                    let operator = operator_of(definition, &env, recursive.contains(&definition.name));
                    if context.instance.is_some() && self.replacements.contains_key(&definition.name) {
                        scope.written.borrow_mut().insert(definition.name, operator.clone());
                    }
                    let binding = self.replaced(definition.name, scope.name, context, operator);
                    define(scope, definition.name, binding, definition.local);
                }
                Unit::Assume(name, expr) => {
                    if let Some(name) = name {
                        define(scope, *name, named(*name, expr, &env), false);
                    }
                    if context.instance.is_none() {
                        self.assumptions.borrow_mut().push((*name, expr.clone(), env.clone()));
                    }
                }
                Unit::Theorem(name, expr) => define(scope, *name, named(*name, expr, &env), false),
                Unit::Module(submodule) => {
                    self.submodules.borrow_mut().insert(submodule.name, (submodule.clone(), env.clone()));
                }
                Unit::Instance(instance) => match instance.name {
                    Some(name) => {
                        let named = NamedInstance {
                            instance: instance.clone(),
                            env: env.clone(),
                            scope: RefCell::new(None),
                        };
                        define(scope, name, Binding::Instance(Rc::new(named)), instance.local);
                    }
                    None => {
                        let inner = self.instantiate(instance, &env)?;
                        self.room(inner.names.borrow().len() * NAME_BYTES, instance.place)?;
                        import(scope, &inner, instance.local);
                    }
                },
            }
        }
        let native = self.sources.native.contains(&scope.name);
        let brought = standard::may_be_brought(scope.name.as_str());
        let is_native =
            |name: &str, builtin: Builtin| native || brought && defines(module, name, builtin.arity());
        let natives = Builtin::of_module(scope.name.as_str());
        for (name, builtin) in natives.filter(|(name, builtin)| is_native(name, *builtin)) {
            let name = Symbol::new(name);
            let binding = self.replacements.get(&name).cloned().unwrap_or(Binding::Builtin(builtin));
            scope.names.borrow_mut().insert(name, binding);
        }
        // What the configuration replaces in this module only, imported names included.
        for ((module, name), binding) in &self.qualified {
            if *module == scope.name {
                scope.names.borrow_mut().insert(*name, binding.clone());
            }
        }
        Ok(())
    }

    fn constant(&self, name: Symbol, place: Place, module: Symbol, context: &Context) -> Result<Binding> {
        if let Some((substitutions, env)) = &context.instance
            && let Some(binding) = substitutions.get(&name).cloned().or_else(|| env.lookup(name))
        {
            return Ok(binding);
        }
        if let Some(binding) = self.qualified.get(&(module, name)) {
            return Ok(binding.clone());
        }
        match self.replacements.get(&name) {
            Some(binding) => Ok(binding.clone()),
            // In an instance, what has no value is an error only when somebody needs it.
            None if context.instance.is_some() => Ok(Binding::Missing(name)),
            None => {
                let message = format!("constant {name} of {place} has no value: give it one");
                Err(Box::new(Error::Config { file: String::new(), line: 0, column: 0, message }))
            }
        }
    }

    fn variable(&self, name: Symbol, place: Place, context: &Context) -> Result<Binding> {
        if let Some((substitutions, env)) = &context.instance {
            let binding =
                substitutions.get(&name).cloned().or_else(|| env.lookup(name)).ok_or_else(|| {
                    Box::new(Error::semantic(place, format!("the instance says nothing for variable {name}")))
                })?;
            // Two variables of the instance that one variable stands for are still two inside ENABLED.
            if let Binding::Variable(index) = binding
                && !context.taken.borrow_mut().insert(index)
            {
                let alias = Arc::new(Expr { place, kind: Kind::Apply(name, Vec::new()) });
                return Ok(standing_for_variable(named(name, &alias, &Env::default().bind(name, binding))));
            }
            return Ok(standing_for_variable(binding));
        }
        let mut variables = self.variables.borrow_mut();
        let index = *self.variable_index.borrow_mut().entry(name).or_insert_with(|| {
            variables.push(name);
            variables.len() - 1
        });
        Ok(Binding::Variable(index as u32))
    }

    /// A definition, or what the configuration puts in its place.
    fn replaced(&self, name: Symbol, module: Symbol, context: &Context, operator: Binding) -> Binding {
        if let Some(binding) = self.qualified.get(&(module, name)) {
            return binding.clone();
        }
        // A module that the root extends has one definition of the name, which its instances share.
        if let Some(binding) = self.replacements.get(&name)
            && (context.instance.is_none() || self.sources.extends(module))
        {
            return binding.clone();
        }
        operator
    }

    /// The names of an instance that was written in `env`.
    pub(super) fn instantiate(&self, instance: &Instance, env: &Env) -> Result<Rc<ModuleScope>> {
        let mut substitutions = HashMap::new();
        let mut depth = env.depth();
        for (name, value) in &instance.substitutions {
            let binding = substituted(*name, value, env);
            depth = depth.max(binding.depth());
            substitutions.insert(*name, binding);
        }
        let instance_of = Some((substitutions, env.clone()));
        let context =
            Context { instance: instance_of, scopes: RefCell::default(), taken: RefCell::default(), depth };
        self.module_scope(instance.module, instance.place, &context)
    }
}

/// Marks what is put in the place of a variable: inside ENABLED, its primed value is free.
fn standing_for_variable(binding: Binding) -> Binding {
    match binding {
        Binding::Operator(operator) if operator.parameters.is_empty() && !operator.stands_for_variable => {
            Binding::Operator(Rc::new(Operator {
                name: operator.name,
                parameters: Vec::new(),
                body: operator.body.clone(),
                env: operator.env.clone(),
                recursive: operator.recursive,
                function: operator.function,
                stands_for_variable: true,
                place: operator.place,
                compiled: RefCell::default(),
                level: Cell::new(None),
            }))
        }
        other => other,
    }
}

/// What `name <- value` binds.
fn substituted(name: Symbol, value: &Arc<Expr>, env: &Env) -> Binding {
    if let Kind::Apply(target, arguments) = &value.kind
        && arguments.is_empty()
        && let Some(binding) = env.lookup(*target)
    {
        return binding;
    }
    named(name, value, env)
}

/// A definition without parameters, or the operator that a LAMBDA is.
pub(super) fn named(name: Symbol, body: &Arc<Expr>, env: &Env) -> Binding {
    let (parameters, body) = match &body.kind {
        Kind::Lambda(parameters, inner) => (parameters.clone(), inner.clone()),
        _ => (Vec::new(), body.clone()),
    };
    let place = body.place;
    Binding::Operator(Rc::new(Operator {
        name,
        parameters,
        body,
        env: env.clone(),
        recursive: false,
        function: false,
        stands_for_variable: false,
        place,
        compiled: RefCell::default(),
        level: Cell::new(None),
    }))
}

/// The operator of a definition.
pub(super) fn operator_of(definition: &Definition, env: &Env, recursive: bool) -> Binding {
    Binding::Operator(Rc::new(Operator {
        name: definition.name,
        parameters: definition.parameters.clone(),
        body: definition.body.clone(),
        env: env.clone(),
        recursive: recursive && !definition.function,
        function: definition.function,
        stands_for_variable: false,
        place: definition.place,
        compiled: RefCell::default(),
        level: Cell::new(None),
    }))
}

/// Whether a module defines an operator of so many arguments.
fn defines(module: &Module, name: &str, arity: usize) -> bool {
    module.units.iter().any(|unit| match unit {
        Unit::Definition(definition) => {
            definition.name.as_str() == name && definition.parameters.len() == arity && !definition.function
        }
        _ => false,
    })
}

fn define(scope: &ModuleScope, name: Symbol, binding: Binding, local: bool) {
    if local {
        scope.private.borrow_mut().insert(name);
    }
    scope.names.borrow_mut().insert(name, binding);
}

/// Takes over the names of another module.
fn import(scope: &ModuleScope, from: &ModuleScope, local: bool) {
    let private = from.private.borrow();
    let written = from.written.borrow();
    scope.written.borrow_mut().extend(written.iter().map(|(name, binding)| (*name, binding.clone())));
    for (name, binding) in from.names.borrow().iter() {
        if private.contains(name) {
            continue;
        }
        let known = scope.names.borrow().contains_key(name);
        if local && !known {
            scope.private.borrow_mut().insert(*name);
        }
        if !local || !known {
            scope.names.borrow_mut().insert(*name, binding.clone());
            if !local {
                scope.private.borrow_mut().remove(name);
            }
        }
    }
}
