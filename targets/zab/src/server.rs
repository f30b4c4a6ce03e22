//! A node: carries out what the protocol decides, and reports it.

use serde::{Deserialize, Serialize};
use shakedown_check::{RegisterAnswer, RegisterOp};
use shakedown_cluster::{BadOption, Context, Fact, Node, NodeId, Options, RequestId, Saved};

use crate::{Durable, Message, Patience, Peer, Role, View};

/// The answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The server has no leader; the request has no effect.
    Refused,
    /// What the registers say: `{"value":5}`, `"done"`, `{"applied":true}`.
    #[serde(untagged)]
    Register(RegisterAnswer),
}

/// The longest time that can be asked for, in ticks.
const TICKS_MAX: u64 = 1_000_000;

/// What a node is configured with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub patience: Patience,
    pub truncate: bool,
}

impl Settings {
    pub fn read(options: &Options) -> Result<Settings, BadOption> {
        let ticks = |name: &str| match options.get::<u64>(name)? {
            ticks if (1..=TICKS_MAX).contains(&ticks) => Ok(ticks),
            ticks => Err(BadOption {
                name: name.to_owned(),
                value: ticks.to_string(),
                reason: format!("it is from 1 to {TICKS_MAX}"),
            }),
        };
        let patience = Patience { election: ticks("election_tick")?, silence: ticks("silence_tick")? };
        Ok(Settings { patience, truncate: options.get("truncate")? })
    }
}

/// One server of the protocol.
pub struct Server {
    peer: Peer,
    /// What is on the disk.
    saved: Durable,
    /// The role as it was last reported.
    reported: Role,
}

type Ctx<'a> = Context<'a, Server>;

impl Node for Server {
    type Message = Message;
    type Request = RegisterOp;
    type Answer = Answer;
    type State = View;
    type Disk = Saved<Durable>;

    fn boot(disk: &Self::Disk, ctx: &mut Ctx<'_>) -> Server {
        let Settings { patience, truncate } = Settings::read(ctx.options())
            .unwrap_or_else(|error| panic!("the target has checked its options: {error}"));
        let peer = Peer::boot(ctx.id(), ctx.nodes().len(), patience, truncate, disk.0.clone());
        Server { peer, saved: disk.0.clone(), reported: Role::Looking }
    }

    fn receive(&mut self, from: NodeId, message: Message, ctx: &mut Ctx<'_>) {
        self.peer.receive(from, message);
        self.perform(ctx);
    }

    fn observe(&self) -> View {
        View::of(&self.peer)
    }

    fn tick(&mut self, ctx: &mut Ctx<'_>) {
        self.peer.tick();
        self.perform(ctx);
    }

    fn request(&mut self, id: RequestId, op: RegisterOp, ctx: &mut Ctx<'_>) {
        self.peer.request(id, op);
        self.perform(ctx);
    }
}

impl Server {
    /// Saves, reports, sends and answers what has come of a call.
    fn perform(&mut self, ctx: &mut Ctx<'_>) {
        if self.saved != *self.peer.durable() {
            self.saved = self.peer.durable().clone();
            ctx.write(self.saved.clone());
        }
        if self.peer.role() != self.reported {
            self.reported = self.peer.role();
            let fact = Fact::new("role").with("role", role_name(self.reported));
            ctx.emit(fact.with("epoch", self.saved.current));
        }
        for transaction in self.peer.applied() {
            let zxid = transaction.zxid;
            let fact = Fact::new("commit").with("epoch", zxid.epoch).with("counter", zxid.counter);
            ctx.emit(match transaction.write {
                Some((key, value)) => fact.with("key", u64::from(key)).with("value", value),
                None => fact,
            });
        }
        for (to, message) in self.peer.messages() {
            ctx.send(to, message);
        }
        for (id, answer) in self.peer.answers() {
            ctx.answer(id, &answer);
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Looking => "looking",
        Role::Joining => "joining",
        Role::Following => "following",
        Role::Preparing => "preparing",
        Role::Leading => "leading",
    }
}
