//! Models: specifications that are walked.
//!
//! A walker is expensive to make and belongs to its thread, so each thread keeps one for every model that it
//! has walked. What was walked once is remembered: executions that begin alike, as mutants of one input do,
//! walk the same way through the model, and most of their actions are looked up.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakedown_tla::walk::{ActionCall, Attempt, State, Walker};
use shakedown_tla::{Config, Place, Spec};

/// How many steps of a model are remembered; beyond that, all are forgotten.
const KNOWN_MAX: usize = 1 << 16;
/// How many models a thread keeps.
const MODELS_MAX: usize = 8;

/// A specification and its configuration: all that a model is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelSource {
    /// Every module, the root first: its name and its text.
    pub modules: &'static [(&'static str, &'static str)],
    /// The configuration, as TLC reads it: constants, `INIT` and `NEXT` or `SPECIFICATION`.
    pub config: String,
    /// A definition of what matters of a state: of consecutive states that agree in it only the first counts.
    pub abstraction: Option<&'static str>,
}

/// Why a model cannot be had.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the model {model} cannot be walked: {reason}")]
pub struct BadModel {
    /// Its root module.
    pub model: String,
    /// What is wrong.
    pub reason: String,
}

/// A model that is being walked by executions of this thread.
pub(crate) struct Model {
    walker: Walker,
    initial: State,
    known: FxHashMap<(u64, u64), Step>,
    source: ModelSource,
}

/// What came of an action.
#[derive(Clone)]
pub(crate) enum Step {
    /// The state that it led to.
    To(State),
    /// It is disabled; this is what disables it.
    Disabled(Arc<str>),
}

thread_local! {
    static MODELS: RefCell<Vec<Rc<RefCell<Model>>>> = const { RefCell::new(Vec::new()) };
}

impl Model {
    /// The model of this source that this thread keeps.
    pub fn of(source: &ModelSource) -> Result<Rc<RefCell<Model>>, BadModel> {
        MODELS.with_borrow_mut(|models| {
            if let Some(known) = models.iter().find(|model| model.borrow().source == *source) {
                return Ok(Rc::clone(known));
            }
            let made = Rc::new(RefCell::new(Model::new(source)?));
            if models.len() >= MODELS_MAX {
                models.remove(0);
            }
            models.push(Rc::clone(&made));
            Ok(made)
        })
    }

    fn new(source: &ModelSource) -> Result<Model, BadModel> {
        let root = source.modules.first().map_or("", |(name, _)| *name);
        let bad = |reason: String| BadModel { model: root.to_owned(), reason };
        let modules: HashMap<String, String> =
            source.modules.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let config = Config::parse(&source.config).map_err(|error| bad(error.to_string()))?;
        let spec = Spec::load(root, config, &modules).map_err(|error| bad(error.to_string()))?;
        let mut walker = Walker::new(&spec).map_err(|error| bad(error.to_string()))?;
        if let Some(abstraction) = source.abstraction {
            walker.abstract_by(abstraction).map_err(|error| bad(error.to_string()))?;
        }
        let initial = walker.initial().map_err(|error| bad(error.to_string()))?.into_iter().next();
        let initial = initial.ok_or_else(|| bad("it has no initial state".to_owned()))?;
        Ok(Model { walker, initial, known: FxHashMap::default(), source: source.clone() })
    }

    pub fn initial(&self) -> State {
        self.initial.clone()
    }

    /// Runs an action from a state. The number stands for the action.
    pub fn step(&mut self, from: &State, number: u64, action: impl FnOnce() -> ActionCall) -> Step {
        let key = (from.fingerprint(), number);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let action = action();
        let step = match self.walker.attempt(from, &action) {
            Ok(Attempt::Taken(states)) => match states.into_iter().next() {
                Some(state) => Step::To(state),
                None => Step::Disabled("it leads nowhere".into()),
            },
            Ok(Attempt::Blocked(place)) => Step::Disabled(self.blocked_at(place).into()),
            Err(error) => Step::Disabled(error.to_string().into()),
        };
        if self.known.len() >= KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(key, step.clone());
        step
    }

    /// A state as TLA+ text.
    pub fn text(&mut self, state: &State) -> String {
        self.walker.to_text(state)
    }

    /// The conjunct at a place, with the line that it stands in.
    fn blocked_at(&self, place: Place) -> String {
        let module = self.source.modules.iter().find(|(name, _)| *name == place.module.as_str());
        let line = (place.line as usize).checked_sub(1);
        match module.zip(line).and_then(|((_, text), line)| text.lines().nth(line)) {
            Some(words) => format!("`{}` ({place})", words.trim()),
            None => place.to_string(),
        }
    }
}
