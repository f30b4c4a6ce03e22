//! Elections (sections 3.4 and 3.6.1 of the thesis).

use std::sync::Arc;

use super::{Command, Entry, Message, Progress, Raft, Role, Server, Servers};
use crate::Fault;

impl Raft {
    /// The server has not heard from a leader for too long: it runs for the next term and asks the others for
    /// their votes.
    pub(super) fn timeout(&mut self) {
        self.step_down(self.term + 1);
        self.role = Role::Candidate;
        self.vote = Some(self.id);
        self.votes_responded = Servers::default().with(self.id);
        self.votes_granted = self.votes_responded;
        self.votes_doubled = 0;
        let (term, (last_index, last_term)) = (self.term, self.last_for_comparison());
        for peer in self.peers().iter() {
            self.send(peer, Message::RequestVote { term, last_index, last_term });
        }
        self.elect_leader();
    }

    /// Index and term of the last entry, as a candidate tells them.
    fn last_for_comparison(&self) -> (u64, u64) {
        match self.fault {
            Fault::NoopInComparison => (self.log.last() + 1, self.term),
            _ => (self.log.last(), self.log.last_term()),
        }
    }

    /// A vote is given once in a term, and only to a log that is at least as good as one's own.
    pub(super) fn handle_request_vote_request(
        &mut self,
        from: Server,
        term: u64,
        last_index: u64,
        last_term: u64,
    ) {
        let granted = term == self.term
            && self.vote.is_none_or(|vote| vote == from)
            && (last_term, last_index) >= (self.log.last_term(), self.log.last());
        if granted {
            self.vote = Some(from);
            self.elapsed = 0;
        }
        self.send(from, Message::RequestVoteResponse { term: self.term, granted });
    }

    /// Votes are a set, so a vote that arrives twice counts once. Those of an older election count for
    /// nothing.
    pub(super) fn handle_request_vote_response(&mut self, from: Server, term: u64, granted: bool) {
        if term != self.term || self.role != Role::Candidate {
            return;
        }
        self.votes_responded = self.votes_responded.with(from);
        if granted {
            self.votes_doubled += usize::from(self.votes_granted.contains(from));
            self.votes_granted = self.votes_granted.with(from);
            self.elect_leader();
        }
    }

    /// A candidate with a quorum of votes leads. Its first entry is a no-op: once that is committed, so is
    /// everything before it (section 6.4).
    fn elect_leader(&mut self) {
        let doubled = if self.fault == Fault::DuplicateVoteCounted { self.votes_doubled } else { 0 };
        if self.votes_granted.and(self.configuration.voters).count() + doubled < self.quorum() {
            return;
        }
        self.role = Role::Leader;
        self.leader = Some(self.id);
        self.elapsed = 0;
        self.votes_responded = Servers::default();
        self.votes_granted = Servers::default();
        let next = self.log.last() + 1;
        self.progress.resize(self.settings.servers, Progress { next, matched: 0 });
        Arc::make_mut(&mut self.log).append(Entry { term: self.term, command: Command::Noop });
        self.append_entries_to_all();
        self.advance_commit_index();
    }
}
