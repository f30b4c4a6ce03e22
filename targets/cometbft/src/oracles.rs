//! What must hold of locks in CometBFT.

use std::collections::{BTreeMap, BTreeSet};

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{Happening, NodeId, Value as FactValue};
use shakedown_tendermint::{RoundValue, Value, View};

/// A validator that gives up a lock, or locks something else, has a reason: a quorum of prevotes for
/// something else in a later round.
///
/// In the paper, a lock gives way to another lock only. CometBFT 0.38 also unlocks where a quorum prevoted
/// nil.
#[derive(Default)]
pub struct UnlockIsJustified {
    /// How many moments were looked at.
    looked_at: u32,
    /// Who prevoted for what, by height and round. What a liar says is not known: it counts everywhere.
    prevotes: BTreeMap<(u64, u32, Option<Value>), BTreeSet<NodeId>>,
    /// The last lock of every validator, with its height.
    locked: BTreeMap<NodeId, (u64, RoundValue)>,
    /// How often a validator was looked at that had been locked at its height.
    looks: u64,
}

impl Oracle<View> for UnlockIsJustified {
    fn name(&self) -> &str {
        "unlock-is-justified"
    }

    fn about(&self) -> &str {
        "a validator stays locked until a later round has a quorum of prevotes for something else"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.looks)
    }

    fn after_step(&mut self, seen: &Seen<'_, View>) -> Result<(), String> {
        self.note_prevotes(seen);
        let undecided = seen.honest().filter(|(_, state)| state.decided_at(state.height).is_none());
        for (node, state) in undecided {
            let known = self.locked.get(&node).filter(|(height, _)| *height == state.height).copied();
            self.looks += u64::from(known.is_some());
            if let Some((height, old)) = known {
                let is_kept =
                    state.locked.is_some_and(|now| now.value == old.value && now.round >= old.round);
                if !is_kept && !self.has_reason(seen, height, old, state.round) {
                    return Err(format!(
                        "{node} gave up {} of round {} at height {height} in round {}, and no later round had \
                         a quorum for something else",
                        old.value, old.round, state.round
                    ));
                }
            }
            match state.locked {
                Some(now) => self.locked.insert(node, (state.height, now)),
                None => self.locked.remove(&node),
            };
        }
        Ok(())
    }
}

impl UnlockIsJustified {
    fn note_prevotes(&mut self, seen: &Seen<'_, View>) {
        let board = seen.board();
        let fresh = board.events_from(self.looked_at);
        self.looked_at = board.moments().len() as u32;
        for event in fresh {
            let Happening::Internal(fact) = event.what else { continue };
            let number = |field| match fact.get(field) {
                Some(FactValue::Number(number)) => u64::try_from(*number).ok(),
                _ => None,
            };
            if fact.name.as_str() == "prevote"
                && let (Some(height), Some(round)) = (number("height"), number("round"))
            {
                let key = (height, round as u32, number("value").map(Value));
                self.prevotes.entry(key).or_default().insert(board.moments()[event.moment as usize].node);
            }
        }
    }

    fn has_reason(&self, seen: &Seen<'_, View>, height: u64, old: RoundValue, round: u32) -> bool {
        let size = seen.board().size();
        let quorum = size - (size - 1) / 3;
        let later = self.prevotes.range((height, old.round + 1, None)..(height, round + 1, None));
        later.filter(|((_, _, value), _)| *value != Some(old.value)).any(|(_, voters)| {
            let counts = |node: &NodeId| voters.contains(node) || seen.board().node(*node).lies;
            NodeId::first(size).filter(counts).count() >= quorum
        })
    }
}
