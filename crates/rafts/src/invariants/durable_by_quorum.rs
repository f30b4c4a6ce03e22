//! What is committed is durable.

use shakedown_check::{Oracle, PerNode, Seen};
use shakedown_cluster::{NodeId, NodeSet};

use crate::{Membership, RaftState};

/// When an entry is committed for the first time, by whichever node, it is durable in the logs of a quorum of
/// that node's voters. It needs [`RaftState::membership`], and [`RaftState::durable`] where disks are
/// buffered. Unlike [`CommittedByQuorum`](crate::CommittedByQuorum) it looks at every entry, also those that
/// followers learn of first.
#[derive(Default)]
pub struct DurableByQuorum {
    /// Up to which entry the log was committed by some node.
    committed: u64,
    /// The membership that each node went by when it was last seen, and its life then.
    before: PerNode<(u32, Membership)>,
}

impl<S: RaftState> Oracle<S> for DurableByQuorum {
    fn name(&self) -> &str {
        "durable-by-quorum"
    }

    fn about(&self) -> &str {
        "what is committed is durable in the logs of a quorum of the voters"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let Some(membership) = state.membership() else { continue };
            let (life, before) = std::mem::replace(self.before.of(node), (seen.life(node), membership));
            // The entries may change the membership themselves: what was committed by the old one is applied
            // by now.
            let before = if life == seen.life(node) { before } else { membership };
            for number in self.committed + 1..=state.commit() {
                if state.entry(number).is_none() {
                    continue;
                }
                let holders = holders(seen, state, number);
                if !membership.is_quorum(holders) && !before.is_quorum(holders) {
                    let (voters, outgoing) = (membership.voters, membership.outgoing);
                    let voters = if outgoing.is_empty() {
                        format!("{voters}")
                    } else {
                        format!("{voters} and {outgoing}")
                    };
                    return Err(format!(
                        "{node} commits entry {number}, which is durable in the logs of {holders} only; the voters are {voters}"
                    ));
                }
            }
            self.committed = self.committed.max(state.commit());
        }
        Ok(())
    }
}

/// The nodes in whose logs the entry is durable, or that have compacted it away.
fn holders<S: RaftState>(seen: &Seen<'_, S>, committing: &S, number: u64) -> NodeSet {
    let entry = committing.entry(number);
    let holds = |node: &NodeId| {
        let state = seen.state(*node);
        let is_durable = state.durable().is_none_or(|durable| durable >= number);
        number < state.first_index() || is_durable && state.entry(number) == entry
    };
    NodeId::first(seen.states().len()).filter(holds).collect()
}
