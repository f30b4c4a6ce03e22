//! Recording: the trace of an execution at the grain of a specification, to be validated later.
//!
//! A [`EventMapping`] says which actions happened. A [`Projection`] says what of the specification's
//! variables can be seen of the implementation; it is looked at after every step, and what it says is
//! independent of what the actions would lead to. The lines are those of `docs/formats.md`.

use serde_json::{Map, Value as Json, json};
use shakedown_check::{Guide, SpecTrace};
use shakedown_cluster::{Board, Cluster, Step};
use shakedown_tla::walk::ActionCall;

use super::{EventMapping, Heard};

/// What of the specification's variables can be seen of an implementation.
pub trait Projection<S> {
    /// The constants of the specification that fit this cluster.
    fn constants(&self, board: &Board) -> Map<String, Json>;

    /// What can be seen of each variable: any part of it. What cannot be seen is left out, or null.
    fn state(&mut self, board: &Board, states: &[S]) -> Map<String, Json>;
}

/// Writes the trace of one execution.
pub struct Recorder<S, M: EventMapping<S>, P> {
    spec: &'static str,
    mapping: M,
    projection: P,
    heard: Heard<M::Event>,
    trace: SpecTrace,
    has_begun: bool,
}

impl<S, M: EventMapping<S>, P: Projection<S>> Recorder<S, M, P> {
    /// Writes to this trace, for this specification.
    pub fn new(spec: &'static str, mapping: M, projection: P, trace: SpecTrace) -> Recorder<S, M, P> {
        Recorder { spec, mapping, projection, heard: Heard::default(), trace, has_begun: false }
    }

    fn begin(&mut self, board: &Board, states: &[S]) {
        self.has_begun = true;
        let constants = self.projection.constants(board);
        let header =
            json!({ "format": "shakedown-trace", "version": 1, "spec": self.spec, "constants": constants });
        self.trace.push(header.to_string());
        self.trace.push(json!({ "initial": self.projection.state(board, states) }).to_string());
    }
}

impl<S, M: EventMapping<S>, P: Projection<S>> Guide<S> for Recorder<S, M, P> {
    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) {
        self.mapping.before_step(step, cluster);
    }

    fn after_step(&mut self, cluster: &dyn Cluster<State = S>, _fresh_from: usize) {
        let (board, states) = (cluster.board(), cluster.states());
        if !self.has_begun {
            self.begin(board, states);
        }
        self.mapping.after_step(board, states, &mut self.heard);
        let count = self.heard.events.len();
        for (number, event) in (1..).zip(self.heard.events.drain(..)) {
            let mut line = json_of(&M::action(&event));
            // Nothing can be seen between the actions of one step.
            if number == count {
                line.insert("state".to_owned(), Json::Object(self.projection.state(board, states)));
                line.insert("note".to_owned(), json!({ "step": board.steps().len() }));
            }
            self.trace.push(Json::Object(line).to_string());
        }
    }

    fn covered(&mut self, _cluster: &dyn Cluster<State = S>) -> Vec<u64> {
        Vec::new()
    }
}

fn json_of(action: &ActionCall) -> Map<String, Json> {
    let arguments: Vec<Json> = action.arguments.iter().map(shakedown_tla::Value::to_json).collect();
    let mut line = Map::new();
    line.insert("action".to_owned(), json!(action.name.as_str()));
    line.insert("args".to_owned(), Json::Array(arguments));
    line
}
