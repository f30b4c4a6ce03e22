//! The library's `Context`: the types that it is generic over.

use std::fmt;
use std::sync::Arc;

use malachitebft_core_types::{NilOrVal, Round, SignedExtension, VoteType, VotingPower};
use malachitebft_signing_ed25519::{Ed25519, PublicKey};
use shakedown_cluster::NodeId;

use crate::{Value, signing};

/// The context. It holds nothing.
#[derive(Clone, Debug)]
pub struct Tendermint;

/// The address of a validator: its node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub NodeId);

/// A height, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Height(pub u64);

/// A part of a proposal. There are none: the value travels with the proposal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPart {}

/// A proposal, unsigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainProposal {
    pub height: Height,
    pub round: Round,
    pub value: Value,
    pub pol_round: Round,
    pub address: Address,
}

/// A vote, unsigned.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlainVote {
    pub kind: VoteType,
    pub height: Height,
    pub round: Round,
    pub value: NilOrVal<Value>,
    pub address: Address,
}

/// A validator. All have one vote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validator {
    address: Address,
    public_key: PublicKey,
}

/// The validators: every node of the cluster, at every height.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validators(Arc<[Validator]>);

impl Validators {
    /// The first so many nodes.
    pub fn first(count: usize) -> Validators {
        let validator =
            |node| Validator { address: Address(node), public_key: *signing::keys_of(node).public() };
        Validators(NodeId::first(count).map(validator).collect())
    }

    /// Whose turn it is: round-robin, height by height and round by round. n1 proposes first.
    pub fn proposer(&self, height: Height, round: Round) -> &Validator {
        let turn = height.0.wrapping_sub(1).wrapping_add(u64::from(round.as_u32().unwrap_or(0)));
        &self.0[(turn % self.0.len() as u64) as usize]
    }
}

impl Validator {
    pub fn node(&self) -> NodeId {
        self.address.0
    }
}

impl malachitebft_core_types::Context for Tendermint {
    type Address = Address;
    type Height = Height;
    type ProposalPart = NoPart;
    type Proposal = PlainProposal;
    type Validator = Validator;
    type ValidatorSet = Validators;
    type Value = Value;
    type Vote = PlainVote;
    type Extension = ();
    type SigningScheme = Ed25519;

    fn select_proposer<'a>(&self, validators: &'a Validators, height: Height, round: Round) -> &'a Validator {
        validators.proposer(height, round)
    }

    fn new_proposal(
        &self,
        height: Height,
        round: Round,
        value: Value,
        pol_round: Round,
        address: Address,
    ) -> PlainProposal {
        PlainProposal { height, round, value, pol_round, address }
    }

    fn new_prevote(
        &self,
        height: Height,
        round: Round,
        value: NilOrVal<Value>,
        address: Address,
    ) -> PlainVote {
        PlainVote { kind: VoteType::Prevote, height, round, value, address }
    }

    fn new_precommit(
        &self,
        height: Height,
        round: Round,
        value: NilOrVal<Value>,
        address: Address,
    ) -> PlainVote {
        PlainVote { kind: VoteType::Precommit, height, round, value, address }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl malachitebft_core_types::Address for Address {}

impl fmt::Display for Height {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Height {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl malachitebft_core_types::Height for Height {
    const ZERO: Height = Height(0);
    const INITIAL: Height = Height(1);

    fn increment_by(&self, n: u64) -> Height {
        Height(self.0.saturating_add(n))
    }

    fn decrement_by(&self, n: u64) -> Option<Height> {
        self.0.checked_sub(n).map(Height)
    }

    fn as_u64(&self) -> u64 {
        self.0
    }
}

impl malachitebft_core_types::ProposalPart<Tendermint> for NoPart {
    fn is_first(&self) -> bool {
        match *self {}
    }

    fn is_last(&self) -> bool {
        match *self {}
    }
}

impl malachitebft_core_types::Proposal<Tendermint> for PlainProposal {
    fn height(&self) -> Height {
        self.height
    }

    fn round(&self) -> Round {
        self.round
    }

    fn value(&self) -> &Value {
        &self.value
    }

    fn take_value(self) -> Value {
        self.value
    }

    fn pol_round(&self) -> Round {
        self.pol_round
    }

    fn validator_address(&self) -> &Address {
        &self.address
    }
}

impl malachitebft_core_types::Vote<Tendermint> for PlainVote {
    fn height(&self) -> Height {
        self.height
    }

    fn round(&self) -> Round {
        self.round
    }

    fn value(&self) -> &NilOrVal<Value> {
        &self.value
    }

    fn take_value(self) -> NilOrVal<Value> {
        self.value
    }

    fn vote_type(&self) -> VoteType {
        self.kind
    }

    fn validator_address(&self) -> &Address {
        &self.address
    }

    fn extension(&self) -> Option<&SignedExtension<Tendermint>> {
        None
    }

    fn take_extension(&mut self) -> Option<SignedExtension<Tendermint>> {
        None
    }

    fn extend(self, _extension: SignedExtension<Tendermint>) -> PlainVote {
        self
    }
}

impl malachitebft_core_types::Validator<Tendermint> for Validator {
    fn address(&self) -> &Address {
        &self.address
    }

    fn public_key(&self) -> &PublicKey {
        &self.public_key
    }

    fn voting_power(&self) -> VotingPower {
        1
    }
}

impl malachitebft_core_types::ValidatorSet<Tendermint> for Validators {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn total_voting_power(&self) -> VotingPower {
        self.0.len() as VotingPower
    }

    fn get_by_address(&self, address: &Address) -> Option<&Validator> {
        self.0.get(address.0.index())
    }

    fn get_by_index(&self, index: usize) -> Option<&Validator> {
        self.0.get(index)
    }
}
