//! Where a specification comes from: the texts of its modules and its configuration.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use shakedown_tla::config::{ConfigValue, Constant, Replacement};
use shakedown_tla::walk::Walker;
use shakedown_tla::{Config, Place, Spec, Symbol};

use super::suite::KnownGraph;
use crate::BadModel;

/// A specification and its configuration. Copies are one: what was found out of it is shared.
#[derive(Clone)]
pub struct SpecSource(Arc<Texts>);

struct Texts {
    modules: Vec<(String, String)>,
    config: String,
    constants: Vec<(String, ConfigValue)>,
    graph: OnceLock<Arc<KnownGraph>>,
}

impl SpecSource {
    /// A specification: its modules, the root first, by name and text; its configuration as TLC reads it; and
    /// constants that follow from the cluster, whatever the configuration says.
    pub fn new(
        modules: Vec<(String, String)>,
        config: String,
        constants: Vec<(String, ConfigValue)>,
    ) -> SpecSource {
        SpecSource(Arc::new(Texts { modules, config, constants, graph: OnceLock::new() }))
    }

    /// The name of the root module.
    pub fn root(&self) -> &str {
        self.0.modules.first().map_or("", |(name, _)| name)
    }

    /// Whether two are the same specification.
    pub fn is_same(&self, other: &SpecSource) -> bool {
        // Configurations differ more often than modules, and are shorter.
        let (a, b) = (&*self.0, &*other.0);
        Arc::ptr_eq(&self.0, &other.0)
            || (a.config == b.config && a.constants == b.constants && a.modules == b.modules)
    }

    /// What is wrong with it, if something is.
    pub fn check(&self) -> Result<(), BadModel> {
        self.walker().map(drop)
    }

    pub(super) fn bad(&self, reason: impl ToString) -> BadModel {
        BadModel { model: self.root().to_owned(), reason: reason.to_string() }
    }

    pub(super) fn walker(&self) -> Result<Walker, BadModel> {
        let modules: HashMap<String, String> = self.0.modules.iter().cloned().collect();
        let mut config = Config::parse(&self.0.config).map_err(|error| self.bad(error))?;
        for (name, value) in &self.0.constants {
            let name = Symbol::new(name);
            config.constants.retain(|constant| constant.name != name);
            let replacement = Replacement::Value(value.clone());
            config.constants.push(Constant { name, module: None, replacement, line: 0 });
        }
        let spec = Spec::load(self.root(), config, &modules).map_err(|error| self.bad(error))?;
        Walker::new(&spec).map_err(|error| self.bad(error))
    }

    pub(super) fn graph(&self) -> &OnceLock<Arc<KnownGraph>> {
        &self.0.graph
    }

    /// The words at a place, with the place.
    pub(super) fn blocked_at(&self, place: Place) -> String {
        let line = (place.line as usize).checked_sub(1);
        match self.module(place.module.as_str()).zip(line).and_then(|(text, line)| text.lines().nth(line)) {
            Some(words) => format!("`{}` ({place})", words.trim()),
            None => place.to_string(),
        }
    }

    /// Where a definition stands, with its first line: the root module is looked through first.
    pub(super) fn definition(&self, name: &str) -> Option<String> {
        self.0.modules.iter().find_map(|(module, text)| {
            let is_it = |line: &&str| {
                let rest = line.strip_prefix(name);
                rest.is_some_and(|rest| rest.starts_with(['(', ' ']) && rest.contains("=="))
            };
            let (number, line) = (1..).zip(text.lines()).find(|(_, line)| is_it(line))?;
            Some(format!("`{}` ({module}:{number})", line.trim()))
        })
    }

    fn module(&self, name: &str) -> Option<&str> {
        self.0.modules.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}
