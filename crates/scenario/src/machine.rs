//! Properties: state machines over events.
//!
//! A machine begins in its first state. For every event it takes at most one transition: the first of its
//! state whose condition holds. States may be marked *success*; there is one *fail* state, which is never
//! left. An iteration succeeds if the machine is in a success state when the iteration ends, so a success
//! state may be left again.

use std::sync::Arc;

use crate::{Condition, EventView, Memory};

/// The name of the state that `goto_success` goes to.
pub const SUCCESS: &str = "success";
/// The name of the state that `goto_fail` goes to.
pub const FAIL: &str = "fail";

/// How long a machine may stay in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadline {
    /// So many steps of the execution.
    Steps(u64),
    /// So many ticks of the clock that is ahead of all others.
    Ticks(u64),
}

pub(crate) struct State<M> {
    pub name: &'static str,
    pub is_success: bool,
    pub deadline: Option<Deadline>,
    pub transitions: Vec<(Condition<M>, usize)>,
}

/// A property of executions, as a state machine.
pub struct Machine<M> {
    pub(crate) states: Vec<State<M>>,
    /// The state that is being described.
    at: usize,
}

/// A machine with one state, `start`.
pub fn machine<M: 'static>() -> Machine<M> {
    let mut machine = Machine { states: Vec::new(), at: 0 };
    machine.at = machine.state("start");
    machine
}

/// A transition that waits for the state that it leads to.
pub struct On<M> {
    machine: Machine<M>,
    condition: Condition<M>,
}

impl<M: 'static> Machine<M> {
    fn state(&mut self, name: &'static str) -> usize {
        if let Some(known) = self.states.iter().position(|state| state.name == name) {
            return known;
        }
        let is_success = name == SUCCESS;
        self.states.push(State { name, is_success, deadline: None, transitions: Vec::new() });
        self.states.len() - 1
    }

    /// In the state that is being described: when this holds, go …
    pub fn on(self, condition: Condition<M>) -> On<M> {
        On { machine: self, condition }
    }

    /// Describes this state from here on.
    #[must_use]
    pub fn from_state(mut self, name: &'static str) -> Machine<M> {
        self.at = self.state(name);
        self
    }

    /// The state that is being described counts as success.
    #[must_use]
    pub fn success(mut self) -> Machine<M> {
        self.states[self.at].is_success = true;
        self
    }

    /// The machine fails if it stays in the state that is being described for longer than this: bounded
    /// liveness.
    #[must_use]
    pub fn within(mut self, deadline: Deadline) -> Machine<M> {
        self.states[self.at].deadline = Some(deadline);
        self
    }

    pub(crate) fn names(&self) -> Arc<[&'static str]> {
        self.states.iter().map(|state| state.name).collect()
    }

    pub(crate) fn is_success(&self, state: usize) -> bool {
        self.states[state].is_success
    }

    pub(crate) fn is_fail(&self, state: usize) -> bool {
        self.states[state].name == FAIL
    }

    /// The state that the event leads to, if it leads to another.
    pub(crate) fn next(&self, event: &EventView<'_, M>, memory: &mut Memory<M>) -> Option<usize> {
        let transitions = &self.states[memory.state].transitions;
        let mut holds = |condition: &Condition<M>| condition.sees(event) && condition.holds(event, memory);
        transitions.iter().find(|(condition, _)| holds(condition)).map(|(_, to)| *to)
    }
}

impl<M: 'static> On<M> {
    /// … to this state, which is described from here on.
    pub fn goto(mut self, name: &'static str) -> Machine<M> {
        let to = self.lead_to(name);
        self.machine.at = to;
        self.machine
    }

    /// … to success. The state before is still the one that is described.
    pub fn goto_success(mut self) -> Machine<M> {
        self.lead_to(SUCCESS);
        self.machine
    }

    /// … to failure, which is never left. The state before is still the one that is described.
    pub fn goto_fail(mut self) -> Machine<M> {
        self.lead_to(FAIL);
        self.machine
    }

    fn lead_to(&mut self, name: &'static str) -> usize {
        let to = self.machine.state(name);
        let at = self.machine.at;
        self.machine.states[at].transitions.push((self.condition.clone(), to));
        to
    }
}
