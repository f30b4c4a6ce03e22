//! Log matching.

use shakedown_check::{Oracle, PerNode, Seen};
use shakedown_cluster::NodeId;

use super::committed::Known;
use crate::RaftState;

/// If two logs hold an entry of the same number and term, they are the same up to there.
#[derive(Default)]
pub struct LogMatching {
    /// The life and version of each log when it was last looked at.
    versions: PerNode<Option<(u32, u64)>>,
    /// Up to where the logs of two nodes are the same, as far as it is known of each: that of the lower
    /// number first.
    same: PerNode<PerNode<(Known, Known)>>,
    /// How often two logs had an entry in common.
    matches: u64,
}

impl<S: RaftState> Oracle<S> for LogMatching {
    fn name(&self) -> &str {
        "log-matching"
    }

    fn about(&self) -> &str {
        "logs that agree on an entry agree on everything before it"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.matches)
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let version = state.log_version().map(|version| (seen.life(node), version));
            if version.is_some() && std::mem::replace(self.versions.of(node), version) == version {
                continue;
            }
            for other in NodeId::first(seen.states().len()).filter(|&other| other != node) {
                self.compare(seen, node, other)?;
            }
        }
        Ok(())
    }
}

impl LogMatching {
    /// Compares what is new in the logs of two nodes.
    fn compare<S: RaftState>(
        &mut self,
        seen: &Seen<'_, S>,
        node: NodeId,
        other: NodeId,
    ) -> Result<(), String> {
        let (low, high) = (node.min(other), node.max(other));
        let known = self.same.of(low).of(high);
        let of = |node| (seen.life(node), seen.state(node));
        let ((low_life, low_state), (high_life, high_state)) = (of(low), of(high));
        let same = known.0.upto(low_life, low_state).min(known.1.upto(high_life, high_state));
        let same = match_logs(node, seen.state(node), other, seen.state(other), same)?;
        self.matches += u64::from(same > 0);
        *known = (Known::of(low_life, low_state, same), Known::of(high_life, high_state, same));
        Ok(())
    }
}

/// Compares two logs that are the same up to an entry; up to which entry they are the same after all.
fn match_logs<S: RaftState>(a: NodeId, left: &S, b: NodeId, right: &S, same: u64) -> Result<u64, String> {
    let last = left.last_index().min(right.last_index());
    let first = left.first_index().max(right.first_index()).max(same + 1);
    let mut must_match = false;
    let mut now_same = same;
    for number in (first..=last).rev() {
        let (Some(l), Some(r)) = (left.entry(number), right.entry(number)) else { continue };
        if !must_match && l.term == r.term {
            must_match = true;
            now_same = number;
        }
        if must_match && l != r {
            return Err(format!(
                "{a} and {b} agree on a later entry but not on entry {number}: {l:?}, {r:?}"
            ));
        }
    }
    Ok(now_same)
}
