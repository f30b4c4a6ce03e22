//! A process: master, worker, terminator or client, by its number.

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Context, Node, NodeId};

use crate::Mail;

/// One process.
#[derive(Clone, Debug)]
pub struct Process {
    view: View,
    tasks: u32,
    careless: bool,
}

/// What can be seen of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub enum View {
    /// The master.
    Master {
        /// How many have registered.
        registered: usize,
        /// The worker that was given the request.
        worker: Option<NodeId>,
    },
    /// A worker.
    Worker {
        /// Whether it has a buffer.
        buffer: bool,
        /// How many tasks are left, once there are any.
        left: Option<u32>,
    },
    /// The terminator, and whom it has cleared.
    Terminator(Option<NodeId>),
    /// The client.
    Client,
}

/// Clients ask nothing here: the client is a process of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum NoRequest {}

type Ctx<'a> = Context<'a, Process>;

const MASTER: NodeId = NodeId::from_index(0);

impl Node for Process {
    type Message = Mail;
    type Request = NoRequest;
    type Answer = ();
    type State = View;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Ctx<'_>) -> Process {
        let nodes = ctx.nodes().len();
        let view = match ctx.id().index() {
            0 => View::Master { registered: 0, worker: None },
            last if last == nodes - 1 => View::Client,
            last if last == nodes - 2 => View::Terminator(None),
            _ => View::Worker { buffer: true, left: None },
        };
        match view {
            View::Master { .. } => {}
            View::Client => ctx.send(MASTER, Mail::Request),
            View::Worker { .. } | View::Terminator(_) => ctx.send(MASTER, Mail::Register),
        }
        Process {
            view,
            tasks: ctx.options().get("tasks").expect("the target has checked its options"),
            careless: ctx.options().get("careless").expect("the target has checked its options"),
        }
    }

    fn receive(&mut self, _from: NodeId, message: Mail, ctx: &mut Ctx<'_>) {
        match (&mut self.view, message) {
            (View::Master { registered, .. }, Mail::Register) => *registered += 1,
            (View::Master { registered, worker }, Mail::Request) => {
                // Everybody but the master and the client.
                if *registered == ctx.nodes().len() - 2 {
                    let first = NodeId::from_index(1);
                    *worker = Some(first);
                    ctx.send(first, Mail::Execute { left: self.tasks });
                    ctx.send(NodeId::from_index(ctx.nodes().len() - 2), Mail::Terminate { worker: first });
                }
            }
            (View::Worker { buffer, left: seen }, Mail::Execute { left }) => {
                assert!(*buffer || left != 1 || !self.careless, "the buffer is gone before the last task");
                if *buffer {
                    *seen = Some(left - 1);
                    if left > 1 {
                        ctx.send(ctx.id(), Mail::Execute { left: left - 1 });
                    }
                }
            }
            (View::Worker { buffer, .. }, Mail::Flush) => *buffer = false,
            (View::Terminator(cleared), Mail::Terminate { worker }) => {
                *cleared = Some(worker);
                ctx.send(worker, Mail::Flush);
            }
            (view, message) => panic!("{message:?} is not for {view:?}"),
        }
    }

    fn observe(&self) -> View {
        self.view.clone()
    }
}
