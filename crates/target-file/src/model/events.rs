//! Following: what happens as actions of the specification.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use shakedown_cluster::{Board, Cluster, Happening, Step};
use shakedown_conform::ActionCall;
use shakedown_conform::follow::{EventMapping, Heard, Projection};
use shakedown_remote::PlainState;
use shakedown_tla::Value as TlaValue;
use shakedown_tla::config::ConfigValue;

use super::Model;
use super::moment::Moment;
use super::occurrence::{Occurrence, Sort};
use crate::sights::{States, requests_value, up_value};

/// An action with its arguments.
pub(super) struct TextEvent {
    name: String,
    arguments: Vec<TlaValue>,
}

impl Hash for TextEvent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.arguments.iter().for_each(|argument| state.write_u64(argument.hash64()));
    }
}

/// What a step is, before it is done.
enum Pending {
    /// An action, by the place of its table, with its arguments and what was seen.
    Action(usize, Vec<TlaValue>, Box<Moment>),
    /// An action whose expressions cannot be evaluated.
    Failed(String, String),
    /// No table fits.
    Nothing(Sort, Option<&'static str>),
}

/// Maps one execution.
pub(super) struct TextEvents {
    model: Arc<Model>,
    states: States,
    /// The states before the step that is about to be done.
    before: Option<TlaValue>,
    pending: Option<Pending>,
    /// How many moments have been taken in.
    known: u32,
}

impl TextEvents {
    pub fn new(model: Arc<Model>) -> TextEvents {
        TextEvents { model, states: States::default(), before: None, pending: None, known: 0 }
    }

    fn moment(&mut self, board: &Board, states: &[PlainState]) -> Result<Moment, String> {
        let state = self.states.function(board, states)?;
        let before = self.before.clone().unwrap_or_else(|| state.clone());
        Ok(Moment {
            state,
            before,
            up: up_value(board),
            requests: requests_value(board)?,
            ..Moment::default()
        })
    }

    fn pending(
        &mut self,
        step: &Step,
        cluster: &dyn Cluster<State = PlainState>,
    ) -> Result<Option<Pending>, String> {
        let board = cluster.board();
        self.before = None;
        let moment = self.moment(board, cluster.states())?;
        self.before = Some(moment.state.clone());
        let Some(occurrence) = Occurrence::of_step(step, board, |message| cluster.contents(message))? else {
            return Ok(None);
        };
        let moment = occurrence.within(moment);
        Ok(Some(match self.model.chosen(&occurrence, &moment, board.size()) {
            Ok(Some((place, arguments))) => Pending::Action(place, arguments, Box::new(moment)),
            Ok(None) => Pending::Nothing(occurrence.sort, occurrence.name),
            Err((name, error)) => Pending::Failed(name, error),
        }))
    }

    /// Whether what has to hold after an action does.
    fn holds_after(&self, place: usize, moment: &Moment, now: &Moment, nodes: usize) -> Result<bool, String> {
        let Some(after) = self.model.actions[place].after else { return Ok(true) };
        let Moment { state, before, up, requests, .. } = now.clone();
        self.model.expressions.holds(
            after,
            nodes,
            &Moment { state, before, up, requests, ..moment.clone() }.values(),
        )
    }

    fn hear(
        &mut self,
        board: &Board,
        states: &[PlainState],
        heard: &mut Heard<TextEvent>,
    ) -> Result<(), String> {
        let now = self.moment(board, states)?;
        match self.pending.take() {
            None => {}
            Some(Pending::Action(place, arguments, moment)) => {
                match self.holds_after(place, &moment, &now, board.size())? {
                    true => {
                        let name = self.model.actions[place].name.clone();
                        heard.event(TextEvent { name, arguments });
                    }
                    false => heard.ignore(self.model.actions[place].on.sort.word()),
                }
            }
            Some(Pending::Failed(name, error)) => heard.event(failed(name, &error)),
            Some(Pending::Nothing(Sort::Receive, Some(kind))) => heard.unknown(kind),
            Some(Pending::Nothing(sort, _)) => heard.ignore(sort.word()),
        }
        for event in board.events_from(self.known) {
            let Happening::Internal(fact) = event.what else { continue };
            let occurrence = Occurrence::of_fact(board.moments()[event.moment as usize].node, fact);
            match self.model.chosen(&occurrence, &occurrence.within(now.clone()), board.size()) {
                Ok(Some((place, arguments))) => {
                    heard.event(TextEvent { name: self.model.actions[place].name.clone(), arguments });
                }
                Ok(None) => heard.ignore("fact"),
                Err((name, error)) => heard.event(failed(name, &error)),
            }
        }
        self.known = board.moments().len() as u32;
        Ok(())
    }
}

/// Stands for an action whose expressions cannot be evaluated: the specification refuses it, and the reason
/// is shown.
fn failed(name: String, error: &str) -> TextEvent {
    TextEvent { name, arguments: vec![TlaValue::string(error)] }
}

impl EventMapping<PlainState> for TextEvents {
    type Event = TextEvent;

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = PlainState>) {
        self.pending = match self.pending(step, cluster) {
            Ok(pending) => pending,
            Err(error) => Some(Pending::Failed("Unreadable".to_owned(), error)),
        };
    }

    fn after_step(&mut self, board: &Board, states: &[PlainState], heard: &mut Heard<TextEvent>) {
        if let Err(error) = self.hear(board, states, heard) {
            heard.event(failed("Unreadable".to_owned(), &error));
        }
    }

    fn action(event: &TextEvent) -> ActionCall {
        ActionCall::new(&event.name, event.arguments.clone())
    }
}

/// What can be seen of the specification's variables, for traces.
pub(super) struct TextProjection {
    model: Arc<Model>,
    states: States,
}

impl TextProjection {
    pub fn new(model: Arc<Model>) -> TextProjection {
        TextProjection { model, states: States::default() }
    }
}

impl Projection<PlainState> for TextProjection {
    fn constants(&self, board: &Board) -> Map<String, Json> {
        let constants = self.model.constant_values(board.size()).unwrap_or_default();
        constants.into_iter().map(|(name, value)| (name.to_owned(), constant_json(&value))).collect()
    }

    fn state(&mut self, board: &Board, states: &[PlainState]) -> Map<String, Json> {
        let Ok(state) = self.states.function(board, states) else { return Map::new() };
        let moment = Moment { state: state.clone(), before: state, up: up_value(board), ..Moment::default() };
        let values = moment.values();
        // What is under way is not on the board.
        let seen =
            self.model.state.iter().filter(|(_, place)| !self.model.expressions.mentions(*place, "network"));
        let value = |(name, place): &(&'static str, usize)| {
            let value = self.model.expressions.evaluate(*place, board.size(), &values).ok()?;
            Some(((*name).to_owned(), value.to_json()))
        };
        seen.filter_map(value).collect()
    }
}

/// A constant as the header of a trace has it: sets are lists.
fn constant_json(value: &ConfigValue) -> Json {
    match value {
        ConfigValue::Int(number) => Json::from(*number),
        ConfigValue::Str(text) => Json::from(text.as_str()),
        ConfigValue::Bool(truth) => Json::from(*truth),
        ConfigValue::Model(name) => Json::from(name.as_str()),
        ConfigValue::Set(items) => items.iter().map(constant_json).collect(),
    }
}
