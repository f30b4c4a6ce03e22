//! Changes of the membership, one server at a time (chapter 4 of the thesis, with the correction of 2015).
//!
//! A configuration counts from when it is in the log, committed or not. Servers that are not in one's own
//! configuration are voted for and followed all the same. New servers are not brought up to date before they
//! vote, which only costs time.

use super::{Command, Raft};
use crate::Fault;

impl Raft {
    /// Whether a leader may begin this change now: the change before is committed, and so is an entry of the
    /// leader's own term. The latter is what was missing from the algorithm as first published: without it,
    /// two leaders can each change a configuration that the other does not know of, to two that have disjoint
    /// quorums.
    pub(super) fn may_change(&self, command: Command) -> bool {
        let voters = self.configuration.voters;
        let changed = command.change(voters);
        let is_settled = self.configuration.index <= self.commit;
        let has_committed = self.log.term_at(self.commit) == Some(self.term);
        changed != voters
            && changed.count() > 0
            && is_settled
            && (has_committed || self.fault == Fault::ReconfigurationUnfixed)
    }

    /// A leader that is not a voter any more leads until the change is committed (section 4.2.2).
    pub(super) fn step_down_if_removed(&mut self) {
        let is_removed = !self.configuration.voters.contains(self.id);
        if is_removed && self.configuration.index <= self.commit {
            self.step_down(self.term);
        }
    }
}
