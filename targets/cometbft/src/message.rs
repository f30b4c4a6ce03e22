//! The messages of CometBFT: the library's own bytes, and what the scenarios look at and change.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use shakedown_cluster::{NODES_MAX, NodeId};
use shakedown_remote::Bytes;
use shakedown_tendermint::{ScenarioMessage, Value};

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// The head of a block is proposed.
    Proposal,
    /// A part of a block.
    BlockPart,
    /// A first vote.
    Prevote,
    /// A second vote.
    Precommit,
    /// The sender is in another step.
    NewRoundStep,
    /// The sender has seen a majority for a block, and has these parts of it.
    NewValidBlock,
    /// The sender has a vote.
    HasVote,
    /// The sender has these prevotes for a block that is proposed again.
    ProposalPOL,
    /// The sender has seen a majority, and asks which of its votes the receiver has.
    VoteSetMaj23,
    /// The answer to that.
    VoteSetBits,
}

const KINDS: [Kind; 10] = [
    Kind::Proposal,
    Kind::BlockPart,
    Kind::Prevote,
    Kind::Precommit,
    Kind::NewRoundStep,
    Kind::NewValidBlock,
    Kind::HasVote,
    Kind::ProposalPOL,
    Kind::VoteSetMaj23,
    Kind::VoteSetBits,
];

/// The names of the kinds, in their order.
pub(crate) const NAMES: &[&str] = &[
    "Proposal",
    "BlockPart",
    "Prevote",
    "Precommit",
    "NewRoundStep",
    "NewValidBlock",
    "HasVote",
    "ProposalPOL",
    "VoteSetMaj23",
    "VoteSetBits",
];

/// A message between two validators.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// What is in it.
    #[serde(flatten)]
    pub contents: Contents,
}

/// What is in a message. Where the fields differ from the library's bytes, the fields count, and the sender
/// signs anew.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// In which life the sender is: a message of an earlier life is lost with its connection.
    pub life: u64,
    /// The height.
    pub height: u64,
    /// The round; −1 where there is none.
    pub round: i32,
    /// What a proposal or a vote is for; nothing stands for nil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
    /// The number of the validator that signed it.
    #[serde(default)]
    pub signer: u64,
    /// Whether that is the sender. Others pass proposals and votes on.
    #[serde(default, rename = "own")]
    pub is_own: bool,
    /// The message as the library encodes it.
    pub wire: Bytes,
    /// What follows a proposal on its connection: the parts of the block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Bytes>,
}

/// The identity of a block.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Its number: see [`Value::made_by`].
    pub value: Value,
    /// Its hash, and that of its parts, as the library encodes them.
    pub id: Bytes,
}

impl Message {
    pub(crate) fn new(kind: &str, contents: Contents) -> Result<Message, String> {
        let mut kinds = KINDS.into_iter().zip(NAMES);
        let found = kinds.find(|(_, name)| **name == kind);
        let (kind, _) = found.ok_or_else(|| format!("there is no kind of message {kind}"))?;
        Ok(Message { kind, contents })
    }

    fn is_vote(&self) -> bool {
        matches!(self.kind, Kind::Prevote | Kind::Precommit)
    }
}

impl ScenarioMessage for Message {
    const STEPS: usize = 8;
    const OPTIONS: &'static [(&'static str, &'static str)] = &[];
    const WEIGHTS: &'static str = "tick=2,fire=4";
    const CARRY_VOTES: &'static [&'static str] = &["Prevote", "Precommit"];
    const CARRY_PRECOMMITS: &'static [&'static str] = &["Precommit"];
    const SKIPS: bool = false;

    fn round(&self) -> u32 {
        self.contents.round.try_into().unwrap_or(0)
    }

    fn value(&self) -> Option<Value> {
        self.contents.block.as_ref().map(|block| block.value)
    }

    fn signer(&self) -> Option<NodeId> {
        let number = usize::try_from(self.contents.signer).ok()?;
        (1..=NODES_MAX).contains(&number).then(|| NodeId::new(number))
    }

    fn is_report(&self) -> bool {
        let is_proposal = matches!(self.kind, Kind::Proposal | Kind::BlockPart | Kind::ProposalPOL);
        !is_proposal && !self.is_vote()
    }

    fn vote_for(&mut self, proposal: Option<&Message>) {
        if self.contents.is_own && self.is_vote() {
            self.contents.block = proposal.and_then(|proposal| proposal.contents.block.clone());
        }
    }

    fn propose_nothing(&mut self) {
        if self.contents.is_own && self.kind == Kind::Proposal {
            self.contents.block = None;
        }
    }

    fn set_round(&mut self, round: u32) {
        if self.contents.is_own && (self.is_vote() || self.kind == Kind::Proposal) {
            self.contents.round = round as i32;
        }
    }
}

impl shakedown_cluster::Message for Message {
    fn kind(&self) -> &'static str {
        NAMES[self.kind as usize]
    }

    fn describe(&self) -> String {
        let Contents { height, round, block, signer, .. } = &self.contents;
        let mut words = format!("{} h{height} r{round}", NAMES[self.kind as usize]);
        if self.is_vote() || self.kind == Kind::Proposal {
            let value = block.as_ref().map_or("nil".to_owned(), |block| block.value.to_string());
            write!(words, " {value} by n{signer}").expect("a string takes in any text");
        }
        words
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        let mut hasher = hasher;
        (self.kind, &self.contents).hash(&mut hasher);
    }

    fn encode(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    fn decode(text: &str) -> Result<Message, String> {
        serde_json::from_str(text).map_err(|error| format!("this is no message of CometBFT: {error}"))
    }
}
