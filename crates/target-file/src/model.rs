//! `[model]`: a specification, and how what happens in the program is actions of it, as text.
//!
//! One table serves all three uses of a specification: executions are followed on it (`fuzz:model`, the
//! option `spec`), recorded as traces for `validate`, and compared with it state by state (`conform`).
//!
//! - `tables`: what stands in the file;
//! - `occurrence`: what happened, and which tables it fits;
//! - `moment`: what expressions see;
//! - `events`: following and recording;
//! - `states`: comparing.

mod events;
mod moment;
mod occurrence;
mod states;
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::path::Path as FilePath;
use std::sync::Arc;

use shakedown_cluster::BadOption;
use shakedown_conform::ModelSource;
use shakedown_conform::compare::{Comparison, SpecModel};
use shakedown_conform::follow::Following;
use shakedown_remote::PlainState;
use shakedown_tla::config::ConfigValue;
use shakedown_tla::walk::Walker;
use shakedown_tla::{Config, Spec, Value as TlaValue};
use toml::Spanned;

use crate::expressions::Expressions;
use crate::file_beside;
use crate::located::{Located, error_at};
use events::{TextEvents, TextProjection};
use moment::{Moment, VARIABLES};
use occurrence::{Occurrence, Trigger};
use states::TextStates;
use tables::ActionTable;
pub(crate) use tables::ModelTable;

/// The name by which `conform` knows the specification.
const COMPARED: &str = "states";

/// A specification and the mapping to it.
pub(crate) struct Model {
    expressions: Expressions,
    actions: Vec<MappedAction>,
    /// What can be seen of the specification's variables.
    state: Vec<(&'static str, usize)>,
    constants: Vec<(&'static str, usize)>,
    /// The modules, the root first.
    modules: &'static [(&'static str, &'static str)],
    config: String,
    abstraction: Option<&'static str>,
    /// How many nodes the target has.
    nodes: usize,
}

/// An action of the specification, and what it stands for.
struct MappedAction {
    on: Trigger,
    name: String,
    when: Option<usize>,
    after: Option<usize>,
    arguments: Vec<usize>,
    /// Where `conform` sends a request, and which, given the arguments of the action.
    node: Option<usize>,
    request: Option<usize>,
}

fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The number of a table, and the arguments of its action.
type Chosen = (usize, Vec<TlaValue>);

impl Model {
    /// Reads the tables, and the files that they name.
    pub fn new(table: ModelTable, file: &str, folder: &FilePath, nodes: usize) -> Result<Model, String> {
        let mut expressions = Expressions::new(VARIABLES);
        let mut add = |name: String, spanned: &_| expressions.add(name, Located::new(file, spanned));
        let (mut actions, mut named_actions) = (Vec::new(), Vec::new());
        for (number, ActionTable { on, action, when, after, arguments, node, request }) in
            (1..).zip(table.action)
        {
            let place = Located::new(file, &on);
            let trigger = Trigger::read(on.get_ref()).map_err(|error| place.error(1, 1, error))?;
            let what = format!("of action {number} (`{}`)", action.get_ref());
            actions.push(MappedAction {
                on: trigger,
                when: when.map(|text| add(format!("`when` {what}"), &text)),
                after: after.map(|text| add(format!("`after` {what}"), &text)),
                arguments: arguments.iter().map(|text| add(format!("an argument {what}"), text)).collect(),
                node: node.map(|text| add(format!("`node` {what}"), &text)),
                request: request.map(|text| add(format!("`request` {what}"), &text)),
                name: action.get_ref().clone(),
            });
            named_actions.push(action);
        }
        let variables = table.state.clone();
        let mut named = |what: &str, texts: BTreeMap<String, Spanned<String>>| {
            let one = |(name, text): (String, Spanned<String>)| {
                let place = add(format!("the {what} `{name}`"), &text);
                (kept(name), place)
            };
            texts.into_iter().map(one).collect::<Vec<_>>()
        };
        let (state, constants) = (named("variable", table.state), named("constant", table.constants));
        let mut modules = Vec::new();
        for spanned in std::iter::once(&table.spec).chain(&table.modules) {
            let (name, text) = file_beside(file, spanned, folder)?;
            let stem = FilePath::new(&name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            modules.push((kept(stem.unwrap_or(name)), kept(text)));
        }
        let (_, config) = file_beside(file, &table.config, folder)?;
        let model = Model {
            expressions,
            actions,
            state,
            constants,
            modules: Vec::leak(modules),
            config,
            abstraction: table.abstraction.map(kept),
            nodes,
        };
        let mut walker = model.check(file, &table.spec)?;
        check_variables(&walker, file, &variables)?;
        check_actions(&mut walker, file, &model.actions, &named_actions)?;
        Ok(model)
    }

    /// Compiles everything, and sees whether the specification has an initial state.
    fn check(&self, file: &str, spec: &Spanned<String>) -> Result<Walker, String> {
        self.expressions.check(self.nodes)?;
        let wrong = |error: String| error_at(file, spec, format!("`[model]`: {error}"));
        let mut walker = self.walker().map_err(wrong)?;
        if walker.initial().map_err(|error| wrong(error.to_string()))?.is_empty() {
            return Err(wrong("the specification has no initial state".to_owned()));
        }
        Ok(walker)
    }

    fn walker(&self) -> Result<Walker, String> {
        let texts = self.modules.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let modules: HashMap<String, String> = texts.collect();
        let config = Config::parse(&self.config(self.nodes)?).map_err(|error| error.to_string())?;
        let spec = Spec::load(self.name(), config, &modules).map_err(|error| error.to_string())?;
        Walker::new(&spec).map_err(|error| error.to_string())
    }

    /// The root module.
    pub fn name(&self) -> &'static str {
        self.modules[0].0
    }

    /// The values of the constants for this number of nodes.
    fn constant_values(&self, nodes: usize) -> Result<Vec<(&'static str, ConfigValue)>, String> {
        let nothing = Moment::default().values();
        let one = |(name, place): &(&'static str, usize)| {
            let value = self.expressions.evaluate(*place, nodes, &nothing)?;
            let value =
                config_value(&value).ok_or_else(|| format!("the constant `{name}` cannot be {value}"))?;
            Ok((*name, value))
        };
        self.constants.iter().map(one).collect()
    }

    /// The configuration for this number of nodes.
    fn config(&self, nodes: usize) -> Result<String, String> {
        let mut config = self.config.clone();
        for (name, value) in self.constant_values(nodes)? {
            config.push_str(&format!("\nCONSTANT {name} = {}", config_text(&value)));
        }
        Ok(config)
    }

    fn source(&self, nodes: usize) -> Result<ModelSource, String> {
        let config = self.config(nodes)?;
        Ok(ModelSource { modules: self.modules, config, abstraction: self.abstraction })
    }

    /// The first table that fits what happened. The error names the action.
    fn chosen(
        &self,
        occurrence: &Occurrence,
        moment: &Moment,
        nodes: usize,
    ) -> Result<Option<Chosen>, (String, String)> {
        let values = moment.values();
        for (place, action) in self.actions.iter().enumerate() {
            let failed = |error: String| (action.name.clone(), error);
            if !action.on.fits(occurrence) {
                continue;
            }
            if let Some(when) = action.when
                && !self.expressions.holds(when, nodes, &values).map_err(failed)?
            {
                continue;
            }
            let argument = |place: &usize| self.expressions.evaluate(*place, nodes, &values);
            let arguments =
                action.arguments.iter().map(argument).collect::<Result<_, _>>().map_err(failed)?;
            return Ok(Some((place, arguments)));
        }
        Ok(None)
    }

    /// What executions are followed on, and recorded as.
    pub fn following(self: &Arc<Model>) -> Following<PlainState> {
        let (source, events, recorded, projected) =
            (Arc::clone(self), Arc::clone(self), Arc::clone(self), Arc::clone(self));
        let about = kept(format!("states of {}.tla", self.name()));
        let bad = |reason: String| BadOption { name: "spec".to_owned(), value: String::new(), reason };
        Following::with(
            self.name(),
            about,
            move |nodes, _| source.source(nodes).map_err(bad),
            move || TextEvents::new(Arc::clone(&events)),
        )
        .recorded_with(
            move |_| Ok(TextProjection::new(Arc::clone(&projected))),
            move || TextEvents::new(Arc::clone(&recorded)),
        )
    }

    /// What states are compared with.
    pub fn comparison(self: &Arc<Model>) -> Result<Comparison<PlainState>, String> {
        let (mapping, constants) = (Arc::clone(self), Arc::clone(self));
        let bad = |reason: String| BadOption { name: "spec".to_owned(), value: String::new(), reason };
        let model = SpecModel {
            name: COMPARED,
            about: kept(format!("all variables of {}.tla that the target file maps", self.name())),
            modules: self.modules,
            config: kept(self.config(self.nodes)?),
        };
        Ok(Comparison::with(move || TextStates::new(Arc::clone(&mapping)))
            .constants(move |nodes, _| constants.constant_values(nodes).map_err(bad))
            .model(model))
    }
}

/// Whether the specification has the variables that `[model.state]` names.
fn check_variables(
    walker: &Walker,
    file: &str,
    named: &BTreeMap<String, Spanned<String>>,
) -> Result<(), String> {
    let variables: Vec<_> = walker.variables().iter().map(|name| name.as_str()).collect();
    let Some((name, spanned)) = named.iter().find(|(name, _)| !variables.contains(&name.as_str())) else {
        return Ok(());
    };
    let list = variables.join(", ");
    Err(error_at(file, spanned, format!("the specification has no variable `{name}`: it has {list}")))
}

/// Whether the specification has the actions that the tables name, with as many arguments.
fn check_actions(
    walker: &mut Walker,
    file: &str,
    actions: &[MappedAction],
    named: &[Spanned<String>],
) -> Result<(), String> {
    for (MappedAction { name, arguments, .. }, spanned) in actions.iter().zip(named) {
        walker
            .prepare_action(name, arguments.len())
            .map_err(|error| error_at(file, spanned, format!("action `{name}`: {error}")))?;
    }
    Ok(())
}

/// A value that a configuration can hold.
fn config_value(value: &TlaValue) -> Option<ConfigValue> {
    Some(match value {
        TlaValue::Int(number) => ConfigValue::Int(*number),
        TlaValue::Bool(truth) => ConfigValue::Bool(*truth),
        TlaValue::Str(text) => ConfigValue::Str(text.as_str().to_owned()),
        TlaValue::Interval(low, high) => {
            ConfigValue::Set((*low..=*high).map(|number| ConfigValue::Int(number.into())).collect())
        }
        TlaValue::Set(set) => ConfigValue::Set(set.items().iter().map(config_value).collect::<Option<_>>()?),
        _ => return None,
    })
}

fn config_text(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Int(number) => number.to_string(),
        ConfigValue::Str(text) => format!("\"{text}\""),
        ConfigValue::Bool(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        ConfigValue::Model(name) => name.as_str().to_owned(),
        ConfigValue::Set(items) => {
            format!("{{{}}}", items.iter().map(config_text).collect::<Vec<_>>().join(", "))
        }
    }
}
