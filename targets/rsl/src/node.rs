//! A node: carries out what the protocol decides, and tells of it.

use serde::{Deserialize, Serialize};
use shakedown_cluster::{BadOption, Context, Fact, Node, NodeId, Options, RequestId, Saved};

use crate::replica::{Durable, Replica, Role, Timing};
use crate::{Bug, Message, View};

/// What a client asks for: that this value is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Put the value into the log.
    Put(u64),
}

/// The answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The value was decided as this decree.
    Decided(u64),
    /// The replica is not primary.
    NotPrimary,
}

/// The longest time that can be asked for, in ticks.
const TICKS_MAX: u64 = 1_000_000;

/// What a node is configured with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub election: u64,
    pub timing: Timing,
    pub bug: Bug,
}

impl Settings {
    pub fn read(options: &Options) -> Result<Settings, BadOption> {
        let ticks = |name: &str, least: u64| match options.get::<u64>(name)? {
            ticks if (least..=TICKS_MAX).contains(&ticks) => Ok(ticks),
            ticks => Err(BadOption {
                name: name.to_owned(),
                value: ticks.to_string(),
                reason: format!("it is from {least} to {TICKS_MAX}"),
            }),
        };
        let timing = Timing {
            heartbeat: ticks("heartbeat_tick", 1)?,
            retry: ticks("retry_tick", 1)?,
            grace: ticks("grace_tick", 0)?,
        };
        Ok(Settings { election: ticks("election_tick", 1)?, timing, bug: options.get("bug")? })
    }
}

/// One process that runs the protocol.
pub struct RslNode {
    replica: Replica,
    election: u64,
    /// What is on the disk.
    saved: Durable,
    /// The role as it was last told.
    reported: Role,
    /// How many decrees were told as decided.
    told_decided: usize,
    /// Requests whose values are not decided yet.
    waiting: Vec<(u64, RequestId)>,
}

type Ctx<'a> = Context<'a, RslNode>;

impl Node for RslNode {
    type Message = Message;
    type Request = Request;
    type Answer = Answer;
    type State = View;
    type Disk = Saved<Durable>;

    fn boot(disk: &Self::Disk, ctx: &mut Ctx<'_>) -> RslNode {
        let Settings { election, timing, bug } = Settings::read(ctx.options())
            .unwrap_or_else(|error| panic!("the target has checked its options: {error}"));
        let replica = Replica::boot(ctx.id(), ctx.nodes().len(), timing, bug, disk.0.clone());
        let mut node = RslNode {
            replica,
            election,
            saved: disk.0.clone(),
            reported: Role::Secondary,
            told_decided: disk.0.decided.len(),
            waiting: Vec::new(),
        };
        node.perform(ctx);
        node
    }

    fn receive(&mut self, from: NodeId, message: Message, ctx: &mut Ctx<'_>) {
        self.replica.receive(from, message);
        self.perform(ctx);
    }

    fn observe(&self) -> View {
        View::of(&self.replica)
    }

    fn tick(&mut self, ctx: &mut Ctx<'_>) {
        self.replica.tick();
        self.perform(ctx);
    }

    fn request(&mut self, id: RequestId, Request::Put(value): Request, ctx: &mut Ctx<'_>) {
        if self.replica.propose(value) {
            self.waiting.push((value, id));
        } else {
            ctx.answer(id, &Answer::NotPrimary);
        }
        self.perform(ctx);
    }
}

impl RslNode {
    /// Saves, tells, sends and answers what has come of a call.
    fn perform(&mut self, ctx: &mut Ctx<'_>) {
        if self.replica.wants_patience() {
            self.replica.set_patience(self.election + ctx.random().below(self.election));
        }
        if self.saved != *self.replica.durable() {
            self.saved = self.replica.durable().clone();
            ctx.write(self.saved.clone());
        }
        if self.replica.role() != self.reported {
            self.reported = self.replica.role();
            let number = self.saved.promised.number;
            ctx.emit(Fact::new("role").with("role", role_name(self.reported)).with("ballot", number));
        }
        for (place, entry) in self.saved.decided.iter().enumerate().skip(self.told_decided) {
            let decree = place as u64 + 1;
            ctx.emit(Fact::new("decide").with("decree", decree).with("value", entry.value));
            self.waiting.retain(|&(value, id)| {
                if value == entry.value {
                    ctx.answer(id, &Answer::Decided(decree));
                }
                value != entry.value
            });
        }
        self.told_decided = self.saved.decided.len();
        for (to, message) in self.replica.outputs() {
            ctx.send(to, message);
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Secondary => "secondary",
        Role::Preparing => "preparing",
        Role::Primary => "primary",
    }
}
