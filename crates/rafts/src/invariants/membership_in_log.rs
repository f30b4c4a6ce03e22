//! Where a membership comes from.

use shakedown_check::{Oracle, Seen};

use crate::RaftState;

/// The membership that a node goes by was made by an entry that is in its log, or it is the one of its
/// snapshot. It needs [`RaftState::membership_entry`].
#[derive(Default)]
pub struct MembershipInLog;

impl<S: RaftState> Oracle<S> for MembershipInLog {
    fn name(&self) -> &str {
        "membership-in-log"
    }

    fn about(&self) -> &str {
        "the membership that a node goes by is that of an entry in its log or of its snapshot"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let Some((number, term)) = state.membership_entry() else { continue };
            let is_of_log = state.entry(number).is_some_and(|entry| entry.term == term);
            let is_of_snapshot = state.snapshot_membership_entry() == Some((number, term));
            if !is_of_log && !is_of_snapshot {
                return Err(format!(
                    "{node} goes by the membership of entry {number} of term {term:?}, which is neither in its log nor its snapshot's"
                ));
            }
        }
        Ok(())
    }
}
