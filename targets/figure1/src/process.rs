//! A process: figure 1 of the paper, round by round.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Context, Fact, Node, NodeId};

use crate::{Last, Log, Mail, Mailbox, Output, Progress, ROUNDS_PER_PHASE, View};

/// What clients ask: nothing. A leader makes its commands up.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum NoRequest {}

/// See the module's text.
#[derive(Debug)]
pub struct Process {
    dated: Last,
    majority: usize,
    mailbox: Mailbox,
    /// The variables of the protocol. Only the beginning of a round changes them, and with them the round's
    /// number.
    view: View,
}

type Ctx<'a> = Context<'a, Process>;

impl Node for Process {
    type Message = Mail;
    type Request = NoRequest;
    type Answer = ();
    type State = View;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Ctx<'_>) -> Process {
        let processes = ctx.nodes().len();
        Process {
            dated: ctx.options().get("last").unwrap_or_else(|error| panic!("{error}")),
            majority: processes / 2 + 1,
            mailbox: Mailbox::new(processes),
            view: View::default(),
        }
    }

    /// A message of this round or of one to come is kept until its round ends.
    fn receive(&mut self, from: NodeId, mail: Mail, _ctx: &mut Ctx<'_>) {
        if matches!(mail, Mail::Prepare { phase } if phase > self.view.clock_phase()) {
            // This process is behind. The rounds between are to it as if all their messages were lost.
            self.enter(mail.round());
        }
        if mail.round() >= self.view.round {
            self.mailbox.put(from, mail);
        }
    }

    fn tick(&mut self, ctx: &mut Ctx<'_>) {
        self.update(ctx);
        self.enter(self.view.round + 1);
        self.send(ctx);
    }

    fn observe(&self) -> View {
        self.view
    }

    fn observe_again(&self, state: &mut View) -> bool {
        if state.round == self.view.round {
            return false;
        }
        *state = self.view;
        true
    }
}

impl Process {
    fn enter(&mut self, round: u32) {
        if round.div_ceil(ROUNDS_PER_PHASE) != self.view.clock_phase() {
            self.view.step = Progress::Apart;
        }
        self.view.round = round;
        self.mailbox.forget_before(round);
    }

    /// `Snd` of the round that has begun.
    fn send(&mut self, ctx: &mut Ctx<'_>) {
        let View { phase, last, step, leader, log, .. } = self.view;
        match self.place() {
            0 => {
                let phase = self.view.clock_phase();
                if leader_of(phase, ctx) == ctx.id() {
                    send_to_all(Mail::Prepare { phase }, ctx);
                }
            }
            1 if step == Progress::Ack => {
                let leader = leader.expect("who has joined a phase knows its leader");
                ctx.send(leader, Mail::Ack { phase, last, log });
            }
            2 if step == Progress::Propose && leader == Some(ctx.id()) => {
                send_to_all(Mail::Propose { phase, log }, ctx);
            }
            3 if step == Progress::Promise => send_to_all(Mail::Promise { phase, log }, ctx),
            _ => {}
        }
    }

    /// `Upd` of the round that ends.
    fn update(&mut self, ctx: &mut Ctx<'_>) {
        if self.view.round == 0 {
            return;
        }
        match self.place() {
            0 => self.join(ctx),
            1 => self.take_acks(ctx),
            2 => self.take_proposal(ctx),
            _ => self.take_promises(ctx),
        }
    }

    /// Lines 13 to 18.
    fn join(&mut self, ctx: &mut Ctx<'_>) {
        for &(from, mail) in self.mailbox.of(self.view.round) {
            let Mail::Prepare { phase } = mail else { continue };
            if phase >= self.view.phase {
                if self.dated == Last::Prepare {
                    self.view.last = self.view.phase;
                }
                self.view.phase = phase;
                self.view.leader = Some(from);
                self.view.step = Progress::Ack;
                ctx.emit(Fact::new("joined").with("phase", u64::from(phase)));
            }
        }
    }

    /// Lines 26 to 30. The most recent log is the one of the highest `last`; among those of the same, the
    /// longest one, and then the one of the first process.
    fn take_acks(&mut self, ctx: &mut Ctx<'_>) {
        if self.view.step != Progress::Ack {
            return;
        }
        if self.view.leader != Some(ctx.id()) {
            self.view.step = Progress::Propose;
            return;
        }
        let acks = self.mailbox.of(self.view.round).filter_map(|(from, mail)| match mail {
            Mail::Ack { last, log, .. } => Some(((*last, log.length(), Reverse(*from)), log)),
            _ => None,
        });
        let (mut count, mut recent) = (0, None);
        for ack in acks {
            count += 1;
            if recent.is_none_or(|(known, _)| known < ack.0) {
                recent = Some(ack);
            }
        }
        if let Some((_, log)) = recent.filter(|_| count >= self.majority) {
            self.view.log = *log;
            self.view.log.append(self.view.phase);
            self.view.step = Progress::Propose;
            ctx.emit(about("proposed", self.view.phase, &self.view.log));
        }
    }

    /// Lines 31 to 34.
    fn take_proposal(&mut self, _ctx: &mut Ctx<'_>) {
        if self.view.step == Progress::Apart {
            return;
        }
        for &(from, mail) in self.mailbox.of(self.view.round) {
            if let Mail::Propose { log, .. } = mail
                && self.view.leader == Some(from)
            {
                self.view.log = log;
                self.view.step = Progress::Promise;
                if self.dated == Last::Propose {
                    self.view.last = self.view.phase;
                }
            }
        }
    }

    /// Lines 41 and 42.
    fn take_promises(&mut self, ctx: &mut Ctx<'_>) {
        if self.view.step == Progress::Apart {
            return;
        }
        let own = self.view.log;
        let same = |mail: &Mail| matches!(mail, Mail::Promise { log, .. } if *log == own);
        let count = self.mailbox.of(self.view.round).filter(|(_, mail)| same(mail)).count();
        if count >= self.majority {
            self.view.output = Some(Output { phase: self.view.phase, log: own });
            ctx.emit(about("output", self.view.phase, &own));
        }
    }

    /// The place of the present round in its phase, counted from 0.
    fn place(&self) -> u32 {
        (self.view.round - 1) % ROUNDS_PER_PHASE
    }
}

/// Processes lead in turns.
fn leader_of(phase: u32, ctx: &Ctx<'_>) -> NodeId {
    NodeId::from_index((phase as usize - 1) % ctx.nodes().len())
}

fn send_to_all(mail: Mail, ctx: &mut Ctx<'_>) {
    for process in ctx.nodes() {
        ctx.send(process, mail);
    }
}

fn about(fact: &'static str, phase: u32, log: &Log) -> Fact {
    Fact::new(fact).with("phase", u64::from(phase)).with("length", log.length())
}
