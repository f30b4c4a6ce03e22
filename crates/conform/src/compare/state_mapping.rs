//! State mappings: how the states and steps of an implementation compare with a specification.

use std::hash::Hash;

use shakedown_cluster::{Cluster, Step};
use shakedown_explore::Sight;
use shakedown_tla::walk::ActionCall;

use super::{Misread, Variables};

/// Compares the states and steps of an implementation with the variables and actions of a specification. One
/// is made for every execution and may remember things of it; others read the specification alone, and see no
/// execution.
///
/// Both sides are turned into plain Rust types, so that they are compared at the speed of Rust:
/// [`StateMapping::View`] holds the mapped variables of all nodes and the messages under way,
/// [`StateMapping::Action`] an action with its arguments. What of a specification's state is not mapped is
/// simply not in the view; say in the documentation why.
pub trait StateMapping<S>: 'static {
    /// The mapped variables.
    type View: PartialEq;
    /// An action with its arguments.
    type Action: Clone + Eq + Hash + Send + Sync + 'static;

    /// The mapped variables of a state of the specification.
    fn spec_view(&self, variables: &Variables) -> Result<Self::View, Misread>;

    /// An action of the specification, in a cluster of `nodes` nodes.
    fn read_action(&self, call: &ActionCall, nodes: usize) -> Result<Self::Action, Misread>;

    /// The same the other way round: how the specification calls an action, in a state of these variables. A
    /// specification may know more of a message than the implementation does; then it is found among those
    /// under way.
    fn call(&self, action: &Self::Action, variables: &Variables) -> ActionCall;

    /// Whether the action is the implementation's own (a message handled, a clock that goes on), and not the
    /// environment's, which sends requests, crashes nodes and loses messages.
    fn is_own(&self, action: &Self::Action) -> bool;

    /// A view for people: each variable of each node, each message.
    fn show(&self, view: &Self::View) -> Vec<Shown>;

    /// How many nodes the view is of.
    fn nodes(&self, view: &Self::View) -> usize;

    /// The mapped variables of the implementation as it stands.
    fn view(&mut self, cluster: &dyn Cluster<State = S>) -> Self::View;

    /// Which action a step is. It is asked before the step is done, when the message that it delivers can
    /// still be read; also about steps that could be done, to find out what the implementation offers.
    fn action(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) -> Meaning<Self::Action>;

    /// What the step turned out to be, once it is done: for steps whose meaning is not known before.
    fn outcome(
        &mut self,
        meaning: Meaning<Self::Action>,
        _cluster: &dyn Cluster<State = S>,
    ) -> Meaning<Self::Action> {
        meaning
    }

    /// The steps that do an action; the reason if the implementation cannot do it here.
    fn steps(&self, action: &Self::Action, sight: &Sight<'_>) -> Result<Vec<Step>, String>;
}

/// What a step is to the specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning<A> {
    /// This action.
    Action(A),
    /// Nothing: the mapped variables stay as they are.
    Nothing,
    /// The mapping does not know, for this reason: from here on the execution is not compared.
    Unknown(&'static str),
}

/// A variable of a view, or a part of one, as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The variable of the specification.
    pub variable: &'static str,
    /// Of which node, or which message.
    pub of: String,
    /// Its value.
    pub value: String,
}

impl Shown {
    /// A variable and its value.
    pub fn new(variable: &'static str, of: impl ToString, value: impl ToString) -> Shown {
        Shown { variable, of: of.to_string(), value: value.to_string() }
    }
}
