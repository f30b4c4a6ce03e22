//! What a node did during a call, as its library reported it.

use shakedown_cluster::{Fact, ForeignPanic, Name, NodeId, SENDS_MAX};
use shakedown_remote::{PlainMessage, Value};

/// Where a failure of a library is reported that has no place in a source file.
pub const IN_LIBRARY: &str = "the library";

/// A change of a timer.
pub enum Timer {
    Set(Name, u64),
    Cancel(Name),
}

/// A change of the disk.
pub enum DiskChange {
    Write { put: Vec<(String, Value)>, delete: Vec<String> },
    Flush,
}

/// What a node did during a call, in order. It is reused from call to call.
#[derive(Default)]
pub struct Collected {
    /// How many nodes there are.
    pub nodes: usize,
    /// The ticks that the node has seen.
    pub now: u64,
    pub sends: Vec<(NodeId, PlainMessage)>,
    pub answers: Vec<(u32, Value)>,
    pub facts: Vec<Fact>,
    pub timers: Vec<Timer>,
    pub disk: Vec<DiskChange>,
    /// The fields of the state, as MessagePack.
    pub state: Vec<u8>,
    /// The first failure.
    pub failure: Option<ForeignPanic>,
    /// Whether a call is under way.
    pub is_active: bool,
}

impl Collected {
    /// The node failed, as it reports itself or as we see; the first failure counts.
    pub fn fail(&mut self, message: String, place: String) {
        self.failure.get_or_insert(ForeignPanic { message, place });
    }

    /// The library broke a rule.
    pub fn refuse(&mut self, message: String) {
        self.fail(message, IN_LIBRARY.to_owned());
    }

    pub fn send(&mut self, to: u32, message: PlainMessage) {
        if self.sends.len() >= SENDS_MAX {
            return self.refuse(format!(
                "sends more than {SENDS_MAX} messages at once; at most {SENDS_MAX} are allowed"
            ));
        }
        match usize::try_from(to) {
            Ok(to) if (1..=self.nodes).contains(&to) => self.sends.push((NodeId::new(to), message)),
            _ => self.refuse(format!("sends a message to node {to}, which does not exist")),
        }
    }

    /// Whether nothing was done.
    pub fn is_quiet(&self) -> bool {
        let Collected { sends, answers, facts, timers, disk, .. } = self;
        sends.is_empty() && answers.is_empty() && facts.is_empty() && timers.is_empty() && disk.is_empty()
    }

    /// Takes the failure out, if there is one, and forgets what else was done.
    pub fn take_failure(&mut self) -> Option<ForeignPanic> {
        let failure = self.failure.take()?;
        self.forget();
        Some(failure)
    }

    /// The failure of a node that was only looked at: what it did meanwhile is one.
    pub fn take_failure_of_observing(&mut self) -> Option<ForeignPanic> {
        if !self.is_quiet() {
            self.refuse("acts while it is observed".to_owned());
        }
        self.take_failure()
    }

    fn forget(&mut self) {
        self.sends.clear();
        self.answers.clear();
        self.facts.clear();
        self.timers.clear();
        self.disk.clear();
    }
}
