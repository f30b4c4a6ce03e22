//! Replication of the log (sections 3.5 and 3.6.2 of the thesis).

use std::sync::Arc;

use super::{Command, Entry, Message, Raft, Role, Server};
use crate::Fault;

impl Raft {
    /// A client asks. The index of the new entry, if this server leads and may do it now.
    pub fn client_request(&mut self, command: Command) -> Option<u64> {
        if self.role != Role::Leader || command.is_change() && !self.may_change(command) {
            return None;
        }
        Arc::make_mut(&mut self.log).append(Entry { term: self.term, command });
        let index = self.log.last();
        if command.is_change() {
            self.configuration = self.log.configuration(index);
        }
        for peer in self.peers().iter() {
            // Who lacks more than this entry has been sent something that it has yet to answer.
            if self.progress[peer.index()].next == index {
                self.append_entries(peer);
            }
        }
        self.advance_commit_index();
        Some(index)
    }

    pub(super) fn append_entries_to_all(&mut self) {
        self.peers().iter().for_each(|peer| self.append_entries(peer));
    }

    /// Sends what the other server lacks next. With nothing to send it is a heartbeat, which still carries
    /// the commit index.
    pub(super) fn append_entries(&mut self, to: Server) {
        // No log is ahead of the leader's, unless something is wrong.
        let next = self.progress[to.index()].next.min(self.log.last() + 1);
        let prev_index = next - 1;
        let Some(prev_term) = self.log.term_at(prev_index) else {
            return self.send_snapshot(to);
        };
        let entries = self.log.from(next, self.settings.append_max).to_vec();
        let (term, commit) = (self.term, self.commit);
        self.send(to, Message::Append { term, prev_index, prev_term, entries, commit });
    }

    /// The server hears from a leader of its term.
    pub(super) fn follow(&mut self, leader: Server) {
        if self.role != Role::Follower {
            self.step_down(self.term);
        }
        self.leader = Some(leader);
        self.elapsed = 0;
    }

    /// Of appends with entries and without. `prev` is the index and term of the entry before.
    pub(super) fn handle_append_entries_request(
        &mut self,
        from: Server,
        term: u64,
        prev: (u64, u64),
        entries: &[Entry],
        commit: u64,
    ) {
        if term < self.term && self.fault != Fault::StaleAppend {
            let refusal = Message::AppendResponse { term: self.term, success: false, match_index: 0 };
            return self.send(from, refusal);
        }
        self.follow(from);
        let (prev_index, prev_term) = prev;
        // Up to the snapshot everything is committed, so it agrees.
        let fits = prev_index <= self.log.snapshot().index || self.log.term_at(prev_index) == Some(prev_term);
        let match_index = if fits {
            self.merge(prev_index, entries);
            let last = prev_index + entries.len() as u64;
            self.commit_up_to(commit.min(last));
            last
        } else {
            self.log.last().min(prev_index - 1)
        };
        self.send(from, Message::AppendResponse { term: self.term, success: fits, match_index });
    }

    /// Takes the entries over that follow the one of this index. What agrees already is not touched: a
    /// message that comes late must not cut off what newer ones have brought.
    fn merge(&mut self, prev_index: u64, entries: &[Entry]) {
        for (index, &entry) in (prev_index + 1..).zip(entries) {
            let is_known = index <= self.log.snapshot().index || self.log.term_at(index) == Some(entry.term);
            if is_known {
                continue;
            }
            let is_conflict = index <= self.log.last();
            let log = Arc::make_mut(&mut self.log);
            match (is_conflict, self.fault) {
                (true, Fault::NoTruncation) => log.overwrite(index, entry),
                (true, _) => {
                    log.truncate(index);
                    log.append(entry);
                }
                (false, _) => log.append(entry),
            }
            if is_conflict || entry.command.is_change() {
                self.configuration = self.log.configuration(self.log.last());
            }
        }
    }

    /// The answer to an append or to a snapshot. What is known to match never shrinks, or an old answer would
    /// undo a newer one.
    pub(super) fn handle_append_entries_response(
        &mut self,
        from: Server,
        term: u64,
        success: bool,
        match_index: u64,
    ) {
        if term != self.term || self.role != Role::Leader {
            return;
        }
        let progress = &mut self.progress[from.index()];
        let before = *progress;
        if success {
            progress.matched = progress.matched.max(match_index);
            progress.next = progress.next.max(match_index + 1);
        } else {
            progress.next = progress.matched.max(match_index.min(progress.next - 1)) + 1;
        }
        let (now, is_peer) = (*progress, self.peers().contains(from));
        self.advance_commit_index();
        // An answer that says nothing new is not answered: heartbeats repeat what was lost.
        if self.role == Role::Leader && is_peer && now != before && now.next <= self.log.last() {
            self.append_entries(from);
        }
    }

    /// A leader commits what a quorum has, but only up to an entry of its own term (section 3.6.2).
    pub(super) fn advance_commit_index(&mut self) {
        let agreed = |index: u64| {
            let has = |server: &Server| *server == self.id || self.progress[server.index()].matched >= index;
            self.configuration.voters.iter().filter(has).count() >= self.quorum()
        };
        let own =
            |index: u64| self.fault == Fault::CommitOlderTerm || self.log.term_at(index) == Some(self.term);
        let index = (self.commit + 1..=self.log.last())
            .rev()
            .take_while(|&index| own(index))
            .find(|&index| agreed(index));
        if let Some(index) = index {
            self.commit_up_to(index);
            self.step_down_if_removed();
        }
    }
}
