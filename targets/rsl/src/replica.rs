//! The protocol: one replica, without a network, a disk or a clock of its own.
//!
//! A replica holds a prefix of decrees decided and may have voted in the decree after it. Phase one of a
//! ballot asks a majority that is at the same decree, so it covers that decree and all after it: a primary
//! proposes decree after decree, one at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;
use shakedown_cluster::{NodeId, NodeSet};

use crate::{Ballot, Bug, Entry, Message};

/// What a replica does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It votes.
    Secondary,
    /// It asks for promises.
    Preparing,
    /// It proposes.
    Primary,
}

/// After how many ticks something is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// A primary sends again, or says that it is there.
    pub heartbeat: u64,
    /// Who prepares asks again.
    pub retry: u64,
    /// How much longer a new ballot is waited for, until a decree is decided in it: what RSL calls the grace
    /// period of a new leader.
    pub grace: u64,
}

/// What survives a crash.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Durable {
    /// No lower ballot is voted in.
    pub promised: Ballot,
    /// The ballot of the last vote.
    pub accepted: Ballot,
    /// What was voted for in the first decree that is not decided.
    pub vote: Option<Entry>,
    /// What is decided.
    pub decided: Arc<Vec<Entry>>,
}

/// See the module's text.
pub struct Replica {
    id: NodeId,
    nodes: usize,
    timing: Timing,
    bug: Bug,
    durable: Durable,
    role: Role,
    /// Ticks since a primary was heard of, or since something was sent.
    elapsed: u64,
    /// Ticks without a primary after which it would be primary itself; nothing when it is to be drawn anew.
    patience: Option<u64>,
    /// What is waited beyond that.
    grace: u64,
    /// While preparing: who has promised. As primary: who has voted for what is under way.
    supporters: NodeSet,
    /// As primary, what clients asked for.
    queue: VecDeque<u64>,
    outputs: Vec<(NodeId, Message)>,
}

impl Replica {
    /// A replica that boots from its disk.
    pub fn boot(id: NodeId, nodes: usize, timing: Timing, bug: Bug, durable: Durable) -> Replica {
        Replica {
            id,
            nodes,
            timing,
            bug,
            durable,
            role: Role::Secondary,
            elapsed: 0,
            patience: None,
            grace: 0,
            supporters: NodeSet::default(),
            queue: VecDeque::new(),
            outputs: Vec::new(),
        }
    }

    /// What it does.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What survives a crash.
    pub fn durable(&self) -> &Durable {
        &self.durable
    }

    /// Whether it is to be told how long to wait for a primary.
    pub fn wants_patience(&self) -> bool {
        self.patience.is_none()
    }

    /// How long it waits for a primary.
    pub fn set_patience(&mut self, ticks: u64) {
        self.patience = Some(ticks);
    }

    /// What it has to send.
    pub fn outputs(&mut self) -> impl Iterator<Item = (NodeId, Message)> + '_ {
        self.outputs.drain(..)
    }

    /// The first decree that it does not hold decided.
    pub fn decree(&self) -> u64 {
        self.durable.decided.len() as u64 + 1
    }

    /// A client asks for a value; whether it is taken.
    pub fn propose(&mut self, value: u64) -> bool {
        if self.role != Role::Primary {
            return false;
        }
        self.queue.push_back(value);
        self.propose_next();
        true
    }

    /// The clock goes on by one.
    pub fn tick(&mut self) {
        self.elapsed += 1;
        match self.role {
            Role::Primary if self.elapsed >= self.timing.heartbeat => {
                self.elapsed = 0;
                let ballot = self.durable.promised;
                match self.durable.vote {
                    Some(Entry { value, .. }) => {
                        self.broadcast(&Message::Accept { ballot, decree: self.decree(), value });
                    }
                    None => self.broadcast(&Message::Heartbeat { ballot, decided: self.decree() - 1 }),
                }
            }
            Role::Primary => {}
            _ if self.patience.is_some_and(|patience| self.elapsed >= patience + self.grace) => {
                self.prepare()
            }
            Role::Preparing if self.elapsed.is_multiple_of(self.timing.retry) => self.ask_for_promises(),
            Role::Preparing | Role::Secondary => {}
        }
    }

    /// A message arrives.
    pub fn receive(&mut self, from: NodeId, message: Message) {
        match message {
            Message::Prepare { ballot, decree } => {
                if self.follow(from, ballot) {
                    self.promise(from, ballot, decree);
                }
            }
            Message::Promise { ballot, decree, vote } => self.take_promise(from, ballot, decree, vote),
            Message::Accept { ballot, decree, value } => {
                if self.follow(from, ballot) {
                    self.vote(from, Entry { ballot, value }, decree);
                }
            }
            Message::Accepted { ballot, decree } => self.take_vote(from, ballot, decree),
            Message::Heartbeat { ballot, decided } => {
                if self.follow(from, ballot) && decided >= self.decree() {
                    match self.durable.vote {
                        Some(vote) if vote.ballot == ballot && decided == self.decree() => self.decide(vote),
                        _ => self.send(from, Message::Fetch { decree: self.decree() }),
                    }
                }
            }
            Message::Reject { ballot } => {
                if ballot > self.durable.promised {
                    self.enter(ballot);
                    self.step_down();
                }
            }
            Message::Fetch { decree } => self.teach(from, decree),
            Message::Learn { first, entries } => self.learn(first, &entries),
        }
    }

    /// Takes the ballot for the highest there is, if it is; otherwise says which is higher.
    fn follow(&mut self, from: NodeId, ballot: Ballot) -> bool {
        if ballot < self.durable.promised {
            self.send(from, Message::Reject { ballot: self.durable.promised });
            return false;
        }
        if ballot > self.durable.promised {
            self.enter(ballot);
        }
        self.step_down();
        true
    }

    /// From now on this is the highest ballot; whoever owns it is given time.
    fn enter(&mut self, ballot: Ballot) {
        self.durable.promised = ballot;
        self.grace = self.timing.grace;
    }

    fn step_down(&mut self) {
        self.role = Role::Secondary;
        self.supporters = NodeSet::default();
        self.queue.clear();
        self.elapsed = 0;
        self.patience = None;
    }

    /// Begins a ballot of its own.
    fn prepare(&mut self) {
        self.step_down();
        self.role = Role::Preparing;
        self.enter(Ballot { number: self.durable.promised.number + 1, owner: Some(self.id) });
        self.ask_for_promises();
    }

    fn ask_for_promises(&mut self) {
        self.broadcast(&Message::Prepare { ballot: self.durable.promised, decree: self.decree() });
        self.count_promise(self.id);
    }

    fn promise(&mut self, from: NodeId, ballot: Ballot, decree: u64) {
        if decree < self.decree() {
            self.teach(from, decree);
        } else if decree > self.decree() {
            self.send(from, Message::Fetch { decree: self.decree() });
        } else {
            self.send(from, Message::Promise { ballot, decree, vote: self.durable.vote });
        }
    }

    fn take_promise(&mut self, from: NodeId, ballot: Ballot, decree: u64, vote: Option<Entry>) {
        if self.role != Role::Preparing || ballot != self.durable.promised || decree != self.decree() {
            return;
        }
        // The vote of the highest ballot is taken over. It becomes a vote of this ballot only when it is
        // proposed.
        if vote.map(|vote| vote.ballot) > self.durable.vote.map(|vote| vote.ballot) {
            self.durable.vote = vote;
        }
        self.count_promise(from);
    }

    fn count_promise(&mut self, from: NodeId) {
        self.supporters.insert(from);
        if self.is_majority() {
            self.role = Role::Primary;
            self.elapsed = 0;
            if let Some(vote) = self.durable.vote {
                self.begin(vote.value);
            }
        }
    }

    fn propose_next(&mut self) {
        if self.durable.vote.is_none()
            && let Some(value) = self.queue.pop_front()
        {
            self.begin(value);
        }
    }

    /// Proposes a value for the first decree that is not decided, and votes for it.
    fn begin(&mut self, value: u64) {
        let ballot = self.durable.promised;
        self.elapsed = 0;
        self.durable.vote = Some(Entry { ballot, value });
        self.durable.accepted = ballot;
        self.supporters = NodeSet::default();
        self.broadcast(&Message::Accept { ballot, decree: self.decree(), value });
        self.count_vote(self.id);
    }

    fn vote(&mut self, primary: NodeId, entry: Entry, decree: u64) {
        if decree < self.decree() {
            self.teach(primary, decree);
            return;
        }
        // A primary proposes the next decree when it has had the last one decided: what was voted for in its
        // ballot.
        if decree == self.decree() + 1
            && let Some(vote) = self.durable.vote.filter(|vote| vote.ballot == entry.ballot)
        {
            self.decide(vote);
        }
        if decree == self.decree() {
            self.durable.vote = Some(entry);
            self.durable.accepted = entry.ballot;
            self.send(primary, Message::Accepted { ballot: entry.ballot, decree });
        } else {
            self.send(primary, Message::Fetch { decree: self.decree() });
        }
    }

    fn take_vote(&mut self, from: NodeId, ballot: Ballot, decree: u64) {
        let is_under_way = self.role == Role::Primary
            && (ballot, decree) == (self.durable.promised, self.decree())
            && self.durable.vote.is_some();
        if is_under_way {
            self.count_vote(from);
        }
    }

    fn count_vote(&mut self, from: NodeId) {
        self.supporters.insert(from);
        if let Some(vote) = self.durable.vote.filter(|_| self.is_majority()) {
            self.decide(vote);
            self.propose_next();
        }
    }

    /// Tells what is decided from this decree on.
    fn teach(&mut self, to: NodeId, first: u64) {
        let Some(place) = first.checked_sub(1) else { return };
        let entries = self.durable.decided.get(place as usize..).unwrap_or_default().to_vec();
        if !entries.is_empty() {
            self.send(to, Message::Learn { first, entries });
        }
    }

    fn learn(&mut self, first: u64, entries: &[Entry]) {
        let Some(known) = self.decree().checked_sub(first) else { return };
        let Some(new) = entries.get(known as usize..).filter(|new| !new.is_empty()) else { return };
        for (place, &entry) in new.iter().enumerate() {
            match self.durable.vote {
                Some(vote) if place == 0 && self.bug == Bug::InconsistentLog => self.decide(vote),
                _ => self.decide(entry),
            }
        }
        match self.role {
            Role::Secondary => {}
            // Promises were for the decree that is now decided.
            Role::Preparing => {
                self.supporters = NodeSet::default();
                self.ask_for_promises();
            }
            // Somebody else has had a decree decided: what was voted for in this ballot need not be what was
            // chosen.
            Role::Primary => self.step_down(),
        }
    }

    fn decide(&mut self, entry: Entry) {
        Arc::make_mut(&mut self.durable.decided).push(entry);
        self.durable.vote = None;
        self.grace = 0;
    }

    fn is_majority(&self) -> bool {
        2 * self.supporters.len() > self.nodes
    }

    fn send(&mut self, to: NodeId, message: Message) {
        self.outputs.push((to, message));
    }

    fn broadcast(&mut self, message: &Message) {
        let id = self.id;
        let others = NodeId::first(self.nodes).filter(|&node| node != id);
        self.outputs.extend(others.map(|node| (node, message.clone())));
    }
}
