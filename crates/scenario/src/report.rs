//! What an iteration came to: the outcome, and how often everything happened, so that nothing is silently
//! inert.

use std::collections::BTreeMap;

/// What filters do, in words; `kept back` is what they do to a message for which nothing else is done.
const WORDS: [&str; 16] = [
    "delivered",
    "passed on",
    "went on",
    "dropped",
    "doubled",
    "tampered with",
    "garbled",
    "injected",
    "asked",
    "crashed",
    "restarted",
    "isolated",
    "split",
    "healed",
    "ended",
    "kept back",
];

/// The word of [`FilterTally::deeds`] that this text is, if it is one.
pub fn deed_word(text: &str) -> Option<&'static str> {
    WORDS.into_iter().find(|word| *word == text)
}

/// How often a filter matched, and what it did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FilterTally {
    /// How often it matched.
    pub matched: u64,
    /// What it did, and how often.
    pub deeds: BTreeMap<&'static str, u64>,
    /// How many messages had been received at each match, if filters only looked.
    pub at: Vec<u64>,
}

/// What an iteration came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IterationReport {
    /// Whether the property was in a success state at the end.
    pub is_success: bool,
    /// Whether it was in its fail state.
    pub is_fail: bool,
    /// The state that it was in.
    pub state: &'static str,
    /// For every filter, in order.
    pub filters: Vec<FilterTally>,
    /// How often every state of the property was entered, in order.
    pub states: Vec<u64>,
    /// How often every clause of the protocol was covered, in order.
    pub clauses: Vec<u64>,
    /// Messages whose changed contents nobody could read: they were lost.
    pub undecodable: u64,
    /// Steps that filters wanted and the cluster refused.
    pub refused: u64,
    /// The first of these, with the reason as far as it is known.
    pub first_refused: Option<String>,
    /// How many messages were received.
    pub received: u64,
    /// What happened, event by event, if it was asked for.
    pub log: Vec<String>,
}

impl IterationReport {
    /// Adds the counts of another iteration to this one. Outcomes and logs are not added.
    pub fn add(&mut self, other: &IterationReport) {
        self.filters.resize(self.filters.len().max(other.filters.len()), FilterTally::default());
        for (mine, theirs) in self.filters.iter_mut().zip(&other.filters) {
            mine.matched += theirs.matched;
            for (word, count) in &theirs.deeds {
                *mine.deeds.entry(word).or_insert(0) += count;
            }
        }
        add_each(&mut self.states, &other.states);
        add_each(&mut self.clauses, &other.clauses);
        self.undecodable += other.undecodable;
        self.refused += other.refused;
        self.received += other.received;
        if self.first_refused.is_none() {
            self.first_refused.clone_from(&other.first_refused);
        }
    }
}

fn add_each(mine: &mut Vec<u64>, theirs: &[u64]) {
    mine.resize(mine.len().max(theirs.len()), 0);
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine += theirs;
    }
}
