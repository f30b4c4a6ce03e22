//! A node: a replica, and a coordinator for the clients that ask it.

use std::collections::VecDeque;

use shakedown_check::{RegisterAnswer, RegisterOp};
use shakedown_cluster::{Context, Fact, Node, NodeId, RequestId, Saved};

use crate::coordinator::{Coordinator, Next};
use crate::{Ballot, Coordinating, Mail, Proposal, Replica, Transaction, View};

/// See the module's text.
#[derive(Debug)]
pub struct Server {
    distinguish: bool,
    replica: Replica,
    /// The transaction that is worked on. A crash forgets it: its client is not answered.
    coordinator: Option<Coordinator>,
    /// What clients asked meanwhile.
    queue: VecDeque<(RequestId, RegisterOp)>,
}

type Ctx<'a> = Context<'a, Server>;

impl Node for Server {
    type Message = Mail;
    type Request = RegisterOp;
    type Answer = RegisterAnswer;
    type State = View;
    type Disk = Saved<Replica>;

    fn boot(disk: &Saved<Replica>, ctx: &mut Ctx<'_>) -> Server {
        Server {
            distinguish: ctx.options().get("distinguish").unwrap_or_else(|error| panic!("{error}")),
            replica: disk.0.clone(),
            coordinator: None,
            queue: VecDeque::new(),
        }
    }

    /// A phase begins.
    fn tick(&mut self, ctx: &mut Ctx<'_>) {
        if self.coordinator.is_none() {
            self.take_next(ctx);
        }
        self.begin(ctx);
    }

    fn request(&mut self, id: RequestId, op: RegisterOp, ctx: &mut Ctx<'_>) {
        self.queue.push_back((id, op));
        if self.coordinator.is_none() {
            self.take_next(ctx);
            self.begin(ctx);
        }
    }

    fn receive(&mut self, from: NodeId, mail: Mail, ctx: &mut Ctx<'_>) {
        self.replica.count = self.replica.count.max(mail.ballot().count);
        match mail {
            Mail::Prepare { ballot, key, also } => {
                let reply = match self.replica.promise(key, ballot, self.distinguish) {
                    Ok(held) => {
                        let also = also.and_then(|also| self.replica.held(also).commit);
                        Mail::Promise { ballot, held, also }
                    }
                    Err(promised) => Mail::PromiseRefused { ballot, promised },
                };
                self.reply(from, reply, ctx);
            }
            Mail::Propose { key, proposal } => {
                let ballot = proposal.ballot;
                let reply = match self.replica.accept(key, proposal) {
                    Ok(()) => Mail::Accept { ballot },
                    Err(promised) => Mail::AcceptRefused { ballot, promised },
                };
                self.reply(from, reply, ctx);
            }
            Mail::Repair { key, commit, .. } => {
                self.replica.commit(key, commit);
                ctx.write(self.replica.clone());
            }
            Mail::Commit { key, proposal } => {
                self.replica.commit(key, proposal);
                self.reply(from, Mail::Ack { ballot: proposal.ballot }, ctx);
            }
            Mail::Promise { .. }
            | Mail::PromiseRefused { .. }
            | Mail::Accept { .. }
            | Mail::AcceptRefused { .. }
            | Mail::Ack { .. } => self.coordinate(from, mail, ctx),
        }
    }

    fn observe(&self) -> View {
        let coordinating = |coordinator: &Coordinator| Coordinating {
            transaction: coordinator.transaction,
            ballot: coordinator.ballot,
            stage: coordinator.stage,
        };
        View {
            keys: self.replica.keys().to_vec(),
            coordinating: self.coordinator.as_ref().map(coordinating),
            waiting: self.queue.len(),
        }
    }
}

impl Server {
    /// What a replica has said is on its disk before it says so.
    fn reply(&mut self, to: NodeId, reply: Mail, ctx: &mut Ctx<'_>) {
        ctx.write(self.replica.clone());
        ctx.send(to, reply);
    }

    fn take_next(&mut self, ctx: &Ctx<'_>) {
        let next = self.queue.pop_front();
        self.coordinator = next.map(|(id, op)| Coordinator::new(Transaction(id), op, ctx.nodes().len()));
    }

    /// Begins an attempt, if there is a transaction to attempt.
    fn begin(&mut self, ctx: &mut Ctx<'_>) {
        let Some(coordinator) = &mut self.coordinator else { return };
        self.replica.count = ctx.now().max(self.replica.count + 1);
        // A ballot that was used must not be used again in another life.
        ctx.write(self.replica.clone());
        let ballot = Ballot { count: self.replica.count, node: ctx.id() };
        coordinator.begin(ballot);
        let prepare = Mail::Prepare { ballot, key: coordinator.key(), also: coordinator.also() };
        send_to_all(prepare, ctx);
    }

    /// A replica has answered; if it answers an earlier attempt, that is nothing to this one.
    fn coordinate(&mut self, from: NodeId, mail: Mail, ctx: &mut Ctx<'_>) {
        let Some(coordinator) = &mut self.coordinator else { return };
        if coordinator.ballot != Some(mail.ballot()) {
            return;
        }
        let next = match mail {
            Mail::Promise { held, also, .. } => coordinator.promised(from, held, also),
            Mail::Accept { .. } => coordinator.accepted(from),
            Mail::Ack { .. } => coordinator.acknowledged(from),
            Mail::PromiseRefused { promised, .. } => {
                self.replica.count = self.replica.count.max(promised.count);
                coordinator.promise_refused();
                Next::Wait
            }
            Mail::AcceptRefused { promised, .. } => {
                self.replica.count = self.replica.count.max(promised.count);
                coordinator.accept_refused(from);
                Next::Wait
            }
            Mail::Prepare { .. } | Mail::Repair { .. } | Mail::Propose { .. } | Mail::Commit { .. } => {
                unreachable!("these are for replicas")
            }
        };
        let key = coordinator.key();
        match next {
            Next::Wait => {}
            Next::Propose(proposal, repair) => {
                if proposal.transaction != coordinator.transaction {
                    ctx.emit(about("finishing", key, &proposal));
                }
                ctx.emit(about("proposed", key, &proposal));
                let ballot = proposal.ballot;
                for (commit, node) in
                    repair.iter().flat_map(|(commit, nodes)| nodes.iter().map(move |n| (commit, n)))
                {
                    ctx.send(*node, Mail::Repair { ballot, key, commit: *commit });
                }
                send_to_all(Mail::Propose { key, proposal }, ctx);
            }
            Next::Commit(proposal) => {
                ctx.emit(about("chosen", key, &proposal));
                send_to_all(Mail::Commit { key, proposal }, ctx);
            }
            Next::Answer(answer) => {
                ctx.answer(coordinator.transaction.0, &answer);
                self.coordinator = None;
            }
            Next::GiveUp => {
                ctx.emit(
                    Fact::new("gave-up").with("transaction", u64::from(coordinator.transaction.0.0) + 1),
                );
                self.coordinator = None;
            }
        }
    }
}

/// To itself first: where messages arrive in the order of sending, the coordinator's own replica is in its
/// majority.
fn send_to_all(mail: Mail, ctx: &mut Ctx<'_>) {
    ctx.send(ctx.id(), mail);
    ctx.broadcast(&mail);
}

fn about(fact: &'static str, key: u8, proposal: &Proposal) -> Fact {
    Fact::new(fact)
        .with("key", u64::from(key))
        .with("transaction", u64::from(proposal.transaction.0.0) + 1)
        .with("value", proposal.value)
}
