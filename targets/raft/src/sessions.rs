//! Sessions of clients that ask again: a request takes effect once, however often it is in the log, and a
//! node that has applied it answers with what it answered first. The table is part of the state machine, and
//! so of its snapshots.

use std::collections::BTreeMap;

use raft::StateRole;
use raft::eraftpb::Entry;
use shakedown_cluster::{Context, RequestId};

use crate::view::node_of;
use crate::{Answer, RaftNode, Request};

/// What was answered to each request that has been applied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sessions(BTreeMap<u32, Answer>);

impl Sessions {
    /// A table without entries.
    pub const NONE: Sessions = Sessions(BTreeMap::new());

    pub fn get(&self, id: RequestId) -> Option<&Answer> {
        self.0.get(&id.0)
    }

    pub fn remember(&mut self, id: RequestId, answer: &Answer) {
        self.0.insert(id.0, answer.clone());
    }

    /// The table as bytes, for a snapshot.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(&self.0).expect("it is plain data")
    }

    /// The table of such bytes; an empty one of anything else.
    pub fn decode(bytes: &[u8]) -> Sessions {
        Sessions(serde_json::from_slice(bytes).unwrap_or_default())
    }
}

/// The request that an entry came from, if a client asked it.
pub(crate) fn request_of(entry: &Entry) -> Option<RequestId> {
    entry.context[..].try_into().ok().map(|bytes| RequestId(u32::from_le_bytes(bytes)))
}

impl RaftNode {
    /// Whether a client that asks again needs nothing more from the log: its request was applied here, or
    /// another node leads.
    pub(crate) fn serve_session(
        &mut self,
        id: RequestId,
        request: &Request,
        ctx: &mut Context<'_, RaftNode>,
    ) -> bool {
        // What is done by the node alone is not in the log.
        let is_logged = !matches!(request, Request::Compact | Request::Transfer(_));
        if !self.settings.clients.ask_again() || !is_logged {
            return false;
        }
        if let Some(answer) = self.machine.sessions().get(id) {
            ctx.answer(id, answer);
            return true;
        }
        let raft = &self.raw.raft;
        if raft.state == StateRole::Leader {
            return false;
        }
        let leader = node_of(raft.leader_id).filter(|leader| *leader != ctx.id());
        ctx.redirect(id, leader);
        true
    }
}

#[cfg(test)]
mod tests {
    use shakedown_check::RegisterAnswer;

    use super::*;

    #[test]
    fn a_table_is_read_back_from_its_bytes() {
        let mut sessions = Sessions::default();
        let answers = [
            Answer::Applied(7),
            Answer::Register(RegisterAnswer::Applied(true)),
            Answer::Register(RegisterAnswer::Value(3)),
            Answer::Register(RegisterAnswer::Done),
        ];
        for (number, answer) in (0..).zip(&answers) {
            sessions.remember(RequestId(number), answer);
        }
        assert_eq!(Sessions::decode(&sessions.encode()), sessions);
        assert_eq!(Sessions::decode(b"no table"), Sessions::default());
    }
}
