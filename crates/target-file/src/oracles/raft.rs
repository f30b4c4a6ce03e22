//! `raft`: Raft's invariants over the fields of a state.

use serde::Deserialize;
use shakedown_cluster::Fingerprinter;
use shakedown_rafts::{LogEntry, PlainState as RaftPlainState, Role};
use shakedown_remote::{PlainState, Value};

use super::agreement::in_state;
use crate::path::Path;

/// Where Raft's variables stand in a state.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RaftTable {
    term: Path,
    role: Path,
    commit: Path,
    log: Path,
    /// The term of an entry of the log; the rest of the entry is its contents.
    entry_term: Path,
    /// How many entries have been compacted away.
    compacted: Option<Path>,
    /// The words that stand for the roles.
    leader: String,
    candidate: String,
}

impl Default for RaftTable {
    fn default() -> RaftTable {
        RaftTable {
            term: Path::field("term"),
            role: Path::field("role"),
            commit: Path::field("commit"),
            log: Path::field("log"),
            entry_term: Path::field("term"),
            compacted: None,
            leader: "leader".to_owned(),
            candidate: "candidate".to_owned(),
        }
    }
}

impl RaftTable {
    /// A state as Raft's invariants see it.
    pub fn view(&self, state: &PlainState) -> Result<RaftPlainState, String> {
        let number = |what: &str, path: &Path| match in_state(state, path) {
            None | Some(Value::Null) => Ok(0),
            Some(Value::Integer(number @ 0..)) => Ok(*number as u64),
            Some(Value::Large(number)) => Ok(*number),
            Some(other) => Err(format!("the {what} is {other}")),
        };
        let role = match in_state(state, &self.role) {
            Some(Value::Text(role)) if *role == self.leader => Role::Leader,
            Some(Value::Text(role)) if *role == self.candidate => Role::Candidate,
            None | Some(Value::Null | Value::Text(_)) => Role::Follower,
            Some(other) => return Err(format!("the role is no text, but {other}")),
        };
        let log = match in_state(state, &self.log) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::List(entries)) => {
                entries.iter().map(|entry| self.entry(entry)).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(format!("the log is no list, but {other}")),
        };
        Ok(RaftPlainState {
            term: number("term", &self.term)?,
            role,
            commit: number("commit index", &self.commit)?,
            compacted: self
                .compacted
                .as_ref()
                .map_or(Ok(0), |path| number("number of compacted entries", path))?,
            log,
            ..RaftPlainState::default()
        })
    }

    fn entry(&self, entry: &Value) -> Result<LogEntry, String> {
        let term = match self.entry_term.get(entry) {
            Some(Value::Integer(term @ 0..)) => *term as u64,
            Some(Value::Large(term)) => *term,
            _ => return Err(format!("the entry {entry} has no term")),
        };
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.add(entry);
        Ok(LogEntry { term, digest: fingerprinter.finish().0 as u64 })
    }
}
