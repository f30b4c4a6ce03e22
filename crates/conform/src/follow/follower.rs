//! Following an execution on a model.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use shakedown_check::{Forbidden, LookedFor, SpecStep};
use shakedown_cluster::{Board, Cluster, Fingerprinter, Step};
use shakedown_tla::walk::State;

use super::EventMapping;
use super::event_mapping::{Counts, Heard};
use super::model::{self, Model};
use crate::{BadModel, ModelSource};

/// The implementation did what the model forbids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stutter {
    /// The action, with its arguments.
    pub action: String,
    /// What disables it.
    pub reason: String,
}

impl std::fmt::Display for Stutter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the model does not allow {} here: {}", self.action, self.reason)
    }
}

/// Follows one execution on a model.
pub struct Follower<S, M: EventMapping<S>> {
    mapping: M,
    model: Rc<RefCell<Model>>,
    state: State,
    heard: Heard<M::Event>,
    /// The actions that were disabled, by name.
    stutters: Vec<(&'static str, u64)>,
    /// The first stutter since the last call of `take_stutter`.
    stutter: Option<Stutter>,
    /// What was disabled in the last step: the places of the events, and the reasons.
    refused: Vec<(usize, Arc<str>)>,
    /// The actions that were taken: a bit for each, by number.
    taken: u64,
}

impl<S, M: EventMapping<S>> Follower<S, M> {
    /// Follows an execution from the model's first state.
    pub fn new(source: &ModelSource, mapping: M) -> Result<Follower<S, M>, BadModel> {
        let model = Model::of(source)?;
        let state = model.borrow().initial();
        Ok(Follower {
            mapping,
            model,
            state,
            heard: Heard::default(),
            stutters: Vec::new(),
            stutter: None,
            refused: Vec::new(),
            taken: 0,
        })
    }

    /// To be called before every step.
    pub fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) {
        self.mapping.before_step(step, cluster);
    }

    /// To be called after boot and after every step that was done. Every state that the model comes to is
    /// shown.
    pub fn after_step(&mut self, board: &Board, states: &[S], mut show: impl FnMut(&State)) {
        self.heard.events.clear();
        self.refused.clear();
        self.mapping.after_step(board, states, &mut self.heard);
        if self.heard.events.is_empty() {
            return;
        }
        let mut model = self.model.borrow_mut();
        for (place, event) in self.heard.events.iter().enumerate() {
            let mut fingerprinter = Fingerprinter::default();
            fingerprinter.add(event);
            let number = fingerprinter.finish().0 as u64;
            match model.step(&self.state, number, || M::action(event)) {
                model::Step::To(state) => {
                    self.taken |= 1_u64.checked_shl(M::number(event) as u32).unwrap_or_default();
                    self.state = state;
                    show(&self.state);
                }
                model::Step::Disabled(reason) => {
                    let action = M::action(event);
                    super::event_mapping::count(&mut self.stutters, action.name.as_str(), 1);
                    if self.stutter.is_none() {
                        let (action, reason) = (action.to_string(), reason.to_string());
                        self.stutter = Some(Stutter { action, reason });
                    }
                    self.refused.push((place, reason));
                }
            }
        }
    }

    /// The state that the model is in.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state that the model is in, as TLA+ text.
    pub fn state_text(&self) -> String {
        self.model.borrow_mut().text(&self.state)
    }

    /// What the last step was to the model.
    pub fn spec_step(&self) -> SpecStep {
        let action = |(place, event): (usize, &M::Event)| {
            let action = M::action(event);
            match self.refused.iter().find(|(refused, _)| *refused == place) {
                Some((_, reason)) => format!("{action}: not allowed here, {reason}"),
                None => action.to_string(),
            }
        };
        let forbidden = self.refused.first().and_then(|(place, reason)| {
            let event = self.heard.events.get(*place)?;
            Some(Forbidden { action: M::action(event).to_string(), reason: reason.to_string() })
        });
        SpecStep {
            actions: self.heard.events.iter().enumerate().map(action).collect(),
            forbidden,
            state: self.state_text(),
        }
    }

    /// The actions that were taken.
    pub(crate) fn taken(&self) -> LookedFor {
        LookedFor { names: M::ACTIONS, happened: self.taken }
    }

    /// The first stutter since this was asked last.
    pub fn take_stutter(&mut self) -> Option<Stutter> {
        self.stutter.take()
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.heard.counts
    }

    pub(crate) fn stutters(&self) -> &[(&'static str, u64)] {
        &self.stutters
    }
}
