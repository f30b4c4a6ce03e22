//! The messages of OmniPaxos: their names, what they say, and a fast digest of it.

use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};

use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::messages::ballot_leader_election::HeartbeatMsg;
use omnipaxos::messages::sequence_paxos::{Compaction, PaxosMsg};
use omnipaxos::util::SequenceNumber;

use crate::{BallotView, Entry, interface};

/// A message between two servers.
#[derive(Clone, Debug)]
pub struct Message(pub interface::Wire);

impl shakedown_cluster::Message for Message {
    fn kind(&self) -> &'static str {
        match &self.0 {
            interface::Wire::SequencePaxos(message) => match &message.msg {
                PaxosMsg::PrepareReq(_) => "PrepareReq",
                PaxosMsg::Prepare(_) => "Prepare",
                PaxosMsg::Promise(_) => "Promise",
                PaxosMsg::AcceptSync(_) => "AcceptSync",
                PaxosMsg::AcceptDecide(_) => "AcceptDecide",
                PaxosMsg::Accepted(_) => "Accepted",
                PaxosMsg::NotAccepted(_) => "NotAccepted",
                PaxosMsg::Decide(_) => "Decide",
                PaxosMsg::ProposalForward(_) => "ProposalForward",
                PaxosMsg::Compaction(_) => "Compaction",
                PaxosMsg::AcceptStopSign(_) => "AcceptStopSign",
                PaxosMsg::ForwardStopSign(_) => "ForwardStopSign",
            },
            interface::Wire::BLE(message) => match message.msg {
                HeartbeatMsg::Request(_) => "HeartbeatRequest",
                HeartbeatMsg::Reply(_) => "HeartbeatReply",
            },
        }
    }

    fn describe(&self) -> String {
        let mut words = Words(self.kind().to_owned());
        self.visit(&mut words);
        words.0
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.kind().hash(&mut &mut *hasher);
        self.visit(&mut Digest(hasher));
    }
}

/// What the contents of a message are told to, field by field.
trait Visitor {
    fn number(&mut self, name: &'static str, number: u64);
    fn ballot(&mut self, name: &'static str, ballot: Ballot);
    fn entries(&mut self, name: &'static str, entries: &[Entry]);

    fn sequence_number(&mut self, number: SequenceNumber) {
        self.number("session", number.session);
        self.number("counter", number.counter);
    }

    fn stop_sign(&mut self, stop_sign: &omnipaxos::storage::StopSign) {
        self.number("next", u64::from(stop_sign.next_config.configuration_id));
    }

    fn sync(&mut self, sync: &interface::Sync<'_>) {
        if let Some(from) = sync.from {
            self.number("from", from);
        }
        self.entries("suffix", sync.suffix);
        if let Some(stop_sign) = sync.stop_sign {
            self.stop_sign(stop_sign);
        }
    }
}

impl Message {
    fn visit(&self, to: &mut impl Visitor) {
        let number = interface::number;
        let message = match &self.0 {
            interface::Wire::SequencePaxos(message) => &message.msg,
            interface::Wire::BLE(message) => {
                match &message.msg {
                    HeartbeatMsg::Request(request) => to.number("round", u64::from(request.round)),
                    HeartbeatMsg::Reply(reply) => {
                        to.number("round", u64::from(reply.round));
                        to.ballot("ballot", reply.ballot);
                        to.ballot("leader", reply.leader);
                        to.number("happy", u64::from(reply.happy));
                    }
                }
                return;
            }
        };
        match message {
            PaxosMsg::PrepareReq(request) => to.ballot("promised", request.n),
            PaxosMsg::Prepare(prepare) => {
                to.ballot("ballot", prepare.n);
                to.ballot("accepted-in", prepare.n_accepted);
                to.number("accepted", number(prepare.accepted_idx));
                to.number("decided", number(prepare.decided_idx));
            }
            PaxosMsg::Promise(promise) => {
                to.ballot("ballot", promise.n);
                to.ballot("accepted-in", promise.n_accepted);
                to.number("accepted", number(promise.accepted_idx));
                to.number("decided", number(promise.decided_idx));
                if let Some(sync) = interface::promise_sync(promise) {
                    to.sync(&sync);
                }
            }
            PaxosMsg::AcceptSync(sync) => {
                to.ballot("ballot", sync.n);
                to.sequence_number(sync.seq_num);
                to.number("decided", number(sync.decided_idx));
                to.sync(&interface::accept_sync(sync));
            }
            PaxosMsg::AcceptDecide(accept) => {
                to.ballot("ballot", accept.n);
                to.sequence_number(accept.seq_num);
                to.number("decided", number(accept.decided_idx));
                to.entries("entries", &accept.entries);
            }
            PaxosMsg::Accepted(accepted) => {
                to.ballot("ballot", accepted.n);
                to.number("accepted", number(accepted.accepted_idx));
            }
            PaxosMsg::NotAccepted(refusal) => to.ballot("promised", refusal.n),
            PaxosMsg::Decide(decide) => {
                to.ballot("ballot", decide.n);
                to.sequence_number(decide.seq_num);
                to.number("decided", number(decide.decided_idx));
            }
            PaxosMsg::ProposalForward(entries) => to.entries("entries", entries),
            PaxosMsg::Compaction(Compaction::Trim(index)) => to.number("trim", number(*index)),
            PaxosMsg::Compaction(Compaction::Snapshot(index)) => {
                to.number("snapshot", index.map_or(0, number));
            }
            PaxosMsg::AcceptStopSign(accept) => {
                to.ballot("ballot", accept.n);
                to.sequence_number(accept.seq_num);
                to.stop_sign(&accept.ss);
            }
            PaxosMsg::ForwardStopSign(stop_sign) => to.stop_sign(stop_sign),
        }
    }
}

/// Takes the contents into a hasher. The kind of the message says which fields follow, so names are left out.
struct Digest<'a>(&'a mut dyn Hasher);

impl Visitor for Digest<'_> {
    fn number(&mut self, _name: &'static str, number: u64) {
        self.0.write_u64(number);
    }

    fn ballot(&mut self, _name: &'static str, ballot: Ballot) {
        self.0.write_u32(ballot.n);
        self.0.write_u32(ballot.priority);
        self.0.write_u64(ballot.pid);
    }

    fn entries(&mut self, _name: &'static str, entries: &[Entry]) {
        self.0.write_u64(entries.len() as u64);
        for entry in entries {
            self.0.write_u64(entry.0);
        }
    }
}

/// Puts the contents into words.
struct Words(String);

impl Words {
    fn add(&mut self, words: fmt::Arguments<'_>) {
        self.0.write_fmt(words).expect("a string takes in any text");
    }
}

impl Visitor for Words {
    fn number(&mut self, name: &'static str, number: u64) {
        self.add(format_args!(" {name}={number}"));
    }

    fn ballot(&mut self, name: &'static str, ballot: Ballot) {
        self.add(format_args!(" {name}={}", BallotView::from(ballot)));
    }

    fn entries(&mut self, name: &'static str, entries: &[Entry]) {
        self.add(format_args!(" {name}=["));
        for (place, entry) in entries.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            self.add(format_args!("{comma}{}", entry.0));
        }
        self.add(format_args!("]"));
    }

    /// A session and its counter are one thing to a reader.
    fn sequence_number(&mut self, number: SequenceNumber) {
        self.add(format_args!(" seq={}.{}", number.session, number.counter));
    }
}
