//! Suites: the state graph of a model, and paths through it that are played on an implementation.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

use shakedown_cluster::{Step, Trace};
use shakedown_explore::{Execution, Experience, Explorer, Sight, Strategy};
use shakedown_tla::walk::{ActionCall, State};

use super::{SpecSource, StateMapping, Variables};
use crate::BadModel;
use crate::paths::{BadGraph, Path, StateGraph};

/// A state graph that threads share: of its labels, only the actions that they stand for in Rust.
pub(super) struct KnownGraph {
    pub states: Vec<State>,
    pub initial: u32,
    /// For every state the first of its edges; one more at the end.
    pub first: Vec<u32>,
    pub label: Vec<u32>,
    pub to: Vec<u32>,
    /// The actions with their arguments as text, by label.
    pub names: Vec<String>,
    /// The mapping's actions, by label: an `Arc<Vec<M::Action>>`.
    pub actions: Box<dyn Any + Send + Sync>,
    pub nodes: usize,
}

impl KnownGraph {
    fn new(
        graph: &StateGraph,
        states: Vec<State>,
        nodes: usize,
        actions: impl Any + Send + Sync,
    ) -> KnownGraph {
        KnownGraph {
            states,
            initial: graph.initial(),
            first: (0..graph.states()).map(|state| graph.out(state).start).chain([graph.edges()]).collect(),
            label: (0..graph.edges()).map(|edge| graph.label(edge)).collect(),
            to: (0..graph.edges()).map(|edge| graph.to(edge)).collect(),
            names: graph.labels().iter().map(ToString::to_string).collect(),
            actions: Box::new(actions),
            nodes,
        }
    }

    /// The graph for going through it. Of its labels only the names are left.
    fn graph(&self) -> Result<StateGraph, BadGraph> {
        let name = |text: &String| ActionCall::new(text.split('(').next().unwrap_or_default(), Vec::new());
        let labels = self.names.iter().map(name).collect();
        let from = self
            .first
            .windows(2)
            .zip(0..)
            .flat_map(|(ends, from)| std::iter::repeat_n(from, (ends[1] - ends[0]) as usize));
        let edges = from.zip(&self.to).zip(&self.label).map(|((from, to), label)| (from, *to, *label));
        StateGraph::from_edges(self.states.len() as u32, self.initial, labels, edges.collect())
    }
}

/// Makes mappings.
pub(super) type Make<M> = Arc<dyn Fn() -> M + Send + Sync>;
type StepsOf = dyn Fn(u32, &Sight<'_>) -> Result<Vec<Step>, String> + Send + Sync;

/// The state graph of a model, ready to be played on an implementation.
pub struct Suite {
    graph: StateGraph,
    nodes: usize,
    play: Play,
}

impl Suite {
    /// The state graph of a specification, of at most so many states, with the actions of this mapping. It is
    /// built once, and known to all copies of the source from then on.
    pub(super) fn of<S, M: StateMapping<S>>(
        source: &SpecSource,
        states_max: usize,
        make: &Make<M>,
    ) -> Result<Suite, BadModel> {
        let bad = |error: &dyn ToString| source.bad(error.to_string());
        let (graph, known) = match source.graph().get() {
            Some(known) if known.states.len() <= states_max => {
                (known.graph().map_err(|error| bad(&error))?, Arc::clone(known))
            }
            _ => {
                let mut walker = source.walker()?;
                let graph = walker.graph(states_max).map_err(|error| bad(&error))?;
                let (graph, states) = StateGraph::new(graph).map_err(|error| bad(&error))?;
                if states.is_empty() {
                    return Err(bad(&"it has no initial state within its bounds"));
                }
                let (nodes, mapping) = (nodes_of::<S, M>(source, make)?, make());
                let read = graph.labels().iter().map(|call| mapping.read_action(call, nodes));
                let actions = read.collect::<Result<Vec<M::Action>, _>>().map_err(|error| bad(&error))?;
                let known = Arc::new(KnownGraph::new(&graph, states, nodes, Arc::new(actions)));
                // Whoever was first has found the same.
                (graph, Arc::clone(source.graph().get_or_init(|| known)))
            }
        };
        let actions = known.actions.downcast_ref::<Arc<Vec<M::Action>>>().cloned();
        let actions = actions.ok_or_else(|| bad(&"its state graph is of another mapping"))?;
        let make = Arc::clone(make);
        let steps: Arc<StepsOf> = Arc::new(move |label: u32, sight: &Sight<'_>| {
            let action = actions.get(label as usize).ok_or("there is no such action")?;
            make().steps(action, sight)
        });
        Ok(Suite { graph, nodes: known.nodes, play: Play { known, steps } })
    }

    /// The state graph.
    pub fn graph(&self) -> &StateGraph {
        &self.graph
    }

    /// How many nodes the model is of.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// What plays paths of this suite.
    pub fn play(&self) -> Play {
        self.play.clone()
    }
}

/// How many nodes a specification is of.
pub(super) fn nodes_of<S, M: StateMapping<S>>(
    source: &SpecSource,
    make: &Make<M>,
) -> Result<usize, BadModel> {
    let mut walker = source.walker()?;
    let initial = walker.initial().map_err(|error| source.bad(error))?;
    let first = initial.first().ok_or_else(|| source.bad("it has no initial state"))?;
    let mapping = make();
    let view = mapping.spec_view(&Variables::new(walker.values(first))).map_err(|error| source.bad(error))?;
    Ok(mapping.nodes(&view))
}

/// Turns the edges of a suite into steps.
#[derive(Clone)]
pub struct Play {
    known: Arc<KnownGraph>,
    steps: Arc<StepsOf>,
}

/// An action of a path that could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unplayed {
    /// The number of the execution.
    pub execution: u64,
    /// The action, with its arguments.
    pub action: String,
    /// Why.
    pub reason: String,
}

/// Plays paths, each in an execution of its own: those from number `first` on. What a strategy of it
/// experiences is an `Option<Unplayed>`: the action that could not be done though nothing was found before.
pub struct SuitePaths {
    first: u64,
    paths: Arc<Vec<Path>>,
    play: Play,
}

impl SuitePaths {
    /// Plays these paths in the executions from this number on.
    pub fn new(play: Play, first: u64, paths: Arc<Vec<Path>>) -> SuitePaths {
        SuitePaths { first, paths, play }
    }
}

impl Explorer for SuitePaths {
    fn label(&self) -> Option<&str> {
        Some("paths")
    }

    /// All at once: nothing is learned, but every generation has threads of its own, which would each learn
    /// the specification.
    fn generation(&self) -> Option<u64> {
        Some(self.paths.len() as u64)
    }

    fn learns(&self) -> bool {
        false
    }

    fn reports(&self) -> bool {
        true
    }

    fn pack(&self, _execution: &Execution, experience: &Experience) -> Vec<u8> {
        match experience.downcast_ref::<Option<Unplayed>>() {
            Some(Some(Unplayed { action, reason, .. })) => format!("{action}\0{reason}").into_bytes(),
            _ => Vec::new(),
        }
    }

    fn unpack(&self, execution: &Execution, packed: &[u8]) -> Result<Experience, String> {
        let text = str::from_utf8(packed).map_err(|error| error.to_string())?;
        let unplayed = match text.split_once('\0') {
            None if text.is_empty() => None,
            None => return Err("what could not be played has no reason".to_owned()),
            Some((action, reason)) => Some(Unplayed {
                execution: execution.number,
                action: action.to_owned(),
                reason: reason.to_owned(),
            }),
        };
        Ok(Box::new(unplayed))
    }

    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        let place = execution.number.checked_sub(self.first).map(|place| place as usize);
        Box::new(Player {
            execution: execution.number,
            paths: Arc::clone(&self.paths),
            path: place.unwrap_or(usize::MAX),
            at: 0,
            steps: VecDeque::new(),
            done: 0,
            play: self.play.clone(),
            unplayed: None,
        })
    }
}

/// Plays one path.
struct Player {
    execution: u64,
    paths: Arc<Vec<Path>>,
    /// The place of the path.
    path: usize,
    /// How many edges of it have been turned into steps.
    at: usize,
    /// The steps of the last one that are still to be done.
    steps: VecDeque<Step>,
    /// How many steps there should have been by now.
    done: usize,
    play: Play,
    unplayed: Option<Unplayed>,
}

impl Player {
    fn edges(&self) -> &[u32] {
        self.paths.get(self.path).map_or(&[], |path| &path.edges)
    }

    /// The action of an edge cannot be done.
    fn give_up(&mut self, edge: Option<u32>, reason: String) {
        let label = edge.and_then(|edge| self.play.known.label.get(edge as usize));
        let name = label.and_then(|label| self.play.known.names.get(*label as usize));
        let action = name.cloned().unwrap_or_default();
        self.unplayed = Some(Unplayed { execution: self.execution, action, reason });
        self.at = usize::MAX;
    }
}

impl Strategy for Player {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        if sight.board().steps().len() < self.done {
            let last = self.at.checked_sub(1).and_then(|at| self.edges().get(at)).copied();
            self.give_up(
                last,
                "the cluster refuses its step, which the target's contract may rule out".to_owned(),
            );
            return None;
        }
        while self.steps.is_empty() {
            let edge = *self.edges().get(self.at)?;
            self.at += 1;
            let label = self.play.known.label.get(edge as usize).copied().unwrap_or(u32::MAX);
            match (self.play.steps)(label, sight) {
                Ok(steps) => self.steps.extend(steps),
                Err(reason) => {
                    self.give_up(Some(edge), reason);
                    return None;
                }
            }
        }
        self.done += 1;
        self.steps.pop_front()
    }

    fn experience(self: Box<Self>, _trace: &Trace) -> Experience {
        Box::new(self.unplayed)
    }
}
