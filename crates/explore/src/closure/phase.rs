//! What a phase of a protocol is: its rounds, the messages of each, and when clocks tick.
//!
//! A target describes it once. From the kind of a message follows the round that it belongs to, which is what
//! protocols that are communication-closed have in common: every message says what it is a part of.

use shakedown_cluster::Name;

/// When clocks tick in lock step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// So often at the beginning of every round, and once more when all is over: for nodes that do something
    /// in every round by themselves.
    EveryRound(u32),
    /// So often at the beginning of every phase: for nodes that answer messages at once.
    EveryPhase(u32),
}

/// A round of a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhaseRound {
    /// Its name.
    pub name: Name,
    /// The kinds of its messages.
    pub kinds: Vec<Name>,
}

/// A phase: a sequence of rounds in which the protocol comes one step further.
///
/// A message of a kind that no round names belongs to the round in which it can first be received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phase {
    rounds: Vec<PhaseRound>,
    pace: Pace,
    warm_up: u32,
    recovery: u32,
    effect: Option<Name>,
}

/// The names of rounds that nobody gave a name.
const HOPS: [&str; 16] = [
    "hop1", "hop2", "hop3", "hop4", "hop5", "hop6", "hop7", "hop8", "hop9", "hop10", "hop11", "hop12",
    "hop13", "hop14", "hop15", "hop16",
];

impl Phase {
    /// A phase without rounds; add them in order.
    pub fn new(pace: Pace) -> Phase {
        Phase { rounds: Vec::new(), pace, warm_up: 0, recovery: 0, effect: None }
    }

    /// The phase of a protocol of which no rounds are known: whatever is under way when a round begins
    /// belongs to it.
    pub fn of_hops(rounds: usize) -> Phase {
        let names = &HOPS[..rounds.clamp(1, HOPS.len())];
        names.iter().fold(Phase::new(Pace::EveryPhase(1)), |phase, name| phase.round(name, &[]))
    }

    /// The phase of servers whose messages pass by themselves: rounds are slices of time, and clocks tick in
    /// each of them.
    pub fn of_slices(rounds: usize) -> Phase {
        Phase { pace: Pace::EveryRound(1), ..Phase::of_hops(rounds) }
    }

    /// Whether a round of this name is one of [`Phase::of_hops`]: then nothing is known of the protocol's
    /// phases.
    pub fn is_hop(name: &str) -> bool {
        HOPS.contains(&name)
    }

    /// The phase with one more round, to which messages of these kinds belong.
    ///
    /// # Panics
    /// If the name is not one word.
    #[must_use]
    pub fn round(mut self, name: &'static str, kinds: &[&'static str]) -> Phase {
        Name::check(name).expect("the name of a round is one word");
        let kinds = kinds.iter().map(|kind| Name::new(kind)).collect();
        self.rounds.push(PhaseRound { name: Name::new(name), kinds });
        self
    }

    /// The phase, with what shows that a request has taken effect on a node: a kind of message that the node
    /// receives, or a fact that it reports. A phase in which a majority of the nodes shows it is counted.
    ///
    /// # Panics
    /// If the name is not one word.
    #[must_use]
    pub fn effect(mut self, name: &'static str) -> Phase {
        Name::check(name).expect("the name of a message or a fact is one word");
        self.effect = Some(Name::new(name));
        self
    }

    /// The phase, with so many fault-free ones before the first.
    #[must_use]
    pub fn warm_up(mut self, phases: u32) -> Phase {
        self.warm_up = phases;
        self
    }

    /// The phase, with so many fault-free ones after the last.
    #[must_use]
    pub fn recovery(mut self, phases: u32) -> Phase {
        self.recovery = phases;
        self
    }

    /// Its rounds.
    pub fn rounds(&self) -> &[PhaseRound] {
        &self.rounds
    }

    /// When clocks tick.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// How many fault-free phases come before the first.
    pub fn warm_up_phases(&self) -> u32 {
        self.warm_up
    }

    /// How many fault-free phases come after the last.
    pub fn recovery_phases(&self) -> u32 {
        self.recovery
    }

    /// The kind of message, or the fact, that shows that a request has taken effect on a node.
    pub fn effect_name(&self) -> Option<Name> {
        self.effect
    }

    /// The round of the phase that messages of this kind belong to.
    pub(super) fn round_of(&self, kind: Name) -> Option<usize> {
        self.rounds.iter().position(|round| round.kinds.contains(&kind))
    }
}
