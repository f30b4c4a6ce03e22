//! A log and a state machine in memory, and nothing else: the least that async-raft asks for.

use std::io::Cursor;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use async_raft::RaftStorage;
use async_raft::raft::{Entry, EntryConfigChange, EntryNormal, EntryPayload, MembershipConfig};
use async_raft::storage::{CurrentSnapshotData, HardState, InitialState};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// An entry is a number.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Put(pub u64);

impl async_raft::AppData for Put {}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Done;

impl async_raft::AppDataResponse for Done {}

/// The members of the cluster.
fn members() -> MembershipConfig {
    MembershipConfig { members: [1, 2, 3].into(), members_after_consensus: None }
}

pub struct Plain {
    log: Mutex<Vec<Entry<Put>>>,
    /// What was applied: the index and the value of each entry.
    applied: Mutex<Vec<(u64, u64)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Plain {
    /// A node that has the membership in its first entry and 7 in its second, both of term 1.
    pub fn with_two_entries() -> Plain {
        let change = EntryPayload::ConfigChange(EntryConfigChange { membership: members() });
        let seven = EntryPayload::Normal(EntryNormal { data: Put(7) });
        let entry = |index, payload| Entry { term: 1, index, payload };
        Plain { log: Mutex::new(vec![entry(1, change), entry(2, seven)]), applied: Mutex::default() }
    }

    pub fn applied(&self) -> Vec<(u64, u64)> {
        locked(&self.applied).clone()
    }

    fn apply(&self, index: u64, value: u64) {
        locked(&self.applied).push((index, value));
    }
}

#[async_trait]
impl RaftStorage<Put, Done> for Plain {
    type Snapshot = Cursor<Vec<u8>>;
    type ShutdownError = std::io::Error;

    async fn get_membership_config(&self) -> Result<MembershipConfig> {
        Ok(members())
    }

    async fn get_initial_state(&self) -> Result<InitialState> {
        let hard_state = HardState { current_term: 1, voted_for: None };
        let (last_log_index, last_log_term) = (2, 1);
        Ok(InitialState {
            last_log_index,
            last_log_term,
            last_applied_log: 0,
            hard_state,
            membership: members(),
        })
    }

    async fn save_hard_state(&self, _state: &HardState) -> Result<()> {
        Ok(())
    }

    async fn get_log_entries(&self, start: u64, stop: u64) -> Result<Vec<Entry<Put>>> {
        let log = locked(&self.log);
        Ok(log.iter().filter(|entry| (start..stop).contains(&entry.index)).cloned().collect())
    }

    async fn delete_logs_from(&self, start: u64, _stop: Option<u64>) -> Result<()> {
        locked(&self.log).retain(|entry| entry.index < start);
        Ok(())
    }

    async fn append_entry_to_log(&self, entry: &Entry<Put>) -> Result<()> {
        locked(&self.log).push(entry.clone());
        Ok(())
    }

    async fn replicate_to_log(&self, entries: &[Entry<Put>]) -> Result<()> {
        locked(&self.log).extend_from_slice(entries);
        Ok(())
    }

    async fn apply_entry_to_state_machine(&self, index: &u64, data: &Put) -> Result<Done> {
        self.apply(*index, data.0);
        Ok(Done)
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
