//! Log matching.

use shakedown_check::{Oracle, PerNode, Seen};
use shakedown_cluster::NodeId;

use crate::RaftState;

/// If two logs hold an entry of the same number and term, they are the same up to there.
#[derive(Default)]
pub struct LogMatching {
    /// The life and version of each log when it was last looked at.
    versions: PerNode<Option<(u32, u64)>>,
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
                self.matches += u64::from(match_logs(node, state, other, seen.state(other))?);
            }
        }
        Ok(())
    }
}

/// Whether the logs have an entry in common; an error if they differ before it.
fn match_logs<S: RaftState>(a: NodeId, left: &S, b: NodeId, right: &S) -> Result<bool, String> {
    let last = left.last_index().min(right.last_index());
    let first = left.first_index().max(right.first_index());
    let mut must_match = false;
    for number in (first..=last).rev() {
        let (Some(l), Some(r)) = (left.entry(number), right.entry(number)) else { continue };
        must_match |= l.term == r.term;
        if must_match && l != r {
            return Err(format!(
                "{a} and {b} agree on a later entry but not on entry {number}: {l:?}, {r:?}"
            ));
        }
    }
    Ok(must_match)
}
