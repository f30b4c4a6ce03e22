//! One validator as a node that the tester drives.

use malachitebft_core_consensus::{
    Error, Input, Params, PeerId, SignedConsensusMsg, State, ThresholdParams, WalEntry, process,
};
use malachitebft_core_types::{Timeout, TimeoutKind, ValueOrigin, ValuePayload, ValueResponse};
use shakedown_cluster::{Context, Fact, Name, Node, NodeId};

use crate::context::{Address, Height, Tendermint, Validators};
use crate::outside::Outside;
use crate::{DecidedValue, Disk, LogEntry, Message, Proposal, Settings, Step, View, Write, wire};

/// For how many heights ahead the library keeps messages.
const QUEUE_MAX: usize = 10;

/// A validator.
pub struct TendermintNode {
    consensus: State<Tendermint>,
    outside: Outside,
    /// Who was at a higher height and was asked for the decision of this one.
    asked: Vec<NodeId>,
}

impl Node for TendermintNode {
    type Message = Message;
    type Request = ();
    type Answer = ();
    type State = View;
    type Disk = Disk;

    fn boot(disk: &Disk, ctx: &mut Context<'_, Self>) -> TendermintNode {
        let settings = Settings::read(ctx.options()).unwrap_or_else(|error| panic!("{error}"));
        let validators = Validators::first(ctx.nodes().len());
        let height = Height((disk.decided.len() as u64 + 1).min(settings.heights.get()));
        let params = Params {
            initial_height: height,
            initial_validator_set: validators.clone(),
            address: Address(ctx.id()),
            threshold_params: ThresholdParams::default(),
            value_payload: ValuePayload::ProposalAndParts,
        };
        let outside = Outside::new(ctx.id(), settings, validators.clone(), disk);
        let consensus = State::new(Tendermint, params, QUEUE_MAX);
        let mut node = TendermintNode { consensus, outside, asked: Vec::new() };
        node.outside.recovering = !disk.log.is_empty();
        node.feed(Input::StartHeight(height, validators), ctx);
        for entry in &disk.log {
            node.replay(entry, ctx);
        }
        node.outside.recovering = false;
        node.empty_mailbox(ctx);
        node
    }

    fn receive(&mut self, from: NodeId, message: Message, ctx: &mut Context<'_, Self>) {
        self.catch_up(from, &message, ctx);
        match &message {
            Message::Proposal(proposal) => self.take_proposal(from, proposal, ctx),
            Message::DecisionRequest(request) => {
                let mut decided = self.outside.decided.iter();
                if let Some(decided) = decided.find(|decided| decided.height == request.height) {
                    ctx.send(from, Message::Decision(decided.clone()));
                }
            }
            Message::Decision(decided) => self.learn(from, decided, ctx),
            message => {
                if let Some(input) = wire::input(message, from) {
                    self.report(input, ctx);
                }
            }
        }
    }

    fn observe(&self) -> View {
        let state = self.consensus.driver.round_state();
        View {
            height: state.height.0,
            round: wire::number(state.round),
            step: state.step.into(),
            locked: state.locked.as_ref().map(Into::into),
            valid: state.valid.as_ref().map(Into::into),
            decisions: self.outside.decided.iter().map(Into::into).collect(),
        }
    }

    fn fire(&mut self, timer: Name, ctx: &mut Context<'_, Self>) {
        if let Some(timeout) = self.outside.timeouts.fired(timer) {
            self.elapse(timeout, ctx);
            self.empty_mailbox(ctx);
        }
    }
}

impl TendermintNode {
    /// Tells the library something, and then whatever the application has to say to it.
    fn report(&mut self, input: Input<Tendermint>, ctx: &mut Context<'_, Self>) {
        self.feed(input, ctx);
        self.empty_mailbox(ctx);
    }

    fn empty_mailbox(&mut self, ctx: &mut Context<'_, Self>) {
        while let Some(input) = self.outside.mailbox.pop_front() {
            if let Input::StartHeight(height, _) = input {
                ctx.write(Write::BeginHeight(height.0));
                self.outside.forget_values_below(height);
                self.asked.clear();
            }
            self.feed(input, ctx);
        }
    }

    /// Tells the library something. An error is logged by the library's own engine, which then goes on; here
    /// it is a fact.
    fn feed(&mut self, input: Input<Tendermint>, ctx: &mut Context<'_, Self>) {
        let TendermintNode { consensus, outside, .. } = self;
        let result: Result<(), Error<Tendermint>> = process!(
            input: input,
            state: consensus,
            metrics: &(),
            with: effect => outside.perform(effect, ctx)
        );
        if let Err(error) = result {
            ctx.emit(Fact::new("error").with("reason", error.to_string()));
        }
        let state = self.consensus.driver.round_state();
        self.outside.report(state.height, state.round, Step::from(state.step), ctx);
    }

    fn replay(&mut self, LogEntry(entry): &LogEntry, ctx: &mut Context<'_, Self>) {
        let input = match entry.clone() {
            WalEntry::ConsensusMsg(SignedConsensusMsg::Vote(vote)) => Input::Vote(vote),
            WalEntry::ConsensusMsg(SignedConsensusMsg::Proposal(proposal)) => Input::Proposal(proposal),
            WalEntry::ProposedValue(value) => Input::ProposedValue(value, ValueOrigin::Consensus),
            WalEntry::Timeout(timeout) => return self.elapse(timeout, ctx),
        };
        self.feed(input, ctx);
    }

    fn elapse(&mut self, timeout: Timeout, ctx: &mut Context<'_, Self>) {
        let input = self.outside.elapse(timeout, ctx);
        self.feed(input, ctx);
        let is_stuck = timeout.kind == TimeoutKind::Rebroadcast && !self.consensus.driver.step_is_commit();
        if self.outside.settings.sync && is_stuck {
            ctx.broadcast(&Message::request_decision(self.consensus.height().0));
        }
    }

    /// A proposal arrives together with its value.
    fn take_proposal(&mut self, from: NodeId, proposal: &Proposal, ctx: &mut Context<'_, Self>) {
        let (signed, value) = wire::proposal(proposal, from, &self.outside.validators);
        if let Some(value) = &value {
            self.outside.keep(value, ctx);
        }
        let value = value.map(|value| Input::ProposedValue(value, ValueOrigin::Consensus));
        let mut inputs = [Some(Input::Proposal(signed)), value];
        if self.outside.settings.value_first {
            inputs.reverse();
        }
        for input in inputs.into_iter().flatten() {
            self.report(input, ctx);
        }
    }

    /// Asks a validator that is at a higher height for what was decided at this one. Whoever is stuck asks
    /// everybody.
    ///
    /// In a real validator, an actor of its own learns the heights of peers and asks for values.
    fn catch_up(&mut self, from: NodeId, message: &Message, ctx: &mut Context<'_, Self>) {
        let height = self.consensus.height().0;
        let is_ahead = message.height() > height && !matches!(message, Message::DecisionRequest(_));
        if self.outside.settings.sync && is_ahead && !self.asked.contains(&from) {
            self.asked.push(from);
            ctx.send(from, Message::request_decision(height));
        }
    }

    /// A validator sends a decided value. The library checks the certificate.
    fn learn(&mut self, from: NodeId, decided: &DecidedValue, ctx: &mut Context<'_, Self>) {
        let certificate = wire::commit_certificate(decided, from);
        if certificate.height != self.consensus.height() || self.consensus.driver.step_is_commit() {
            return;
        }
        let proposer = self.outside.validators.proposer(certificate.height, certificate.round).node();
        let bytes = decided.value.0.to_le_bytes().to_vec();
        let response = ValueResponse::new(peer_id(from), Address(proposer), bytes.into(), certificate);
        self.report(Input::SyncValueResponse(response), ctx);
    }
}

/// The identity of a peer: a multihash that is its number itself.
fn peer_id(node: NodeId) -> PeerId {
    PeerId::from_bytes(&[0, 1, node.number() as u8]).expect("an identity of one byte is a peer's")
}
