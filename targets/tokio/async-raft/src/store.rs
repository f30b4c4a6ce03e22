//! Log and state machine, in memory and on the simulated disk.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use async_raft::RaftStorage;
use async_raft::raft::{EntryPayload, MembershipConfig};
use async_raft::storage::{CurrentSnapshotData, HardState, InitialState};
use async_trait::async_trait;
use shakedown::cluster::{Fact, NodeId};
use shakedown::rafts::{LogEntry, Membership, RaftDisk, RaftWrite, SnapshotView, Stored};
use shakedown::tokio_node::Env;
use shakedown_cluster::derive_seed;

use crate::{Applied, AsyncRaft, Entry, Put};

/// What async-raft stores.
pub struct Types;

impl Stored for Types {
    type Term = u64;
    type Vote = HardState;
    type Entry = Entry;
    type Purged = ();
    type Snapshot = ();

    fn shown(entry: &Entry) -> (u64, LogEntry<u64>) {
        (entry.index, LogEntry { term: entry.term, digest: digest(entry) })
    }

    fn membership(entry: &Entry) -> Option<Membership> {
        let EntryPayload::ConfigChange(change) = &entry.payload else { return None };
        let nodes =
            |ids: &std::collections::HashSet<u64>| ids.iter().map(|&id| NodeId::new(id as usize)).collect();
        let config = &change.membership;
        let (voters, outgoing) = match &config.members_after_consensus {
            Some(after) => (nodes(after), nodes(&config.members)),
            None => (nodes(&config.members), Default::default()),
        };
        Some(Membership { voters, outgoing, entry: Some(entry.index), ..Membership::default() })
    }

    fn term(vote: &HardState) -> u64 {
        vote.current_term
    }

    fn snapshot((): &()) -> SnapshotView<u64> {
        SnapshotView { applied: 0, digest: 0, membership: None }
    }
}

/// Stands for what an entry holds.
fn digest(entry: &Entry) -> u64 {
    match &entry.payload {
        EntryPayload::Blank | EntryPayload::SnapshotPointer(_) => 0,
        EntryPayload::Normal(normal) => derive_seed(1, normal.data.0),
        EntryPayload::ConfigChange(change) => {
            let sorted: BTreeSet<u64> = change.membership.all_nodes().into_iter().collect();
            sorted.into_iter().fold(2, derive_seed)
        }
    }
}

/// What changes.
pub struct Held {
    /// What is on the disk.
    pub disk: RaftDisk<Types>,
    /// The last entry that was applied, and a digest of what applying all of them led to.
    pub applied: (u64, u64),
    /// The first entry that was applied again, or too late.
    pub applied_again: Option<String>,
}

/// Log and state machine of a node.
pub struct Store {
    env: Env<AsyncRaft>,
    held: Mutex<Held>,
}

impl Store {
    /// What a node finds when it boots.
    pub fn new(disk: RaftDisk<Types>, env: Env<AsyncRaft>) -> Store {
        Store { env, held: Mutex::new(Held { disk, applied: (0, 0), applied_again: None }) }
    }

    /// What it holds now.
    pub fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, write: RaftWrite<Types>) {
        self.held().disk.put(write.clone());
        self.env.write(write);
    }

    fn membership(&self) -> MembershipConfig {
        let config = |entry: &Entry| match &entry.payload {
            EntryPayload::ConfigChange(change) => Some(change.membership.clone()),
            _ => None,
        };
        let found = self.held().disk.entries.iter().rev().find_map(config);
        found.unwrap_or_else(|| MembershipConfig::new_initial(self.env.id().number() as u64))
    }

    fn apply(&self, index: u64, value: u64) {
        let mut held = self.held();
        if index <= held.applied.0 {
            let last = held.applied.0;
            held.applied_again.get_or_insert(format!("entry {index} is applied after entry {last}"));
        }
        held.applied = (index, derive_seed(derive_seed(held.applied.1, index), value));
        drop(held);
        self.env.emit(Fact::new("apply").with("index", index).with("value", value));
    }
}

#[async_trait]
impl RaftStorage<Put, Applied> for Store {
    type Snapshot = Cursor<Vec<u8>>;
    type ShutdownError = std::io::Error;

    async fn get_membership_config(&self) -> Result<MembershipConfig> {
        Ok(self.membership())
    }

    async fn get_initial_state(&self) -> Result<InitialState> {
        let membership = self.membership();
        let held = self.held();
        let Some(hard_state) = held.disk.vote.clone() else {
            return Ok(InitialState::new_initial(self.env.id().number() as u64));
        };
        let (last_log_index, last_log_term) =
            held.disk.entries.last().map_or((0, 0), |entry| (entry.index, entry.term));
        Ok(InitialState {
            last_log_index,
            last_log_term,
            last_applied_log: held.applied.0,
            hard_state,
            membership,
        })
    }

    async fn save_hard_state(&self, state: &HardState) -> Result<()> {
        self.write(RaftWrite::Vote(state.clone()));
        Ok(())
    }

    async fn get_log_entries(&self, start: u64, stop: u64) -> Result<Vec<Entry>> {
        Ok(self.held().disk.range(start..stop).to_vec())
    }

    async fn delete_logs_from(&self, start: u64, stop: Option<u64>) -> Result<()> {
        let last = self.held().disk.last();
        if stop.is_some_and(|stop| stop <= last) {
            bail!("entries in the middle of the log are to be deleted");
        }
        self.write(RaftWrite::Truncate(start));
        Ok(())
    }

    async fn append_entry_to_log(&self, entry: &Entry) -> Result<()> {
        self.write(RaftWrite::Append(vec![entry.clone()]));
        Ok(())
    }

    async fn replicate_to_log(&self, entries: &[Entry]) -> Result<()> {
        self.write(RaftWrite::Append(entries.to_vec()));
        Ok(())
    }

    async fn apply_entry_to_state_machine(&self, index: &u64, data: &Put) -> Result<Applied> {
        self.apply(*index, data.0);
        Ok(Applied)
    }

    async fn replicate_to_state_machine(&self, entries: &[(&u64, &Put)]) -> Result<()> {
        entries.iter().for_each(|(index, data)| self.apply(**index, data.0));
        Ok(())
    }

    async fn do_log_compaction(&self) -> Result<CurrentSnapshotData<Cursor<Vec<u8>>>> {
        bail!("no snapshot is ever taken")
    }

    async fn create_snapshot(&self) -> Result<(String, Box<Cursor<Vec<u8>>>)> {
        bail!("no snapshot is ever taken")
    }

    async fn finalize_snapshot_installation(
        &self,
        _index: u64,
        _term: u64,
        _delete_through: Option<u64>,
        _id: String,
        _snapshot: Box<Cursor<Vec<u8>>>,
    ) -> Result<()> {
        bail!("no snapshot is ever taken")
    }

    async fn get_current_snapshot(&self) -> Result<Option<CurrentSnapshotData<Cursor<Vec<u8>>>>> {
        Ok(None)
    }
}
