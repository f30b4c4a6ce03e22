//! Votes, and what a quorum of them proves.

use serde::{Deserialize, Serialize};
use shakedown_cluster::{NodeId, NodeSet};

use crate::Quorum;
use crate::signature::{Digest, Signature, Subject, sign};

/// A Write or an Accept: a replica's vote for a value in an epoch of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Vote {
    /// The epoch.
    pub epoch: u64,
    /// The instance, counted from 1.
    pub instance: u64,
    /// The digest of the value: see [`crate::Value::digest`].
    pub digest: Digest,
    /// Who votes.
    pub sender: NodeId,
    /// Its signature.
    #[serde(default)]
    pub signature: Signature,
}

impl Vote {
    pub(crate) fn signed(self, phase: Subject) -> Vote {
        Vote { signature: self.signature_of(phase), ..self }
    }

    pub(crate) fn is_signed(&self, phase: Subject) -> bool {
        self.signature == self.signature_of(phase)
    }

    fn signature_of(&self, phase: Subject) -> Signature {
        sign(self.sender, phase, &(self.epoch, self.instance, self.digest))
    }
}

/// Whether these are the votes of a quorum, each signed, in this phase of this epoch of this instance for
/// this value.
pub(crate) fn is_proof(
    votes: &[Vote],
    phase: Subject,
    (epoch, instance, digest): (u64, u64, Digest),
    quorum: Quorum,
) -> bool {
    let is_such = |vote: &Vote| {
        (vote.epoch, vote.instance, vote.digest) == (epoch, instance, digest)
            && quorum.has(vote.sender)
            && vote.is_signed(phase)
    };
    let voters: NodeSet = votes.iter().map(|vote| vote.sender).collect();
    voters.len() >= quorum.size() && votes.iter().all(is_such)
}
