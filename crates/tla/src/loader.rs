//! Where the texts of modules come from.
//!
//! The crate reads no files: whoever uses it hands in a [`Loader`]. [`Sources`] is what has been loaded and parsed, with
//! every module that the root module needs; it is shared by all threads.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::error::{Error, Place, Result};
use crate::standard;
use crate::symbol::Symbol;
use crate::syntax::ast::{Kind, Local, Module, Unit};
use crate::syntax::{ast, parse};

/// Most modules that one specification may consist of.
const MODULES_MAX: usize = 1_000;

/// Longest string that may be a path of a file.
const PATH_BYTES_MAX: usize = 200;

/// Gives the texts of modules and the contents of files.
pub trait Loader {
    /// The text of the module called `name`, if there is one.
    fn module(&self, name: &str) -> Option<String>;

    /// The contents of a file that the specification reads by itself (module Json).
    fn file(&self, path: &str) -> Option<String> {
        let _ = path;
        None
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
    /// Loads and parses a module and all that it needs.
    pub fn load(root: &str, loader: &dyn Loader) -> Result<Sources> {
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
            let Loaded { module, text } = load_one(name, place, loader)?;
            match text {
                Some(text) => drop(sources.texts.insert(name, text)),
                None => drop(sources.native.insert(name)),
            }
            needs(&module, &mut wanted, &[]);
            sources.modules.insert(name, module);
        }
        Ok(sources)
    }
}

/// A module, and its text unless it is ours.
struct Loaded {
    module: Arc<Module>,
    text: Option<String>,
}

fn load_one(name: Symbol, place: Place, loader: &dyn Loader) -> Result<Loaded> {
    let ours = |text: &str| Ok(Loaded { module: parse(name.as_str(), text)?, text: None });
    if standard::is_core(name.as_str()) {
        return ours(standard::text(name.as_str()).unwrap_or(standard::EMPTY));
    }
    if let Some(text) = loader.module(name.as_str()) {
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

    /// The strings of the specification that look like paths of files it may read.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self
            .modules
            .values()
            .flat_map(|module| &module.strings)
            .filter(|text| text.as_str().contains('.') && text.as_str().len() < PATH_BYTES_MAX)
            .map(|text| text.to_string())
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }
}
