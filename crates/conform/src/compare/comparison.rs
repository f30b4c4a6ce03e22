//! What a target declares: the models that its states are compared with, and the mapping that does it.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use shakedown_check::Oracle;
use shakedown_cluster::{BadOption, Options};
use shakedown_tla::config::ConfigValue;

use super::suite::{Make, nodes_of};
use super::{SameAsSpec, SpecSource, StateMapping, Suite};
use crate::{BadModel, NO_SPEC, SPEC_OPTION};

/// The option that holds a configuration in place of the model's own.
pub const SPEC_CONFIG_OPTION: &str = "spec_config";
/// The option that holds modules in place of the model's own, or besides them; the first is the root.
pub const SPEC_MODULES_OPTION: &str = "spec_modules";
/// The most characters of a module that is not ours.
const TEXT_MAX: usize = 1 << 20;

/// A model that a target can be compared with.
#[derive(Clone, Copy, Debug)]
pub struct SpecModel {
    /// The name that it is chosen by.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Its modules, the root first: name and text.
    pub modules: &'static [(&'static str, &'static str)],
    /// Its configuration, as TLC reads it.
    pub config: &'static str,
}

type Constants = Box<dyn Fn(usize, &Options) -> Result<ConstantValues, BadOption> + Send + Sync>;

type OracleMaker<S> = Box<dyn Fn(&SpecSource) -> Result<Box<dyn Oracle<S>>, BadModel> + Send + Sync>;
type SuiteMaker = Box<dyn Fn(&SpecSource, usize) -> Result<Suite, BadModel> + Send + Sync>;
type NodeCount = Box<dyn Fn(&SpecSource) -> Result<usize, BadModel> + Send + Sync>;
/// The constants of a cluster with a number of nodes and these options.
type ConstantValues = Vec<(&'static str, ConfigValue)>;

/// The models that a target can be compared with, and how.
pub struct Comparison<S> {
    models: Vec<SpecModel>,
    settings: Vec<(&'static str, String)>,
    constants: Constants,
    oracle: OracleMaker<S>,
    suite: SuiteMaker,
    nodes: NodeCount,
    /// The sources that were asked for last: nearly always, the next execution asks for the same one.
    known: Mutex<Vec<(usize, Options, SpecSource)>>,
}

/// Why the number of nodes of a specification is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoNodes {
    /// The options ask for something that there is not.
    #[error(transparent)]
    Option(#[from] BadOption),
    /// The specification cannot be walked.
    #[error(transparent)]
    Model(#[from] BadModel),
}

/// How many sources are remembered.
const KNOWN_MAX: usize = 8;

impl<S: 'static> Comparison<S> {
    /// No models yet, with this mapping.
    pub fn by<M: StateMapping<S> + Default>() -> Comparison<S> {
        Comparison::with(M::default)
    }

    /// No models yet, with the mappings that this makes.
    pub fn with<M: StateMapping<S>>(make: impl Fn() -> M + Send + Sync + 'static) -> Comparison<S> {
        let make: Make<M> = Arc::new(make);
        let (for_suite, for_nodes) = (Arc::clone(&make), Arc::clone(&make));
        Comparison {
            models: Vec::new(),
            settings: Vec::new(),
            constants: Box::new(|_, _| Ok(Vec::new())),
            oracle: Box::new(move |source| Ok(Box::new(SameAsSpec::<S, M>::new(source, &make)?))),
            suite: Box::new(move |source, states_max| Suite::of::<S, M>(source, states_max, &for_suite)),
            nodes: Box::new(move |source| nodes_of::<S, M>(source, &for_nodes)),
            known: Mutex::default(),
        }
    }

    /// Adds a model. The first one is the default.
    #[must_use]
    pub fn model(mut self, model: SpecModel) -> Self {
        self.models.push(model);
        self
    }

    /// The value that an option of the target has to have for a step to be an action.
    #[must_use]
    pub fn needs(mut self, option: &'static str, value: impl Display) -> Self {
        self.settings.push((option, value.to_string()));
        self
    }

    /// The constants that follow from the number of nodes and from the target's options, whatever a
    /// configuration says.
    #[must_use]
    pub fn constants<F>(mut self, constants: F) -> Self
    where
        F: Fn(usize, &Options) -> Result<ConstantValues, BadOption> + Send + Sync + 'static,
    {
        self.constants = Box::new(constants);
        self
    }

    /// The models.
    pub fn models(&self) -> &[SpecModel] {
        &self.models
    }

    /// The options that have to have these values.
    pub fn settings(&self) -> &[(&'static str, String)] {
        &self.settings
    }

    /// The specification that these options ask for, with `nodes` nodes; nothing if they ask for none.
    pub fn source(&self, options: &Options, nodes: usize) -> Result<Option<SpecSource>, BadOption> {
        let Some(name) = options.text(SPEC_OPTION).filter(|name| *name != NO_SPEC) else { return Ok(None) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(n, of, _): &&(usize, Options, SpecSource)| {
            *n == nodes && (of.is_copy_of(options) || of == options)
        };
        if let Some((_, _, source)) = known.iter().find(is_it) {
            return Ok(Some(source.clone()));
        }
        let constants = (self.constants)(nodes, options)?;
        let mut source = self.make(name, options, constants)?;
        // Other options, the same specification: what was found out of it holds.
        if let Some((_, _, same)) = known.iter().find(|(_, _, known)| known.is_same(&source)) {
            source = same.clone();
        }
        if known.len() >= KNOWN_MAX {
            known.remove(0);
        }
        known.push((nodes, options.clone(), source.clone()));
        Ok(Some(source))
    }

    /// How many nodes the specification that these options ask for is of, if its configuration has the say.
    pub fn nodes(&self, options: &Options) -> Result<usize, NoNodes> {
        let name = options.text(SPEC_OPTION).unwrap_or_default();
        Ok((self.nodes)(&self.make(name, options, Vec::new())?)?)
    }

    fn make(
        &self,
        name: &str,
        options: &Options,
        constants: ConstantValues,
    ) -> Result<SpecSource, BadOption> {
        let bad = |option: &str, reason: String| {
            let value: String = options.text(option).unwrap_or_default().chars().take(60).collect();
            BadOption { name: option.to_owned(), value, reason }
        };
        let model = self.models.iter().find(|model| model.name == name).ok_or_else(|| {
            let names: Vec<_> = self.models.iter().map(|model| model.name).collect();
            bad(SPEC_OPTION, format!("it is {NO_SPEC} or one of {}", names.join(", ")))
        })?;
        for (option, value) in &self.settings {
            if options.text(option) != Some(value) {
                return Err(bad(
                    option,
                    format!("beside a specification it has to be {value}, so that a step is an action"),
                ));
            }
        }
        let own = options.text(SPEC_MODULES_OPTION).unwrap_or_default();
        let mut modules = split_modules(own).map_err(|reason| bad(SPEC_MODULES_OPTION, reason))?;
        for (name, text) in model.modules {
            if modules.iter().all(|(known, _)| known != name) {
                modules.push(((*name).to_owned(), (*text).to_owned()));
            }
        }
        let config = options.text(SPEC_CONFIG_OPTION).filter(|text| !text.is_empty());
        if config.is_some_and(|text| text.len() > TEXT_MAX) {
            return Err(bad(SPEC_CONFIG_OPTION, format!("it has more than {TEXT_MAX} characters")));
        }
        let constants = constants.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(SpecSource::new(modules, config.unwrap_or(model.config).to_owned(), constants))
    }

    /// The oracle for one execution.
    pub fn oracle(&self, source: &SpecSource) -> Result<Box<dyn Oracle<S>>, BadModel> {
        (self.oracle)(source)
    }

    /// The state graph, of at most so many states.
    pub fn suite(&self, source: &SpecSource, states_max: usize) -> Result<Suite, BadModel> {
        (self.suite)(source, states_max)
    }
}

/// The modules in a text, by name. A module begins with a line `---- MODULE Name ----`.
fn split_modules(text: &str) -> Result<Vec<(String, String)>, String> {
    if text.len() > TEXT_MAX {
        return Err(format!("it has more than {TEXT_MAX} characters"));
    }
    let mut modules: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        if let [dashes, "MODULE", name, ..] = words[..]
            && dashes.starts_with("----")
            && line.starts_with('-')
        {
            modules.push((name.to_owned(), String::new()));
        }
        if let Some((_, module)) = modules.last_mut() {
            module.push_str(line);
            module.push('\n');
        }
    }
    if modules.is_empty() && !text.trim().is_empty() {
        return Err("it holds no module: a line `---- MODULE Name ----` is missing".to_owned());
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_told_apart_by_their_first_lines() {
        let text = "a remark\n---- MODULE A ----\nx == 1\n====\n------ MODULE B ------\ny == 2\n====\n";
        let modules = split_modules(text).expect("there are two");
        let names: Vec<_> = modules.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert_eq!(modules[0].1, "---- MODULE A ----\nx == 1\n====\n");
        assert_eq!(split_modules(""), Ok(Vec::new()));
        assert!(split_modules("x == 1").is_err());
    }
}
