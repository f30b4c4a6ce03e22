//! Clients that wait for answers, in lock step: where the contract lets them, they follow redirects, and ask
//! another node when they have waited for too many phases. A request keeps its number however often it is
//! asked: that is its session.

use std::sync::Arc;

use shakedown_cluster::{Board, NodeId, NodeSet, Step};

use super::lock_step::next_up;

/// See the module's text.
#[derive(Clone, Debug)]
pub(super) struct Clients {
    /// After how many phases without an answer a client asks another node.
    patience: u32,
    /// For each request how often it was asked when it was last looked at, and for how many phases that has
    /// been so.
    waited: Vec<(u32, u32)>,
}

impl Clients {
    pub fn new(patience: u32) -> Clients {
        Clients { patience, waited: Vec::new() }
    }

    /// A phase begins: plans what clients ask again, of nodes that run then.
    pub fn ask_again(&mut self, board: &Board, up: NodeSet, plan: &mut Vec<Step>) {
        if !board.contract().clients.ask_again() {
            return;
        }
        self.wait(board);
        let nodes = board.size();
        for (id, request) in board.retriable() {
            let next = NodeId::from_index((request.asked.index() + 1) % nodes);
            let first = match request.redirect {
                Some(redirect) => redirect.0.unwrap_or(next),
                // A connection ends with its node, and its client notices.
                None if !up.contains(request.asked) => next,
                None if self.waited[id.0 as usize].1 >= self.patience => next,
                None => continue,
            };
            let Some(node) = next_up(first, up, nodes) else { continue };
            plan.push(Step::Retry(node, Arc::clone(&request.op)));
        }
    }

    /// One more phase without an answer for every request that was asked before.
    fn wait(&mut self, board: &Board) {
        self.waited.resize(board.requests().len(), (0, 0));
        for ((tries, phases), request) in self.waited.iter_mut().zip(board.requests()) {
            *phases = if *tries == request.tries { *phases + 1 } else { 0 };
            *tries = request.tries;
        }
    }
}
