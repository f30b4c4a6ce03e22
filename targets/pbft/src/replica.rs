//! A replica: the normal case, time-outs, and the change of epochs. Choosing and proving are in
//! [`crate::choose`] and the types that carry proofs; here is what is done when.

use std::collections::{BTreeMap, BTreeSet};

use shakedown_cluster::{Context, Fact, Name, Node, NodeId, RequestId};

use crate::ballot::Ballot;
use crate::settings::{Choice, Settings};
use crate::signature::{Signature, Subject};
use crate::{
    Certificate, Command, Decision, Mail, Propose, Quorum, Settled, Stop, StopData, Sync, Value, View, Vote,
    choose,
};

/// The one timer of a replica: it runs while the replica waits for a command to be executed, or for a new
/// leader.
pub const TIMER: &str = "request";

/// How far ahead of what is executed instances are taken part in: the paper's watermarks.
const WINDOW: u64 = 64;
/// How far ahead of the present epoch messages are kept.
const EPOCHS_AHEAD: u64 = 16;
/// How often the time-out doubles at most.
const DOUBLINGS_MAX: u32 = 4;

/// See the module's text.
#[derive(Debug)]
pub struct Replica {
    me: NodeId,
    quorum: Quorum,
    settings: Settings,
    epoch: u64,
    /// Whether the leader of the epoch has been heard of: replicas vote in active epochs only.
    is_active: bool,
    /// The last epoch that was active.
    synced: u64,
    /// The highest epoch that a Stop was sent for.
    asked: u64,
    /// The highest epoch that each replica wants.
    stops: Vec<u64>,
    /// By epoch and instance, from the present epoch on.
    ballots: BTreeMap<(u64, u64), Ballot>,
    /// By instance.
    prepared: BTreeMap<u64, Certificate>,
    /// By instance.
    decided: BTreeMap<u64, Decision>,
    /// How many instances are executed.
    executed: u64,
    /// Commands that are not executed, in the order in which they were heard of.
    pending: Vec<Command>,
    /// The requests whose commands are executed.
    done: BTreeSet<u32>,
    /// The requests that clients of this replica wait for.
    asked_here: BTreeSet<u32>,
    /// As the leader: the requests that have an instance in this epoch, and the next free instance.
    assigned: BTreeSet<u32>,
    next_instance: u64,
    /// As a leader to be: what was told, by epoch.
    stop_data: BTreeMap<u64, Vec<StopData>>,
    /// As the leader of an epoch after the first: what was said to all.
    sync: Option<Sync>,
    /// How many epochs were entered since something was executed: the time-out doubles with each.
    doublings: u32,
    is_timer_set: bool,
}

type Ctx<'a> = Context<'a, Replica>;

impl Node for Replica {
    type Message = Mail;
    /// What is to be appended to the replicated log.
    type Request = u64;
    /// The instance in which it was.
    type Answer = u64;
    type State = View;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Ctx<'_>) -> Replica {
        Replica {
            me: ctx.id(),
            quorum: Quorum::of(ctx.nodes().len()),
            settings: Settings::read(ctx.options()).unwrap_or_else(|error| panic!("{error}")),
            epoch: 0,
            is_active: true,
            synced: 0,
            asked: 0,
            stops: vec![0; ctx.nodes().len()],
            ballots: BTreeMap::new(),
            prepared: BTreeMap::new(),
            decided: BTreeMap::new(),
            executed: 0,
            pending: Vec::new(),
            done: BTreeSet::new(),
            asked_here: BTreeSet::new(),
            assigned: BTreeSet::new(),
            next_instance: 1,
            stop_data: BTreeMap::new(),
            sync: None,
            doublings: 0,
            is_timer_set: false,
        }
    }

    fn request(&mut self, id: RequestId, value: u64, ctx: &mut Ctx<'_>) {
        let command = Command::signed(id.0, value);
        self.asked_here.insert(id.0);
        ctx.broadcast(&Mail::Request(command));
        self.on_request(command, ctx);
    }

    fn receive(&mut self, from: NodeId, mail: Mail, ctx: &mut Ctx<'_>) {
        // Links are authenticated: nobody passes on what another one signed, other than as a proof.
        if mail.sender().is_some_and(|sender| sender != from) || !mail.is_signed() {
            return;
        }
        match mail {
            Mail::Request(command) => self.on_request(command, ctx),
            Mail::Propose(propose) => self.on_propose(propose, ctx),
            Mail::Write(vote) => self.on_vote(vote, Ballot::writes, ctx),
            Mail::Accept(vote) => self.on_vote(vote, Ballot::accepts, ctx),
            Mail::Stop(stop) => self.on_stop(stop, ctx),
            Mail::StopData(data) => self.on_stop_data(data, ctx),
            Mail::Sync(sync) => self.on_sync(sync, ctx),
            Mail::Decision(decision) => self.on_decision(decision, ctx),
        }
    }

    /// The client's command, or the new leader, takes too long.
    fn fire(&mut self, _timer: Name, ctx: &mut Ctx<'_>) {
        self.is_timer_set = false;
        self.send_again(ctx);
        self.ask(self.epoch.saturating_add(1), ctx);
        self.keep_time(ctx);
    }

    fn observe(&self) -> View {
        let mut view = View::default();
        self.observe_again(&mut view);
        view
    }

    fn observe_again(&self, view: &mut View) -> bool {
        view.epoch = self.epoch;
        view.is_active = self.is_active;
        view.asked = self.asked;
        view.executed = self.executed;
        view.pending = self.pending.len();
        view.prepared.clear();
        view.prepared.extend(self.prepared.values().map(|it| Settled {
            instance: it.instance,
            epoch: it.epoch,
            value: it.value,
        }));
        view.decided.clear();
        view.decided.extend(self.decided.values().map(|it| Settled {
            instance: it.instance,
            epoch: it.epoch,
            value: it.value,
        }));
        true
    }
}

/// The normal case.
impl Replica {
    fn leads(&self) -> bool {
        self.quorum.leader(self.epoch) == self.me
    }

    fn on_request(&mut self, command: Command, ctx: &mut Ctx<'_>) {
        self.learn(command);
        self.propose_pending(ctx);
        self.keep_time(ctx);
    }

    /// Notes a command that is to be executed, unless it is known.
    fn learn(&mut self, command: Command) {
        let is_known = |known: &Command| known.request == command.request;
        if command.is_signed() && !self.done.contains(&command.request) && !self.pending.iter().any(is_known)
        {
            self.pending.push(command);
        }
    }

    fn propose_pending(&mut self, ctx: &mut Ctx<'_>) {
        if !self.is_active || !self.leads() {
            return;
        }
        let is_free = |command: &Command| !self.assigned.contains(&command.request);
        let free: Vec<Command> = self.pending.iter().copied().filter(is_free).collect();
        for command in free {
            let instance = self.next_instance;
            if instance > self.executed + WINDOW {
                return;
            }
            self.next_instance += 1;
            self.assigned.insert(command.request);
            let value = Value::Command(command);
            ctx.broadcast(&Mail::Propose(self.proposal(instance, value)));
            self.ballot(self.epoch, instance).proposal = Some(value);
            self.vote(instance, ctx);
        }
    }

    fn proposal(&self, instance: u64, value: Value) -> Propose {
        let signature = Signature::default();
        Propose { epoch: self.epoch, instance, value, sender: self.me, signature }.signed()
    }

    fn ballot(&mut self, epoch: u64, instance: u64) -> &mut Ballot {
        self.ballots.entry((epoch, instance)).or_default()
    }

    /// Whether messages of this epoch and instance are kept: not those of epochs gone by, nor of a distant
    /// future.
    fn is_near(&self, epoch: u64, instance: u64) -> bool {
        epoch.checked_sub(self.epoch).is_some_and(|ahead| ahead <= EPOCHS_AHEAD)
            && (1..=self.executed + WINDOW).contains(&instance)
    }

    /// A proposal that comes before its epoch is active waits in its ballot.
    fn on_propose(&mut self, propose: Propose, ctx: &mut Ctx<'_>) {
        let Propose { epoch, instance, value, sender, .. } = propose;
        let is_command = value.command().is_some_and(|command| command.is_signed());
        if sender != self.quorum.leader(epoch) || !self.is_near(epoch, instance) || !is_command {
            return;
        }
        let proposal = &mut self.ballot(epoch, instance).proposal;
        if proposal.is_none() {
            *proposal = Some(value);
            self.take_up(epoch, instance, ctx);
        }
        self.keep_time(ctx);
    }

    fn on_vote(
        &mut self,
        vote: Vote,
        votes: fn(&mut Ballot) -> &mut crate::ballot::Votes,
        ctx: &mut Ctx<'_>,
    ) {
        if self.is_near(vote.epoch, vote.instance) {
            votes(self.ballot(vote.epoch, vote.instance)).enter(vote);
            self.take_up(vote.epoch, vote.instance, ctx);
        }
    }

    /// Goes on with a ballot in which something is new, if its epoch is the present one and active.
    fn take_up(&mut self, epoch: u64, instance: u64, ctx: &mut Ctx<'_>) {
        if epoch == self.epoch && self.is_active {
            if let Some(command) = self.ballot(epoch, instance).proposal.and_then(|value| value.command()) {
                self.learn(command);
            }
            self.vote(instance, ctx);
        }
    }

    /// Writes what is proposed; accepts what a quorum wrote; decides what a quorum accepted.
    fn vote(&mut self, instance: u64, ctx: &mut Ctx<'_>) {
        let (me, epoch, size) = (self.me, self.epoch, self.quorum.size());
        let ballot = self.ballots.entry((epoch, instance)).or_default();
        let Some(value) = ballot.proposal else { return };
        let digest = value.digest();
        let own = Vote { epoch, instance, digest, sender: me, signature: Signature::default() };
        let [wrote, accepted] = ballot.own(me);
        if wrote.is_none() {
            let write = own.signed(Subject::Write);
            ballot.writes().enter(write);
            ctx.broadcast(&Mail::Write(write));
        }
        if accepted.is_none()
            && let Some(writes) = ballot.writes().quorum_for(digest, size)
        {
            self.prepared.insert(instance, Certificate { epoch, instance, value, writes });
            let accept = own.signed(Subject::Accept);
            ballot.accepts().enter(accept);
            ctx.broadcast(&Mail::Accept(accept));
        }
        if !self.decided.contains_key(&instance)
            && let Some(accepts) = ballot.accepts().quorum_for(digest, size)
        {
            self.decide(Decision { epoch, instance, value, accepts }, ctx);
        }
    }

    fn decide(&mut self, decision: Decision, ctx: &mut Ctx<'_>) {
        let fact = Fact::new("decided").with("instance", decision.instance).with("epoch", decision.epoch);
        ctx.emit(match decision.value.command() {
            Some(command) => fact.with("value", command.value),
            None => fact.with("value", "nothing"),
        });
        self.decided.insert(decision.instance, decision);
        let executed_before = self.executed;
        while let Some(next) = self.decided.get(&(self.executed + 1)) {
            self.executed += 1;
            let Some(Command { request, .. }) = next.value.command() else { continue };
            // A leader that lies may have a command decided twice: the second time it is not executed.
            if self.done.insert(request) {
                self.pending.retain(|command| command.request != request);
                if self.asked_here.remove(&request) {
                    ctx.answer(RequestId(request), &self.executed);
                }
            }
        }
        if self.executed > executed_before {
            self.doublings = 0;
            self.restart_time(ctx);
        }
    }

    /// What somebody else saw decided.
    fn on_decision(&mut self, decision: Decision, ctx: &mut Ctx<'_>) {
        let Decision { instance, .. } = decision;
        if (1..=self.executed + WINDOW).contains(&instance)
            && !self.decided.contains_key(&instance)
            && decision.is_valid(self.quorum)
        {
            self.decide(decision, ctx);
        }
    }
}

/// Time.
impl Replica {
    /// Runs the timer while there is something to wait for.
    fn keep_time(&mut self, ctx: &mut Ctx<'_>) {
        let waits = !self.is_active || !self.pending.is_empty();
        if waits && !self.is_timer_set {
            ctx.set_timer(TIMER, self.settings.timeout << self.doublings.min(DOUBLINGS_MAX));
        } else if !waits && self.is_timer_set {
            ctx.cancel_timer(TIMER);
        }
        self.is_timer_set = waits;
    }

    fn restart_time(&mut self, ctx: &mut Ctx<'_>) {
        if self.is_timer_set {
            ctx.cancel_timer(TIMER);
            self.is_timer_set = false;
        }
        self.keep_time(ctx);
    }

    /// What may have been lost: the votes on what is undecided or, before the leader was heard of, what it
    /// has to be told.
    fn send_again(&mut self, ctx: &mut Ctx<'_>) {
        if !self.is_active {
            if !self.leads() {
                ctx.send(self.quorum.leader(self.epoch), Mail::StopData(self.what_is_prepared()));
            }
            return;
        }
        for (&(_, instance), ballot) in self.ballots.range((self.epoch, 0)..=(self.epoch, u64::MAX)) {
            let Some(value) = ballot.proposal.filter(|_| !self.decided.contains_key(&instance)) else {
                continue;
            };
            if self.leads() {
                ctx.broadcast(&Mail::Propose(self.proposal(instance, value)));
            }
            let [write, accept] = ballot.own(self.me);
            write.into_iter().for_each(|vote| ctx.broadcast(&Mail::Write(vote)));
            accept.into_iter().for_each(|vote| ctx.broadcast(&Mail::Accept(vote)));
        }
    }
}

/// The change of epochs.
impl Replica {
    /// As the leader of an epoch after the first: what it said to all.
    pub fn sync(&self) -> Option<&Sync> {
        self.sync.as_ref()
    }

    /// Asks for an epoch, or asks again.
    fn ask(&mut self, epoch: u64, ctx: &mut Ctx<'_>) {
        if epoch > self.asked {
            ctx.emit(Fact::new("stop").with("epoch", epoch));
        }
        self.asked = self.asked.max(epoch);
        self.stops[self.me.index()] = self.asked;
        let stop = Stop {
            epoch: self.asked,
            synced: self.synced,
            executed: self.executed,
            pending: self.pending.clone(),
            sender: self.me,
            signature: Signature::default(),
        };
        ctx.broadcast(&Mail::Stop(stop.signed()));
        self.count_stops(ctx);
    }

    fn on_stop(&mut self, stop: Stop, ctx: &mut Ctx<'_>) {
        self.help(&stop, ctx);
        stop.pending.iter().for_each(|command| self.learn(*command));
        self.heard_stop(stop.sender, stop.epoch, ctx);
        self.propose_pending(ctx);
        self.keep_time(ctx);
    }

    /// A replica that asks for an epoch may only have missed what the others know.
    fn help(&mut self, stop: &Stop, ctx: &mut Ctx<'_>) {
        let missing = stop.executed.saturating_add(1)..=self.executed;
        if !missing.is_empty() {
            for decision in self.decided.range(missing).map(|(_, decision)| decision) {
                ctx.send(stop.sender, Mail::Decision(decision.clone()));
            }
        }
        if let Some(sync) = self.sync.as_ref().filter(|sync| stop.synced < sync.epoch) {
            ctx.send(stop.sender, Mail::Sync(sync.clone()));
        }
    }

    fn heard_stop(&mut self, from: NodeId, epoch: u64, ctx: &mut Ctx<'_>) {
        let known = &mut self.stops[from.index()];
        if epoch > *known {
            *known = epoch;
            self.count_stops(ctx);
        }
    }

    /// Joins those who ask for an epoch if one of them must be correct; enters it if a quorum asks.
    fn count_stops(&mut self, ctx: &mut Ctx<'_>) {
        let joined = self.asked_by(self.quorum.one_correct());
        if joined > self.asked.max(self.epoch) {
            return self.ask(joined, ctx);
        }
        let agreed = self.asked_by(self.quorum.size());
        if agreed > self.epoch {
            self.enter(agreed, ctx);
            self.report(ctx);
        }
    }

    /// The highest epoch that at least so many replicas ask for: who asks for one has given up all that are
    /// lower.
    fn asked_by(&self, count: usize) -> u64 {
        let mut epochs = self.stops.clone();
        epochs.sort_unstable_by(|one, other| other.cmp(one));
        epochs[count - 1]
    }

    /// From here on, nothing is voted on in lower epochs.
    fn enter(&mut self, epoch: u64, ctx: &mut Ctx<'_>) {
        self.epoch = epoch;
        self.is_active = false;
        self.sync = None;
        self.ballots = self.ballots.split_off(&(epoch, 0));
        self.stop_data = self.stop_data.split_off(&epoch);
        self.assigned.clear();
        self.doublings += 1;
        ctx.emit(Fact::new("epoch").with("number", epoch));
        self.restart_time(ctx);
    }

    /// Tells the leader of the epoch what is prepared.
    fn report(&mut self, ctx: &mut Ctx<'_>) {
        let data = self.what_is_prepared();
        if self.leads() {
            self.on_stop_data(data, ctx);
        } else {
            ctx.send(self.quorum.leader(self.epoch), Mail::StopData(data));
        }
    }

    fn what_is_prepared(&self) -> StopData {
        let prepared = self.prepared.values().cloned().collect();
        let signature = Signature::default();
        StopData { epoch: self.epoch, prepared, sender: self.me, signature }.signed()
    }

    fn on_stop_data(&mut self, data: StopData, ctx: &mut Ctx<'_>) {
        let StopData { epoch, sender, .. } = data;
        if self.quorum.leader(epoch) != self.me || !self.is_near(epoch, 1) || !data.is_valid(self.quorum) {
            return;
        }
        let reported = self.stop_data.entry(epoch).or_default();
        if reported.iter().all(|known| known.sender != sender) {
            reported.push(data);
        }
        // Who tells what it has prepared has asked for the epoch.
        self.heard_stop(sender, epoch, ctx);
        self.lead(ctx);
    }

    /// Begins the epoch as its leader, if a quorum has told what it has prepared.
    fn lead(&mut self, ctx: &mut Ctx<'_>) {
        let Some(reported) = self.stop_data.get(&self.epoch) else { return };
        if self.is_active || !self.leads() || reported.len() < self.quorum.size() {
            return;
        }
        let own = |data: &&StopData| data.sender == self.me;
        let chosen = match self.settings.new_view_choice {
            Choice::All => choose(reported),
            Choice::Own => choose(&reported.iter().filter(own).cloned().collect::<Vec<_>>()),
        };
        let signature = Signature::default();
        let sync =
            Sync { epoch: self.epoch, stop_data: reported.clone(), chosen, sender: self.me, signature };
        let sync = sync.signed();
        ctx.broadcast(&Mail::Sync(sync.clone()));
        self.begin(&sync.chosen, ctx);
        self.sync = Some(sync);
    }

    fn on_sync(&mut self, sync: Sync, ctx: &mut Ctx<'_>) {
        let is_new = sync.epoch > self.synced && sync.epoch >= self.epoch;
        let is_checked = || !self.settings.new_view_check || sync.is_justified(self.quorum);
        if !is_new || sync.sender != self.quorum.leader(sync.epoch) || !is_checked() {
            return;
        }
        if sync.epoch > self.epoch {
            self.enter(sync.epoch, ctx);
        }
        self.begin(&sync.chosen, ctx);
    }

    /// The epoch becomes active with these proposals for the instances from 1 on; those that are decided
    /// already are voted on again for the sake of others.
    fn begin(&mut self, chosen: &[Value], ctx: &mut Ctx<'_>) {
        let epoch = self.epoch;
        self.is_active = true;
        self.synced = epoch;
        self.next_instance = chosen.len() as u64 + 1;
        for (instance, value) in (1..).zip(chosen) {
            self.ballot(epoch, instance).proposal = Some(*value);
            self.assigned.extend(value.command().map(|command| command.request));
        }
        let known: Vec<u64> =
            self.ballots.range((epoch, 0)..=(epoch, u64::MAX)).map(|((_, instance), _)| *instance).collect();
        for instance in known {
            self.take_up(epoch, instance, ctx);
        }
        self.propose_pending(ctx);
        self.restart_time(ctx);
    }
}
