//! Counting what happened, so that nothing is silently inert.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use shakedown_cluster::{Board, Fate, NodeSet, Step, StepKind};

/// How often what happened, in one execution or in many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Steps, by kind.
    #[serde(deserialize_with = "step_counts")]
    pub steps: [u64; StepKind::ALL.len()],
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that were lost, by whatever cause.
    pub lost: u64,
    /// Requests that were sent.
    pub requested: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// The facts that nodes reported, by name.
    pub facts: BTreeMap<Cow<'static, str>, u64>,
    /// The rounds, where a strategy went in rounds.
    pub rounds: RoundTally,
}

/// Reads the counts of an older campaign too, which knew fewer kinds: new kinds are the last ones.
fn step_counts<'de, D: Deserializer<'de>>(from: D) -> Result<[u64; StepKind::ALL.len()], D::Error> {
    let read = Vec::<u64>::deserialize(from)?;
    let mut counts = [0; StepKind::ALL.len()];
    let known = counts.get_mut(..read.len()).ok_or_else(|| D::Error::invalid_length(read.len(), &"fewer"))?;
    known.copy_from_slice(&read);
    Ok(counts)
}

/// Rounds and phases in which something could go wrong, and how many of them had a quorum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RoundTally {
    /// Rounds.
    pub rounds: u64,
    /// Rounds whose kernel was a majority.
    pub rounds_with_quorum: u64,
    /// Phases; none where the target does not define its phase.
    pub phases: u64,
    /// Phases with one majority that was in the kernel of all their rounds.
    pub phases_with_quorum: u64,
    /// Phases in which a request took effect on a majority; nothing where the target does not define what
    /// shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases_with_effect: Option<u64>,
}

impl RoundTally {
    fn of(board: &Board) -> RoundTally {
        let mut tally = RoundTally::default();
        let mut current: Option<(u32, NodeSet)> = None;
        let marks = board.steps().iter().filter_map(|step| match step {
            Step::Round { phase: phase @ 1.., kernel, .. } => Some((*phase, *kernel)),
            _ => None,
        });
        for (phase, kernel) in marks {
            tally.rounds += 1;
            tally.rounds_with_quorum += u64::from(kernel.is_majority_of(board.size()));
            current = match current {
                Some((known, throughout)) if known == phase => Some((phase, throughout.and(kernel))),
                before => {
                    tally.end_phase(before, board.size());
                    Some((phase, kernel))
                }
            };
        }
        tally.end_phase(current, board.size());
        tally
    }

    fn end_phase(&mut self, phase: Option<(u32, NodeSet)>, nodes: usize) {
        if let Some((_, throughout)) = phase {
            self.phases += 1;
            self.phases_with_quorum += u64::from(throughout.is_majority_of(nodes));
        }
    }

    /// Leaves the phases out: the target does not define any.
    pub(crate) fn forget_phases(&mut self) {
        (self.phases, self.phases_with_quorum) = (0, 0);
    }

    fn add(&mut self, other: &RoundTally) {
        self.rounds += other.rounds;
        self.rounds_with_quorum += other.rounds_with_quorum;
        self.phases += other.phases;
        self.phases_with_quorum += other.phases_with_quorum;
        if let Some(phases) = other.phases_with_effect {
            *self.phases_with_effect.get_or_insert(0) += phases;
        }
    }
}

impl Tally {
    /// What happened on this board.
    pub fn of(board: &Board) -> Tally {
        let mut tally = Tally::default();
        for step in board.steps() {
            tally.steps[step.kind() as usize] += 1;
        }
        if tally.of_kind(StepKind::Round) > 0 {
            tally.rounds = RoundTally::of(board);
        }
        tally.sent = board.messages().len() as u64;
        tally.lost = board.messages().iter().filter(|message| message.fate == Fate::Lost).count() as u64;
        tally.requested = board.requests().len() as u64;
        tally.answered = board.requests().iter().filter(|request| request.answered.is_some()).count() as u64;
        for fact in board.facts() {
            *tally.facts.entry(Cow::Borrowed(fact.name.as_str())).or_insert(0) += 1;
        }
        tally
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, other: &Tally) {
        for (mine, theirs) in self.steps.iter_mut().zip(other.steps) {
            *mine += theirs;
        }
        self.sent += other.sent;
        self.lost += other.lost;
        self.requested += other.requested;
        self.answered += other.answered;
        self.rounds.add(&other.rounds);
        for (name, count) in &other.facts {
            match self.facts.get_mut(name) {
                Some(mine) => *mine += count,
                None => drop(self.facts.insert(name.clone(), *count)),
            }
        }
    }

    /// How many steps there were of a kind.
    pub fn of_kind(&self, kind: StepKind) -> u64 {
        self.steps[kind as usize]
    }

    /// How many steps there were; the mark of a round does nothing, so it is not counted.
    pub fn all_steps(&self) -> u64 {
        self.steps.iter().sum::<u64>() - self.of_kind(StepKind::Round)
    }
}
