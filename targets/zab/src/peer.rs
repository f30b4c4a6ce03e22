//! The protocol, without a network: what a server does about messages, ticks and requests.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;
use shakedown_check::{RegisterAnswer, RegisterOp, RegisterValues};
use shakedown_cluster::{NodeId, RequestId};

use crate::durable::perform;
use crate::leading::Leading;
use crate::{Answer, Durable, History, Message, Transaction, Zxid};

/// How long servers wait, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// For others that look for a leader too.
    pub election: u64,
    /// For a sign of the leader, or of a majority of followers.
    pub silence: u64,
}

/// What a server does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It looks for a leader.
    Looking,
    /// It follows one, and does not serve clients yet.
    Joining,
    /// It follows one.
    Following,
    /// It would lead.
    Preparing,
    /// It leads.
    Leading,
}

/// What a server does, with what it has to know for it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Looking {
        /// Since when.
        since: u64,
        /// How recent the histories of others are that look too, and when that was heard.
        heard: BTreeMap<NodeId, ((u64, Zxid), u64)>,
    },
    Following {
        leader: NodeId,
        /// When the leader was heard last.
        heard: u64,
        join: Join,
    },
    Leading(Box<Leading>),
}

/// How far a follower has come with its leader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Join {
    Asking,
    Promised { epoch: u64, is_fresh: bool, needs_all: bool },
    Synced { epoch: u64 },
    Active { epoch: u64 },
}

/// A server.
#[derive(Clone, Debug)]
pub struct Peer {
    me: NodeId,
    nodes: usize,
    patience: Patience,
    /// Whether a leader's snapshot replaces the log.
    truncate: bool,
    durable: Durable,
    /// What every key holds after the last transaction that was applied.
    values: RegisterValues,
    applied: Zxid,
    /// The last transaction of the history, applied or not. It is not read from the disk, where there may be
    /// more.
    last: Zxid,
    /// Transactions that are logged and not applied.
    pending: VecDeque<Transaction>,
    part: Part,
    now: u64,
    /// Requests of this server's clients that a leader has, or has been sent.
    waiting: BTreeSet<RequestId>,
    messages: Vec<(NodeId, Message)>,
    answers: Vec<(RequestId, Answer)>,
    fresh: Vec<Transaction>,
}

impl Peer {
    /// A server that starts, with this on its disk. Everything that is logged is applied.
    pub fn boot(me: NodeId, nodes: usize, patience: Patience, truncate: bool, durable: Durable) -> Peer {
        let last = durable.last();
        Peer {
            me,
            nodes,
            patience,
            truncate,
            values: durable.values_at(last),
            applied: last,
            last,
            durable,
            pending: VecDeque::new(),
            part: Part::Looking { since: 0, heard: BTreeMap::new() },
            now: 0,
            waiting: BTreeSet::new(),
            messages: Vec::new(),
            answers: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// What survives a crash.
    pub fn durable(&self) -> &Durable {
        &self.durable
    }

    /// What every key holds, and the last transaction that this is the state after.
    pub fn state(&self) -> (&RegisterValues, Zxid) {
        (&self.values, self.applied)
    }

    /// What it does.
    pub fn role(&self) -> Role {
        match &self.part {
            Part::Looking { .. } => Role::Looking,
            Part::Following { join: Join::Active { .. }, .. } => Role::Following,
            Part::Following { .. } => Role::Joining,
            Part::Leading(leading) if leading.is_active => Role::Leading,
            Part::Leading(_) => Role::Preparing,
        }
    }

    /// What it sends, once.
    pub fn messages(&mut self) -> impl Iterator<Item = (NodeId, Message)> + use<> {
        std::mem::take(&mut self.messages).into_iter()
    }

    /// What it answers, once.
    pub fn answers(&mut self) -> impl Iterator<Item = (RequestId, Answer)> + use<> {
        std::mem::take(&mut self.answers).into_iter()
    }

    /// What it has applied because it was committed, once.
    pub fn applied(&mut self) -> impl Iterator<Item = Transaction> + use<> {
        std::mem::take(&mut self.fresh).into_iter()
    }

    /// One tick of its clock.
    pub fn tick(&mut self) {
        self.now += 1;
        let silent_since = self.now.saturating_sub(self.patience.silence);
        match &mut self.part {
            Part::Looking { since, heard } => {
                heard.retain(|_, (_, when)| *when >= silent_since);
                let mine = (self.durable.current, self.last, self.me);
                let is_best =
                    heard.iter().all(|(node, ((current, last), _))| (*current, *last, *node) < mine);
                let is_time = self.now >= *since + self.patience.election;
                if is_time && is_best && Leading::is_majority(heard.len(), self.nodes) {
                    return self.lead();
                }
                let (current, last, _) = mine;
                self.broadcast(&Message::Notify { current, last });
            }
            Part::Following { heard, .. } if *heard < silent_since => self.look(),
            Part::Following { .. } => {}
            Part::Leading(leading) => {
                match Leading::is_majority(leading.heard_count(silent_since), self.nodes) {
                    true => self.ping(),
                    false => self.look(),
                }
            }
        }
    }

    /// A client asks.
    pub fn request(&mut self, request: RequestId, op: RegisterOp) {
        let leader = match &self.part {
            Part::Leading(leading) if leading.is_active => self.me,
            Part::Following { leader, join: Join::Active { .. }, .. } => *leader,
            _ => return self.answers.push((request, Answer::Refused)),
        };
        if let RegisterOp::Read(key) = op {
            let value = RegisterAnswer::Value(self.values.get(key));
            return self.answers.push((request, Answer::Register(value)));
        }
        self.waiting.insert(request);
        match leader == self.me {
            true => self.propose(request, op),
            false => self.send(leader, Message::Forward { request, op }),
        }
    }

    /// A message has come.
    pub fn receive(&mut self, from: NodeId, message: Message) {
        match message {
            Message::Notify { current, last } => self.on_notify(from, (current, last)),
            Message::Ping { epoch, committed } => self.on_ping(from, epoch, committed),
            Message::LeaderInfo { epoch } => self.on_leader_info(from, epoch),
            Message::Sync { epoch, history, committed } => self.on_sync(from, epoch, &history, committed),
            Message::UpToDate { epoch } => self.on_up_to_date(from, epoch),
            Message::Propose { transaction } => self.on_propose(from, transaction),
            Message::Commit { zxid } => self.on_commit(from, zxid),
            Message::FollowerInfo { accepted } => self.on_follower_info(from, accepted),
            Message::AckEpoch { epoch, current, last, is_fresh, needs_all } => {
                self.on_ack_epoch(from, epoch, (current, last), is_fresh, needs_all);
            }
            Message::AckSync { epoch, last } => self.on_ack_sync(from, epoch, last),
            Message::Ack { zxid } => self.on_ack(from, zxid),
            Message::Pong { epoch } => drop(self.hear(from, epoch)),
            Message::Forward { request, op } => {
                if self.role() == Role::Leading {
                    self.propose(request, op);
                }
            }
        }
    }

    fn send(&mut self, to: NodeId, message: Message) {
        self.messages.push((to, message));
    }

    fn broadcast(&mut self, message: &Message) {
        let me = self.me;
        let others = NodeId::first(self.nodes).filter(|&node| node != me);
        self.messages.extend(others.map(|node| (node, message.clone())));
    }

    /// Looks for a leader. What is logged is applied: it may be committed, and whoever leads says whether it
    /// stays.
    fn look(&mut self) {
        for transaction in std::mem::take(&mut self.pending) {
            perform(&transaction, &mut self.values);
        }
        self.applied = self.last;
        self.waiting.clear();
        self.part = Part::Looking { since: self.now, heard: BTreeMap::new() };
    }

    // As a leader.

    /// Would lead, beginning with a snapshot of what it has.
    fn lead(&mut self) {
        self.durable.take_snapshot(self.last, &self.values);
        // Everybody has time to answer.
        let others = NodeId::first(self.nodes).filter(|&node| node != self.me);
        let heard = others.map(|node| (node, self.now)).collect();
        self.part = Part::Leading(Box::new(Leading { heard, ..Leading::default() }));
        if self.nodes == 1 {
            self.begin_epoch();
        }
        self.ping();
    }

    fn ping(&mut self) {
        if let Part::Leading(leading) = &self.part {
            let ping = Message::Ping { epoch: leading.epoch, committed: self.applied };
            self.broadcast(&ping);
        }
    }

    fn on_notify(&mut self, from: NodeId, recent: (u64, Zxid)) {
        match &mut self.part {
            Part::Looking { heard, .. } => drop(heard.insert(from, (recent, self.now))),
            Part::Leading(leading) => {
                let ping = Message::Ping { epoch: leading.epoch, committed: self.applied };
                self.send(from, ping);
            }
            Part::Following { .. } => {}
        }
    }

    fn on_follower_info(&mut self, from: NodeId, accepted: u64) {
        let now = self.now;
        let Part::Leading(leading) = &mut self.part else { return };
        leading.heard.insert(from, now);
        match leading.epoch {
            None => {
                leading.accepted.insert(from, accepted);
                if Leading::is_majority(leading.accepted.len(), self.nodes) {
                    self.begin_epoch();
                }
            }
            // It takes an epoch above this one to win the follower.
            Some(epoch) if accepted > epoch => self.look(),
            Some(epoch) => self.send(from, Message::LeaderInfo { epoch }),
        }
    }

    /// A new epoch, above all that a majority has accepted.
    fn begin_epoch(&mut self) {
        let Part::Leading(leading) = &mut self.part else { return };
        let highest = leading.accepted.values().copied().fold(self.durable.accepted, u64::max);
        let epoch = highest + 1;
        leading.epoch = Some(epoch);
        self.durable.accepted = epoch;
        let followers: Vec<_> = leading.accepted.keys().copied().collect();
        for follower in followers {
            self.send(follower, Message::LeaderInfo { epoch });
        }
        self.begin_sync();
        self.begin_service();
    }

    /// The bookkeeping, if this server leads in this epoch; the follower was heard.
    fn hear(&mut self, from: NodeId, epoch: u64) -> Option<&mut Leading> {
        match &mut self.part {
            Part::Leading(leading) if leading.epoch == Some(epoch) => {
                leading.heard.insert(from, self.now);
                Some(leading)
            }
            _ => None,
        }
    }

    fn on_ack_epoch(
        &mut self,
        from: NodeId,
        epoch: u64,
        recent: (u64, Zxid),
        is_fresh: bool,
        needs_all: bool,
    ) {
        let mine = (self.durable.current, self.last);
        let Some(leading) = self.hear(from, epoch) else { return };
        leading.joined.insert(from, Some(recent.1).filter(|_| !needs_all));
        if leading.is_syncing {
            return self.sync(from);
        }
        if is_fresh {
            if recent > mine {
                // What the follower has may be committed.
                return self.look();
            }
            leading.promised.insert(from);
            self.begin_sync();
        }
    }

    /// With a majority that has accepted the epoch, everybody gets the leader's history.
    fn begin_sync(&mut self) {
        let Part::Leading(leading) = &mut self.part else { return };
        let Some(epoch) = leading.epoch else { return };
        if leading.is_syncing || !Leading::is_majority(leading.promised.len(), self.nodes) {
            return;
        }
        leading.is_syncing = true;
        self.durable.current = epoch;
        let followers: Vec<_> = leading.joined.keys().copied().collect();
        followers.into_iter().for_each(|follower| self.sync(follower));
    }

    /// Sends a follower what it lacks.
    fn sync(&mut self, follower: NodeId) {
        let Part::Leading(leading) = &self.part else { return };
        let (Some(epoch), Some(last)) = (leading.epoch, leading.joined.get(&follower)) else { return };
        let history = match last {
            Some(last) => self.durable.history_after(*last),
            None => self.durable.whole(),
        };
        self.send(follower, Message::Sync { epoch, history, committed: self.applied });
    }

    fn on_ack_sync(&mut self, from: NodeId, epoch: u64, last: Zxid) {
        let Some(leading) = self.hear(from, epoch) else { return };
        leading.logged.insert(from, last);
        if leading.is_active {
            self.send(from, Message::UpToDate { epoch });
            return self.commit();
        }
        self.begin_service();
    }

    /// With a majority that has the leader's history, all of it is committed, and clients are served.
    fn begin_service(&mut self) {
        let Part::Leading(leading) = &mut self.part else { return };
        let Some(epoch) = leading.epoch else { return };
        if !leading.is_syncing || !Leading::is_majority(leading.logged.len(), self.nodes) {
            return;
        }
        leading.is_active = true;
        let followers: Vec<_> = leading.logged.keys().copied().collect();
        for follower in followers {
            self.send(follower, Message::UpToDate { epoch });
        }
    }

    /// Executes a request on the state that it will find, and proposes what it changes.
    fn propose(&mut self, request: RequestId, op: RegisterOp) {
        let mut values = self.values.clone();
        self.pending.iter().for_each(|transaction| perform(transaction, &mut values));
        let answer = op.apply(&mut values);
        let Part::Leading(leading) = &mut self.part else { return };
        let Some(epoch) = leading.epoch else { return };
        leading.counter += 1;
        let zxid = Zxid { epoch, counter: leading.counter };
        let write = op.written().filter(|_| answer != RegisterAnswer::Applied(false));
        let transaction = Transaction { zxid, request, write, answer };
        let followers: Vec<_> = leading.joined.keys().copied().collect();
        self.log(transaction);
        for follower in followers {
            self.send(follower, Message::Propose { transaction });
        }
        self.commit();
    }

    fn log(&mut self, transaction: Transaction) {
        self.durable.append(transaction);
        self.last = transaction.zxid;
        self.pending.push_back(transaction);
    }

    fn on_ack(&mut self, from: NodeId, zxid: Zxid) {
        let Some(leading) = self.hear(from, zxid.epoch) else { return };
        if let Some(logged) = leading.logged.get_mut(&from) {
            *logged = zxid.max(*logged);
            self.commit();
        }
    }

    /// Commits what a majority has logged, in order.
    fn commit(&mut self) {
        let mut committed = None;
        while let (Part::Leading(leading), Some(next)) = (&self.part, self.pending.front()) {
            let zxid = next.zxid;
            if !leading.is_active || !Leading::is_majority(leading.logged_count(zxid), self.nodes) {
                break;
            }
            self.apply(zxid);
            committed = Some(zxid);
        }
        if let (Some(zxid), Part::Leading(leading)) = (committed, &self.part) {
            let followers: Vec<_> = leading.logged.keys().copied().collect();
            for follower in followers {
                self.send(follower, Message::Commit { zxid });
            }
        }
    }

    /// Applies what is committed, up to here.
    fn apply(&mut self, zxid: Zxid) {
        while self.pending.front().is_some_and(|next| next.zxid <= zxid)
            && let Some(transaction) = self.pending.pop_front()
        {
            perform(&transaction, &mut self.values);
            self.applied = transaction.zxid;
            self.fresh.push(transaction);
            if self.waiting.remove(&transaction.request) {
                self.answers.push((transaction.request, Answer::Register(transaction.answer)));
            }
        }
    }

    // As a follower.

    /// How far this server has come with this leader; the leader was heard.
    fn joining(&mut self, from: NodeId) -> Option<&mut Join> {
        match &mut self.part {
            Part::Following { leader, heard, join } if *leader == from => {
                *heard = self.now;
                Some(join)
            }
            _ => None,
        }
    }

    fn on_ping(&mut self, from: NodeId, epoch: Option<u64>, committed: Zxid) {
        if let Part::Looking { .. } = self.part {
            self.part = Part::Following { leader: from, heard: self.now, join: Join::Asking };
        }
        let Some(&mut join) = self.joining(from) else { return };
        let mine = match join {
            Join::Asking => None,
            Join::Promised { epoch, .. } | Join::Synced { epoch } | Join::Active { epoch } => Some(epoch),
        };
        if mine.is_some() && mine != epoch {
            // The leader has begun anew.
            return self.look();
        }
        let last = self.last;
        match join {
            Join::Asking => self.send(from, Message::FollowerInfo { accepted: self.durable.accepted }),
            Join::Promised { epoch, is_fresh, needs_all } => {
                let current = self.durable.current;
                self.send(from, Message::AckEpoch { epoch, current, last, is_fresh, needs_all });
            }
            Join::Synced { epoch } => self.send(from, Message::AckSync { epoch, last }),
            Join::Active { .. } if committed > last => self.look(),
            Join::Active { epoch } => {
                self.apply(committed);
                self.send(from, Message::Pong { epoch });
            }
        }
    }

    fn on_leader_info(&mut self, from: NodeId, epoch: u64) {
        let accepted = self.durable.accepted;
        let Some(join) = self.joining(from).filter(|join| **join == Join::Asking) else { return };
        if epoch < accepted {
            return self.look();
        }
        let is_fresh = epoch > accepted;
        *join = Join::Promised { epoch, is_fresh, needs_all: false };
        self.durable.accepted = epoch;
        let (current, last) = (self.durable.current, self.last);
        self.send(from, Message::AckEpoch { epoch, current, last, is_fresh, needs_all: false });
    }

    fn on_sync(&mut self, from: NodeId, epoch: u64, history: &History, committed: Zxid) {
        let can_take = self.durable.can_take(history);
        let (current, last) = (self.durable.current, self.last);
        let Some(join) = self.joining(from) else { return };
        let Join::Promised { epoch: promised, is_fresh, .. } = *join else { return };
        if promised != epoch {
            return;
        }
        if !can_take {
            *join = Join::Promised { epoch, is_fresh, needs_all: true };
            return self.send(from, Message::AckEpoch { epoch, current, last, is_fresh, needs_all: true });
        }
        *join = Join::Synced { epoch };
        self.take(history, committed);
        self.durable.current = epoch;
        self.send(from, Message::AckSync { epoch, last: self.last });
    }

    /// Takes over the leader's history: what is committed of it is applied, in memory too.
    fn take(&mut self, history: &History, committed: Zxid) {
        let (first, mut values) = match history {
            // What is in memory is not read back.
            History::Log { after, .. } if *after == self.last => (*after, self.values.clone()),
            History::Log { after, .. } => (*after, self.durable.values_at(*after)),
            History::Snapshot { snapshot, .. } => (snapshot.zxid, RegisterValues::clone(&snapshot.values)),
        };
        self.durable.take(history, self.truncate);
        let (done, open): (Vec<_>, Vec<_>) = history.rest().iter().partition(|known| known.zxid <= committed);
        done.iter().for_each(|transaction: &Transaction| perform(transaction, &mut values));
        self.values = values;
        self.applied = done.last().map_or(first, |transaction| transaction.zxid);
        self.last = open.last().map_or(self.applied, |transaction| transaction.zxid);
        self.pending = open.into();
    }

    fn on_up_to_date(&mut self, from: NodeId, epoch: u64) {
        if let Some(join) = self.joining(from).filter(|join| **join == Join::Synced { epoch }) {
            *join = Join::Active { epoch };
        }
    }

    fn on_propose(&mut self, from: NodeId, transaction: Transaction) {
        let zxid = transaction.zxid;
        let follows = zxid.follows(self.last);
        let is_mine = self.joining(from).is_some_and(
            |join| matches!(*join, Join::Synced { epoch } | Join::Active { epoch } if epoch == zxid.epoch),
        );
        if is_mine && follows {
            self.log(transaction);
            self.send(from, Message::Ack { zxid });
        }
    }

    fn on_commit(&mut self, from: NodeId, zxid: Zxid) {
        let last = self.last;
        match self.joining(from) {
            Some(Join::Synced { epoch } | Join::Active { epoch }) if *epoch == zxid.epoch => {
                // Something was lost on the way: the leader is joined anew.
                if zxid > last { self.look() } else { self.apply(zxid) }
            }
            _ => {}
        }
    }
}
