//! The processes on `specs/AppMaster.tla`: every delivery is an action of the model.

use serde_json::{Map, Value as Json, json};
use shakedown_cluster::{Board, Cluster, NodeId, Step};
use shakedown_conform::follow::{EventMapping, Heard, Projection};
use shakedown_conform::{ActionCall, ModelSource, Value};

use crate::{Mail, View};

/// The only request.
const REQUEST: i64 = 1;

/// The model with so many nodes and tasks.
pub fn model(nodes: usize, tasks: u32) -> ModelSource {
    let workers: Vec<String> = (2..nodes - 1).map(|worker| worker.to_string()).collect();
    ModelSource {
        modules: &[("AppMaster", include_str!("../../../specs/AppMaster.tla"))],
        config: format!(
            "CONSTANTS Worker = {{{}}} Terminator = {} Requests = {{{REQUEST}}} Tasks = {tasks} Nobody = 0\n\
             INIT Init NEXT Next",
            workers.join(", "),
            nodes - 1
        ),
        abstraction: None,
    }
}

/// A delivery, as the model sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AppMasterEvent {
    /// This process has registered.
    Register(NodeId),
    /// The request was given to this worker.
    Request(NodeId),
    /// The request came too early.
    IgnoreRequest,
    /// A task at this worker, so many are left.
    Execute(NodeId, u32),
    /// The terminator is to clear this worker.
    Terminate(NodeId),
    /// This worker is cleared.
    Flush(NodeId),
}

/// The mapping.
#[derive(Default)]
pub struct AppMasterMapping {
    /// The message that is about to be delivered: from, to, contents.
    pending: Option<(NodeId, NodeId, Mail)>,
}

impl EventMapping<View> for AppMasterMapping {
    type Event = AppMasterEvent;
    const ACTIONS: &'static [&'static str] =
        &["Register", "Request", "IgnoreRequest", "Execute", "Terminate", "Flush"];

    fn number(event: &AppMasterEvent) -> usize {
        match event {
            AppMasterEvent::Register(_) => 0,
            AppMasterEvent::Request(_) => 1,
            AppMasterEvent::IgnoreRequest => 2,
            AppMasterEvent::Execute(..) => 3,
            AppMasterEvent::Terminate(_) => 4,
            AppMasterEvent::Flush(_) => 5,
        }
    }

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = View>) {
        self.pending = match step {
            Step::Deliver(id, kind) => cluster
                .board()
                .find(*id, *kind)
                .and_then(|message| cluster.contents(message)?.downcast_ref::<Mail>())
                .map(|mail| (id.from, id.to, *mail)),
            _ => None,
        };
    }

    fn after_step(&mut self, _board: &Board, states: &[View], heard: &mut Heard<AppMasterEvent>) {
        let Some((from, to, mail)) = self.pending.take() else { return };
        heard.event(match mail {
            Mail::Register => AppMasterEvent::Register(from),
            Mail::Request => match states[to.index()] {
                View::Master { worker: Some(worker), .. } => AppMasterEvent::Request(worker),
                _ => AppMasterEvent::IgnoreRequest,
            },
            Mail::Execute { left } => AppMasterEvent::Execute(to, left),
            Mail::Terminate { worker } => AppMasterEvent::Terminate(worker),
            Mail::Flush => AppMasterEvent::Flush(to),
        });
    }

    fn action(event: &AppMasterEvent) -> ActionCall {
        let process = |node: NodeId| Value::Int(node.number() as i64);
        let request = Value::Int(REQUEST);
        let arguments = match *event {
            AppMasterEvent::Register(node) => vec![process(node)],
            AppMasterEvent::Request(worker) => vec![request, process(worker)],
            AppMasterEvent::IgnoreRequest => vec![request],
            AppMasterEvent::Execute(worker, left) => {
                vec![request, process(worker), Value::Int(i64::from(left))]
            }
            AppMasterEvent::Terminate(worker) => vec![request, process(worker)],
            AppMasterEvent::Flush(worker) => vec![request, process(worker)],
        };
        ActionCall::new(Self::ACTIONS[Self::number(event)], arguments)
    }
}

/// What can be seen of the variables of the model: whom the request was given to, who has a buffer, whom the
/// terminator was told to clear, and whether the request is done. The master counts who has registered, and
/// does not say who that is.
pub struct AppMasterProjection {
    /// How many tasks it takes.
    pub tasks: u32,
}

impl Projection<View> for AppMasterProjection {
    fn constants(&self, board: &Board) -> Map<String, Json> {
        let nodes = board.size();
        let constants = [
            ("Worker", json!((2..nodes - 1).collect::<Vec<_>>())),
            ("Terminator", json!(nodes - 1)),
            ("Requests", json!([REQUEST])),
            ("Tasks", json!(self.tasks)),
            ("Nobody", json!(0)),
        ];
        constants.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn state(&mut self, _board: &Board, states: &[View]) -> Map<String, Json> {
        let mut seen = Map::new();
        let mut buffers = Vec::new();
        let mut is_done = false;
        for (number, view) in (1..).zip(states) {
            match view {
                View::Master { worker, .. } => {
                    let worker = worker.map_or(0, NodeId::number);
                    seen.insert("server".to_owned(), json!({ REQUEST.to_string(): worker }));
                }
                View::Worker { buffer, left } => {
                    buffers.extend(buffer.then_some(number));
                    is_done |= *left == Some(0);
                }
                View::Terminator(reported) => {
                    let reported: Vec<usize> = reported.iter().map(|worker| worker.number()).collect();
                    seen.insert("toTerminate".to_owned(), json!(reported));
                }
                View::Client => {}
            }
        }
        seen.insert("buffers".to_owned(), json!(buffers));
        let done: &[i64] = if is_done { &[REQUEST] } else { &[] };
        seen.insert("completed".to_owned(), json!(done));
        seen
    }
}
