//! The rounds of one execution: their places in phases, and which round a message belongs to.
//!
//! Rounds are counted from 0 over the whole execution: first those of the warm-up, then those in which
//! processes may be isolated, then those of the recovery.

use std::sync::Arc;

use shakedown_cluster::{Name, NodeSet};

use super::{Phase, Shape};

#[derive(Clone, Debug)]
pub(super) struct Rounds {
    phase: Arc<Phase>,
    shape: Shape,
    /// The kernel of every round in which processes may be isolated.
    kernels: Vec<NodeSet>,
    warm_up: usize,
    recovery: usize,
}

impl Rounds {
    pub fn new(phase: Arc<Phase>, shape: Shape, kernels: Vec<NodeSet>) -> Rounds {
        let length = phase.rounds().len();
        let warm_up = phase.warm_up_phases() as usize * length;
        let recovery = phase.recovery_phases() as usize * length;
        Rounds { phase, shape, kernels, warm_up, recovery }
    }

    /// How many rounds a phase has.
    pub fn phase_length(&self) -> usize {
        self.phase.rounds().len()
    }

    /// The round after the last.
    pub fn end(&self) -> usize {
        self.recovery_begin() + self.recovery
    }

    /// The round in which the recovery begins.
    pub fn recovery_begin(&self) -> usize {
        self.warm_up + self.shape.rounds
    }

    /// The number of the round's phase, counted from 1; 0 in the warm-up and in the recovery.
    pub fn phase_number(&self, round: usize) -> u32 {
        if round < self.warm_up || round >= self.recovery_begin() {
            return 0;
        }
        ((round - self.warm_up) / self.phase_length()) as u32 + 1
    }

    /// The number of the round's phase in the recovery, counted from 1; 0 before it.
    pub fn recovery_number(&self, round: usize) -> u32 {
        round.checked_sub(self.recovery_begin()).map_or(0, |round| (round / self.phase_length()) as u32 + 1)
    }

    /// How many phases there are in which processes may be isolated.
    pub fn phases(&self) -> usize {
        self.shape.rounds.div_ceil(self.phase_length())
    }

    /// Whether a phase begins with this round.
    pub fn begins_phase(&self, round: usize) -> bool {
        round.is_multiple_of(self.phase_length())
    }

    /// The name of the round.
    pub fn name(&self, round: usize) -> Name {
        self.phase.rounds()[round % self.phase_length()].name
    }

    /// The processes that are not isolated in the round.
    pub fn kernel(&self, round: usize) -> NodeSet {
        let faulty = round.checked_sub(self.warm_up).and_then(|round| self.kernels.get(round));
        faulty.copied().unwrap_or_else(|| NodeSet::first(self.shape.nodes))
    }

    /// The round that a message of this kind belongs to, if it can be received in `first` at the earliest:
    /// the first round from there on whose messages are of its kind.
    pub fn round_of(&self, kind: Name, first: usize) -> usize {
        let length = self.phase_length();
        match self.phase.round_of(kind) {
            Some(place) => first + (place + length - first % length) % length,
            None => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::Pace;

    fn rounds(warm_up: u32) -> Rounds {
        let phase = Phase::new(Pace::EveryRound(1)).round("ask", &["Ask"]).round("tell", &["Tell"]);
        let phase = phase.round("end", &[]).warm_up(warm_up).recovery(1);
        let shape = Shape { nodes: 3, rounds: 5, period: 3, isolations: Some(0) };
        Rounds::new(Arc::new(phase), shape, shape.kernels(&[]))
    }

    #[test]
    fn a_message_belongs_to_the_next_round_of_its_kind() {
        let rounds = rounds(0);
        let of = |kind: &'static str, first| rounds.round_of(Name::new(kind), first);
        assert_eq!([of("Ask", 0), of("Ask", 1), of("Ask", 2), of("Ask", 3)], [0, 3, 3, 3]);
        assert_eq!([of("Tell", 0), of("Tell", 1), of("Tell", 2)], [1, 1, 4]);
        assert_eq!([of("Other", 0), of("Other", 2)], [0, 2], "of no round: as soon as it can be received");
    }

    #[test]
    fn phases_are_counted_between_the_warm_up_and_the_recovery() {
        let rounds = rounds(2);
        let numbers: Vec<_> = (0..rounds.end()).map(|round| rounds.phase_number(round)).collect();
        assert_eq!(numbers, [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 0, 0, 0]);
        assert_eq!(rounds.phases(), 2);
    }
}
