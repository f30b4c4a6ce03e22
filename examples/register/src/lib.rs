//! A replicated register: n1 is the primary, the others are backups.
//!
//! The primary gives every write a version and sends it to the backups; when all of them have it, the client is told.

use serde::{Deserialize, Serialize};
use shakedown::prelude::*;

/// What clients ask of the register.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Put this value into the register.
    Write(u64),
}

/// What nodes send each other.
#[derive(Clone, Debug)]
pub enum Mail {
    /// From a node that is not the primary: somebody wants to write.
    Forward(u64),
    /// From the primary: take this value, it has this version.
    Replicate(Held),
    /// From a backup: I have that version.
    Ack(u64),
}

impl Message for Mail {
    fn kind(&self) -> &'static str {
        match self {
            Mail::Forward(_) => "Forward",
            Mail::Replicate(_) => "Replicate",
            Mail::Ack(_) => "Ack",
        }
    }
}

/// What a node holds: this is what can be seen of it, and what survives a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Held {
    /// Which write it is from, counted from 1.
    pub version: u64,
    /// The value.
    pub value: u64,
}

/// One node of the register.
pub struct Register {
    held: Held,
    /// At the primary: the writes of clients that wait for backups, and how many have acknowledged each.
    waiting: Vec<(u64, RequestId, usize)>,
}

const PRIMARY: NodeId = NodeId::new(1);

impl Register {
    fn write(&mut self, value: u64, client: Option<RequestId>, ctx: &mut Context<'_, Self>) {
        let held = Held { version: self.held.version + 1, value };
        self.hold(held, ctx);
        self.waiting.extend(client.map(|id| (held.version, id, 0)));
        ctx.broadcast(&Mail::Replicate(held));
    }

    fn hold(&mut self, held: Held, ctx: &mut Context<'_, Self>) {
        self.held = held;
        ctx.write(held);
    }

    fn acknowledged(&mut self, version: u64, ctx: &mut Context<'_, Self>) {
        let backups = ctx.peers().count();
        if let Some(at) = self.waiting.iter().position(|(waiting, ..)| *waiting == version) {
            self.waiting[at].2 += 1;
            if self.waiting[at].2 == backups {
                ctx.answer(self.waiting.remove(at).1, &version);
            }
        }
    }
}

impl Node for Register {
    type Message = Mail;
    type Request = Request;
    type Answer = u64;
    type State = Held;
    type Disk = Saved<Held>;

    fn boot(disk: &Saved<Held>, _ctx: &mut Context<'_, Self>) -> Self {
        Register { held: disk.0, waiting: Vec::new() }
    }

    fn request(&mut self, id: RequestId, Request::Write(value): Request, ctx: &mut Context<'_, Self>) {
        if ctx.id() == PRIMARY {
            self.write(value, Some(id), ctx);
        } else {
            ctx.send(PRIMARY, Mail::Forward(value));
        }
    }

    fn receive(&mut self, from: NodeId, mail: Mail, ctx: &mut Context<'_, Self>) {
        match mail {
            Mail::Forward(value) => self.write(value, None, ctx),
            Mail::Replicate(held) => {
                // The planted bug: an old message that comes late overwrites a newer value.
                self.hold(held, ctx);
                ctx.send(from, Mail::Ack(held.version));
            }
            Mail::Ack(version) => self.acknowledged(version, ctx),
        }
    }

    fn observe(&self) -> Held {
        self.held
    }
}

/// The register as a target: what clients ask, and what must hold.
pub fn target() -> Target<Register> {
    Target::<Register>::new("register")
        .about("a primary-backup register")
        .requests(5, |number, _random| Request::Write(10 * (number as u64 + 1)))
        .oracles(|_config| vec![never_goes_back()])
}

fn never_goes_back() -> Box<dyn Oracle<Held>> {
    let mut newest = std::collections::BTreeMap::new();
    invariant("version-never-goes-back", move |seen: &Seen<'_, Held>| {
        for (node, held) in seen.fresh() {
            let before = newest.insert(node, held.version).unwrap_or(0);
            if held.version < before {
                return Err(format!("{node} held version {before}, now it holds version {}", held.version));
            }
        }
        Ok(())
    })
}
