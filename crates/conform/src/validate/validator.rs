//! The search: which states of the specification are compatible with what has been read so far.
//!
//! One line after the other is read. Before each of them some hidden actions may have happened, so the
//! candidates are closed under these first; then every candidate takes the action of the line, and those
//! states stay that are as the line says. A trace is a behaviour if some candidate is left at its end.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use shakedown_tla::walk::{ActionCall, Found, State, Walker};
use shakedown_tla::{Spec, Symbol, Value};

use super::event::{Action, Event, Names, Observed};
use super::line::Line;
use super::refusal::{Refusal, explain, explain_initial};
use super::{BadTrace, Limits, Summary};

/// Lays the lines of a trace beside a specification.
pub struct Validator {
    pub(super) spec: Spec,
    pub(super) walker: Walker,
    pub(super) names: Names,
    pub(super) limits: Limits,
    hidden: Rc<[Symbol]>,
    /// The states that are compatible with what has been read; nothing has been read while there are none.
    candidates: Vec<State>,
    /// The last line that was explained, and what it said.
    pub(super) last: Option<(u64, String)>,
    /// The first line at which candidates had to be left out, because there were too many.
    pub(super) cut_at: Option<u64>,
    /// Whether hidden actions went on beyond the limit.
    pub(super) hidden_cut: bool,
    summary: Summary,
}

/// What came of a line.
pub enum Reading {
    /// The trace is a behaviour up to this line.
    Explained,
    /// It is not: nothing explains this line.
    Refused(Box<Refusal>),
}

/// The states that the next line may start from.
pub(super) struct Closure {
    pub states: Vec<State>,
    /// Of how many of them no hidden action came before.
    pub own: usize,
}

impl Validator {
    /// A validator for a specification. Whatever bounds its model has are not looked at. The names of hidden
    /// actions are those of the next-state action; `*` stands for all of them.
    pub fn new(spec: Spec, hidden: &[String], limits: Limits) -> Result<Validator, BadTrace> {
        let walker = Walker::new(&spec)?;
        let names = Names::of(&walker);
        let mut symbols = Vec::new();
        for name in hidden {
            if name == "*" {
                symbols.extend(walker.actions().iter().map(|(name, _)| *name));
                continue;
            }
            let Some((symbol, _)) = names.action(name) else {
                return Err(BadTrace::Hidden { name: name.clone(), known: names.listed() });
            };
            symbols.push(*symbol);
        }
        Ok(Validator {
            spec,
            walker,
            names,
            limits,
            hidden: symbols.into(),
            candidates: Vec::new(),
            last: None,
            cut_at: None,
            hidden_cut: false,
            summary: Summary::default(),
        })
    }

    /// Reads a line that is no header. Once a line was refused, nothing more can be read.
    pub fn line(&mut self, number: u64, text: &str) -> Result<Reading, BadTrace> {
        let bad = |reason: String| BadTrace::Line { line: number, reason };
        let read = match Line::parse(text).map_err(bad)? {
            Line::Initial(_) if !self.candidates.is_empty() => {
                return Err(bad("`initial` comes before all events, and once".to_owned()));
            }
            Line::Initial(state) => {
                let observed = self.names.observed(state, &mut self.walker).map_err(bad)?;
                self.begin(number, &observed)
            }
            Line::Event(event) => {
                let event = self.names.event(event, &mut self.walker).map_err(bad)?;
                if self.candidates.is_empty() {
                    match self.begin(number, &Observed::default()) {
                        Ok(Reading::Explained) => self.event(number, &event),
                        other => other,
                    }
                } else {
                    self.event(number, &event)
                }
            }
        };
        read.map_err(|error| BadTrace::Evaluation { line: number, error })
    }

    /// What was read and what it took. A trace without a line is a behaviour of any specification that has
    /// one.
    pub fn summary(&self) -> Summary {
        Summary { candidates: self.candidates.len(), ..self.summary }
    }

    /// The states that are compatible with what has been read.
    pub fn candidates(&self) -> &[State] {
        &self.candidates
    }

    /// Reads states.
    pub fn walker(&mut self) -> &mut Walker {
        &mut self.walker
    }

    fn begin(&mut self, line: u64, observed: &Observed) -> shakedown_tla::Result<Reading> {
        let mut states = self.walker.initial_where(&mut |draft| observed.fits(draft))?;
        if states.is_empty() {
            return Ok(Reading::Refused(Box::new(explain_initial(self, line, observed)?)));
        }
        self.cut(line, &mut states);
        self.candidates = states;
        self.last = Some((line, "the initial state".to_owned()));
        Ok(Reading::Explained)
    }

    fn event(&mut self, line: u64, event: &Event) -> shakedown_tla::Result<Reading> {
        let closure = self.closure(line)?;
        let mut next = Vec::new();
        let mut seen = FxHashSet::default();
        let limit = self.limits.candidates;
        for (place, state) in closure.states.iter().enumerate() {
            if matches!(event.action, Action::Any)
                && self.walker.accepts(state, &mut |draft| event.state.fits(draft))?
                && seen.insert(state.fingerprint())
            {
                next.push(state.clone());
            }
            for found in self.take(state, event)? {
                if seen.insert(found.fingerprint()) {
                    next.push(found);
                }
            }
            if next.len() > limit && place + 1 < closure.states.len() {
                break;
            }
        }
        if next.is_empty() {
            return Ok(Reading::Refused(Box::new(explain(self, line, event, &closure)?)));
        }
        self.cut(line, &mut next);
        self.candidates = next;
        self.last = Some((line, event.action.to_string()));
        self.summary.events += 1;
        self.summary.candidates_most = self.summary.candidates_most.max(self.candidates.len());
        Ok(Reading::Explained)
    }

    /// The states that an event leads to from a state.
    fn take(&mut self, state: &State, event: &Event) -> shakedown_tla::Result<Vec<State>> {
        let mut accept = |draft: &mut shakedown_tla::walk::Draft<'_>| event.state.fits(draft);
        let found = match &event.action {
            Action::Any => self.walker.successors_where(state, Rc::new(|_, _| true), &mut accept)?,
            Action::Named(name, arguments) => {
                let (name, arguments) = (*name, Rc::clone(arguments));
                let choose = move |action: Symbol, values: &[Value]| {
                    action == name && arguments.iter().zip(values).all(|(known, value)| known.matches(value))
                };
                self.walker.successors_where(state, Rc::new(choose), &mut accept)?
            }
            Action::Called(call) => self.called(state, call, &mut accept)?,
        };
        self.summary.states_made += (found.successors.len() + found.rejected) as u64;
        Ok(found.successors.into_iter().map(|successor| successor.state).collect())
    }

    /// The arguments of a call come from the trace. Where they make no sense, the action has no value, and
    /// does not happen.
    fn called(
        &mut self,
        state: &State,
        call: &ActionCall,
        accept: &mut dyn FnMut(&mut shakedown_tla::walk::Draft<'_>) -> shakedown_tla::Result<bool>,
    ) -> shakedown_tla::Result<Found> {
        match self.walker.attempt_where(state, call, accept) {
            Err(error) if error.place().is_some() => Ok(Found::default()),
            other => other,
        }
    }

    /// The candidates, and what hidden actions lead to from them; those of the fewest hidden actions come
    /// first.
    fn closure(&mut self, line: u64) -> shakedown_tla::Result<Closure> {
        let own = self.candidates.len();
        let mut states = self.candidates.clone();
        if self.hidden.is_empty() {
            return Ok(Closure { states, own });
        }
        let mut seen: FxHashSet<u64> = states.iter().map(State::fingerprint).collect();
        let mut from = 0;
        for depth in 0..=self.limits.hidden {
            let until = states.len();
            for place in from..until {
                let hidden = Rc::clone(&self.hidden);
                let state = states[place].clone();
                let choose = Rc::new(move |action: Symbol, _: &[Value]| hidden.contains(&action));
                let found = self.walker.successors_where(&state, choose, &mut |_| Ok(true))?;
                self.summary.states_made += found.successors.len() as u64;
                let fresh =
                    found.successors.into_iter().filter(|found| !seen.contains(&found.state.fingerprint()));
                if depth == self.limits.hidden {
                    self.hidden_cut |= fresh.count() > 0;
                    continue;
                }
                let fresh: Vec<State> = fresh.map(|found| found.state).collect();
                states.extend(fresh.into_iter().filter(|state| seen.insert(state.fingerprint())));
                if states.len() > self.limits.candidates {
                    self.cut(line, &mut states);
                    return Ok(Closure { states, own });
                }
            }
            from = until;
        }
        Ok(Closure { states, own })
    }

    /// Leaves out candidates beyond the limit. What is explained by the rest is explained; what is not might
    /// still be.
    fn cut(&mut self, line: u64, states: &mut Vec<State>) {
        if states.len() > self.limits.candidates {
            states.truncate(self.limits.candidates);
            self.cut_at.get_or_insert(line);
        }
    }
}
