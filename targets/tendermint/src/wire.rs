//! Between [`Message`] and the library's own types.

use malachitebft_core_consensus::{Input, LivenessMsg, ProposedValue, SignedConsensusMsg};
use malachitebft_core_types::{
    CommitCertificate, CommitSignature, NilOrVal, PolkaCertificate as LibraryPolka, PolkaSignature, Round,
    RoundCertificate as LibraryRound, RoundCertificateType, RoundSignature, SignedMessage, SignedProposal,
    SignedVote, SigningProvider, Validity, VoteType,
};
use malachitebft_signing_ed25519::Signature;
use shakedown_cluster::NodeId;

use crate::context::{Address, Height, PlainProposal, PlainVote, Tendermint, Validators};
use crate::message::{Because, CertifiedVote, SignedBy, VoteKind};
use crate::signing::{self, Signer};
use crate::{
    DecidedValue, Message, PolkaCertificate, Proposal, RoundCertificate, SignatureText, Value, Vote,
};

/// A vote that the library publishes.
pub fn vote(signed: &SignedVote<Tendermint>) -> Message {
    let vote = Vote {
        height: signed.message.height.0,
        round: number(signed.message.round),
        value: option(&signed.message.value),
        sender: signed.message.address.0,
        signature: Some(signed.signature.into()),
    };
    match signed.message.kind {
        VoteType::Prevote => Message::Prevote(vote),
        VoteType::Precommit => Message::Precommit(vote),
    }
}

/// A vote or a proposal that the library publishes.
pub fn published(message: &SignedConsensusMsg<Tendermint>) -> Message {
    match message {
        SignedConsensusMsg::Vote(signed) => vote(signed),
        SignedConsensusMsg::Proposal(signed) => Message::Proposal(Proposal {
            height: signed.message.height.0,
            round: number(signed.message.round),
            value: Some(signed.message.value).filter(|value| *value != Value::EMPTY),
            pol_round: signed.message.pol_round.as_u32(),
            sender: signed.message.address.0,
            signature: Some(signed.signature.into()),
        }),
    }
}

/// What the library publishes so that others get on.
pub fn liveness(message: &LivenessMsg<Tendermint>) -> Message {
    match message {
        LivenessMsg::Vote(signed) => vote(signed),
        LivenessMsg::PolkaCertificate(polka) => Message::PolkaCertificate(PolkaCertificate {
            height: polka.height.0,
            round: number(polka.round),
            value: polka.value_id,
            prevotes: polka.polka_signatures.iter().map(|s| signed_by(s.address, s.signature)).collect(),
        }),
        LivenessMsg::SkipRoundCertificate(certificate) => round_certificate(certificate),
    }
}

/// A round certificate that the library publishes.
pub fn round_certificate(certificate: &LibraryRound<Tendermint>) -> Message {
    let certified = |signature: &RoundSignature<Tendermint>| CertifiedVote {
        kind: match signature.vote_type {
            VoteType::Prevote => VoteKind::Prevote,
            VoteType::Precommit => VoteKind::Precommit,
        },
        value: option(&signature.value_id),
        sender: signature.address.0,
        signature: Some(signature.signature.into()),
    };
    Message::RoundCertificate(RoundCertificate {
        height: certificate.height.0,
        round: number(certificate.round),
        because: match certificate.cert_type {
            RoundCertificateType::Skip => Because::Skip,
            RoundCertificateType::Precommit => Because::Precommit,
        },
        votes: certificate.round_signatures.iter().map(certified).collect(),
    })
}

/// The precommits of a commit certificate.
pub fn precommits(certificate: &CommitCertificate<Tendermint>) -> Vec<SignedBy> {
    certificate.commit_signatures.iter().map(|s| signed_by(s.address, s.signature)).collect()
}

/// The library's form of a decided value's proof, as sent by a node.
pub fn commit_certificate(decided: &DecidedValue, from: NodeId) -> CommitCertificate<Tendermint> {
    let (height, round) = (Height(decided.height), Round::new(decided.round));
    let signature = |signed: &SignedBy| {
        let address = Address(signed.sender);
        let value = NilOrVal::Val(decided.value);
        let vote = PlainVote { kind: VoteType::Precommit, height, round, value, address };
        CommitSignature::new(address, signature_of_vote(signed.signature, vote, from))
    };
    CommitCertificate {
        height,
        round,
        value_id: decided.value,
        commit_signatures: decided.precommits.iter().map(signature).collect(),
    }
}

/// What the library is told when the message arrives from a node. Decisions and requests for them are not for
/// it, and proposals come with their values: see [`proposal`].
pub fn input(message: &Message, from: NodeId) -> Option<Input<Tendermint>> {
    Some(match message {
        Message::Prevote(vote) => Input::Vote(signed_vote(VoteType::Prevote, vote, from)),
        Message::Precommit(vote) => Input::Vote(signed_vote(VoteType::Precommit, vote, from)),
        Message::PolkaCertificate(polka) => Input::PolkaCertificate(library_polka(polka, from)),
        Message::RoundCertificate(round) => Input::RoundCertificate(library_round(round, from)),
        Message::Proposal(_) | Message::DecisionRequest(_) | Message::Decision(_) => return None,
    })
}

/// A proposal, and the value that travels with it. The application takes in a value only if it is from the
/// proposer of the round, and holds all but the empty block valid.
pub fn proposal(
    proposal: &Proposal,
    from: NodeId,
    validators: &Validators,
) -> (SignedProposal<Tendermint>, Option<ProposedValue<Tendermint>>) {
    let plain = PlainProposal {
        height: Height(proposal.height),
        round: Round::new(proposal.round),
        value: proposal.value.unwrap_or(Value::EMPTY),
        pol_round: Round::from(proposal.pol_round),
        address: Address(proposal.sender),
    };
    let signed: SignedProposal<Tendermint> = match proposal.signature {
        Some(SignatureText(signature)) => SignedMessage::new(plain, signature),
        None => Signer(from).sign_proposal(plain),
    };
    let plain = &signed.message;
    let key = signing::keys_of(proposal.sender).public();
    let is_genuine = validators.proposer(plain.height, plain.round).node() == proposal.sender
        && Signer(from).verify_signed_proposal(plain, &signed.signature, key);
    let value = ProposedValue {
        height: plain.height,
        round: plain.round,
        valid_round: plain.pol_round,
        proposer: plain.address,
        value: plain.value,
        validity: Validity::from_bool(plain.value != Value::EMPTY),
    };
    (signed, is_genuine.then_some(value))
}

fn signed_vote(kind: VoteType, vote: &Vote, from: NodeId) -> SignedVote<Tendermint> {
    let plain = PlainVote {
        kind,
        height: Height(vote.height),
        round: Round::new(vote.round),
        value: nil_or(vote.value),
        address: Address(vote.sender),
    };
    let signature = signature_of_vote(vote.signature, plain.clone(), from);
    SignedMessage::new(plain, signature)
}

fn library_polka(polka: &PolkaCertificate, from: NodeId) -> LibraryPolka<Tendermint> {
    let (height, round) = (Height(polka.height), Round::new(polka.round));
    let signature = |signed: &SignedBy| {
        let address = Address(signed.sender);
        let value = NilOrVal::Val(polka.value);
        let vote = PlainVote { kind: VoteType::Prevote, height, round, value, address };
        PolkaSignature::new(address, signature_of_vote(signed.signature, vote, from))
    };
    LibraryPolka {
        height,
        round,
        value_id: polka.value,
        polka_signatures: polka.prevotes.iter().map(signature).collect(),
    }
}

fn library_round(certificate: &RoundCertificate, from: NodeId) -> LibraryRound<Tendermint> {
    let (height, round) = (Height(certificate.height), Round::new(certificate.round));
    let signature = |vote: &CertifiedVote| {
        let kind = match vote.kind {
            VoteKind::Prevote => VoteType::Prevote,
            VoteKind::Precommit => VoteType::Precommit,
        };
        let (value, address) = (nil_or(vote.value), Address(vote.sender));
        let plain = PlainVote { kind, height, round, value, address };
        RoundSignature::new(kind, value, address, signature_of_vote(vote.signature, plain, from))
    };
    LibraryRound {
        height,
        round,
        cert_type: match certificate.because {
            Because::Skip => RoundCertificateType::Skip,
            Because::Precommit => RoundCertificateType::Precommit,
        },
        round_signatures: certificate.votes.iter().map(signature).collect(),
    }
}

/// The signature that is there, or that of the sender.
fn signature_of_vote(signature: Option<SignatureText>, vote: PlainVote, from: NodeId) -> Signature {
    match signature {
        Some(SignatureText(signature)) => signature,
        None => Signer(from).sign_vote(vote).signature,
    }
}

fn signed_by(address: Address, signature: Signature) -> SignedBy {
    SignedBy { sender: address.0, signature: Some(signature.into()) }
}

/// The number of a round. The library publishes nothing before it has entered round 0.
pub fn number(round: Round) -> u32 {
    round.as_u32().unwrap_or(0)
}

pub fn option(value: &NilOrVal<Value>) -> Option<Value> {
    match value {
        NilOrVal::Nil => None,
        NilOrVal::Val(value) => Some(*value),
    }
}

fn nil_or(value: Option<Value>) -> NilOrVal<Value> {
    value.map_or(NilOrVal::Nil, NilOrVal::Val)
}
