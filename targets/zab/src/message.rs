//! What servers send each other.

use std::hash::{Hash, Hasher};

use shakedown_check::RegisterOp;
use shakedown_cluster::RequestId;

use crate::{History, Transaction, Zxid};

/// A message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A server looks for a leader, and says how recent its history is.
    Notify {
        /// The epoch of its last leader.
        current: u64,
        /// Its last transaction.
        last: Zxid,
    },
    /// The leader is there.
    Ping {
        /// Its epoch, once it has one.
        epoch: Option<u64>,
        /// The last transaction that is committed.
        committed: Zxid,
    },
    /// So is a follower.
    Pong {
        /// The epoch.
        epoch: u64,
    },
    /// A server follows.
    FollowerInfo {
        /// The last epoch that it accepted.
        accepted: u64,
    },
    /// The leader's epoch.
    LeaderInfo {
        /// The epoch.
        epoch: u64,
    },
    /// A follower has accepted the epoch.
    AckEpoch {
        /// The epoch.
        epoch: u64,
        /// The epoch of the follower's last leader.
        current: u64,
        /// Its last transaction.
        last: Zxid,
        /// Whether it has accepted it now: an epoch counts once.
        is_fresh: bool,
        /// Whether it has nothing of the history that was sent.
        needs_all: bool,
    },
    /// What a follower lacks of the leader's history.
    Sync {
        /// The epoch.
        epoch: u64,
        /// What it lacks.
        history: History,
        /// The last transaction of it that is committed.
        committed: Zxid,
    },
    /// A follower has taken over the history.
    AckSync {
        /// The epoch.
        epoch: u64,
        /// Its last transaction.
        last: Zxid,
    },
    /// The follower may serve clients.
    UpToDate {
        /// The epoch.
        epoch: u64,
    },
    /// A request, for the leader.
    Forward {
        /// Its number.
        request: RequestId,
        /// What is asked.
        op: RegisterOp,
    },
    /// A transaction, to be logged.
    Propose {
        /// The transaction.
        transaction: Transaction,
    },
    /// It was logged.
    Ack {
        /// Its number.
        zxid: Zxid,
    },
    /// It is committed, with all before it.
    Commit {
        /// Its number.
        zxid: Zxid,
    },
}

impl shakedown_cluster::Message for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Notify { .. } => "Notify",
            Message::Ping { .. } => "Ping",
            Message::Pong { .. } => "Pong",
            Message::FollowerInfo { .. } => "FollowerInfo",
            Message::LeaderInfo { .. } => "LeaderInfo",
            Message::AckEpoch { .. } => "AckEpoch",
            Message::Sync { .. } => "Sync",
            Message::AckSync { .. } => "AckSync",
            Message::UpToDate { .. } => "UpToDate",
            Message::Forward { .. } => "Forward",
            Message::Propose { .. } => "Propose",
            Message::Ack { .. } => "Ack",
            Message::Commit { .. } => "Commit",
        }
    }

    fn describe(&self) -> String {
        match self {
            Message::Notify { current, last } => format!("epoch {current} last {last:?}"),
            Message::Ping { epoch: None, .. } => "no epoch yet".to_owned(),
            Message::Ping { epoch: Some(epoch), committed } => {
                format!("epoch {epoch} committed {committed:?}")
            }
            Message::Pong { epoch } | Message::LeaderInfo { epoch } | Message::UpToDate { epoch } => {
                format!("epoch {epoch}")
            }
            Message::FollowerInfo { accepted } => format!("accepted {accepted}"),
            Message::AckEpoch { epoch, current, last, .. } => {
                format!("epoch {epoch} current {current} last {last:?}")
            }
            Message::Sync { epoch, history: History::Log { after, rest }, .. } => {
                format!("epoch {epoch} after {after:?} {rest:?}")
            }
            Message::Sync { epoch, history: History::Snapshot { snapshot, rest }, .. } => {
                format!("epoch {epoch} snapshot {snapshot:?} {rest:?}")
            }
            Message::AckSync { epoch, last } => format!("epoch {epoch} last {last:?}"),
            Message::Forward { op, .. } => op.to_string(),
            Message::Propose { transaction } => format!("{transaction:?}"),
            Message::Ack { zxid } | Message::Commit { zxid } => format!("{zxid:?}"),
        }
    }

    fn digest<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }
}
