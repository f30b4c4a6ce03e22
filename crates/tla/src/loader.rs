//! Where the texts of modules come from.
//!
//! The crate reads no files: the caller hands in a [`Loader`]. [`Sources`] is what has been loaded and
//! parsed, with every module that the root module needs; it is shared by all threads. Files that the
//! specification itself names are read when it asks for them, through [`Files`].

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::budget::{Allowance, Budget};
use crate::compile::builtin::Builtin;
use crate::error::{Error, Place, Result};
use crate::standard;
use crate::symbol::{Symbol, hash_text};
use crate::syntax::ast::{Kind, Local, Module, Unit};
use crate::syntax::{ast, parse};
use crate::value::hash::mix;

/// Most modules that one specification may consist of.
const MODULES_MAX: usize = 1_000;

/// What parsing takes at most for each byte of a module's text: the trees, ours and the parser's.
const PARSED_BYTES: usize = 300;

/// Gives the texts of modules, and access to files.
pub trait Loader {
    /// The text of the module called `name`, if there is one.
    fn module(&self, name: &str) -> Option<String>;

    /// The same, or why a text that is there cannot be used.
    fn read_module(&self, name: &str) -> std::result::Result<Option<String>, String> {
        Ok(self.module(name))
    }

    /// The files that the specification may read by itself (module Json); none unless the loader gives
    /// access.
    fn files(&self) -> Arc<dyn Files> {
        Arc::new(NoFiles)
    }

    /// The environment that the specification sees (`IOEnv`): names and values; empty unless the loader gives
    /// one.
    fn environment(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// Gives the contents of files that a specification names, when it asks for them.
pub trait Files: Send + Sync {
    /// The text of a file, or why it cannot be read and what to do about it.
    fn read(&self, path: &str) -> std::result::Result<String, String>;
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> std::result::Result<String, String> {
        Err(format!("file {path} cannot be read: this specification was loaded without access to files"))
    }
}

/// What a file holds, or why it cannot be read.
type Contents = std::result::Result<Arc<str>, String>;

/// The files that a specification has read: each once, so that all threads see the same.
pub(crate) struct Reader {
    files: Arc<dyn Files>,
    known: Mutex<HashMap<String, Contents>>,
}

impl Reader {
    pub(crate) fn new(files: Arc<dyn Files>) -> Reader {
        Reader { files, known: Mutex::default() }
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> Contents {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(contents) = known.get(path) {
            return contents.clone();
        }
        let contents = self.files.read(path).map(Arc::from);
        known.insert(path.to_string(), contents.clone());
        contents
    }
}

/// Modules by name: a loader for tests and embedded specifications.
impl Loader for HashMap<String, String> {
    fn module(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}

/// A root module with everything it extends and instantiates.
pub struct Sources {
    /// The root module's name.
    pub root: Symbol,
    pub(crate) modules: HashMap<Symbol, Arc<Module>>,
    /// The texts of the modules that are not ours.
    texts: HashMap<Symbol, String>,
    /// The modules that are ours, with native operators.
    pub(crate) native: HashSet<Symbol>,
}

impl Sources {
    /// Whether a module, or any module, declares or defines a name, or imports it.
    pub(crate) fn has_name(&self, name: Symbol, module: Option<Symbol>) -> bool {
        // A module may be given a name that it imports: all are looked at then.
        let known =
            module.is_none_or(|module| self.modules.contains_key(&module) || self.native.contains(&module));
        known
            && (self.modules.values().any(|module| declares(module, name))
                || self.native.iter().any(|native| {
                    Builtin::of_module(native.as_str()).any(|(builtin, _)| builtin == name.as_str())
                }))
    }

    /// Whether the root extends a module, directly or by way of others.
    pub(crate) fn extends(&self, module: Symbol) -> bool {
        let mut known = HashSet::new();
        let mut open = vec![self.root];
        while let Some(name) = open.pop() {
            let extended = self.modules.get(&name).into_iter().flat_map(|module| &module.extends);
            open.extend(extended.map(|(name, _)| *name).filter(|name| known.insert(*name)));
        }
        known.contains(&module)
    }

    /// Whether the root, or a module that it extends, declares a constant that takes no arguments.
    pub(crate) fn declares_constant(&self, name: Symbol) -> bool {
        let declares = |unit: &Unit| matches!(unit, Unit::Constants(list) if list.iter().any(|p| p.name == name && p.arity == 0));
        let of = |module: &Module| module.units.iter().any(declares);
        self.modules.iter().any(|(module, text)| (*module == self.root || self.extends(*module)) && of(text))
    }

    /// A number for the names and texts of all modules.
    pub(crate) fn digest(&self) -> u64 {
        let mut texts: Vec<_> = self.texts.iter().map(|(name, text)| (*name, text)).collect();
        texts.sort_unstable_by_key(|(name, _)| *name);
        let own = texts.iter().flat_map(|(name, text)| [name.as_str(), text.as_str()]);
        own.chain([self.root.as_str()]).fold(0, |state, text| mix(state, hash_text(text)))
    }

    /// Loads and parses a module and all that it needs.
    pub fn load(root: &str, loader: &dyn Loader) -> Result<Sources> {
        Sources::load_within(root, loader, &Budget::default())
    }

    /// The same within a budget of memory.
    pub(crate) fn load_within(root: &str, loader: &dyn Loader, budget: &Budget) -> Result<Sources> {
        let mut allowance = Allowance::new(budget);
        let mut needed: HashMap<Symbol, Vec<(Symbol, Place)>> = HashMap::new();
        let mut sources = Sources {
            root: Symbol::new(root),
            modules: HashMap::new(),
            texts: HashMap::new(),
            native: HashSet::new(),
        };
        let mut wanted = vec![(Symbol::new(root), Place::none())];
        while let Some((name, place)) = wanted.pop() {
            if sources.modules.contains_key(&name) {
                continue;
            }
            if sources.modules.len() >= MODULES_MAX {
                return Err(Box::new(Error::Limit { message: format!("more than {MODULES_MAX} modules") }));
            }
            let beside = sources.texts.get(&place.module).map(String::as_str);
            let Loaded { module, text } = load_one(name, place, loader, beside, &mut allowance)?;
            match text {
                Some(text) => drop(sources.texts.insert(name, text)),
                None => drop(sources.native.insert(name)),
            }
            let mut here = Vec::new();
            needs(&module, &mut here, &[]);
            wanted.extend_from_slice(&here);
            needed.insert(name, here);
            sources.modules.insert(name, module);
        }
        refuse_circles(sources.root, &needed)?;
        Ok(sources)
    }
}

/// Refuses modules that need themselves, directly or through others.
fn refuse_circles(root: Symbol, needed: &HashMap<Symbol, Vec<(Symbol, Place)>>) -> Result<()> {
    let mut finished: HashSet<Symbol> = HashSet::new();
    // The modules from the root to the one that is looked at, each with the position of what it needs next.
    let mut path: Vec<(Symbol, usize)> = vec![(root, 0)];
    while let Some((module, next)) = path.last_mut() {
        let Some((name, place)) = needed.get(module).and_then(|needs| needs.get(*next)) else {
            finished.insert(*module);
            path.pop();
            continue;
        };
        *next += 1;
        if path.iter().any(|(outer, _)| outer == name) {
            let from = path.iter().position(|(outer, _)| outer == name).unwrap_or(0);
            let circle: Vec<&str> = path[from..].iter().map(|(module, _)| module.as_str()).collect();
            let message =
                format!("module {name} extends or instantiates itself: {} > {name}", circle.join(" > "));
            return Err(Box::new(Error::semantic(*place, message)));
        }
        if !finished.contains(name) {
            path.push((*name, 0));
        }
    }
    Ok(())
}

/// A module, and its text unless it is ours.
struct Loaded {
    module: Arc<Module>,
    text: Option<String>,
}

/// Loads a module. A file may hold several: `beside` is the text that names this one.
fn load_one(
    name: Symbol,
    place: Place,
    loader: &dyn Loader,
    beside: Option<&str>,
    allowance: &mut Allowance,
) -> Result<Loaded> {
    let ours = |text: &str| Ok(Loaded { module: parse(name.as_str(), text)?, text: None });
    if standard::is_core(name.as_str()) && !standard::may_be_brought(name.as_str()) {
        return ours(standard::text(name.as_str()).unwrap_or(standard::EMPTY));
    }
    let found = loader.read_module(name.as_str());
    if let Some(text) = found.map_err(|reason| Box::new(Error::semantic(place, reason)))? {
        allowance
            .take(text.len().saturating_mul(PARSED_BYTES), Place { module: name, line: 1, column: 1 })?;
        let module = parse(name.as_str(), &text)?;
        if module.name != name {
            let place = Place { module: name, line: 1, column: 1 };
            return Err(Box::new(Error::semantic(
                place,
                format!("the text of module {name} holds module {} instead", module.name),
            )));
        }
        return Ok(Loaded { module, text: Some(text) });
    }
    if let Some(text) = standard::text(name.as_str()) {
        return ours(text);
    }
    if let Some(text) = beside {
        allowance
            .take(text.len().saturating_mul(PARSED_BYTES), Place { module: name, line: 1, column: 1 })?;
        let module = parse(name.as_str(), text)?;
        if module.name == name {
            return Ok(Loaded { module, text: Some(text.to_owned()) });
        }
    }
    Err(Box::new(Error::semantic(place, format!("module {name} is not found"))))
}

/// Adds the modules that a module names and does not hold itself.
fn needs(module: &Module, wanted: &mut Vec<(Symbol, Place)>, outer: &[Symbol]) {
    let mut inner: Vec<Symbol> = outer.to_vec();
    for unit in &module.units {
        if let Unit::Module(submodule) = unit {
            inner.push(submodule.name);
        }
    }
    let mut want = |name: Symbol, place: Place| {
        if !inner.contains(&name) {
            wanted.push((name, place));
        }
    };
    for (name, place) in &module.extends {
        want(*name, *place);
    }
    for unit in &module.units {
        match unit {
            Unit::Instance(instance) => want(instance.module, instance.place),
            Unit::Definition(definition) => in_expression(&definition.body, &mut want),
            Unit::Assume(_, expr) | Unit::Theorem(_, expr) => in_expression(expr, &mut want),
            _ => {}
        }
    }
    for unit in &module.units {
        if let Unit::Module(submodule) = unit {
            needs(submodule, wanted, &inner);
        }
    }
}

/// Instances inside LET, which are rare but legal; only LETs at the top of bodies are looked at.
fn in_expression(expr: &ast::Expr, want: &mut dyn FnMut(Symbol, Place)) {
    match &expr.kind {
        Kind::Let(locals, body) => {
            for local in locals {
                match local {
                    Local::Instance(instance) => want(instance.module, instance.place),
                    Local::Definition(definition) => in_expression(&definition.body, want),
                    Local::Recursive(_) => {}
                }
            }
            in_expression(body, want);
        }
        Kind::And(items) | Kind::Or(items) | Kind::Apply(_, items) => {
            for item in items {
                in_expression(item, want);
            }
        }
        Kind::Quantified { body, .. } => in_expression(body, want),
        Kind::If(_, yes, no) => {
            in_expression(yes, want);
            in_expression(no, want);
        }
        _ => {}
    }
}

impl Sources {
    /// The line of a module's text that a place points to.
    pub fn line(&self, place: Place) -> Option<&str> {
        let line = (place.line as usize).checked_sub(1)?;
        self.texts.get(&place.module)?.lines().nth(line).map(str::trim)
    }
}

/// Whether a name is a constant, a variable or a definition of a module, or of one inside it.
fn declares(module: &Module, name: Symbol) -> bool {
    module.units.iter().any(|unit| match unit {
        Unit::Constants(parameters) | Unit::Variables(parameters) | Unit::Recursive(parameters) => {
            parameters.iter().any(|parameter| parameter.name == name)
        }
        Unit::Definition(definition) => definition.name == name,
        Unit::Instance(instance) => instance.name == Some(name),
        Unit::Assume(named, _) => *named == Some(name),
        Unit::Theorem(named, _) => *named == name,
        Unit::Module(inner) => declares(inner, name),
    })
}
