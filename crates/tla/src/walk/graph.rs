//! The whole state graph with labelled edges.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use serde_json::json;

use super::{ActionCall, State, Walker};
use crate::error::{Error, Result};

/// A state graph. Parallel edges are kept: two actions that lead from one state to the same other are two
/// edges.
///
/// An edge is three numbers. There are far fewer different actions than edges, and a message among the
/// arguments of an action is much larger than a number; so each stands here once, under its label.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The states, in the order of discovery.
    pub states: Vec<State>,
    /// How many of them are initial: the first ones.
    pub initial: usize,
    /// The different actions with their arguments, in the order of discovery.
    pub labels: Vec<ActionCall>,
    /// The edges, in the order of discovery.
    pub edges: Vec<GraphEdge>,
    /// Whether states that are not equal may count as one: the configuration has SYMMETRY or VIEW. A path
    /// through such a graph need not be a behaviour.
    pub is_quotient: bool,
}

/// An edge of a state graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphEdge {
    /// The position of the state it starts from.
    pub from: u32,
    /// The position of the state it leads to.
    pub to: u32,
    /// The position of its action among the labels.
    pub label: u32,
}

impl Graph {
    /// The action of an edge of this graph.
    pub fn action(&self, edge: &GraphEdge) -> &ActionCall {
        &self.labels[edge.label as usize]
    }
}

/// Finds the label of an action.
#[derive(Default)]
struct Labels(FxHashMap<ActionCall, u32>);

impl Labels {
    /// The label of an action; a new one if it has none yet.
    fn of(&mut self, action: ActionCall, labels: &mut Vec<ActionCall>) -> Result<u32> {
        if let Some(label) = self.0.get(&action) {
            return Ok(*label);
        }
        let label = number(labels.len(), "different actions")?;
        labels.push(action.clone());
        self.0.insert(action, label);
        Ok(label)
    }
}

/// A position as the graph keeps it.
fn number(position: usize, what: &str) -> Result<u32> {
    u32::try_from(position).map_err(|_| {
        let message = format!("the graph has more than {} {what}", u32::MAX);
        Box::new(Error::Limit { message })
    })
}

impl Walker {
    /// The graph of all reachable states and steps within the constraints; an error if there are more than
    /// `states_max`.
    pub fn graph(&mut self, states_max: usize) -> Result<Graph> {
        let is_quotient = self.model.view.is_some() || !self.model.symmetry.is_empty();
        let mut graph = Graph { is_quotient, ..Graph::default() };
        let mut labels = Labels::default();
        let mut positions: FxHashMap<u64, u32> = FxHashMap::default();
        for state in self.initial()? {
            if self.within_constraints(&state)? {
                positions.insert(state.fingerprint(), number(graph.states.len(), "states")?);
                graph.states.push(state);
            }
        }
        graph.initial = graph.states.len();
        let mut from = 0;
        while from < graph.states.len() {
            let state = graph.states[from].clone();
            for successor in self.expand(&state, true)? {
                let to = match positions.get(&successor.state.fingerprint()) {
                    Some(to) => *to,
                    None => {
                        if !self.within_constraints(&successor.state)? {
                            continue;
                        }
                        if graph.states.len() >= states_max {
                            let message = format!("the graph has more than {states_max} states");
                            return Err(Box::new(Error::Limit { message }));
                        }
                        let to = number(graph.states.len(), "states")?;
                        positions.insert(successor.state.fingerprint(), to);
                        graph.states.push(successor.state);
                        to
                    }
                };
                number(graph.edges.len(), "edges")?;
                let label = labels.of(successor.action, &mut graph.labels)?;
                graph.edges.push(GraphEdge { from: number(from, "states")?, to, label });
            }
            from += 1;
        }
        Ok(graph)
    }

    fn within_constraints(&mut self, state: &State) -> Result<bool> {
        if self.model.constraints.is_empty() {
            return Ok(true);
        }
        self.enter(state)?;
        for constraint in &self.model.constraints {
            if !self.model.machine.holds_apart(&constraint.expr, constraint.place)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A graph in the language of Graphviz.
    pub fn to_dot(&mut self, graph: &Graph) -> String {
        let mut text = String::from("digraph states {\n  node [shape=box, fontname=monospace];\n");
        for (index, state) in graph.states.iter().enumerate() {
            let label = escape(&self.to_text(state));
            let style = if index < graph.initial { ", style=bold" } else { "" };
            let _ = writeln!(text, "  s{index} [label=\"{label}\"{style}];");
        }
        for edge in &graph.edges {
            let label = escape(&graph.action(edge).to_string());
            let _ = writeln!(text, "  s{} -> s{} [label=\"{label}\"];", edge.from, edge.to);
        }
        text.push_str("}\n");
        text
    }

    /// A graph as JSON: states as objects of their variables, edges with the action's name and arguments.
    pub fn graph_to_json(&mut self, graph: &Graph) -> serde_json::Value {
        let states: Vec<serde_json::Value> = graph.states.iter().map(|state| self.to_json(state)).collect();
        let edges: Vec<serde_json::Value> = graph
            .edges
            .iter()
            .map(|edge| {
                let action = graph.action(edge);
                let arguments: Vec<serde_json::Value> =
                    action.arguments.iter().map(crate::value::Value::to_json).collect();
                json!({
                    "from": edge.from,
                    "to": edge.to,
                    "action": action.name.as_str(),
                    "arguments": arguments,
                })
            })
            .collect();
        json!({ "initial": graph.initial, "states": states, "edges": edges })
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l")
}
