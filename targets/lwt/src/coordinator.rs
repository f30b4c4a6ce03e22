//! The coordinator: the attempts of a node to bring one client's transaction to an end. It decides, and says
//! what is to be sent and answered; the [server](crate::Server) does it.

use serde::Serialize;
use shakedown_check::{RegisterAnswer, RegisterOp};
use shakedown_cluster::NodeId;

use crate::ballot::{ballot_of, newer};
use crate::{Ballot, Held, Proposal, Transaction};

/// How far an attempt has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It waits for the next phase.
    Waiting,
    /// It waits for promises.
    Preparing,
    /// It waits for accepts.
    Proposing(Proposal),
    /// It waits for acks.
    Committing(Proposal),
}

/// What the coordinator knows of what became of its transaction in earlier attempts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Past {
    /// It was never proposed, so it has no effect.
    Unproposed,
    /// It was proposed when this was the most recent commit. It may have been chosen, and may be yet.
    Proposed(Option<Ballot>),
    /// It was chosen, but not acknowledged by a majority.
    Chosen,
}

/// What is to be done when something has arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// Nothing yet, or nothing before the next phase.
    Wait,
    /// Send this proposal to all and, before that, what was committed to these, which miss it.
    Propose(Proposal, Option<(Proposal, Vec<NodeId>)>),
    /// Send this commit to all.
    Commit(Proposal),
    /// Answer the client: the transaction has come to an end.
    Answer(RegisterAnswer),
    /// Nobody can say what became of the transaction: it has come to an end without an answer.
    GiveUp,
}

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct Coordinator {
    pub transaction: Transaction,
    pub op: RegisterOp,
    pub stage: Stage,
    /// The ballot of the present attempt.
    pub ballot: Option<Ballot>,
    past: Past,
    /// What was known when the present attempt began.
    past_before: Past,
    nodes: usize,
    promises: Vec<(NodeId, Held, Option<Proposal>)>,
    /// Who has accepted, or acknowledged.
    agreed: Vec<NodeId>,
    /// Who has refused to accept.
    refused: Vec<NodeId>,
}

impl Coordinator {
    pub fn new(transaction: Transaction, op: RegisterOp, nodes: usize) -> Coordinator {
        Coordinator {
            transaction,
            op,
            stage: Stage::Waiting,
            ballot: None,
            past: Past::Unproposed,
            past_before: Past::Unproposed,
            nodes,
            promises: Vec::new(),
            agreed: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// The key whose Paxos the transaction goes through.
    pub fn key(&self) -> u8 {
        match self.op {
            RegisterOp::Read(key) | RegisterOp::Write(key, _) => key,
            RegisterOp::When { write, .. } => write.0,
        }
    }

    /// Another key that the transaction looks at.
    pub fn also(&self) -> Option<u8> {
        match self.op {
            RegisterOp::When { key, write, .. } if key != write.0 => Some(key),
            _ => None,
        }
    }

    /// Begins a new attempt.
    pub fn begin(&mut self, ballot: Ballot) {
        self.ballot = Some(ballot);
        self.stage = Stage::Preparing;
        self.past_before = self.past;
        self.promises.clear();
        self.agreed.clear();
        self.refused.clear();
    }

    /// A replica has promised a higher ballot to somebody else. One is enough to end the attempt, for nothing
    /// was proposed yet.
    pub fn promise_refused(&mut self) {
        if self.stage == Stage::Preparing {
            self.stage = Stage::Waiting;
        }
    }

    /// A replica has promised a higher ballot to somebody else meanwhile. The others may accept all the same;
    /// only if none did, it is as if this attempt had not been.
    pub fn accept_refused(&mut self, from: NodeId) {
        if !matches!(self.stage, Stage::Proposing(_)) || self.refused.contains(&from) {
            return;
        }
        self.refused.push(from);
        if self.refused.len() == self.nodes {
            self.past = self.past_before;
            self.stage = Stage::Waiting;
        }
    }

    pub fn promised(&mut self, from: NodeId, held: Held, also: Option<Proposal>) -> Next {
        if self.stage != Stage::Preparing || self.promises.iter().any(|(known, ..)| *known == from) {
            return Next::Wait;
        }
        self.promises.push((from, held, also));
        if self.promises.len() < self.majority() {
            return Next::Wait;
        }
        let in_progress = self.promises.iter().fold(None, |most, (_, held, _)| newer(most, held.in_progress));
        let commit = self.promises.iter().fold(None, |most, (_, held, _)| newer(most, held.commit));
        match in_progress {
            Some(unfinished) if Some(unfinished.ballot) > ballot_of(commit) => {
                // Finished under the ballot of this attempt, whosesoever it is.
                self.propose(unfinished.transaction, unfinished.value, ballot_of(commit), None)
            }
            _ => self.go_on_from(commit),
        }
    }

    /// Nothing is in progress, and this is the most recent commit.
    fn go_on_from(&mut self, commit: Option<Proposal>) -> Next {
        let is_own = commit.is_some_and(|commit| commit.transaction == self.transaction);
        match self.past {
            _ if is_own => return Next::Answer(self.success()),
            Past::Chosen => return Next::Answer(self.success()),
            // Whether the transaction was committed before this one, nobody can say any more.
            Past::Proposed(base) if base != ballot_of(commit) => return Next::GiveUp,
            Past::Proposed(_) | Past::Unproposed => {}
        }
        let value = value_of(commit);
        match self.op {
            RegisterOp::Read(_) => Next::Answer(RegisterAnswer::Value(value)),
            RegisterOp::When { is, .. } if self.looked_at(value) != is => {
                Next::Answer(RegisterAnswer::Applied(false))
            }
            RegisterOp::Write(_, value) | RegisterOp::When { write: (_, value), .. } => {
                let repair = commit.map(|commit| (commit, self.missing(commit)));
                self.propose(self.transaction, value, ballot_of(commit), repair)
            }
        }
    }

    /// What the key holds that the condition is about, when the key that is written holds this value.
    fn looked_at(&self, value: u64) -> u64 {
        if self.also().is_none() {
            return value;
        }
        value_of(self.promises.iter().fold(None, |most, (_, _, also)| newer(most, *also)))
    }

    /// The replicas that promised and do not have this commit.
    fn missing(&self, commit: Proposal) -> Vec<NodeId> {
        let misses = |held: &Held| ballot_of(held.commit) != Some(commit.ballot);
        self.promises.iter().filter(|(_, held, _)| misses(held)).map(|(node, ..)| *node).collect()
    }

    fn propose(
        &mut self,
        transaction: Transaction,
        value: u64,
        base: Option<Ballot>,
        repair: Option<(Proposal, Vec<NodeId>)>,
    ) -> Next {
        let ballot = self.ballot.expect("an attempt has a ballot");
        let proposal = Proposal { ballot, transaction, value };
        if transaction == self.transaction && self.past != Past::Chosen {
            self.past = Past::Proposed(base);
        }
        self.stage = Stage::Proposing(proposal);
        Next::Propose(proposal, repair)
    }

    pub fn accepted(&mut self, from: NodeId) -> Next {
        let Stage::Proposing(proposal) = self.stage else { return Next::Wait };
        if !self.is_majority_with(from) {
            return Next::Wait;
        }
        if proposal.transaction == self.transaction {
            self.past = Past::Chosen;
        }
        self.stage = Stage::Committing(proposal);
        self.agreed.clear();
        Next::Commit(proposal)
    }

    pub fn acknowledged(&mut self, from: NodeId) -> Next {
        let Stage::Committing(proposal) = self.stage else { return Next::Wait };
        if !self.is_majority_with(from) {
            return Next::Wait;
        }
        self.stage = Stage::Waiting;
        if proposal.transaction == self.transaction { Next::Answer(self.success()) } else { Next::Wait }
    }

    fn is_majority_with(&mut self, from: NodeId) -> bool {
        if !self.agreed.contains(&from) {
            self.agreed.push(from);
        }
        self.agreed.len() >= self.majority()
    }

    fn majority(&self) -> usize {
        self.nodes / 2 + 1
    }

    /// The answer to a transaction that was chosen.
    fn success(&self) -> RegisterAnswer {
        match self.op {
            RegisterOp::When { .. } => RegisterAnswer::Applied(true),
            _ => RegisterAnswer::Done,
        }
    }
}

/// The value of a key whose most recent commit is this.
fn value_of(commit: Option<Proposal>) -> u64 {
    commit.map_or(0, |commit| commit.value)
}
