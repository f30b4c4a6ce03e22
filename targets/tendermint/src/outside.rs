//! What surrounds the library in a validator: it carries out the library's effects.
//!
//! It does what the library's own engine does: entries of the write-ahead log are not written again while
//! they are replayed, messages are sent again, and what the application answers comes after the replay. And
//! it does what the library's own example application does: it keeps the values that it was sent, and hands
//! them in again when their round begins.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use malachitebft_core_consensus::{
    ConsensusMsg, Effect, Input, LocallyProposedValue, ProposedValue, Resumable, Resume,
};
use malachitebft_core_types::{
    CommitCertificate, Round, SignedMessage, SigningProvider, SigningProviderExt, Timeout, Validity,
    ValueOrigin, ValueResponse,
};
use malachitebft_signing_ed25519::PublicKey;
use shakedown_cluster::{Context, Fact, NodeId, Value as FactValue};

use crate::context::{Height, Tendermint, Validators};
use crate::disk::{LogEntry, ReceivedValue, put};
use crate::signing::Signer;
use crate::timeouts::Timeouts;
use crate::{DecidedValue, Disk, Message, Settings, Step, TendermintNode, Value, Write, wire};

type Ctx<'a, 'b> = &'a mut Context<'b, TendermintNode>;

/// The application, the signer, the timers, the log and the network of a validator.
#[derive(Debug)]
pub struct Outside {
    pub settings: Settings,
    pub validators: Validators,
    pub timeouts: Timeouts,
    /// What the library is to be told next, when it is done with the present input.
    pub mailbox: VecDeque<Input<Tendermint>>,
    /// What is decided, height by height.
    pub decided: Arc<Vec<DecidedValue>>,
    /// Whether the write-ahead log is being replayed.
    pub recovering: bool,
    node: NodeId,
    /// The values that the application was sent for this height and those above.
    values: Vec<ReceivedValue>,
    /// The step that was last told as a fact.
    reported: (u64, u32, Step),
}

impl Outside {
    pub fn new(node: NodeId, settings: Settings, validators: Validators, disk: &Disk) -> Outside {
        Outside {
            settings,
            validators,
            timeouts: Timeouts::new(),
            mailbox: VecDeque::new(),
            decided: Arc::clone(&disk.decided),
            recovering: false,
            values: disk.values.clone(),
            node,
            reported: (0, 0, Step::Unstarted),
        }
    }

    /// Carries out an effect, and gives what the library goes on with.
    pub fn perform(
        &mut self,
        effect: Effect<Tendermint>,
        ctx: Ctx<'_, '_>,
    ) -> Result<Resume<Tendermint>, Infallible> {
        match effect {
            Effect::ResetTimeouts(_) => self.timeouts.reset(),
            Effect::CancelAllTimeouts(_) => self.timeouts.cancel_all(ctx),
            Effect::CancelTimeout(timeout, _) => self.timeouts.cancel(timeout, ctx),
            Effect::ScheduleTimeout(timeout, _) => self.timeouts.schedule(timeout, &self.settings, ctx),
            Effect::StartRound(height, round, ..) => {
                self.hand_in_values(height, round);
                self.report(height, round, Step::Propose, ctx);
            }
            Effect::PublishConsensusMsg(message, _) => self.publish(&wire::published(&message), ctx),
            Effect::PublishLivenessMsg(message, _) => ctx.broadcast(&wire::liveness(&message)),
            Effect::RepublishVote(vote, _) => ctx.broadcast(&wire::vote(&vote)),
            Effect::RepublishRoundCertificate(certificate, _) => {
                ctx.broadcast(&wire::round_certificate(&certificate));
            }
            Effect::GetValue(height, round, ..) => self.make_value(height, round),
            // The value travels with the proposal, which the library publishes anew itself.
            Effect::RestreamProposal(..) => {}
            Effect::SyncValue(response, _) => self.hand_in_synced(&response),
            Effect::Decide(certificate, ..) => self.decide(&certificate, ctx),
            Effect::WalAppend(..) if self.recovering => {}
            Effect::WalAppend(entry, _) => ctx.write(Write::Append(LogEntry(entry))),
            question => return Ok(self.answer(question)),
        }
        Ok(Resume::Continue)
    }

    /// Answers what the library asks about validators, signatures and extensions.
    fn answer(&self, question: Effect<Tendermint>) -> Resume<Tendermint> {
        let signer = Signer(self.node);
        match question {
            Effect::GetValidatorSet(_, r) => r.resume_with(Some(self.validators.clone())),
            Effect::SignVote(vote, r) => r.resume_with(signer.sign_vote(vote)),
            Effect::SignProposal(proposal, r) => r.resume_with(signer.sign_proposal(proposal)),
            Effect::VerifySignature(message, key, r) => r.resume_with(verify(signer, &message, &key)),
            Effect::VerifyCommitCertificate(certificate, validators, thresholds, r) => r.resume_with(
                signer.verify_commit_certificate(&Tendermint, &certificate, &validators, thresholds),
            ),
            Effect::VerifyPolkaCertificate(certificate, validators, thresholds, r) => r.resume_with(
                signer.verify_polka_certificate(&Tendermint, &certificate, &validators, thresholds),
            ),
            Effect::VerifyRoundCertificate(certificate, validators, thresholds, r) => r.resume_with(
                signer.verify_round_certificate(&Tendermint, &certificate, &validators, thresholds),
            ),
            Effect::ExtendVote(_, _, _, r) => r.resume_with(None),
            Effect::VerifyVoteExtension(.., r) => r.resume_with(Ok(())),
            // Everything else is no question: see `perform`.
            _ => Resume::Continue,
        }
    }

    /// Tells as a fact where the validator is, unless that is known. The library publishes a proposal after
    /// its own vote for it, so what comes late is left out.
    pub fn report(&mut self, height: Height, round: Round, step: Step, ctx: Ctx<'_, '_>) {
        let now = (height.0, wire::number(round), step);
        if self.reported < now {
            self.reported = now;
            let fact = Fact::new("step").with("height", now.0).with("round", u64::from(now.1));
            ctx.emit(fact.with("step", step.as_str()));
        }
    }

    /// Sends to every other validator, and tells as a fact what this one says in its own name. A vote is cast
    /// on entering its step, which the library may leave again before it is done with the input.
    fn publish(&mut self, message: &Message, ctx: Ctx<'_, '_>) {
        let (height, round) = (message.height(), message.round());
        let reported = match message {
            Message::Proposal(_) => Some(("propose", Step::Propose)),
            Message::Prevote(_) => Some(("prevote", Step::Prevote)),
            Message::Precommit(_) => Some(("precommit", Step::Precommit)),
            _ => None,
        };
        if let Some((name, step)) = reported.filter(|_| message.sender() == Some(self.node)) {
            self.report(Height(height), Round::new(round), step, ctx);
            let value = message.value().map_or(FactValue::from("nil"), |value| value.0.into());
            ctx.emit(
                Fact::new(name).with("height", height).with("round", u64::from(round)).with("value", value),
            );
        }
        ctx.broadcast(message);
    }

    /// The application makes a value, and the library hears of it after the present input.
    fn make_value(&mut self, height: Height, round: Round) {
        let value = Value::made_by(self.node, height.0, wire::number(round));
        self.mailbox.push_back(Input::Propose(LocallyProposedValue::new(height, round, value)));
    }

    /// The application keeps a value that it was sent.
    pub fn keep(&mut self, value: &ProposedValue<Tendermint>, ctx: Ctx<'_, '_>) {
        let is_known = self.values.iter().any(|ReceivedValue(known)| known == value);
        let is_wanted = value.height.0 > self.decided.len() as u64;
        if is_wanted && !is_known {
            self.values.push(ReceivedValue(value.clone()));
            ctx.write(Write::Keep(ReceivedValue(value.clone())));
        }
    }

    pub fn forget_values_below(&mut self, height: Height) {
        self.values.retain(|ReceivedValue(value)| value.height >= height);
    }

    /// A round begins: the application hands in what it was sent for it.
    fn hand_in_values(&mut self, height: Height, round: Round) {
        let of_round = |value: &&ReceivedValue| (value.0.height, value.0.round) == (height, round);
        let values = self.values.iter().filter(of_round).cloned();
        let inputs = values.map(|ReceivedValue(value)| Input::ProposedValue(value, ValueOrigin::Consensus));
        self.mailbox.extend(inputs);
    }

    /// A decided value has come from a validator that knows it, and the library has checked its certificate:
    /// the application hands it in.
    fn hand_in_synced(&mut self, response: &ValueResponse<Tendermint>) {
        let certificate = &response.certificate;
        let value = ProposedValue {
            height: certificate.height,
            round: certificate.round,
            valid_round: Round::Nil,
            proposer: response.proposer,
            value: certificate.value_id,
            validity: Validity::from_bool(certificate.value_id != Value::EMPTY),
        };
        self.mailbox.push_back(Input::ProposedValue(value, ValueOrigin::Sync(response.peer)));
    }

    fn decide(&mut self, certificate: &CommitCertificate<Tendermint>, ctx: Ctx<'_, '_>) {
        let (height, round, value) =
            (certificate.height.0, wire::number(certificate.round), certificate.value_id);
        let known = self.decided.iter().find(|known| known.height == height);
        if known.is_none_or(|known| known.value != value) {
            let decided = DecidedValue { height, round, value, precommits: wire::precommits(certificate) };
            put(&mut self.decided, decided.clone());
            ctx.write(Write::Decide(decided));
            let fact = Fact::new("commit").with("height", height).with("value", value.0);
            ctx.emit(fact.with("round", u64::from(round)));
        }
        if height < self.settings.heights.get() {
            self.mailbox.push_back(Input::StartHeight(Height(height + 1), self.validators.clone()));
        }
    }

    /// The time-out of a timer that has gone off.
    pub fn elapse(&mut self, timeout: Timeout, ctx: Ctx<'_, '_>) -> Input<Tendermint> {
        self.timeouts.elapse(timeout, ctx);
        Input::TimeoutElapsed(timeout)
    }
}

fn verify(
    signer: Signer,
    signed: &SignedMessage<Tendermint, ConsensusMsg<Tendermint>>,
    key: &PublicKey,
) -> bool {
    match &signed.message {
        ConsensusMsg::Vote(vote) => signer.verify_signed_vote(vote, &signed.signature, key),
        ConsensusMsg::Proposal(proposal) => signer.verify_signed_proposal(proposal, &signed.signature, key),
    }
}
