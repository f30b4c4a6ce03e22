//! What a leader commits is held by a quorum.

use shakedown_check::{Oracle, PerNode, Seen};
use shakedown_cluster::{NodeId, NodeSet};

use crate::{Membership, RaftState, Role};

/// When a leader commits an entry, a quorum of its membership holds it. It needs [`RaftState::membership`],
/// and is not among [`raft_invariants`](crate::raft_invariants): an adapter adds it where the membership can
/// be seen.
#[derive(Default)]
pub struct CommittedByQuorum {
    /// The commit index and the membership of each node when it was last seen, and its life then.
    known: PerNode<(u32, u64, Membership)>,
    /// How many commits of leaders were looked at.
    commits: u64,
}

impl<S: RaftState> Oracle<S> for CommittedByQuorum {
    fn name(&self) -> &str {
        "committed-by-quorum"
    }

    fn about(&self) -> &str {
        "a leader commits only what a quorum of the voters holds"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.commits)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let Some(membership) = state.membership() else { continue };
            let (life, commit) = (seen.life(node), state.commit());
            let (known_life, known_commit, before) =
                std::mem::replace(self.known.of(node), (life, commit, membership));
            if state.role() != Role::Leader || known_life != life || commit <= known_commit {
                continue;
            }
            self.commits += 1;
            let holders = holders(seen, state, commit);
            // The entry may change the membership itself: what was committed by the old one is applied by
            // now.
            if !membership.is_quorum(holders) && !before.is_quorum(holders) {
                return Err(format!(
                    "{node} commits up to entry {commit}, which only {holders} of the voters {} hold",
                    membership.voters
                ));
            }
        }
        Ok(())
    }
}

/// The nodes that hold the leader's entry, or have compacted it away.
fn holders<S: RaftState>(seen: &Seen<'_, S>, leader: &S, number: u64) -> NodeSet {
    let entry = leader.entry(number);
    let holds = |node: &NodeId| {
        let state = seen.state(*node);
        number < state.first_index() || entry.is_none() || state.entry(number) == entry
    };
    NodeId::first(seen.states().len()).filter(holds).collect()
}
