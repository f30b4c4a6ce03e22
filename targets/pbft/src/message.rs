//! What replicas send each other.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use shakedown_cluster::{Message, NodeId};

use crate::signature::{Signature, Subject, sign};
use crate::{Command, Decision, StopData, Sync, Value, Vote};

/// The leader proposes a value: the paper's pre-prepare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Propose {
    /// The epoch.
    pub epoch: u64,
    /// The instance, counted from 1.
    pub instance: u64,
    /// The value.
    pub value: Value,
    /// The leader.
    pub sender: NodeId,
    /// Its signature.
    #[serde(default)]
    pub signature: Signature,
}

impl Propose {
    pub(crate) fn signed(self) -> Propose {
        Propose { signature: self.signature_of(), ..self }
    }

    fn signature_of(&self) -> Signature {
        sign(self.sender, Subject::Propose, &(self.epoch, self.instance, self.value))
    }
}

/// A replica wants a new epoch.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Stop {
    /// The epoch that it wants.
    pub epoch: u64,
    /// The last epoch whose leader it has heard of.
    pub synced: u64,
    /// How many instances it has executed.
    pub executed: u64,
    /// The commands that it waits for, which the next leader may not have heard of.
    pub pending: Vec<Command>,
    /// Who wants it.
    pub sender: NodeId,
    /// Its signature.
    #[serde(default)]
    pub signature: Signature,
}

impl Stop {
    pub(crate) fn signed(mut self) -> Stop {
        self.signature = self.signature_of();
        self
    }

    fn signature_of(&self) -> Signature {
        sign(self.sender, Subject::Stop, &(self.epoch, self.synced, self.executed, &self.pending))
    }
}

/// A message. Its text form is JSON: `{"Write":{"epoch":0,"instance":1,"digest":"2a","sender":"n3"}}`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Mail {
    /// From the replica that a client asked to all others.
    Request(Command),
    /// From the leader: the paper's pre-prepare.
    Propose(Propose),
    /// I have seen this proposal: the paper's prepare. The leader sends one too.
    Write(Vote),
    /// A quorum wrote it: the paper's commit.
    Accept(Vote),
    /// Let us have a new epoch.
    Stop(Stop),
    /// To the leader of a new epoch: the paper's view-change.
    StopData(StopData),
    /// From the leader of a new epoch: the paper's new-view.
    Sync(Sync),
    /// To a replica that lags behind.
    Decision(Decision),
}

impl Mail {
    /// The epoch that it belongs to.
    pub fn epoch(&self) -> Option<u64> {
        match self {
            Mail::Request(_) => None,
            Mail::Propose(Propose { epoch, .. })
            | Mail::Write(Vote { epoch, .. })
            | Mail::Accept(Vote { epoch, .. })
            | Mail::Stop(Stop { epoch, .. })
            | Mail::StopData(StopData { epoch, .. })
            | Mail::Sync(Sync { epoch, .. })
            | Mail::Decision(Decision { epoch, .. }) => Some(*epoch),
        }
    }

    /// The instance that it belongs to.
    pub fn instance(&self) -> Option<u64> {
        match self {
            Mail::Propose(Propose { instance, .. })
            | Mail::Write(Vote { instance, .. })
            | Mail::Accept(Vote { instance, .. })
            | Mail::Decision(Decision { instance, .. }) => Some(*instance),
            Mail::Request(_) | Mail::Stop(_) | Mail::StopData(_) | Mail::Sync(_) => None,
        }
    }

    /// Who signed it. A command was signed by a client, and a decision by a quorum.
    pub fn sender(&self) -> Option<NodeId> {
        match self {
            Mail::Request(_) | Mail::Decision(_) => None,
            Mail::Propose(Propose { sender, .. })
            | Mail::Write(Vote { sender, .. })
            | Mail::Accept(Vote { sender, .. })
            | Mail::Stop(Stop { sender, .. })
            | Mail::StopData(StopData { sender, .. })
            | Mail::Sync(Sync { sender, .. }) => Some(*sender),
        }
    }

    /// The message with the signature of its sender, whatever it says. Proofs inside it stay as they are.
    #[must_use]
    pub fn signed(self) -> Mail {
        match self {
            Mail::Propose(propose) => Mail::Propose(propose.signed()),
            Mail::Write(vote) => Mail::Write(vote.signed(Subject::Write)),
            Mail::Accept(vote) => Mail::Accept(vote.signed(Subject::Accept)),
            Mail::Stop(stop) => Mail::Stop(stop.signed()),
            Mail::StopData(data) => Mail::StopData(data.signed()),
            Mail::Sync(sync) => Mail::Sync(sync.signed()),
            Mail::Request(_) | Mail::Decision(_) => self,
        }
    }

    /// Whether it is signed by its sender; proofs inside it are not looked at.
    pub fn is_signed(&self) -> bool {
        match self {
            Mail::Request(command) => command.is_signed(),
            Mail::Propose(propose) => propose.signature == propose.signature_of(),
            Mail::Write(vote) => vote.is_signed(Subject::Write),
            Mail::Accept(vote) => vote.is_signed(Subject::Accept),
            Mail::Stop(stop) => stop.signature == stop.signature_of(),
            Mail::StopData(data) => data.is_signed(),
            Mail::Sync(sync) => sync.is_signed(),
            Mail::Decision(_) => true,
        }
    }
}

impl Message for Mail {
    fn kind(&self) -> &'static str {
        match self {
            Mail::Request(_) => "Request",
            Mail::Propose(_) => "Propose",
            Mail::Write(_) => "Write",
            Mail::Accept(_) => "Accept",
            Mail::Stop(_) => "Stop",
            Mail::StopData(_) => "StopData",
            Mail::Sync(_) => "Sync",
            Mail::Decision(_) => "Decision",
        }
    }

    fn describe(&self) -> String {
        match self {
            Mail::Request(command) => format!("{command:?}"),
            Mail::Propose(Propose { epoch, instance, value, .. }) => {
                format!("epoch {epoch} instance {instance} {value:?}")
            }
            Mail::Write(Vote { epoch, instance, digest, .. })
            | Mail::Accept(Vote { epoch, instance, digest, .. }) => {
                // Enough digits to tell the few values of an execution apart.
                format!("epoch {epoch} instance {instance} {:04x}", digest.0 >> 48)
            }
            Mail::Stop(Stop { epoch, pending, .. }) => format!("epoch {epoch} pending {pending:?}"),
            Mail::StopData(StopData { epoch, prepared, .. }) => {
                let prepared: Vec<_> = prepared
                    .iter()
                    .map(|it| format!("{}: {:?} in epoch {}", it.instance, it.value, it.epoch))
                    .collect();
                format!("epoch {epoch} prepared [{}]", prepared.join(", "))
            }
            Mail::Sync(Sync { epoch, stop_data, chosen, .. }) => {
                let reported: Vec<_> = stop_data.iter().map(|data| data.sender).collect();
                format!("epoch {epoch} chosen {chosen:?} told by {reported:?}")
            }
            Mail::Decision(Decision { epoch, instance, value, .. }) => {
                format!("instance {instance} {value:?} in epoch {epoch}")
            }
        }
    }

    /// A signature stands for everything that was signed.
    fn digest<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Mail::Request(command) => command.hash(hasher),
            Mail::Propose(Propose { signature, .. })
            | Mail::Write(Vote { signature, .. })
            | Mail::Accept(Vote { signature, .. })
            | Mail::Stop(Stop { signature, .. })
            | Mail::StopData(StopData { signature, .. })
            | Mail::Sync(Sync { signature, .. }) => hasher.write_u64(signature.word()),
            Mail::Decision(decision) => decision.hash(hasher),
        }
    }

    fn encode(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// Whoever changes or invents a message has the key of the node that it names as the sender.
    fn decode(text: &str) -> Result<Mail, String> {
        let mail: Mail = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(mail.signed())
    }
}
