//! One server, as the hub knows it: its connection, what it was given and has not dealt with, its timers, and
//! its actions that wait.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value as Json;
use shakedown_cluster::{Fact, Name, NodeId};

use super::channel::Channel;
use super::said::Given;

/// The most timers of one server.
const TIMERS_MAX: usize = 64;
/// The most actions of one server that wait.
pub(crate) const ACTIONS_MAX: usize = 64;
/// The most things that a server was given and has not dealt with.
const GIVEN_MAX: usize = 10_000;

/// An action that waits for permission.
struct Asked {
    name: Name,
    id: u64,
    fact: Fact,
}

/// See the module's text.
pub(crate) struct Seat {
    pub node: NodeId,
    /// How many lives have begun before.
    pub life: u32,
    pub has_registered: bool,
    /// Whether it takes what it is given.
    pub is_ready: bool,
    /// Whether it takes what clients ask, and what it was asked and has not answered.
    takes_requests: bool,
    asked: BTreeSet<u32>,
    pub channel: Option<Channel>,
    /// Those that are set, and the numbers that the server has given them.
    timers: BTreeMap<Name, u64>,
    actions: VecDeque<Asked>,
    next_seq: u64,
    /// What it was given and is waited for, and what is not waited for any longer.
    at_work: BTreeSet<u64>,
    given_up: BTreeSet<u64>,
}

impl Seat {
    pub fn new(node: NodeId) -> Seat {
        Seat {
            node,
            life: 0,
            has_registered: false,
            is_ready: false,
            takes_requests: false,
            asked: BTreeSet::new(),
            channel: None,
            timers: BTreeMap::new(),
            actions: VecDeque::new(),
            next_seq: 1,
            at_work: BTreeSet::new(),
            given_up: BTreeSet::new(),
        }
    }

    /// The server has registered.
    pub fn welcome(&mut self, channel: Channel) {
        self.has_registered = true;
        self.channel = Some(channel);
    }

    /// From now on it takes what it is given.
    pub fn begin(&mut self, takes_requests: bool) -> Result<(), String> {
        if self.is_ready {
            return Err("said twice that it is ready".to_owned());
        }
        (self.is_ready, self.takes_requests) = (true, takes_requests);
        Ok(())
    }

    /// Its process is gone: the next one registers again.
    pub fn end_life(&mut self) {
        *self = Seat { life: self.life + 1, ..Seat::new(self.node) };
    }

    /// Gives it something that it is to acknowledge.
    pub fn give<'a>(&mut self, given: impl FnOnce(u64) -> Given<'a>) {
        let Some(channel) = &mut self.channel else { return };
        channel.give(&given(self.next_seq));
        channel.write();
        self.at_work.insert(self.next_seq);
        self.next_seq += 1;
    }

    /// A client asks it something, if it takes that.
    pub fn request(&mut self, id: u32, request: &Json) -> bool {
        if self.takes_requests {
            self.asked.insert(id);
            self.give(|seq| Given::Request { seq, id, request });
        }
        self.takes_requests
    }

    /// How many requests it has taken and not answered. Those of an earlier life are lost.
    pub fn open_requests(&self) -> usize {
        self.asked.len()
    }

    /// It answers a client.
    pub fn answer(&mut self, id: u32) -> Result<(), String> {
        match self.asked.remove(&id) {
            true => Ok(()),
            false => Err(format!("answered request {id}, which it was not asked or has answered")),
        }
    }

    /// It has dealt with what it was given.
    pub fn has_done(&mut self, seq: u64) -> Result<(), String> {
        match self.at_work.remove(&seq) || self.given_up.remove(&seq) {
            true => Ok(()),
            false => Err(format!("acknowledged number {seq}, which it was not given or has acknowledged")),
        }
    }

    /// Whether it still works on what it was given. One whose action waits cannot go on before a step allows
    /// that.
    pub fn is_at_work(&self) -> bool {
        !self.at_work.is_empty() && self.actions.is_empty()
    }

    /// It is not waited for any longer. How many things it was given and has not dealt with.
    pub fn give_up(&mut self) -> usize {
        let given = self.at_work.len();
        self.given_up.append(&mut self.at_work);
        given
    }

    pub fn set_timer(&mut self, timer: Name, id: u64) -> Result<(), String> {
        if self.actions.iter().any(|asked| asked.name == timer) {
            return Err(format!("has a timer `{timer}` and an action of the same name"));
        }
        if self.timers.len() >= TIMERS_MAX && !self.timers.contains_key(&timer) {
            return Err(format!("has more than {TIMERS_MAX} timers"));
        }
        self.timers.insert(timer, id);
        Ok(())
    }

    /// Whether the timer was set.
    pub fn clear_timer(&mut self, timer: Name) -> bool {
        self.timers.remove(&timer).is_some()
    }

    /// An action waits for permission.
    pub fn ask(&mut self, name: Name, id: u64, fact: Fact) -> Result<(), String> {
        if self.timers.contains_key(&name) {
            return Err(format!("has a timer `{name}` and an action of the same name"));
        }
        if self.actions.iter().any(|asked| asked.id == id) {
            return Err(format!("asked for two actions under the number {id}"));
        }
        if self.actions.len() >= ACTIONS_MAX {
            return Err(format!("has more than {ACTIONS_MAX} actions that wait"));
        }
        self.actions.push_back(Asked { name, id, fact });
        Ok(())
    }

    /// The timer of this name goes off, or the oldest action of this name may be done. What that is as an
    /// event, and whether another action of this name waits.
    pub fn fire(&mut self, name: Name) -> Option<(Fact, bool)> {
        if let Some(id) = self.timers.remove(&name) {
            self.give(|seq| Given::Fire { seq, id, name: name.as_str() });
            return None;
        }
        let place = self.actions.iter().position(|asked| asked.name == name)?;
        let asked = self.actions.remove(place)?;
        self.give(|seq| Given::Permit { seq, id: asked.id });
        Some((asked.fact, self.actions.iter().any(|other| other.name == name)))
    }

    /// Whether it has been given more than it may leave undone.
    pub fn is_overwhelmed(&self) -> bool {
        self.at_work.len() + self.given_up.len() > GIVEN_MAX
    }
}
