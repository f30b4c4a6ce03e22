//! What a message of Sequence Paxos says, and how the specifications have it.

use omnipaxos::messages::sequence_paxos::PaxosMsg;
use omnipaxos::util::SequenceNumber;
use shakedown_cluster::NodeId;
use shakedown_conform::Value;
use shakedown_conform::compare::{Misread, read};

use super::view;
use crate::interface::{self, Sync};
use crate::{BallotView, Entry, Message};

/// What a message says; the fields are those of the specification.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the fields are the specification's")]
pub enum Body {
    PrepareReq {
        ballot: BallotView,
    },
    Prepare {
        ballot: BallotView,
        round: BallotView,
        len: u64,
        decided: u64,
    },
    Promise {
        ballot: BallotView,
        round: BallotView,
        len: u64,
        decided: u64,
        sync: Option<Suffix>,
    },
    AcceptSync {
        ballot: BallotView,
        seq: (u64, u64),
        decided: u64,
        sync: Suffix,
    },
    AcceptDecide {
        ballot: BallotView,
        seq: (u64, u64),
        decided: u64,
        entries: Vec<u64>,
    },
    Accepted {
        ballot: BallotView,
        len: u64,
    },
    NotAccepted {
        ballot: BallotView,
    },
    Decide {
        ballot: BallotView,
        seq: (u64, u64),
        decided: u64,
    },
    ProposalForward {
        entries: Vec<u64>,
    },
    /// A message of a kind that the specifications do not have.
    Other(&'static str),
}

/// Entries, and the place of the log that they go to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Suffix {
    /// How many entries are before them.
    pub at: u64,
    /// The entries.
    pub entries: Vec<u64>,
}

/// How the specifications call what has to do with a kind of message.
pub(crate) struct Names {
    /// The message's kind.
    pub kind: &'static str,
    /// The action of `SequencePaxosEvents` that handles it.
    pub handled: &'static str,
    /// The action of `OmniPaxosCrate` that handles it.
    pub receive: &'static str,
}

macro_rules! names {
    ($kind:literal) => {
        Names { kind: $kind, handled: concat!($kind, "Handled"), receive: concat!("Receive", $kind) }
    };
}

impl Body {
    /// What a message of Sequence Paxos says; nothing for those of the election.
    pub fn of(message: &Message) -> Option<Body> {
        let interface::Wire::SequencePaxos(message) = &message.0 else { return None };
        let number = interface::number;
        Some(match &message.msg {
            PaxosMsg::PrepareReq(m) => Body::PrepareReq { ballot: m.n.into() },
            PaxosMsg::Prepare(m) => Body::Prepare {
                ballot: m.n.into(),
                round: m.n_accepted.into(),
                len: number(m.accepted_idx),
                decided: number(m.decided_idx),
            },
            PaxosMsg::Promise(m) => Body::Promise {
                ballot: m.n.into(),
                round: m.n_accepted.into(),
                len: number(m.accepted_idx),
                decided: number(m.decided_idx),
                sync: interface::promise_sync(m).as_ref().map(suffix),
            },
            PaxosMsg::AcceptSync(m) => Body::AcceptSync {
                ballot: m.n.into(),
                seq: sequence_number(m.seq_num),
                decided: number(m.decided_idx),
                sync: suffix(&interface::accept_sync(m)),
            },
            PaxosMsg::AcceptDecide(m) => Body::AcceptDecide {
                ballot: m.n.into(),
                seq: sequence_number(m.seq_num),
                decided: number(m.decided_idx),
                entries: numbers(&m.entries),
            },
            PaxosMsg::Decide(m) => Body::Decide {
                ballot: m.n.into(),
                seq: sequence_number(m.seq_num),
                decided: number(m.decided_idx),
            },
            PaxosMsg::Accepted(m) => Body::Accepted { ballot: m.n.into(), len: number(m.accepted_idx) },
            PaxosMsg::NotAccepted(m) => Body::NotAccepted { ballot: m.n.into() },
            PaxosMsg::ProposalForward(entries) => Body::ProposalForward { entries: numbers(entries) },
            PaxosMsg::Compaction(_) => Body::Other("Compaction"),
            PaxosMsg::AcceptStopSign(_) => Body::Other("AcceptStopSign"),
            PaxosMsg::ForwardStopSign(_) => Body::Other("ForwardStopSign"),
        })
    }

    /// The names of the specifications; nothing for a kind that they do not have.
    pub(crate) fn names(&self) -> Option<Names> {
        Some(match self {
            Body::PrepareReq { .. } => names!("PrepareReq"),
            Body::Prepare { .. } => names!("Prepare"),
            Body::Promise { .. } => names!("Promise"),
            Body::AcceptSync { .. } => names!("AcceptSync"),
            Body::AcceptDecide { .. } => names!("AcceptDecide"),
            Body::Accepted { .. } => names!("Accepted"),
            Body::NotAccepted { .. } => names!("NotAccepted"),
            Body::Decide { .. } => names!("Decide"),
            Body::ProposalForward { .. } => names!("ProposalForward"),
            Body::Other(_) => return None,
        })
    }

    /// The message as the specifications have it, in a cluster of this many servers.
    pub(crate) fn value(&self, (from, to): (NodeId, NodeId), servers: usize) -> Value {
        let ballot = |ballot: &BallotView| ballot_value(*ballot, servers);
        let seq = |&(session, counter): &(u64, u64)| Value::tuple(vec![number(session), number(counter)]);
        let fields = match self {
            Body::PrepareReq { ballot: b } | Body::NotAccepted { ballot: b } => vec![("ballot", ballot(b))],
            Body::Prepare { ballot: b, round, len, decided } => vec![
                ("ballot", ballot(b)),
                ("round", ballot(round)),
                ("len", number(*len)),
                ("decided", number(*decided)),
            ],
            Body::Promise { ballot: b, round, len, decided, sync } => vec![
                ("ballot", ballot(b)),
                ("round", ballot(round)),
                ("len", number(*len)),
                ("decided", number(*decided)),
                ("sync", Value::tuple(sync.iter().map(suffix_value).collect())),
            ],
            Body::AcceptSync { ballot: b, seq: s, decided, sync } => vec![
                ("ballot", ballot(b)),
                ("seq", seq(s)),
                ("decided", number(*decided)),
                ("sync", Value::tuple(vec![suffix_value(sync)])),
            ],
            Body::AcceptDecide { ballot: b, seq: s, decided, entries } => vec![
                ("ballot", ballot(b)),
                ("seq", seq(s)),
                ("decided", number(*decided)),
                ("entries", sequence(entries)),
            ],
            Body::Accepted { ballot: b, len } => vec![("ballot", ballot(b)), ("len", number(*len))],
            Body::Decide { ballot: b, seq: s, decided } => {
                vec![("ballot", ballot(b)), ("seq", seq(s)), ("decided", number(*decided))]
            }
            Body::ProposalForward { entries } => vec![("entries", sequence(entries))],
            Body::Other(_) => Vec::new(),
        };
        let kind = self.names().map_or("Other", |names| names.kind);
        let ends = [("kind", Value::string(kind)), ("from", server(from)), ("to", server(to))];
        Value::record(ends.into_iter().chain(fields))
    }

    /// What a message of the specification says.
    pub(super) fn read(message: &Value, servers: usize) -> Result<Body, Misread> {
        let number = |name| read::number(name, read::field(message, name)?);
        let ballot_of = |name| view::ballot(read::field(message, name)?, servers);
        let seq = || match read::sequence("seq", read::field(message, "seq")?)? {
            [session, counter] => Ok((read::number("seq", session)?, read::number("seq", counter)?)),
            other => Err(Misread::new("seq", "two numbers", other.len())),
        };
        let syncs = || -> Result<Vec<Suffix>, Misread> {
            let syncs = read::sequence("sync", read::field(message, "sync")?)?;
            syncs.iter().map(read_suffix).collect()
        };
        let ballot = || ballot_of("ballot");
        Ok(match read::text("kind", read::field(message, "kind")?)? {
            "PrepareReq" => Body::PrepareReq { ballot: ballot()? },
            "Prepare" => Body::Prepare {
                ballot: ballot()?,
                round: ballot_of("round")?,
                len: number("len")?,
                decided: number("decided")?,
            },
            "Promise" => Body::Promise {
                ballot: ballot()?,
                round: ballot_of("round")?,
                len: number("len")?,
                decided: number("decided")?,
                sync: syncs()?.pop(),
            },
            "AcceptSync" => Body::AcceptSync {
                ballot: ballot()?,
                seq: seq()?,
                decided: number("decided")?,
                sync: syncs()?.pop().ok_or_else(|| Misread::new("sync", "a suffix", message))?,
            },
            "AcceptDecide" => Body::AcceptDecide {
                ballot: ballot()?,
                seq: seq()?,
                decided: number("decided")?,
                entries: view::entries("entries", read::field(message, "entries")?)?,
            },
            "Accepted" => Body::Accepted { ballot: ballot()?, len: number("len")? },
            "NotAccepted" => Body::NotAccepted { ballot: ballot()? },
            "Decide" => Body::Decide { ballot: ballot()?, seq: seq()?, decided: number("decided")? },
            "ProposalForward" => {
                Body::ProposalForward { entries: view::entries("entries", read::field(message, "entries")?)? }
            }
            _ => return Err(Misread::new("kind", "a kind of message", message)),
        })
    }
}

fn suffix(sync: &Sync<'_>) -> Suffix {
    Suffix { at: sync.from.unwrap_or_default(), entries: numbers(sync.suffix) }
}

fn read_suffix(value: &Value) -> Result<Suffix, Misread> {
    Ok(Suffix {
        at: read::number("at", read::field(value, "at")?)?,
        entries: view::entries("suffix", read::field(value, "suffix")?)?,
    })
}

fn suffix_value(suffix: &Suffix) -> Value {
    Value::record([("at", number(suffix.at)), ("suffix", sequence(&suffix.entries))])
}

fn numbers(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.0).collect()
}

fn sequence_number(reported: SequenceNumber) -> (u64, u64) {
    (reported.session, reported.counter)
}

/// Entries as a sequence of the specifications.
pub(crate) fn sequence(entries: &[u64]) -> Value {
    Value::tuple(entries.iter().copied().map(number).collect())
}

/// A number of the specifications.
pub(crate) fn number(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A server of the specifications.
pub(crate) fn server(node: NodeId) -> Value {
    number(node.number() as u64)
}

/// A ballot as the specifications count them. All servers have the same priority.
pub(crate) fn ballot_value(ballot: BallotView, servers: usize) -> Value {
    number(u64::from(ballot.n) * (servers as u64 + 1) + ballot.pid)
}
