//! What of the model's variables can be seen of an implementation of Raft.

use std::marker::PhantomData;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};
use shakedown_cluster::{Board, NodeId, RequestId};
use shakedown_conform::follow::Projection;

use super::Dialect;
use crate::{RaftState, Term};

/// The servers that are up, and of each of them the term, role, vote, log, commit index and snapshot. Nothing
/// is seen of a server that is down. Of an entry that the log does not hold any more, only that there was
/// one.
///
/// Logs show digests of their entries. Their contents are known from the requests, whose digests are known
/// too.
pub struct RaftProjection<S, D> {
    /// The number of an entry, by its digest.
    values: FxHashMap<u64, i64>,
    /// How many requests have been looked at.
    requests: usize,
    of: PhantomData<fn() -> (S, D)>,
}

impl<S, D: Dialect> Default for RaftProjection<S, D> {
    fn default() -> RaftProjection<S, D> {
        let values = FxHashMap::from_iter([(D::first_entry(), 0)]);
        RaftProjection { values, requests: 0, of: PhantomData }
    }
}

impl<S: RaftState, D: Dialect> Projection<S> for RaftProjection<S, D> {
    fn constants(&self, board: &Board) -> Map<String, Json> {
        let servers: Vec<usize> = NodeId::first(board.size()).map(NodeId::number).collect();
        Map::from_iter([("Server".to_owned(), json!(servers))])
    }

    fn state(&mut self, board: &Board, states: &[S]) -> Map<String, Json> {
        for (number, request) in board.requests().iter().enumerate().skip(self.requests) {
            let id = RequestId(number as u32);
            if let Some((digest, value)) = D::entry(id, &request.op).zip(D::proposal(&request.op)) {
                self.values.insert(digest, value);
            }
        }
        self.requests = board.requests().len();
        let up: Vec<usize> = board.up().map(NodeId::number).collect();
        let of_each = |look: &dyn Fn(&S) -> Json| -> Json {
            board.up().map(|node| (node.number().to_string(), look(&states[node.index()]))).collect()
        };
        let seen = [
            ("active", json!(up)),
            ("currentTerm", of_each(&|state| json!(state.term().number()))),
            ("role", of_each(&|state| json!(state.role().without_pre_vote().name()))),
            ("votedFor", of_each(&|state| json!(state.vote().map_or(0, NodeId::number)))),
            ("log", of_each(&|state| self.log(state))),
            ("commitIndex", of_each(&|state| json!(state.commit()))),
            ("snapshotIndex", of_each(&|state| json!(state.first_index() - 1))),
        ];
        seen.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl<S: RaftState, D: Dialect> RaftProjection<S, D> {
    fn log(&self, state: &S) -> Json {
        let entry = |index| {
            let entry = state.entry(index)?;
            Some(json!({ "term": entry.term.number(), "value": self.values.get(&entry.digest) }))
        };
        (1..=state.last_index()).map(entry).collect()
    }
}
