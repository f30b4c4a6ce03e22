//! Writes to the simulated disk, and how they change what is stored.

use raft::eraftpb::{Entry, HardState, Snapshot};
use shakedown_cluster::Disk;

use crate::LogStore;

/// One write: what a real implementation puts into one atomic batch, so that a crash keeps all of it or
/// nothing.
#[derive(Clone, Debug)]
pub enum Write {
    /// Everything that one `Ready` asks to be saved.
    Batch {
        /// A snapshot that came from the leader.
        snapshot: Option<Box<Snapshot>>,
        /// New entries.
        entries: Vec<Entry>,
        /// Term, vote and commit index.
        hard_state: Option<HardState>,
    },
    /// The commit index alone.
    Commit(u64),
    /// The log is compacted to this snapshot of the node's own state.
    Compact(Box<Snapshot>),
}

impl Disk for LogStore {
    type Write = Write;

    fn apply(&mut self, write: Write) {
        match write {
            Write::Batch { snapshot, entries, hard_state } => {
                if let Some(snapshot) = snapshot {
                    self.install(*snapshot);
                }
                self.append(entries);
                if let Some(hard_state) = hard_state {
                    self.set_hard_state(hard_state);
                }
            }
            Write::Commit(commit) => self.set_commit(commit),
            Write::Compact(snapshot) => self.compact(*snapshot),
        }
    }
}

impl LogStore {
    /// Does what a write to the disk does, for the node that goes on while the disk keeps the write.
    pub(crate) fn follow(&mut self, write: &Write) {
        match write {
            Write::Batch { snapshot, entries, hard_state } => {
                if let Some(snapshot) = snapshot {
                    self.install(Snapshot::clone(snapshot));
                }
                self.append_copies(entries);
                if let Some(hard_state) = hard_state {
                    self.set_hard_state(hard_state.clone());
                }
            }
            Write::Commit(commit) => self.set_commit(*commit),
            Write::Compact(snapshot) => self.compact(Snapshot::clone(snapshot)),
        }
    }
}
