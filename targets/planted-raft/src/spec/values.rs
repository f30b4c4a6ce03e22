//! Values of the specification as this Raft's own types, and the other way round.

use shakedown_cluster::NodeId;
use shakedown_conform::Value;
use shakedown_conform::compare::{Misread, Variables, read};
use shakedown_rafts::spec::values::{node, node_or_none, nodes, number_in, of_server, role, truth_in};

use super::view::{ServerView, SnapshotView};
use crate::protocol::{Command, Entry, Machine, Message, Progress, Server, Servers, Snapshot};
use crate::view::nodes_of;

/// Puts of key k are the values from 1000·k on.
const VALUES_OF_A_KEY: u64 = 1_000;

/// The number that stands for a put, if there is one.
pub(super) fn value_of_put(key: u8, value: u64) -> Option<u64> {
    (value < VALUES_OF_A_KEY).then(|| u64::from(key) * VALUES_OF_A_KEY + value)
}

/// The put that a number stands for.
pub(super) fn put_of_value(number: u64) -> Result<(u8, u64), Misread> {
    let key = u8::try_from(number / VALUES_OF_A_KEY);
    let key = key.map_err(|_| Misread::new("a value", "below 256 000", number))?;
    Ok((key, number % VALUES_OF_A_KEY))
}

fn server(value: &Value) -> Result<Server, Misread> {
    node(value).map(crate::view::server_of)
}

fn entry(value: &Value) -> Result<Entry, Misread> {
    let says = read::field(value, "value")?;
    let arg = read::field(says, "arg")?;
    let command = match read::text("do", read::field(says, "do")?)? {
        "noop" => Command::Noop,
        "put" => {
            let (key, value) = put_of_value(read::number("arg", arg)?)?;
            Command::Put(key, value)
        }
        "add" => Command::Add(server(arg)?),
        "remove" => Command::Remove(server(arg)?),
        other => return Err(Misread::new("an entry", "noop, put, add or remove", other)),
    };
    Ok(Entry { term: number_in(value, "term")?, command })
}

fn entries(value: &Value) -> Result<Vec<Entry>, Misread> {
    read::sequence("a log", value)?.iter().map(entry).collect()
}

/// What entries lead to, in a cluster with a number of servers.
fn voters_after(entries: &[Entry], servers: usize) -> Servers {
    entries.iter().fold(Servers::first(servers), |voters, entry| entry.command.change(voters))
}

fn machine_after(entries: &[Entry]) -> Machine {
    let mut machine = Machine::default();
    entries.iter().for_each(|entry| machine.apply(entry.command));
    machine
}

fn snapshot(entries: &[Entry], servers: usize) -> Snapshot {
    Snapshot {
        index: entries.len() as u64,
        term: entries.last().map_or(0, |entry| entry.term),
        voters: voters_after(entries, servers),
        machine: machine_after(entries),
    }
}

pub(super) fn server_view(
    variables: &Variables,
    node: NodeId,
    servers: usize,
) -> Result<ServerView, Misread> {
    let of = |variable| of_server(variables, variable, node);
    let log = entries(of("log")?)?;
    let within = |variable: &'static str| {
        let index = read::number(variable, of(variable)?)?;
        let is_in = index as usize <= log.len();
        is_in.then_some(index as usize).ok_or_else(|| Misread::new(variable, "in the log", index))
    };
    let (commit, first) = (within("commitIndex")?, within("snapshotIndex")?);
    let progress = || {
        let next = read::sequence("nextIndex", of("nextIndex")?)?;
        let matched = read::sequence("matchIndex", of("matchIndex")?)?;
        let each = next.iter().zip(matched).map(|(next, matched)| {
            Ok(Progress {
                next: read::number("nextIndex", next)?,
                matched: read::number("matchIndex", matched)?,
            })
        });
        each.collect::<Result<Vec<_>, Misread>>()
    };
    Ok(ServerView {
        term: read::number("currentTerm", of("currentTerm")?)?,
        role: role(of("role")?)?,
        vote: node_or_none(of("votedFor")?)?,
        commit: commit as u64,
        machine: machine_after(&log[..commit]).digest(),
        snapshot: SnapshotView::from(&snapshot(&log[..first], servers)),
        voters: nodes_of(voters_after(&log, servers)),
        entries: log[first..].to_vec(),
        votes_responded: nodes(of("votesResponded")?)?,
        votes_granted: nodes(of("votesGranted")?)?,
        progress: without_ones(progress()?),
    })
}

/// Who does not lead knows nothing of others: the specification says so with ones and zeros.
fn without_ones(progress: Vec<Progress>) -> Vec<Progress> {
    let is_nothing = |one: &Progress| *one == Progress { next: 1, matched: 0 };
    if progress.iter().all(is_nothing) { Vec::new() } else { progress }
}

/// The same of the implementation, where a leader of an empty log knows as little.
pub(super) fn progress_of(progress: &[Progress]) -> Vec<Progress> {
    without_ones(progress.to_vec())
}

/// The contents of a message, in a cluster with a number of servers.
pub(super) fn message(value: &Value, servers: usize) -> Result<Message, Misread> {
    let number = |field| number_in(value, field);
    let term = number("term")?;
    Ok(match read::text("kind", read::field(value, "kind")?)? {
        "RequestVoteRequest" => {
            Message::RequestVote { term, last_index: number("lastIndex")?, last_term: number("lastTerm")? }
        }
        "RequestVoteResponse" => Message::RequestVoteResponse { term, granted: truth_in(value, "granted")? },
        "AppendEntriesRequest" => Message::Append {
            term,
            prev_index: number("prevIndex")?,
            prev_term: number("prevTerm")?,
            entries: entries(read::field(value, "entries")?)?,
            commit: number("commit")?,
        },
        "AppendEntriesResponse" => {
            let success = truth_in(value, "success")?;
            Message::AppendResponse { term, success, match_index: number("index")? }
        }
        "InstallSnapshotRequest" => {
            let held = entries(read::field(value, "snapshot")?)?;
            Message::InstallSnapshot { term, snapshot: Box::new(snapshot(&held, servers)) }
        }
        "InstallSnapshotResponse" => Message::SnapshotResponse { term, match_index: number("index")? },
        other => return Err(Misread::new("kind", "a kind of message", other)),
    })
}
