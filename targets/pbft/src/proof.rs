//! What carries its own proof: certificates, what replicas tell a new leader, its word, and decisions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shakedown_cluster::{NodeId, NodeSet};

use crate::signature::{Signature, Subject, sign};
use crate::vote::is_proof;
use crate::{Quorum, Value, Vote};

/// A value that was prepared: a quorum wrote it in one epoch of an instance. It is the paper's prepared
/// certificate; the leader's own vote stands in for its pre-prepare.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Certificate {
    /// The epoch.
    pub epoch: u64,
    /// The instance.
    pub instance: u64,
    /// The value.
    pub value: Value,
    /// The Writes of a quorum.
    pub writes: Vec<Vote>,
}

impl Certificate {
    /// Whether it proves what it says.
    pub fn is_valid(&self, quorum: Quorum) -> bool {
        let about = (self.epoch, self.instance, self.value.digest());
        self.instance > 0 && is_proof(&self.writes, Subject::Write, about, quorum)
    }
}

/// What a replica tells the leader of a new epoch: everything that it has prepared, each in the last epoch in
/// which it was. The paper's view-change message.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct StopData {
    /// The new epoch.
    pub epoch: u64,
    /// What was prepared in earlier ones.
    pub prepared: Vec<Certificate>,
    /// Who tells.
    pub sender: NodeId,
    /// Its signature.
    #[serde(default)]
    pub signature: Signature,
}

impl StopData {
    pub(crate) fn signed(mut self) -> StopData {
        self.signature = self.signature_of();
        self
    }

    pub(crate) fn is_signed(&self) -> bool {
        self.signature == self.signature_of()
    }

    fn signature_of(&self) -> Signature {
        sign(self.sender, Subject::StopData, &(self.epoch, &self.prepared))
    }

    /// Whether its sender said it and could prove it.
    pub fn is_valid(&self, quorum: Quorum) -> bool {
        let is_earlier = |certificate: &Certificate| certificate.epoch < self.epoch;
        quorum.has(self.sender)
            && self.is_signed()
            && self.prepared.iter().all(|it| is_earlier(it) && it.is_valid(quorum))
    }
}

/// What has to be proposed in a new epoch when a quorum tells this: in each instance the value that was
/// prepared in the highest epoch, and nothing in the gaps. Instances are counted from 1.
pub fn choose(stop_data: &[StopData]) -> Vec<Value> {
    let mut newest: BTreeMap<u64, &Certificate> = BTreeMap::new();
    for certificate in stop_data.iter().flat_map(|data| &data.prepared) {
        let known = newest.entry(certificate.instance).or_insert(certificate);
        if certificate.epoch > known.epoch {
            *known = certificate;
        }
    }
    let last = newest.keys().next_back().copied().unwrap_or(0);
    (1..=last).map(|instance| newest.get(&instance).map_or(Value::Nothing, |it| it.value)).collect()
}

/// The word of a new leader: what is proposed again, and what it was told. The paper's new-view message.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Sync {
    /// The new epoch.
    pub epoch: u64,
    /// What it was told by a quorum.
    pub stop_data: Vec<StopData>,
    /// The values of the instances from 1 on.
    pub chosen: Vec<Value>,
    /// The leader.
    pub sender: NodeId,
    /// Its signature.
    #[serde(default)]
    pub signature: Signature,
}

impl Sync {
    pub(crate) fn signed(mut self) -> Sync {
        self.signature = self.signature_of();
        self
    }

    pub(crate) fn is_signed(&self) -> bool {
        self.signature == self.signature_of()
    }

    fn signature_of(&self) -> Signature {
        sign(self.sender, Subject::Sync, &(self.epoch, &self.stop_data, &self.chosen))
    }

    /// Whether a quorum told it, and the choice is the one that follows from that.
    pub fn is_justified(&self, quorum: Quorum) -> bool {
        let tellers: NodeSet = self.stop_data.iter().map(|data| data.sender).collect();
        tellers.len() >= quorum.size()
            && tellers.len() == self.stop_data.len()
            && self.stop_data.iter().all(|data| data.epoch == self.epoch && data.is_valid(quorum))
            && choose(&self.stop_data) == self.chosen
    }
}

/// A value that was decided: a quorum accepted it in one epoch of an instance. Anybody may pass it on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// The epoch.
    pub epoch: u64,
    /// The instance.
    pub instance: u64,
    /// The value.
    pub value: Value,
    /// The Accepts of a quorum.
    pub accepts: Vec<Vote>,
}

impl Decision {
    /// Whether it proves what it says.
    pub fn is_valid(&self, quorum: Quorum) -> bool {
        let about = (self.epoch, self.instance, self.value.digest());
        self.instance > 0 && is_proof(&self.accepts, Subject::Accept, about, quorum)
    }
}
