//! Values of the specification as Rust types.

use raft::eraftpb::Snapshot;
use shakedown_cluster::NodeId;
use shakedown_conform::Value;
use shakedown_conform::compare::{Misread, Variables, read};
use shakedown_rafts::Role;
use shakedown_rafts::spec::Sent;
use shakedown_rafts::spec::values::{
    message_value, node_or_none, number_in, number_value, of_server, role, truth_in,
};

use super::view::{Body, Contents, PeerView, ServerView, Standing};
use crate::machine::{Machine, encode_put};

/// The key that values are put at.
pub(super) const KEY: u8 = 0;

fn entries(value: &Value) -> Result<Vec<(u64, i64)>, Misread> {
    let entry = |value: &Value| {
        let number = read::number("value", read::field(value, "value")?)?;
        Ok((number_in(value, "term")?, number as i64))
    };
    read::sequence("a log", value)?.iter().map(entry).collect()
}

/// What stands for the state machine after these entries, in a cluster with a number of servers.
fn machine_after(entries: &[(u64, i64)], servers: usize) -> u64 {
    let mut empty = Snapshot::default();
    empty.mut_metadata().mut_conf_state().set_voters((1..=servers as u64).collect());
    let mut machine = Machine::restore(&empty);
    for (_, value) in entries.iter().filter(|(_, value)| *value > 0) {
        machine.put(&encode_put(KEY, *value as u64));
    }
    machine.digest()
}

fn last_of(entries: &[(u64, i64)]) -> (u64, u64) {
    (entries.len() as u64, entries.last().map_or(0, |entry| entry.0))
}

pub(super) fn server_view(
    variables: &Variables,
    node: NodeId,
    servers: usize,
) -> Result<ServerView, Misread> {
    let of = |variable| of_server(variables, variable, node);
    let number = |variable: &'static str| read::number(variable, of(variable)?);
    let role = role(of("role")?)?;
    let log = entries(of("log")?)?;
    let (commit, first) = (number("commitIndex")?, number("snapshotIndex")?);
    let up_to =
        |index: u64| log.get(..index as usize).ok_or_else(|| Misread::new("an index", "in the log", index));
    let size = |variable: &'static str| Ok(read::set(variable, of(variable)?)?.len());
    let (answered, granted) = (size("votesResponded")?, size("votesGranted")?);
    let (last, term) = last_of(up_to(first)?);
    let waited = read::sequence("waited", of("waited")?)?.iter().map(|ticks| read::number("waited", ticks));
    Ok(ServerView {
        term: number("currentTerm")?,
        role,
        vote: node_or_none(of("votedFor")?)?,
        leader: node_or_none(of("leaderId")?)?,
        commit,
        machine: machine_after(up_to(commit)?, servers),
        standing: Standing {
            snapshot: (last, term, machine_after(up_to(first)?, servers)),
            entries: log[first as usize..].to_vec(),
            votes: (granted, answered.saturating_sub(granted)),
            peers: if role == Role::Leader {
                peers(of("flow")?, of("nextIndex")?, of("matchIndex")?, node)?
            } else {
                Vec::new()
            },
            waited: waited.collect::<Result<_, _>>()?,
        },
    })
}

fn peers(flow: &Value, next: &Value, matched: &Value, own: NodeId) -> Result<Vec<PeerView>, Misread> {
    let (flow, next) = (read::sequence("flow", flow)?, read::sequence("nextIndex", next)?);
    let matched = read::sequence("matchIndex", matched)?;
    let peer = |(node, ((flow, next), matched)): (NodeId, ((&Value, &Value), &Value))| {
        if node == own {
            return Ok(PeerView::OWN);
        }
        let state = match read::text("state", read::field(flow, "state")?)? {
            "probe" => "probe",
            "replicate" => "replicate",
            "snapshot" => "snapshot",
            other => return Err(Misread::new("state", "probe, replicate or snapshot", other)),
        };
        Ok(PeerView {
            state,
            paused: truth_in(flow, "paused")?,
            pending: number_in(flow, "pending")?,
            heard: truth_in(flow, "heard")?,
            next: read::number("nextIndex", next)?,
            matched: read::number("matchIndex", matched)?,
        })
    };
    NodeId::first(flow.len()).zip(flow.iter().zip(next).zip(matched)).map(peer).collect()
}

/// The contents of a message, in a cluster with a number of servers.
pub(super) fn contents(value: &Value, servers: usize) -> Result<Contents, Misread> {
    let number = |field| number_in(value, field);
    let body = match read::text("kind", read::field(value, "kind")?)? {
        "RequestVoteRequest" => Body::VoteRequest {
            last: (number("lastIndex")?, number("lastTerm")?),
            commit: (number("commit")?, number("commitTerm")?),
        },
        "RequestVoteResponse" => Body::Vote {
            granted: truth_in(value, "granted")?,
            commit: (number("commit")?, number("commitTerm")?),
        },
        "AppendEntriesRequest" => Body::Append {
            prev: (number("prevIndex")?, number("prevTerm")?),
            entries: entries(read::field(value, "entries")?)?,
            commit: number("commit")?,
        },
        "AppendEntriesResponse" => Body::AppendResponse {
            success: truth_in(value, "success")?,
            index: number("index")?,
            hint: (number("hint")?, number("hintTerm")?),
        },
        "Heartbeat" => Body::Heartbeat { commit: number("commit")? },
        "HeartbeatResponse" => Body::HeartbeatResponse,
        "InstallSnapshotRequest" => {
            let held = entries(read::field(value, "snapshot")?)?;
            Body::Snapshot { last: last_of(&held), machine: machine_after(&held, servers) }
        }
        other => return Err(Misread::new("kind", "a kind of message", other)),
    };
    Ok(Contents { term: number("term")?, body })
}

/// A message that is not in the specification's network. Of a snapshot it holds the length only.
pub(super) fn message(sent: &Sent<Contents>) -> Value {
    let number = number_value;
    let entry =
        |&(term, value): &(u64, i64)| Value::record([("term", number(term)), ("value", Value::Int(value))]);
    let pair = |names: [&'static str; 2], (first, second): (u64, u64)| {
        vec![(names[0], number(first)), (names[1], number(second))]
    };
    let (kind, fields) = match &sent.contents.body {
        Body::VoteRequest { last, commit } => (
            "RequestVoteRequest",
            [pair(["lastIndex", "lastTerm"], *last), pair(["commit", "commitTerm"], *commit)].concat(),
        ),
        Body::Vote { granted, commit } => (
            "RequestVoteResponse",
            [vec![("granted", Value::Bool(*granted))], pair(["commit", "commitTerm"], *commit)].concat(),
        ),
        Body::Append { prev, entries, commit } => {
            let entries = Value::tuple(entries.iter().map(entry).collect());
            let rest = vec![("entries", entries), ("commit", number(*commit))];
            ("AppendEntriesRequest", [pair(["prevIndex", "prevTerm"], *prev), rest].concat())
        }
        Body::AppendResponse { success, index, hint } => {
            let first = vec![("success", Value::Bool(*success)), ("index", number(*index))];
            ("AppendEntriesResponse", [first, pair(["hint", "hintTerm"], *hint)].concat())
        }
        Body::Heartbeat { commit } => ("Heartbeat", vec![("commit", number(*commit))]),
        Body::HeartbeatResponse => ("HeartbeatResponse", Vec::new()),
        Body::Snapshot { last, .. } => {
            let unknown = vec![entry(&(last.1, 0)); last.0 as usize];
            ("InstallSnapshotRequest", vec![("snapshot", Value::tuple(unknown))])
        }
        Body::Other(kind) => (*kind, Vec::new()),
    };
    message_value(kind, (sent.from, sent.to), sent.contents.term, fields)
}
