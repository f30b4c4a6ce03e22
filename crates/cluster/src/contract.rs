//! The contract of a target: what its network, disks and clocks may do to it.
//!
//! A bug found outside the contract is not a bug, so no step breaks it: a cluster refuses such steps.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::StepKind;

/// In which order messages of one link may arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// In any order.
    Any,
    /// In the order in which they were sent.
    Fifo,
}

/// How messages may be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Never.
    Never,
    /// Only with their whole session: when a link is cut (or an end of it crashes), everything under way on
    /// it is lost, and both ends are notified when they are connected again ([`crate::Node::reconnected`]).
    Session,
    /// One by one, and by cutting links.
    Message,
}

/// How many nodes may be down at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crashes {
    /// Nodes never crash.
    Never,
    /// Fewer than half of the nodes may be down at once.
    Minority,
    /// All nodes may be down at once.
    All,
}

/// When a write becomes durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiskModel {
    /// At once.
    Synchronous,
    /// When the node or a step flushes; of the writes before that, a crash keeps the first few or none, and
    /// loses the others.
    Buffered,
}

/// When a timer may go off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timers {
    /// When the clock of its node has come to it.
    WhenDue,
    /// At any time after it was set, as in an asynchronous system.
    Anytime,
}

/// What a client does that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clients {
    /// It asks one node once.
    #[default]
    Once,
    /// It follows redirects ([`crate::Context::redirect`]), and otherwise waits for ever.
    Redirected,
    /// It follows redirects, and asks another node when it has waited for long.
    Retrying,
}

impl Clients {
    /// Whether a request may be asked more than once.
    pub fn ask_again(self) -> bool {
        self != Clients::Once
    }

    fn are_default(&self) -> bool {
        *self == Clients::default()
    }
}

impl fmt::Display for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Clients::Once => "once",
            Clients::Redirected => "redirected",
            Clients::Retrying => "retrying",
        })
    }
}

impl FromStr for Clients {
    type Err = String;

    fn from_str(text: &str) -> Result<Clients, String> {
        match text {
            "once" => Ok(Clients::Once),
            "redirected" => Ok(Clients::Redirected),
            "retrying" => Ok(Clients::Retrying),
            _ => Err("it is once, redirected or retrying".to_owned()),
        }
    }
}

/// What the network, the disks, the clocks and the clients of a target may do to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contract {
    /// The order of messages.
    pub order: Order,
    /// The loss of messages.
    pub loss: Loss,
    /// Whether messages may arrive twice; of no meaning where links are first in, first out.
    pub duplication: bool,
    /// Crashes of nodes.
    pub crashes: Crashes,
    /// Durability of writes.
    pub disk: DiskModel,
    /// Timers.
    pub timers: Timers,
    /// How many nodes may lie: their messages may be changed or invented.
    pub byzantine_max: usize,
    /// Clients that wait for an answer.
    #[serde(default, skip_serializing_if = "Clients::are_default")]
    pub clients: Clients,
}

impl Contract {
    /// The usual asynchronous network with crashes and recovery: messages come in any order, are lost and
    /// doubled; a minority of nodes may be down; writes are durable at once; timers go off when due; no node
    /// lies.
    pub const fn asynchronous() -> Contract {
        Contract {
            order: Order::Any,
            loss: Loss::Message,
            duplication: true,
            crashes: Crashes::Minority,
            disk: DiskModel::Synchronous,
            timers: Timers::WhenDue,
            byzantine_max: 0,
            clients: Clients::Once,
        }
    }

    /// Connections like TCP's: first in, first out, nothing doubled, loss only when the connection breaks,
    /// and both ends hear of it when it is back.
    pub const fn sessions() -> Contract {
        Contract { order: Order::Fifo, loss: Loss::Session, duplication: false, ..Contract::asynchronous() }
    }

    /// A network that loses and doubles nothing and nodes that never crash; messages come in any order.
    pub const fn reliable() -> Contract {
        Contract {
            loss: Loss::Never,
            duplication: false,
            crashes: Crashes::Never,
            ..Contract::asynchronous()
        }
    }

    /// Whether steps of this kind are possible at all in a cluster of this number of nodes.
    pub fn allows(&self, kind: StepKind, nodes: usize) -> bool {
        match kind {
            StepKind::Deliver | StepKind::Tick | StepKind::Fire | StepKind::Request | StepKind::Round => true,
            StepKind::Retry => self.clients.ask_again(),
            StepKind::Drop => self.loss == Loss::Message,
            // A copy would have to overtake what was sent after the original.
            StepKind::Duplicate => self.duplication && self.order == Order::Any,
            StepKind::Cut | StepKind::Heal => self.loss != Loss::Never && nodes > 1,
            StepKind::Crash | StepKind::Restart => self.down_max(nodes) > 0,
            StepKind::Flush => self.disk == DiskModel::Buffered,
            StepKind::Tamper | StepKind::Inject => self.byzantine_max > 0,
        }
    }

    /// How many of this many nodes may be down at once.
    pub fn down_max(&self, nodes: usize) -> usize {
        match self.crashes {
            Crashes::Never => 0,
            Crashes::Minority => nodes.saturating_sub(1) / 2,
            Crashes::All => nodes,
        }
    }
}
