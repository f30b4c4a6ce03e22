//! The messages of Tendermint: their names, what they say, their text form, and a fast digest.
//!
//! As text, a message is JSON:
//!
//! ```text
//! {"proposal":{"height":1,"round":1,"value":1000001,"pol_round":0,"from":"n2"}}
//! {"prevote":{"height":1,"round":0,"value":null,"from":"n3"}}
//! {"precommit":{"height":1,"round":0,"value":1000001,"from":"n3"}}
//! {"polka-certificate":{"height":1,"round":0,"value":1000001,"prevotes":[{"from":"n1","signature":"6f…"},…]}}
//! {"round-certificate":{"height":1,"round":0,"because":"precommit","votes":[{"kind":"precommit","value":null,"from":"n1","signature":"0a…"},…]}}
//! {"decision-request":{"height":1}}
//! {"decision":{"height":1,"round":0,"value":1000001,"precommits":[{"from":"n1","signature":"c1…"},…]}}
//! ```
//!
//! Proposals and votes carry no signature there, and what is read from such a text is signed with the key of
//! whoever sends it. Certificates hold votes of others, so theirs are written out; where one is left out, the
//! sender of the certificate signs.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use malachitebft_signing_ed25519::Signature;
use serde::{Deserialize, Serialize};
use shakedown_cluster::NodeId;

use crate::{ScenarioMessage, SignatureText, Value};

/// A message between two validators.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// A proposer proposes a value. The value itself travels with it.
    Proposal(Proposal),
    /// A first vote.
    Prevote(Vote),
    /// A second vote.
    Precommit(Vote),
    /// 2f+1 prevotes for one value: sent with the proposal of a value from an earlier round, and, from round
    /// 10 on, by whoever locks a value.
    PolkaCertificate(PolkaCertificate),
    /// Votes that let a validator enter a round above 0: sent when it does, and again with every rebroadcast.
    RoundCertificate(RoundCertificate),
    /// A validator that fell behind asks for what was decided at a height.
    DecisionRequest(DecisionRequest),
    /// A decided value with its proof, for a validator that fell behind.
    Decision(DecidedValue),
}

/// What a proposal says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The height.
    pub height: u64,
    /// The round.
    pub round: u32,
    /// What is proposed; nothing stands for the empty block, for which no correct validator votes.
    pub value: Option<Value>,
    /// The earlier round in which the value had a polka, if the proposer knows of one.
    #[serde(default)]
    pub pol_round: Option<u32>,
    /// Who proposes.
    #[serde(rename = "from")]
    pub sender: NodeId,
    /// The signature; without one, whoever sends the message signs it.
    #[serde(skip)]
    pub signature: Option<SignatureText>,
}

/// What a vote says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// The height.
    pub height: u64,
    /// The round.
    pub round: u32,
    /// The value that is voted for; none for nil.
    pub value: Option<Value>,
    /// Who votes.
    #[serde(rename = "from")]
    pub sender: NodeId,
    /// The signature; without one, whoever sends the message signs it.
    #[serde(skip)]
    pub signature: Option<SignatureText>,
}

/// Prevotes of 2f+1 validators for one value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolkaCertificate {
    /// The height.
    pub height: u64,
    /// The round of the prevotes.
    pub round: u32,
    /// The value.
    pub value: Value,
    /// Who prevoted.
    pub prevotes: Vec<SignedBy>,
}

/// Votes that let a validator enter a round.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundCertificate {
    /// The height.
    pub height: u64,
    /// The round of the votes.
    pub round: u32,
    /// Which round they let a validator enter.
    pub because: Because,
    /// The votes.
    pub votes: Vec<CertifiedVote>,
}

/// Why a round is entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// There are f+1 votes of that round.
    Skip,
    /// There are 2f+1 precommits of the round before.
    Precommit,
}

/// What was decided at this height?
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// The height.
    pub height: u64,
}

/// A decided value, and the precommits that decided it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedValue {
    /// The height.
    pub height: u64,
    /// The round of the precommits.
    pub round: u32,
    /// The value.
    pub value: Value,
    /// Who precommitted.
    pub precommits: Vec<SignedBy>,
}

/// The signature of a validator under what the certificate is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedBy {
    /// Who voted.
    #[serde(rename = "from")]
    pub sender: NodeId,
    /// The signature; without one, whoever sends the certificate signs.
    #[serde(default)]
    pub signature: Option<SignatureText>,
}

/// A vote in a certificate; its height and round are the certificate's.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedVote {
    /// Which vote.
    pub kind: VoteKind,
    /// The value that is voted for; none for nil.
    pub value: Option<Value>,
    /// Who votes.
    #[serde(rename = "from")]
    pub sender: NodeId,
    /// The signature; without one, whoever sends the certificate signs.
    #[serde(default)]
    pub signature: Option<SignatureText>,
}

/// The two kinds of votes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are Tendermint's own")]
pub enum VoteKind {
    Prevote,
    Precommit,
}

impl Message {
    /// The height that the message is about.
    pub fn height(&self) -> u64 {
        match self {
            Message::Proposal(proposal) => proposal.height,
            Message::Prevote(vote) | Message::Precommit(vote) => vote.height,
            Message::PolkaCertificate(certificate) => certificate.height,
            Message::RoundCertificate(certificate) => certificate.height,
            Message::DecisionRequest(request) => request.height,
            Message::Decision(decided) => decided.height,
        }
    }

    /// The round that the message is about; of a certificate, that of its votes; 0 of a request.
    pub fn round(&self) -> u32 {
        match self {
            Message::Proposal(proposal) => proposal.round,
            Message::Prevote(vote) | Message::Precommit(vote) => vote.round,
            Message::PolkaCertificate(certificate) => certificate.round,
            Message::RoundCertificate(certificate) => certificate.round,
            Message::DecisionRequest(_) => 0,
            Message::Decision(decided) => decided.round,
        }
    }

    /// The value that the message is about: none for nil, for the empty block, for round certificates and
    /// requests.
    pub fn value(&self) -> Option<Value> {
        match self {
            Message::Proposal(proposal) => proposal.value,
            Message::Prevote(vote) | Message::Precommit(vote) => vote.value,
            Message::PolkaCertificate(certificate) => Some(certificate.value),
            Message::RoundCertificate(_) | Message::DecisionRequest(_) => None,
            Message::Decision(decided) => Some(decided.value),
        }
    }

    /// The vote, if the message is a prevote or a precommit.
    pub fn vote(&self) -> Option<&Vote> {
        match self {
            Message::Prevote(vote) | Message::Precommit(vote) => Some(vote),
            _ => None,
        }
    }

    /// The proposal, if the message is one.
    pub fn proposal(&self) -> Option<&Proposal> {
        match self {
            Message::Proposal(proposal) => Some(proposal),
            _ => None,
        }
    }

    /// In whose name the message speaks, if it is a proposal or a vote.
    pub fn sender(&self) -> Option<NodeId> {
        self.vote().map(|vote| vote.sender).or(self.proposal().map(|proposal| proposal.sender))
    }

    pub(crate) fn request_decision(height: u64) -> Message {
        Message::DecisionRequest(DecisionRequest { height })
    }
}

impl ScenarioMessage for Message {
    const STEPS: usize = 1;
    const OPTIONS: &'static [(&'static str, &'static str)] = &[("rebroadcast", "false")];
    const WEIGHTS: &'static str = "tick=0,fire=4";
    const CARRY_VOTES: &'static [&'static str] =
        &["Prevote", "Precommit", "RoundCertificate", "PolkaCertificate"];
    const CARRY_PRECOMMITS: &'static [&'static str] = &["Precommit", "RoundCertificate"];
    const SKIPS: bool = true;

    fn round(&self) -> u32 {
        Message::round(self)
    }

    fn value(&self) -> Option<Value> {
        Message::value(self)
    }

    fn signer(&self) -> Option<NodeId> {
        self.sender()
    }

    fn is_report(&self) -> bool {
        false
    }

    fn vote_for(&mut self, proposal: Option<&Message>) {
        if let Message::Prevote(vote) | Message::Precommit(vote) = self {
            vote.value = proposal.and_then(Message::value);
            vote.signature = None;
        }
    }

    fn propose_nothing(&mut self) {
        if let Message::Proposal(Proposal { value, signature, .. }) = self {
            (*value, *signature) = (None, None);
        }
    }

    fn set_round(&mut self, new: u32) {
        if let Message::Proposal(Proposal { round, signature, .. })
        | Message::Prevote(Vote { round, signature, .. })
        | Message::Precommit(Vote { round, signature, .. }) = self
        {
            *round = new;
            *signature = None;
        }
    }
}

impl shakedown_cluster::Message for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Proposal(_) => "Proposal",
            Message::Prevote(_) => "Prevote",
            Message::Precommit(_) => "Precommit",
            Message::PolkaCertificate(_) => "PolkaCertificate",
            Message::RoundCertificate(_) => "RoundCertificate",
            Message::DecisionRequest(_) => "DecisionRequest",
            Message::Decision(_) => "Decision",
        }
    }

    fn describe(&self) -> String {
        let mut words = format!("{} h{} r{}", self.kind(), self.height(), self.round());
        let mut add = |more: std::fmt::Arguments<'_>| {
            words.write_fmt(more).expect("a string takes in any text");
        };
        match (self, self.value()) {
            (Message::RoundCertificate(certificate), _) => {
                add(format_args!(" because={:?} of {:?}", certificate.because, signers(&certificate.votes)));
            }
            (Message::DecisionRequest(_), _) => {}
            (Message::Proposal(_), None) => add(format_args!(" empty")),
            (_, None) => add(format_args!(" nil")),
            (_, Some(value)) => add(format_args!(" {value}")),
        }
        if let Some(pol_round) = self.proposal().and_then(|proposal| proposal.pol_round) {
            add(format_args!(" pol={pol_round}"));
        }
        if let Some(sender) = self.sender() {
            add(format_args!(" by {sender}"));
        }
        words
    }

    /// The kind says which fields follow. Signatures are left out: they follow from what is signed and by
    /// whom, but for those in a text of the schedule, which is taken in as a step.
    fn digest<H: Hasher>(&self, hasher: &mut H) {
        let mut hasher = hasher;
        hasher.write_u8(match self {
            Message::Proposal(_) => 0,
            Message::Prevote(_) => 1,
            Message::Precommit(_) => 2,
            Message::PolkaCertificate(_) => 3,
            Message::RoundCertificate(_) => 4,
            Message::DecisionRequest(_) => 5,
            Message::Decision(_) => 6,
        });
        hasher.write_u64(self.height());
        hasher.write_u32(self.round());
        self.value().hash(&mut hasher);
        match self {
            Message::Prevote(vote) | Message::Precommit(vote) => vote.sender.hash(&mut hasher),
            Message::Proposal(proposal) => (proposal.pol_round, proposal.sender).hash(&mut hasher),
            Message::PolkaCertificate(PolkaCertificate { prevotes: signed, .. })
            | Message::Decision(DecidedValue { precommits: signed, .. }) => {
                hasher.write_usize(signed.len());
                signed.iter().for_each(|signed| signed.sender.hash(&mut hasher));
            }
            Message::DecisionRequest(_) => {}
            Message::RoundCertificate(certificate) => {
                certificate.because.hash(&mut hasher);
                hasher.write_usize(certificate.votes.len());
                for vote in &certificate.votes {
                    (vote.kind, vote.value, vote.sender).hash(&mut hasher);
                }
            }
        }
    }

    fn encode(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    fn decode(text: &str) -> Result<Message, String> {
        serde_json::from_str(text).map_err(|error| format!("this is no message of Tendermint: {error}"))
    }
}

fn signers(votes: &[CertifiedVote]) -> Vec<NodeId> {
    votes.iter().map(|vote| vote.sender).collect()
}

impl From<Signature> for SignatureText {
    fn from(signature: Signature) -> SignatureText {
        SignatureText(signature)
    }
}
