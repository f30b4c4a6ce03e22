//! Counting what happened, so that nothing is silently inert.

use std::collections::BTreeMap;

use shakedown_cluster::{Board, Fate, Happening, StepKind};

/// How often what happened, in one execution or in many.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Steps, by kind.
    pub steps: [u64; StepKind::ALL.len()],
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that were lost, by whatever cause.
    pub lost: u64,
    /// Requests that were sent.
    pub requested: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// What nodes told of themselves, by name.
    pub facts: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// What happened on this board.
    pub fn of(board: &Board) -> Tally {
        let mut tally = Tally::default();
        for step in board.steps() {
            tally.steps[step.kind() as usize] += 1;
        }
        tally.sent = board.messages().len() as u64;
        tally.lost = board.messages().iter().filter(|message| message.fate == Fate::Lost).count() as u64;
        tally.requested = board.requests().len() as u64;
        tally.answered = board.requests().iter().filter(|request| request.answered.is_some()).count() as u64;
        for event in board.events() {
            if let Happening::Internal(fact) = &event.what {
                *tally.facts.entry(fact.name.as_str()).or_insert(0) += 1;
            }
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
        for (name, count) in &other.facts {
            *self.facts.entry(name).or_insert(0) += count;
        }
    }

    /// How many steps there were of a kind.
    pub fn of_kind(&self, kind: StepKind) -> u64 {
        self.steps[kind as usize]
    }

    /// How many steps there were.
    pub fn all_steps(&self) -> u64 {
        self.steps.iter().sum()
    }
}
