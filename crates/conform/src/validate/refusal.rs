//! Why a line is not explained: the candidate states, and what keeps every action from being what happened.

use std::fmt;

use serde_json::{Value as Json, json};
use shakedown_tla::Place;
use shakedown_tla::walk::{ActionCall, Attempt, State};

use super::event::{Action, Event, Observed};
use super::pattern::Difference;
use super::validator::{Closure, Validator};

/// How many candidates are looked at to say what is in the way.
const EXPLAINED_MAX: usize = 64;
/// How many candidates are kept in the report.
const STATES_KEPT_MAX: usize = 16;
/// How many obstacles are kept.
const OBSTACLES_MAX: usize = 1_000;

/// A line that nothing explains.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Its number, from 1.
    pub line: u64,
    /// What it says has happened.
    pub recorded: String,
    /// The last line that is explained, and what it said.
    pub explained: Option<(u64, String)>,
    /// How many states are compatible with the lines before.
    pub candidates: usize,
    /// How many states there are with those that hidden actions lead to.
    pub with_hidden: usize,
    /// The first of these states.
    pub states: Vec<CandidateState>,
    /// Every action that could have been it, with what is in its way.
    pub obstacles: Vec<Obstacle>,
    /// Whether more than the allowed number of hidden actions could have come before some line.
    pub hidden_cut: bool,
}

/// A state that is compatible with the lines before.
#[derive(Clone, Debug)]
pub struct CandidateState {
    /// As TLA+ writes it.
    pub text: String,
    /// As JSON, an object of the variables.
    pub json: Json,
}

/// An action that could have been it, and what is in its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The action.
    pub action: String,
    /// What is in its way.
    pub why: Why,
    /// In how many of the candidates.
    pub candidates: usize,
}

/// What is in the way of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is not enabled.
    Blocked {
        /// The conjunct that is false.
        place: Place,
        /// The line of the specification.
        conjunct: Option<String>,
    },
    /// It is enabled, but the state after it is not as the trace says.
    Differs(Vec<Difference>),
    /// It has no value with these arguments.
    Senseless(String),
    /// There is nothing that it could be done to, such as a message.
    NoInstance,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Blocked { place, conjunct: Some(conjunct) } => {
                write!(f, "is blocked at {place}: {conjunct}")
            }
            Why::Blocked { place, conjunct: None } => write!(f, "is blocked at {place}"),
            Why::Differs(differences) => {
                let differences: Vec<_> = differences.iter().map(ToString::to_string).collect();
                write!(f, "leads to a state where {}", differences.join("; "))
            }
            Why::Senseless(reason) => write!(f, "makes no sense: {reason}"),
            Why::NoInstance => f.write_str("has nothing that it could be done to"),
        }
    }
}

impl Refusal {
    /// The refusal as JSON.
    pub fn to_json(&self) -> Json {
        let obstacle = |obstacle: &Obstacle| {
            let mut json = json!({
                "action": obstacle.action,
                "candidates": obstacle.candidates,
                "reason": obstacle.why.to_string(),
            });
            match &obstacle.why {
                Why::Blocked { place, conjunct } => {
                    json["blocked_at"] = json!(place.to_string());
                    json["conjunct"] = json!(conjunct);
                }
                Why::Differs(differences) => {
                    let difference = |d: &Difference| json!({ "place": d.place, "trace": d.trace, "specification": d.specification });
                    json["differences"] = differences.iter().map(difference).collect();
                }
                Why::Senseless(_) | Why::NoInstance => {}
            }
            json
        };
        json!({
            "line": self.line,
            "said": self.recorded,
            "explained": self.explained.as_ref().map(|(line, recorded)| json!({ "line": line, "said": recorded })),
            "candidates": self.candidates,
            "candidates_with_hidden": self.with_hidden,
            "states": self.states.iter().map(|state| &state.json).collect::<Vec<_>>(),
            "obstacles": self.obstacles.iter().map(obstacle).collect::<Vec<_>>(),
            "hidden_cut": self.hidden_cut,
        })
    }
}

/// Why an event is not explained from any of these states.
pub(super) fn explain(
    validator: &mut Validator,
    line: u64,
    event: &Event,
    closure: &Closure,
) -> shakedown_tla::Result<Refusal> {
    let mut obstacles = Obstacles::default();
    for state in closure.states.iter().take(EXPLAINED_MAX) {
        match &event.action {
            Action::Called(call) => obstacles.add(call, try_out(validator, state, call, &event.state)?),
            Action::Any => {
                let differences = differences(validator, state, &event.state)?;
                obstacles.add(&"nothing happened", Why::Differs(differences));
                for instance in validator.walker.instances(state)? {
                    obstacles.add(&instance, try_out(validator, state, &instance, &event.state)?);
                }
            }
            Action::Named(name, arguments) => {
                let mut instances = validator.walker.instances(state)?;
                instances.retain(|instance| {
                    instance.name == *name
                        && arguments
                            .iter()
                            .zip(&instance.arguments)
                            .all(|(known, value)| known.matches(value))
                });
                if instances.is_empty() {
                    obstacles.add(&event.action, Why::NoInstance);
                }
                for instance in instances {
                    obstacles.add(&instance, try_out(validator, state, &instance, &event.state)?);
                }
            }
        }
    }
    Ok(refusal(validator, line, event.action.to_string(), (closure.own, &closure.states), obstacles))
}

/// Why no initial state is as the trace says.
pub(super) fn explain_initial(
    validator: &mut Validator,
    line: u64,
    observed: &Observed,
) -> shakedown_tla::Result<Refusal> {
    let states = validator.walker.initial()?;
    let mut obstacles = Obstacles::default();
    for state in states.iter().take(EXPLAINED_MAX) {
        let differences = differences(validator, state, observed)?;
        obstacles.add(&"the initial predicate", Why::Differs(differences));
    }
    Ok(refusal(validator, line, "the initial state".to_owned(), (states.len(), &states), obstacles))
}

fn refusal(
    validator: &mut Validator,
    line: u64,
    recorded: String,
    (candidates, states): (usize, &[State]),
    obstacles: Obstacles,
) -> Refusal {
    let walker = &mut validator.walker;
    let kept = |state: &State| CandidateState { text: walker.to_text(state), json: walker.to_json(state) };
    Refusal {
        line,
        recorded,
        candidates,
        with_hidden: states.len(),
        states: states.iter().take(STATES_KEPT_MAX).map(kept).collect(),
        explained: validator.last.clone(),
        obstacles: obstacles.sorted(),
        hidden_cut: validator.hidden_cut,
    }
}

/// What is in the way of an action in a state.
fn try_out(
    validator: &mut Validator,
    state: &State,
    call: &ActionCall,
    observed: &Observed,
) -> shakedown_tla::Result<Why> {
    match validator.walker.attempt(state, call) {
        Ok(Attempt::Blocked(place)) => {
            Ok(Why::Blocked { place, conjunct: validator.spec.line(place).map(str::to_owned) })
        }
        Ok(Attempt::Taken(states)) => {
            // Of several states the one that comes nearest.
            let mut nearest: Option<Vec<Difference>> = None;
            for state in states.iter().take(EXPLAINED_MAX) {
                let found = differences(validator, state, observed)?;
                if nearest.as_ref().is_none_or(|nearest| found.len() < nearest.len()) {
                    nearest = Some(found);
                }
            }
            Ok(Why::Differs(nearest.unwrap_or_default()))
        }
        Err(error) => Ok(Why::Senseless(error.to_string())),
    }
}

fn differences(
    validator: &mut Validator,
    state: &State,
    observed: &Observed,
) -> shakedown_tla::Result<Vec<Difference>> {
    let mut found = Vec::new();
    validator.walker.accepts(state, &mut |draft| {
        found = observed.differences(draft)?;
        Ok(found.is_empty())
    })?;
    Ok(found)
}

/// Obstacles with the number of candidates in which they are there.
#[derive(Default)]
struct Obstacles(Vec<Obstacle>);

impl Obstacles {
    fn add(&mut self, action: &dyn fmt::Display, why: Why) {
        let action = action.to_string();
        if let Some(known) = self.0.iter_mut().find(|known| known.why == why && known.action == action) {
            known.candidates += 1;
        } else if self.0.len() < OBSTACLES_MAX {
            self.0.push(Obstacle { action, why, candidates: 1 });
        }
    }

    /// What came nearest first: actions that are enabled and lead to few differences, then those that are not
    /// enabled.
    fn sorted(mut self) -> Vec<Obstacle> {
        self.0.sort_by_key(|obstacle| match &obstacle.why {
            Why::Differs(differences) => (0, differences.len()),
            Why::Blocked { .. } => (1, 0),
            Why::Senseless(_) => (2, 0),
            Why::NoInstance => (3, 0),
        });
        self.0
    }
}
