//! Keys and signatures.
//!
//! The keys of a node follow from its number. Ed25519 is deterministic, so a signature follows from the key
//! and what is signed; since few different votes are cast in thousands of executions, signatures are
//! remembered, per thread, and a signature that is the one the owner of the key would make needs no
//! verification by curve.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use malachitebft_core_types::{NilOrVal, SignedMessage, SigningProvider, VoteType};
use malachitebft_signing_ed25519::{PrivateKey, PublicKey, Signature};
use serde::{Deserialize, Serialize};
use shakedown_cluster::{NODES_MAX, NodeId};

use crate::context::{NoPart, PlainProposal, PlainVote, Tendermint};

/// How many signatures a thread remembers.
const REMEMBERED_MAX: usize = 50_000;

/// What is signed, in bytes: kind, sender, height, round, round of the polka, whether there is a value,
/// value.
type Bytes = [u8; 36];

/// The keys of a node.
pub struct Keys {
    private: PrivateKey,
    public: PublicKey,
}

impl Keys {
    pub fn public(&self) -> &PublicKey {
        &self.public
    }
}

/// The keys of a node, which follow from its number.
pub fn keys_of(node: NodeId) -> &'static Keys {
    static KEYS: LazyLock<Vec<Keys>> = LazyLock::new(|| {
        let keys = |node: NodeId| {
            let mut seed = *b"the key of a shakedown validator";
            seed[31] = node.number() as u8;
            let private = PrivateKey::from(seed);
            let public = private.public_key();
            Keys { private, public }
        };
        NodeId::first(NODES_MAX).map(keys).collect()
    });
    &KEYS[node.index()]
}

thread_local! {
    static REMEMBERED: RefCell<HashMap<(NodeId, Bytes), Signature>> = RefCell::new(HashMap::new());
}

/// The signature of a node. Only looked up, never gone through, so the order of the map does not matter.
fn sign(node: NodeId, bytes: &Bytes) -> Signature {
    REMEMBERED.with_borrow_mut(|remembered| {
        if let Some(signature) = remembered.get(&(node, *bytes)) {
            return *signature;
        }
        if remembered.len() >= REMEMBERED_MAX {
            remembered.clear();
        }
        let signature = keys_of(node).private.sign(bytes);
        remembered.insert((node, *bytes), signature);
        signature
    })
}

fn verify(owner: NodeId, bytes: &Bytes, signature: &Signature, key: &PublicKey) -> bool {
    let is_the_owners = key == keys_of(owner).public() && *signature == sign(owner, bytes);
    is_the_owners || key.verify(bytes, signature).is_ok()
}

fn bytes(kind: u8, node: NodeId, height: u64, rounds: [i64; 2], value: Option<u64>) -> Bytes {
    let mut bytes = [0; 36];
    bytes[0] = kind;
    bytes[1] = node.number() as u8;
    bytes[2..10].copy_from_slice(&height.to_le_bytes());
    bytes[10..18].copy_from_slice(&rounds[0].to_le_bytes());
    bytes[18..26].copy_from_slice(&rounds[1].to_le_bytes());
    bytes[26] = u8::from(value.is_some());
    bytes[27..35].copy_from_slice(&value.unwrap_or(0).to_le_bytes());
    bytes
}

fn bytes_of_vote(vote: &PlainVote) -> Bytes {
    let kind = match vote.kind {
        VoteType::Prevote => 1,
        VoteType::Precommit => 2,
    };
    let value = match vote.value {
        NilOrVal::Nil => None,
        NilOrVal::Val(value) => Some(value.0),
    };
    bytes(kind, vote.address.0, vote.height.0, [vote.round.as_i64(), -1], value)
}

fn bytes_of_proposal(proposal: &PlainProposal) -> Bytes {
    let rounds = [proposal.round.as_i64(), proposal.pol_round.as_i64()];
    bytes(3, proposal.address.0, proposal.height.0, rounds, Some(proposal.value.0))
}

/// What signs for a node: in its own name or, when it lies, in another's.
#[derive(Clone, Copy, Debug)]
pub struct Signer(pub NodeId);

impl SigningProvider<Tendermint> for Signer {
    fn sign_vote(&self, vote: PlainVote) -> SignedMessage<Tendermint, PlainVote> {
        let signature = sign(self.0, &bytes_of_vote(&vote));
        SignedMessage::new(vote, signature)
    }

    fn verify_signed_vote(&self, vote: &PlainVote, signature: &Signature, key: &PublicKey) -> bool {
        verify(vote.address.0, &bytes_of_vote(vote), signature, key)
    }

    fn sign_proposal(&self, proposal: PlainProposal) -> SignedMessage<Tendermint, PlainProposal> {
        let signature = sign(self.0, &bytes_of_proposal(&proposal));
        SignedMessage::new(proposal, signature)
    }

    fn verify_signed_proposal(
        &self,
        proposal: &PlainProposal,
        signature: &Signature,
        key: &PublicKey,
    ) -> bool {
        verify(proposal.address.0, &bytes_of_proposal(proposal), signature, key)
    }

    fn sign_proposal_part(&self, part: NoPart) -> SignedMessage<Tendermint, NoPart> {
        match part {}
    }

    fn verify_signed_proposal_part(&self, part: &NoPart, _signature: &Signature, _key: &PublicKey) -> bool {
        match *part {}
    }

    fn sign_vote_extension(&self, (): ()) -> SignedMessage<Tendermint, ()> {
        SignedMessage::new((), keys_of(self.0).private.sign(&[]))
    }

    fn verify_signed_vote_extension(&self, (): &(), signature: &Signature, key: &PublicKey) -> bool {
        key.verify(&[], signature).is_ok()
    }
}

/// A signature; as text, 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SignatureText(pub Signature);

impl fmt::Debug for SignatureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.to_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<SignatureText> for String {
    fn from(signature: SignatureText) -> String {
        format!("{signature:?}")
    }
}

impl TryFrom<String> for SignatureText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<SignatureText, &'static str> {
        let wrong = "a signature is 128 hexadecimal digits";
        let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
        let mut bytes = [0; 64];
        if text.len() != 128 {
            return Err(wrong);
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let (high, low) = digit(digits[0]).zip(digit(digits[1])).ok_or(wrong)?;
            *byte = high << 4 | low;
        }
        Ok(SignatureText(Signature::from_bytes(bytes)))
    }
}
