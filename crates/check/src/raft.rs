//! The invariants of Raft (Ongaro and Ousterhout 2014, figure 3), for any implementation that shows a [`RaftState`].
//!
//! They look only at what changed in the last step. Everything remembered is from this execution.

use std::collections::BTreeMap;

use shakedown_cluster::NodeId;

use crate::per_node::{Highest, PerNode};
use crate::{Doubt, Oracle, Seen};

/// What a node is in its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are Raft's own")]
pub enum Role {
    #[default]
    Follower,
    PreCandidate,
    Candidate,
    Leader,
}

/// An entry of a log as far as the invariants are concerned: its term, and a digest of its contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
pub struct LogEntry {
    /// The term in which a leader made it.
    pub term: u64,
    /// Stands for its contents.
    pub digest: u64,
}

/// What these oracles need to see of a Raft node. Entries are numbered from 1.
pub trait RaftState {
    /// The node's term.
    fn term(&self) -> u64;
    /// What it is in that term.
    fn role(&self) -> Role;
    /// Up to which entry it knows the log to be committed.
    fn commit(&self) -> u64;
    /// The number of the first entry that has not been compacted away.
    fn first_index(&self) -> u64;
    /// The number of the last entry.
    fn last_index(&self) -> u64;
    /// The entry of this number, unless it has been compacted away or is not there.
    fn entry(&self, number: u64) -> Option<LogEntry>;
    /// Up to which entry the log is applied, and a digest of what applying it has led to.
    fn applied(&self) -> Option<(u64, u64)> {
        None
    }
    /// A number that changes whenever the log does, so that an unchanged log need not be looked at again. Without one,
    /// logs are compared after every step.
    fn log_version(&self) -> Option<u64> {
        None
    }
}

/// All of Raft's invariants.
pub fn raft_invariants<S: RaftState + 'static>() -> Vec<Box<dyn Oracle<S>>> {
    vec![
        Box::new(ElectionSafety::default()),
        Box::new(LogMatching::default()),
        Box::new(LeaderCompleteness::default()),
        Box::new(StateMachineSafety::default()),
        Box::new(TermNeverGoesBack::default()),
        Box::new(CommitNeverGoesBack::default()),
    ]
}

/// At most one leader is elected in a term.
#[derive(Default)]
pub struct ElectionSafety {
    leaders: BTreeMap<u64, NodeId>,
}

impl<S: RaftState> Oracle<S> for ElectionSafety {
    fn name(&self) -> &str {
        "election-safety"
    }

    fn about(&self) -> &str {
        "at most one leader is elected in a term"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            if state.role() == Role::Leader {
                let leader = *self.leaders.entry(state.term()).or_insert(node);
                if leader != node {
                    return Err(format!("{leader} and {node} both lead term {}", state.term()));
                }
            }
        }
        Ok(())
    }
}

/// If two logs hold an entry of the same number and term, they are the same up to there.
#[derive(Default)]
pub struct LogMatching {
    /// The life and version of each log when it was last looked at.
    versions: PerNode<Option<(u32, u64)>>,
}

impl<S: RaftState> Oracle<S> for LogMatching {
    fn name(&self) -> &str {
        "log-matching"
    }

    fn about(&self) -> &str {
        "logs that agree on an entry agree on everything before it"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let version = state.log_version().map(|version| (seen.life(node), version));
            if version.is_some() && std::mem::replace(self.versions.of(node), version) == version {
                continue;
            }
            for other in NodeId::first(seen.states().len()).filter(|&other| other != node) {
                match_logs(node, state, other, seen.state(other))?;
            }
        }
        Ok(())
    }
}

fn match_logs<S: RaftState>(a: NodeId, left: &S, b: NodeId, right: &S) -> Result<(), String> {
    let last = left.last_index().min(right.last_index());
    let first = left.first_index().max(right.first_index());
    let mut must_match = false;
    for number in (first..=last).rev() {
        let (Some(l), Some(r)) = (left.entry(number), right.entry(number)) else { continue };
        must_match |= l.term == r.term;
        if must_match && l != r {
            return Err(format!(
                "{a} and {b} agree on a later entry but not on entry {number}: {l:?}, {r:?}"
            ));
        }
    }
    Ok(())
}

/// What was committed is in the log of every leader of a later term.
#[derive(Default)]
pub struct LeaderCompleteness {
    committed: Committed,
    /// In which term the commitment of each entry was first seen.
    seen_in: BTreeMap<u64, u64>,
    /// What each leader was last found to be complete with. Most steps change nothing of it, and the more there is to look at,
    /// the longer an execution is.
    complete: PerNode<Option<Standing>>,
}

/// What the completeness of a leader depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Standing {
    life: u32,
    log_version: u64,
    term: u64,
    committed: usize,
}

impl<S: RaftState> Oracle<S> for LeaderCompleteness {
    fn name(&self) -> &str {
        "leader-completeness"
    }

    fn about(&self) -> &str {
        "a leader has every entry that was committed in an earlier term"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            self.committed.learn(seen.life(node), node, state);
            for number in &self.committed.new {
                self.seen_in.entry(*number).or_insert(state.term());
            }
        }
        for (node, state) in seen.fresh().filter(|(_, state)| state.role() == Role::Leader) {
            let (life, term, committed) = (seen.life(node), state.term(), self.committed.entries.len());
            let now = state.log_version().map(|log_version| Standing { life, log_version, term, committed });
            if now.is_some() && *self.complete.of(node) == now {
                continue;
            }
            self.check(node, state)?;
            *self.complete.of(node) = now;
        }
        Ok(())
    }

    /// An entry may have been committed after a leader that lacks it did anything for the last time.
    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        Ok(seen.up().try_for_each(|(node, state)| self.check(node, state))?)
    }
}

impl LeaderCompleteness {
    /// Whether the node has everything that it must have if it leads.
    fn check<S: RaftState>(&self, node: NodeId, state: &S) -> Result<(), String> {
        if state.role() != Role::Leader {
            return Ok(());
        }
        for (number, committed) in self.committed.entries.range(state.first_index()..) {
            let later = self.seen_in.get(number).is_some_and(|&term| term < state.term());
            if later && state.entry(*number) != Some(*committed) {
                let term = state.term();
                return Err(format!("{node} leads term {term} without entry {number}, committed before"));
            }
        }
        Ok(())
    }
}

/// No two nodes commit different entries under one number, now or ever; nobody commits what it does not have; and applying
/// the log up to an entry leads to the same state everywhere, also where it came by a snapshot.
#[derive(Default)]
pub struct StateMachineSafety {
    committed: Committed,
    /// What applying the log up to each entry has led to, at the first node that did.
    applied: BTreeMap<u64, u64>,
    /// What each node had applied when it was last looked at.
    looked_at: PerNode<Option<(u64, u64)>>,
}

impl<S: RaftState> Oracle<S> for StateMachineSafety {
    fn name(&self) -> &str {
        "state-machine-safety"
    }

    fn about(&self) -> &str {
        "no two nodes commit different entries at an index"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let (commit, last) = (state.commit(), state.last_index());
            if commit > last {
                return Err(format!(
                    "{node} commits up to entry {commit}, but its log ends with entry {last}"
                ));
            }
            if let Some((number, known, entry)) = self.committed.learn(seen.life(node), node, state) {
                return Err(format!(
                    "{node} commits {entry:?} as entry {number}, but {known:?} was committed before"
                ));
            }
            let applied = state.applied();
            if std::mem::replace(self.looked_at.of(node), applied) == applied {
                continue;
            }
            if let Some((upto, digest)) = applied
                && *self.applied.entry(upto).or_insert(digest) != digest
            {
                return Err(format!(
                    "{node} has applied the log up to entry {upto}, with another result than others"
                ));
            }
        }
        Ok(())
    }
}

/// What has been committed in this execution, by anybody.
#[derive(Default)]
struct Committed {
    entries: BTreeMap<u64, LogEntry>,
    /// The numbers of those that were met when a node was last asked.
    new: Vec<u64>,
    /// Up to where the log of each node was compared, in which life and which version.
    compared: PerNode<(u32, Option<u64>, u64)>,
}

impl Committed {
    /// Takes in what the node has committed since it was last asked; gives the first contradiction.
    fn learn<S: RaftState>(
        &mut self,
        life: u32,
        node: NodeId,
        state: &S,
    ) -> Option<(u64, LogEntry, LogEntry)> {
        let version = state.log_version();
        let now = (life, version, state.commit());
        let (known_life, known_version, upto) = std::mem::replace(self.compared.of(node), now);
        let is_known = version.is_some() && (known_life, known_version) == (life, version);
        let compared = if is_known { upto } else { 0 };
        self.new.clear();
        for number in (compared + 1).max(state.first_index())..=state.commit() {
            let Some(entry) = state.entry(number) else { continue };
            let new = &mut self.new;
            let known = *self.entries.entry(number).or_insert_with(|| {
                new.push(number);
                entry
            });
            if known != entry {
                return Some((number, known, entry));
            }
        }
        None
    }
}

/// The term of a node never becomes smaller, not even by a crash; or, with [`TermNeverGoesBack::while_running`], while it
/// runs.
#[derive(Default)]
pub struct TermNeverGoesBack {
    highest: Highest,
    while_running: bool,
}

impl TermNeverGoesBack {
    /// For disks that forget what was not flushed: a term that nobody was told of may be lost with a crash.
    pub fn while_running() -> TermNeverGoesBack {
        TermNeverGoesBack { while_running: true, ..TermNeverGoesBack::default() }
    }
}

impl<S: RaftState> Oracle<S> for TermNeverGoesBack {
    fn name(&self) -> &str {
        if self.while_running { "term-never-goes-back-while-running" } else { "term-never-goes-back" }
    }

    fn about(&self) -> &str {
        "the term of a node never gets smaller"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let life = if self.while_running { seen.life(node) } else { 0 };
            let term = state.term();
            self.highest
                .raise(node, life, term)
                .map_err(|highest| format!("{node} was in term {highest}, now it is in term {term}"))?;
        }
        Ok(())
    }
}

/// While a node runs, its commit index never becomes smaller.
#[derive(Default)]
pub struct CommitNeverGoesBack {
    highest: Highest,
}

impl<S: RaftState> Oracle<S> for CommitNeverGoesBack {
    fn name(&self) -> &str {
        "commit-never-goes-back"
    }

    fn about(&self) -> &str {
        "the commit index of a running node never gets smaller"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        for (node, state) in seen.fresh() {
            let commit = state.commit();
            self.highest
                .raise(node, seen.life(node), commit)
                .map_err(|highest| format!("{node} had committed up to {highest}, now it says {commit}"))?;
        }
        Ok(())
    }
}
