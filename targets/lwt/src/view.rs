//! What can be seen of a node.

use std::fmt;

use serde::Serialize;
use shakedown_check::RegisterValues;

use crate::{Ballot, Held, Proposal, Stage, Transaction};

/// The transaction that a node works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Coordinating {
    /// The transaction.
    pub transaction: Transaction,
    /// The ballot of the present attempt.
    pub ballot: Option<Ballot>,
    /// How far the attempt has come.
    pub stage: Stage,
}

/// A node as it is seen from outside.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub struct View {
    /// What the replica holds under each key that it has heard of, in the order of keys.
    pub keys: Vec<(u8, Held)>,
    /// The transaction that the node works on for a client.
    pub coordinating: Option<Coordinating>,
    /// How many more transactions wait for it.
    pub waiting: usize,
}

impl View {
    /// Every commit that the replica holds, with its key.
    pub fn commits(&self) -> impl Iterator<Item = (u8, Proposal)> + '_ {
        self.keys.iter().filter_map(|(key, held)| Some((*key, held.commit?)))
    }
}

/// What the keys hold when nodes look like this: for each, the value of the newest commit. Transactions that
/// were answered are committed at a majority, so none of them is missing; one without an answer may be there
/// or not.
pub fn outcome(views: &[View]) -> RegisterValues {
    let mut commits: Vec<_> = views.iter().flat_map(View::commits).collect();
    commits.sort_by_key(|(_, commit)| commit.ballot);
    commits.iter().map(|(key, commit)| (*key, commit.value)).collect()
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<_> = self.keys.iter().map(|(key, held)| format!("k{key}: {held:?}")).collect();
        if let Some(Coordinating { transaction, ballot, stage }) = &self.coordinating {
            let ballot = ballot.map_or(String::new(), |ballot| format!(" under {ballot:?}"));
            let stage = match stage {
                Stage::Waiting => "waits for the next phase".to_owned(),
                Stage::Preparing => "prepares".to_owned(),
                Stage::Proposing(proposal) => format!("proposes {proposal:?}"),
                Stage::Committing(proposal) => format!("commits {proposal:?}"),
            };
            parts.push(format!("{transaction} {stage}{ballot}"));
        }
        if self.waiting > 0 {
            parts.push(format!("{} more waiting", self.waiting));
        }
        f.write_str(&parts.join("; "))
    }
}
