//! The state graph, laid out for going through it.

use std::ops::Range;

use shakedown_tla::walk::{ActionCall, Graph, State};
use thiserror::Error;

/// A state graph in few bytes: three numbers an edge, and the edges of a state side by side.
///
/// States are numbered from 0, the initial ones first; edges are numbered by the state that they leave, then
/// by label. Two edges are the same if they leave the same state, lead to the same state and have the same
/// label: there is one of them only. Edges between the same two states with different labels are different
/// edges.
#[derive(Clone, Debug)]
pub struct StateGraph {
    initial: u32,
    /// For every state the first of its edges; one more at the end.
    first: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    label: Vec<u32>,
    labels: Vec<ActionCall>,
}

/// Numbers that are no graph, or a graph that is of no use here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadGraph {
    /// Its paths need not be behaviours.
    #[error(
        "with SYMMETRY or VIEW, states count as one that are not equal, and paths through them are no behaviours: leave it out \
         of the configuration"
    )]
    Quotient,
    /// More than 32 bits can count.
    #[error("there are {count} {what}, and a graph holds {} at most", u32::MAX - 1)]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// More initial states than states.
    #[error("{initial} of {states} states are initial")]
    Initial {
        /// How many are initial.
        initial: u32,
        /// How many there are.
        states: u32,
    },
    /// An edge with an end that is no state, or with a label that is none.
    #[error("edge {position} names {what} {number}, and there are {count}")]
    Edge {
        /// The place of the edge in the list.
        position: usize,
        /// What is wrong with it.
        what: &'static str,
        /// The number it names.
        number: u32,
        /// How many there are.
        count: usize,
    },
}

impl StateGraph {
    /// The graph that a walker has found, and the states that its numbers stand for.
    pub fn new(graph: Graph) -> Result<(StateGraph, Vec<State>), BadGraph> {
        let Graph { states, initial, labels, edges, is_quotient } = graph;
        if is_quotient {
            return Err(BadGraph::Quotient);
        }
        let (count, initial) = (number("states", states.len())?, number("states", initial)?);
        let edges = edges.into_iter().map(|edge| (edge.from, edge.to, edge.label)).collect();
        Ok((StateGraph::from_edges(count, initial, labels, edges)?, states))
    }

    /// A graph of so many states, of which the first `initial` ones are initial. An edge is where it leaves,
    /// where it leads, and the place of its action among the labels.
    pub fn from_edges(
        states: u32,
        initial: u32,
        labels: Vec<ActionCall>,
        mut edges: Vec<(u32, u32, u32)>,
    ) -> Result<StateGraph, BadGraph> {
        number("states", states as usize)?;
        number("edges", edges.len())?;
        number("labels", labels.len())?;
        if initial > states {
            return Err(BadGraph::Initial { initial, states });
        }
        for (position, (from, to, label)) in edges.iter().enumerate() {
            let wrong = |what, number, count| BadGraph::Edge { position, what, number, count };
            for state in [*from, *to] {
                if state >= states {
                    return Err(wrong("state", state, states as usize));
                }
            }
            if *label as usize >= labels.len() {
                return Err(wrong("label", *label, labels.len()));
            }
        }
        edges.sort_unstable_by_key(|(from, to, label)| (*from, *label, *to));
        edges.dedup();
        let mut first = vec![0; states as usize + 1];
        for (from, _, _) in &edges {
            first[*from as usize + 1] += 1;
        }
        for state in 0..states as usize {
            first[state + 1] += first[state];
        }
        Ok(StateGraph {
            initial,
            first,
            from: edges.iter().map(|edge| edge.0).collect(),
            to: edges.iter().map(|edge| edge.1).collect(),
            label: edges.iter().map(|edge| edge.2).collect(),
            labels,
        })
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    /// How many of them are initial: the first ones.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// How many edges there are.
    pub fn edges(&self) -> u32 {
        self.to.len() as u32
    }

    /// The edges that leave a state, by label.
    #[inline]
    pub fn out(&self, state: u32) -> Range<u32> {
        self.first[state as usize]..self.first[state as usize + 1]
    }

    /// The edges that leave a state with this label. There may be several: an action may leave something
    /// open.
    pub fn labelled(&self, state: u32, label: u32) -> Range<u32> {
        let Range { start, end } = self.out(state);
        let labels = &self.label[start as usize..end as usize];
        let begin = labels.partition_point(|known| *known < label);
        let length = labels[begin..].iter().take_while(|known| **known == label).count();
        start + begin as u32..start + (begin + length) as u32
    }

    /// The state that an edge leaves.
    #[inline]
    pub fn from(&self, edge: u32) -> u32 {
        self.from[edge as usize]
    }

    /// The state that an edge leads to.
    #[inline]
    pub fn to(&self, edge: u32) -> u32 {
        self.to[edge as usize]
    }

    /// The label of an edge: the place of its action in [`StateGraph::labels`].
    #[inline]
    pub fn label(&self, edge: u32) -> u32 {
        self.label[edge as usize]
    }

    /// The action of an edge, with its arguments.
    pub fn action(&self, edge: u32) -> &ActionCall {
        &self.labels[self.label(edge) as usize]
    }

    /// All labels: the different actions with their arguments.
    pub fn labels(&self) -> &[ActionCall] {
        &self.labels
    }
}

/// One less than 32 bits can count, so that there is a number for none.
fn number(what: &'static str, count: usize) -> Result<u32, BadGraph> {
    match u32::try_from(count) {
        Ok(number) if number < u32::MAX => Ok(number),
        _ => Err(BadGraph::TooLarge { what, count }),
    }
}
