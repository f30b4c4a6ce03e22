//! Oracles: what turns an execution into a verdict.

use shakedown_cluster::{Board, Cluster, Moment, NodeId, Step};

use crate::SpecStep;

/// What an oracle sees after a step: the board, and the last known state of every node.
pub struct Seen<'a, S> {
    cluster: &'a dyn Cluster<State = S>,
    board: &'a Board,
    states: &'a [S],
    fresh_from: usize,
}

impl<'a, S> Seen<'a, S> {
    /// What can be seen of the cluster now, when the moments from `fresh_from` on are new.
    pub fn new(cluster: &'a dyn Cluster<State = S>, fresh_from: usize) -> Seen<'a, S> {
        Seen { cluster, board: cluster.board(), states: cluster.states(), fresh_from }
    }

    /// The cluster itself, for oracles that read the messages under way.
    pub fn cluster(&self) -> &'a dyn Cluster<State = S> {
        self.cluster
    }

    /// The board.
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// The last known state of every node, also of those that are down.
    pub fn states(&self) -> &'a [S] {
        self.states
    }

    /// The last known state of a node.
    pub fn state(&self, node: NodeId) -> &'a S {
        &self.states[node.index()]
    }

    /// Every running node and its state.
    pub fn up(&self) -> impl Iterator<Item = (NodeId, &'a S)> + '_ {
        self.board.up().map(|node| (node, self.state(node)))
    }

    /// The nodes that ran since the oracle was last asked, each with its state; a node that is down now is
    /// left out. An invariant that held before can only have been broken by one of these.
    pub fn fresh(&self) -> impl Iterator<Item = (NodeId, &'a S)> + '_ {
        let node_of = |moment: &Moment| moment.node;
        self.board.moments()[self.fresh_from..]
            .iter()
            .map(node_of)
            .filter(|&node| self.board.is_up(node))
            .map(|node| (node, self.state(node)))
    }

    /// Those of [`Seen::fresh`] that do not lie: nothing is promised of what a liar holds.
    pub fn honest(&self) -> impl Iterator<Item = (NodeId, &'a S)> + '_ {
        self.fresh().filter(|&(node, _)| !self.board.node(node).lies)
    }

    /// How often the node has booted: a state from another life need not be comparable.
    pub fn life(&self, node: NodeId) -> u32 {
        self.board.node(node).lives
    }
}

/// What can be said of an oracle before anything is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OracleInfo {
    /// The property that it watches over.
    pub name: String,
    /// One line on what it checks; empty if nothing is known of it.
    pub about: String,
}

/// Turns an execution into a verdict, step by step. One is made anew for every execution.
pub trait Oracle<S> {
    /// The property that the oracle watches over, in a few words with hyphens ("election-safety").
    fn name(&self) -> &str;

    /// One line on what it checks, for lists of the properties of a target; empty if nothing is known of it.
    fn about(&self) -> &str {
        ""
    }

    /// Whether it wants to look before steps too.
    fn looks_before(&self) -> bool {
        false
    }

    /// Looks before a step, when the message that it may deliver is still there to be read. Only oracles that
    /// [ask for it](Oracle::looks_before) are called. The step may yet be refused: then nothing has happened.
    fn before_step(&mut self, _step: &Step, _cluster: &dyn Cluster<State = S>) {}

    /// Looks after a step; the error says what is wrong, with nodes and values.
    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String>;

    /// The name of what is checked, before anything is found: an oracle may take the name of its finding.
    fn subject(&self) -> &str {
        self.name()
    }

    /// How many evaluations so far could have failed: those in which the premise of the property held.
    /// Nothing if it does not count them; then an oracle that was asked counts as one whose premise held.
    fn evaluations(&self) -> Option<u64> {
        None
    }

    /// What the specification that it checks against says of the last step, or of boot: asked by reports
    /// alone, after every step. Nothing from oracles that check against none.
    fn spec_step(&mut self) -> Option<SpecStep> {
        None
    }

    /// Looks when the execution is over.
    fn at_end(&mut self, _seen: &Seen<'_, S>) -> Result<(), Doubt> {
        Ok(())
    }
}

/// Why an oracle does not say at the end that all is well.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Doubt {
    /// The property does not hold; this is what is wrong, with nodes and values.
    #[error("{0}")]
    Violated(String),
    /// It is not known whether the property holds, for this reason.
    #[error("inconclusive: {0}")]
    Unknown(String),
}

impl From<String> for Doubt {
    fn from(reason: String) -> Doubt {
        Doubt::Violated(reason)
    }
}

/// A property that must hold after every step, as a closure.
pub struct Invariant<F> {
    name: String,
    about: &'static str,
    holds: F,
}

/// The invariant of this name: `holds` is asked after every step.
pub fn invariant<S, F>(name: impl Into<String>, holds: F) -> Box<dyn Oracle<S>>
where
    F: FnMut(&Seen<'_, S>) -> Result<(), String> + 'static,
    S: 'static,
{
    described_invariant(name, "", holds)
}

/// The same with one line on what it checks, which lists of the properties of a target show.
pub fn described_invariant<S, F>(name: impl Into<String>, about: &'static str, holds: F) -> Box<dyn Oracle<S>>
where
    F: FnMut(&Seen<'_, S>) -> Result<(), String> + 'static,
    S: 'static,
{
    Box::new(Invariant { name: name.into(), about, holds })
}

impl<S, F: FnMut(&Seen<'_, S>) -> Result<(), String>> Oracle<S> for Invariant<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        self.about
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        (self.holds)(seen)
    }
}

/// A property that must hold when the execution is over, as a closure.
pub struct Finally<F> {
    name: String,
    holds: F,
    asked: u64,
}

/// The property of this name: `holds` is asked once, at the end.
pub fn finally<S, F>(name: impl Into<String>, holds: F) -> Box<dyn Oracle<S>>
where
    F: FnMut(&Seen<'_, S>) -> Result<(), String> + 'static,
    S: 'static,
{
    Box::new(Finally { name: name.into(), holds, asked: 0 })
}

impl<S, F: FnMut(&Seen<'_, S>) -> Result<(), String>> Oracle<S> for Finally<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn after_step(&mut self, _seen: &Seen<'_, S>) -> Result<(), String> {
        Ok(())
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.asked)
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        self.asked += 1;
        (self.holds)(seen).map_err(Doubt::Violated)
    }
}
