//! What a leader knows of its followers.

use std::collections::BTreeMap;

use shakedown_cluster::{NodeId, NodeSet};

use crate::Zxid;

/// A leader's bookkeeping, from the moment at which it thinks that it could be one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Leading {
    /// Its epoch, once a majority has said which ones it accepted.
    pub epoch: Option<u64>,
    /// What its followers accepted last.
    pub accepted: BTreeMap<NodeId, u64>,
    /// Followers that accepted the epoch, and where their histories end; nothing if they need all of the
    /// leader's.
    pub joined: BTreeMap<NodeId, Option<Zxid>>,
    /// Those of them that count, for they accepted it now.
    pub promised: NodeSet,
    /// Whether a majority has accepted the epoch, so that followers get the leader's history.
    pub is_syncing: bool,
    /// What followers have logged, of those that have taken over the history.
    pub logged: BTreeMap<NodeId, Zxid>,
    /// Whether a majority has taken over the history, so that clients are served.
    pub is_active: bool,
    /// How many transactions the epoch has.
    pub counter: u64,
    /// When followers were heard last.
    pub heard: BTreeMap<NodeId, u64>,
}

impl Leading {
    /// Whether so many followers and the leader are a majority.
    pub fn is_majority(followers: usize, nodes: usize) -> bool {
        2 * (followers + 1) > nodes
    }

    /// How many followers have logged this transaction.
    pub fn logged_count(&self, zxid: Zxid) -> usize {
        self.logged.values().filter(|logged| **logged >= zxid).count()
    }

    /// How many followers were heard since then.
    pub fn heard_count(&self, since: u64) -> usize {
        self.heard.values().filter(|heard| **heard >= since).count()
    }
}
