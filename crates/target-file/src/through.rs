//! Oracles over what a function shows of the states.
//!
//! Oracles such as Raft's invariants ask for states of a certain kind. The states of a target file are fields
//! with names; here they are turned into what an oracle asks for, each once when its node has run.

use std::any::Any;

use shakedown_check::{Doubt, Oracle, Seen};
use shakedown_cluster::{Board, Cluster, MessageIndex, Refusal, Step, Trace};
use shakedown_remote::PlainState;

type View<T> = Box<dyn Fn(&PlainState) -> Result<T, String>>;

/// An oracle that sees what `view` shows of the states.
pub(crate) struct Through<T> {
    oracle: Box<dyn Oracle<T>>,
    view: View<T>,
    states: Vec<T>,
    /// How many moments have been looked at.
    known: usize,
}

impl<T> Through<T> {
    pub fn new(
        oracle: Box<dyn Oracle<T>>,
        view: impl Fn(&PlainState) -> Result<T, String> + 'static,
    ) -> Through<T> {
        Through { oracle, view: Box::new(view), states: Vec::new(), known: 0 }
    }

    /// Brings the views up to date. What a node shows that is not of the kind the oracle asks for is a
    /// violation.
    fn look(&mut self, seen: &Seen<'_, PlainState>) -> Result<(), String> {
        if self.states.is_empty() {
            self.states = seen.states().iter().map(&self.view).collect::<Result<_, _>>()?;
        }
        for moment in &seen.board().moments()[self.known..] {
            let node = moment.node;
            self.states[node.index()] =
                (self.view)(seen.state(node)).map_err(|error| format!("{node}: {error}"))?;
        }
        Ok(())
    }
}

impl<T> Oracle<PlainState> for Through<T> {
    fn name(&self) -> &str {
        self.oracle.name()
    }

    fn about(&self) -> &str {
        self.oracle.about()
    }

    fn evaluations(&self) -> Option<u64> {
        self.oracle.evaluations()
    }

    fn after_step(&mut self, seen: &Seen<'_, PlainState>) -> Result<(), String> {
        self.look(seen)?;
        let fresh_from = std::mem::replace(&mut self.known, seen.board().moments().len());
        let shown = Shown { cluster: seen.cluster(), states: &self.states };
        self.oracle.after_step(&Seen::new(&shown, fresh_from))
    }

    fn at_end(&mut self, seen: &Seen<'_, PlainState>) -> Result<(), Doubt> {
        self.look(seen)?;
        let shown = Shown { cluster: seen.cluster(), states: &self.states };
        self.oracle.at_end(&Seen::new(&shown, seen.board().moments().len()))
    }
}

/// A cluster as an oracle sees it: nothing can be done to it.
struct Shown<'a, T> {
    cluster: &'a dyn Cluster<State = PlainState>,
    states: &'a [T],
}

impl<T> Cluster for Shown<'_, T> {
    type State = T;

    fn board(&self) -> &Board {
        self.cluster.board()
    }

    fn states(&self) -> &[T] {
        self.states
    }

    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        self.cluster.contents(message)
    }

    fn perform(&mut self, _step: &Step) -> Result<(), Refusal> {
        Err(Refusal::Stopped)
    }

    fn finish(self: Box<Self>) -> Trace {
        unreachable!("an oracle has a cluster by reference, and cannot end it")
    }
}
