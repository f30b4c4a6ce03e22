//! What must hold in Tendermint besides agreement: validity, locks that last, and that no correct validator
//! votes twice.

use std::collections::BTreeMap;

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::{Happening, NodeId, Value as FactValue};

use crate::{Decision, Value, View};

/// What is decided was made by a proposer for that height, in a round that is not later, and is never the
/// empty block. A liar may propose anything but the empty block.
#[derive(Default)]
pub struct Validity {
    /// How many decisions were looked at.
    decisions: u64,
}

impl Oracle<View> for Validity {
    fn name(&self) -> &str {
        "validity"
    }

    fn about(&self) -> &str {
        "what is decided was proposed, and is valid"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.decisions)
    }

    fn after_step(&mut self, seen: &Seen<'_, View>) -> Result<(), String> {
        let size = seen.board().size();
        for (node, state) in seen.honest() {
            for decision in &state.decisions {
                self.decisions += 1;
                let Decision { height, value, .. } = *decision;
                let somebody_lies = NodeId::first(size).any(|node| seen.board().node(node).lies);
                if value == Value::EMPTY || !somebody_lies && !is_made_by_a_proposer(decision, size) {
                    return Err(format!("{node} decided {value} at height {height}, which nobody proposed"));
                }
            }
        }
        Ok(())
    }
}

fn is_made_by_a_proposer(decision: &Decision, size: usize) -> bool {
    let made_in = |round: u32| {
        let turn = decision.height - 1 + u64::from(round);
        let proposer = NodeId::from_index((turn % size as u64) as usize);
        Value::made_by(proposer, decision.height, round)
    };
    (0..=decision.round).rev().any(|round| made_in(round) == decision.value)
}

/// A validator casts at most one prevote, one precommit and one proposal in a round, also when it has crashed
/// in between.
///
/// What is looked at is what the validator itself says, so the lies that are told in its name do not count.
#[derive(Default)]
pub struct NoEquivocation {
    /// How many moments were looked at.
    looked_at: u32,
    said: BTreeMap<(NodeId, &'static str, i64, i64), FactValue>,
    /// How many votes and proposals were looked at.
    votes: u64,
}

impl Oracle<View> for NoEquivocation {
    fn name(&self) -> &str {
        "no-equivocation"
    }

    fn about(&self) -> &str {
        "no correct validator votes for two values in a round"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.votes)
    }

    fn after_step(&mut self, seen: &Seen<'_, View>) -> Result<(), String> {
        let board = seen.board();
        let fresh = board.events_from(self.looked_at);
        self.looked_at = board.moments().len() as u32;
        for event in fresh {
            let Happening::Internal(fact) = event.what else { continue };
            let kind = fact.name.as_str();
            let fields = (fact.get("height"), fact.get("round"), fact.get("value"));
            let (
                "propose" | "prevote" | "precommit",
                (Some(FactValue::Number(height)), Some(FactValue::Number(round)), Some(value)),
            ) = (kind, fields)
            else {
                continue;
            };
            let node = board.moments()[event.moment as usize].node;
            self.votes += 1;
            let known = self.said.entry((node, kind, *height, *round)).or_insert_with(|| value.clone());
            if known != value {
                return Err(format!(
                    "{node} says {kind} {known} and {kind} {value} at height {height} in round {round}"
                ));
            }
        }
        Ok(())
    }
}

/// At a height, a validator that has locked a value in a round stays locked on a value, in that round or a
/// later one, also when it has crashed in between: agreement rests on it. One that has decided needs no lock
/// any more.
#[derive(Default)]
pub struct LockIsKept {
    /// The height of every validator that was locked, and the round of its lock.
    locked: BTreeMap<NodeId, (u64, u32)>,
    /// How often a validator was looked at that had been locked at its height.
    looks: u64,
}

impl Oracle<View> for LockIsKept {
    fn name(&self) -> &str {
        "lock-is-kept"
    }

    fn about(&self) -> &str {
        "a validator stays locked until a later round has a majority for another value"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.looks)
    }

    fn after_step(&mut self, seen: &Seen<'_, View>) -> Result<(), String> {
        for (node, state) in seen.honest().filter(|(_, state)| state.decided_at(state.height).is_none()) {
            let (height, now) = (state.height, state.locked.map(|locked| locked.round));
            let known = self.locked.get(&node).filter(|(known_height, _)| *known_height == height);
            self.looks += u64::from(known.is_some());
            if let Some(&(_, known)) = known
                && now.is_none_or(|now| now < known)
            {
                let now = now.map_or("not at all".to_owned(), |now| format!("in round {now}"));
                return Err(format!(
                    "{node} was locked in round {known} of height {height}, now it is {now}"
                ));
            }
            if let Some(now) = now {
                self.locked.insert(node, (height, now));
            }
        }
        Ok(())
    }
}
