//! Traces: what came of an execution.

use std::sync::Arc;

use crate::{Board, Fingerprint, NodeId, Schedule};

/// How much of an execution is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Recording {
    /// Steps, events, vector clocks, fingerprint.
    #[default]
    Brief,
    /// Also the text of every message and the state of the node after each of its moments. Any execution can
    /// be had in full by replaying its schedule.
    Full,
}

/// What came of an execution: its schedule, events, vector clocks and, if it was recorded in full, its
/// states.
#[derive(Clone)]
pub struct Trace {
    /// Steps, messages, events and clocks.
    pub board: Board,
    /// The contents of every message in a few words, in the order of [`Board::messages`]; empty in a brief
    /// trace.
    pub message_texts: Vec<String>,
    /// The state of the node after each moment, in the order of [`Board::moments`]; empty in a brief trace.
    pub states: Vec<Arc<str>>,
}

/// A request with its answer, in the real-time order of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The node that was asked.
    pub node: NodeId,
    /// What was asked, as JSON.
    pub op: Arc<str>,
    /// The place of the sending in the order of events.
    pub requested: u32,
    /// The place of the answer in the order of events, and the answer as JSON, if there was one.
    pub answered: Option<(u32, Arc<str>)>,
}

impl Trace {
    /// The input of this execution.
    pub fn schedule(&self) -> Schedule {
        Schedule { steps: self.board.steps().to_vec() }
    }

    /// The fingerprint of the execution.
    pub fn fingerprint(&self) -> Fingerprint {
        self.board.fingerprint()
    }

    /// Requests of clients with their answers, in the order of the requests.
    pub fn history(&self) -> Vec<Operation> {
        let operation = |request: &crate::RequestInfo| Operation {
            node: request.node,
            op: Arc::clone(&request.op),
            requested: request.requested,
            answered: request.answered.zip(request.answer.clone()),
        };
        self.board.requests().iter().map(operation).collect()
    }
}
