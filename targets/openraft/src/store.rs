//! Log and state machine, in memory and on the simulated disk.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::ops::RangeBounds;
use std::rc::Rc;

use openraft::storage::{LogFlushed, LogState, RaftLogStorage, RaftStateMachine, Snapshot};
use openraft::{EntryPayload, RaftLogReader, RaftSnapshotBuilder, StorageError, StoredMembership};
use shakedown::async_node::Env;
use shakedown::cluster::{Fact, NodeId, NodeSet};
use shakedown::rafts::{LogEntry, Membership, RaftDisk, RaftWrite, SnapshotView, Stored};
use shakedown_cluster::{Fingerprinter, derive_seed};

use crate::{Ballot, Entry, LogId, Meta, OpenRaft, Types, Vote, ballot, place_of};

type Saved<T> = Result<T, StorageError<u64>>;
type Members = StoredMembership<u64, ()>;

impl Stored for Types {
    type Term = Ballot;
    type Vote = Vote;
    type Entry = Entry;
    type Purged = LogId;
    type Snapshot = (Meta, u64);

    fn shown(entry: &Entry) -> (u64, LogEntry<Ballot>) {
        let (number, term) = place_of(&entry.log_id);
        (number, LogEntry { term, digest: digest(entry) })
    }

    fn membership(entry: &Entry) -> Option<Membership> {
        let EntryPayload::Membership(members) = &entry.payload else { return None };
        Some(membership(members, entry.log_id.index + 1))
    }

    fn term(vote: &Vote) -> Ballot {
        ballot(&vote.leader_id)
    }

    fn snapshot((meta, digest): &(Meta, u64)) -> SnapshotView<Ballot> {
        let members = &meta.last_membership;
        let made_by = members.log_id().as_ref().map(place_of);
        let membership = made_by.map(|(number, term)| (membership(members.membership(), number), term));
        SnapshotView { applied: meta.last_log_id.map_or(0, |id| id.index + 1), digest: *digest, membership }
    }
}

fn membership(members: &openraft::Membership<u64, ()>, entry: u64) -> Membership {
    let nodes = |ids: &mut dyn Iterator<Item = u64>| ids.map(|id| NodeId::new(id as usize)).collect();
    let configs = members.get_joint_config().iter();
    let configs: Vec<NodeSet> = configs.map(|config| nodes(&mut config.iter().copied())).collect();
    let outgoing = if configs.len() > 1 { configs[0] } else { NodeSet::default() };
    let voters = configs.last().copied().unwrap_or_default();
    Membership { voters, outgoing, learners: nodes(&mut members.learner_ids()), entry: Some(entry) }
}

/// Stands for what an entry holds.
pub fn digest(entry: &Entry) -> u64 {
    match &entry.payload {
        EntryPayload::Blank => 0,
        EntryPayload::Normal(value) => derive_seed(1, *value),
        EntryPayload::Membership(members) => {
            let mut hasher = Fingerprinter::default();
            members.get_joint_config().hash(&mut hasher);
            Hasher::finish(&hasher)
        }
    }
}

/// Log and state machine of a node.
#[derive(Clone)]
pub struct Store {
    env: Env<OpenRaft>,
    /// What is on the disk, or will be.
    pub disk: Rc<RefCell<RaftDisk<Types>>>,
    /// Up to which entry the log is durable.
    pub durable: Rc<Cell<u64>>,
    /// The last entry that was applied, and a digest of what applying all of them led to.
    pub applied: Rc<Cell<(Option<LogId>, u64)>>,
    membership: Rc<RefCell<Members>>,
}

impl Store {
    /// What a node finds when it boots.
    pub fn new(disk: RaftDisk<Types>, env: Env<OpenRaft>) -> Store {
        let (applied, membership) = match &disk.snapshot {
            Some((meta, digest)) => ((meta.last_log_id, *digest), meta.last_membership.clone()),
            None => ((None, 0), Members::default()),
        };
        let durable = Rc::new(Cell::new(disk.last()));
        let (applied, membership) = (Rc::new(Cell::new(applied)), Rc::new(RefCell::new(membership)));
        Store { env, disk: Rc::new(RefCell::new(disk)), durable, applied, membership }
    }

    #[expect(clippy::result_large_err, reason = "the error is the library's, as its traits want it")]
    fn write(&self, write: RaftWrite<Types>) -> Saved<()> {
        self.disk.borrow_mut().put(&write);
        self.env.write(write);
        self.durable.set(self.disk.borrow().last().min(self.durable.get()));
        Ok(())
    }

    /// Waits until everything written so far is durable.
    async fn flush(&self) -> Saved<()> {
        let last = self.disk.borrow().last();
        self.env.flush().await;
        self.durable.set(self.disk.borrow().last().min(last).max(self.durable.get()));
        Ok(())
    }
}

impl RaftLogReader<Types> for Store {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug>(
        &mut self,
        range: R,
    ) -> Saved<Vec<Entry>> {
        let bounds = (range.start_bound().map(|index| index + 1), range.end_bound().map(|index| index + 1));
        Ok(self.disk.borrow().range(bounds).to_vec())
    }
}

impl RaftLogStorage<Types> for Store {
    type LogReader = Store;

    async fn get_log_state(&mut self) -> Saved<LogState<Types>> {
        let disk = self.disk.borrow();
        let last_log_id = disk.entries.last().map(|entry| entry.log_id).or(disk.purged);
        Ok(LogState { last_purged_log_id: disk.purged, last_log_id })
    }

    async fn get_log_reader(&mut self) -> Store {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Saved<()> {
        self.write(RaftWrite::Vote(*vote))?;
        self.flush().await
    }

    async fn read_vote(&mut self) -> Saved<Option<Vote>> {
        Ok(self.disk.borrow().vote)
    }

    async fn append<I: IntoIterator<Item = Entry>>(
        &mut self,
        entries: I,
        done: LogFlushed<Types>,
    ) -> Saved<()> {
        self.write(RaftWrite::Append(entries.into_iter().collect()))?;
        let store = self.clone();
        self.env.spawn(async move {
            let flushed = store.flush().await;
            done.log_io_completed(flushed.map_err(std::io::Error::other));
        });
        Ok(())
    }

    async fn truncate(&mut self, from: LogId) -> Saved<()> {
        self.write(RaftWrite::Truncate(from.index + 1))
    }

    async fn purge(&mut self, upto: LogId) -> Saved<()> {
        self.write(RaftWrite::Purge(upto.index + 1, upto))
    }
}

impl RaftSnapshotBuilder<Types> for Store {
    async fn build_snapshot(&mut self) -> Saved<Snapshot<Types>> {
        let (last_log_id, digest) = self.applied.get();
        let (last_membership, snapshot_id) = (self.membership.borrow().clone(), format!("{last_log_id:?}"));
        let meta = Meta { last_log_id, last_membership, snapshot_id };
        self.write(RaftWrite::Snapshot((meta.clone(), digest)))?;
        self.flush().await?;
        Ok(Snapshot { meta, snapshot: Box::new(digest) })
    }
}

impl RaftStateMachine<Types> for Store {
    type SnapshotBuilder = Store;

    async fn applied_state(&mut self) -> Saved<(Option<LogId>, Members)> {
        Ok((self.applied.get().0, self.membership.borrow().clone()))
    }

    async fn apply<I: IntoIterator<Item = Entry>>(&mut self, entries: I) -> Saved<Vec<()>> {
        let apply = |entry: Entry| {
            let (number, (term, _)) = place_of(&entry.log_id);
            self.env.emit(Fact::new("commit").with("index", number).with("term", term));
            self.applied.set((Some(entry.log_id), derive_seed(self.applied.get().1, digest(&entry))));
            if let EntryPayload::Membership(members) = entry.payload {
                *self.membership.borrow_mut() = Members::new(Some(entry.log_id), members);
            }
        };
        Ok(entries.into_iter().map(apply).collect())
    }

    async fn get_snapshot_builder(&mut self) -> Store {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Saved<Box<u64>> {
        Ok(Box::new(0))
    }

    async fn install_snapshot(&mut self, meta: &Meta, snapshot: Box<u64>) -> Saved<()> {
        self.applied.set((meta.last_log_id, *snapshot));
        *self.membership.borrow_mut() = meta.last_membership.clone();
        self.write(RaftWrite::Snapshot((meta.clone(), *snapshot)))?;
        self.flush().await
    }

    async fn get_current_snapshot(&mut self) -> Saved<Option<Snapshot<Types>>> {
        let snapshot = self.disk.borrow().snapshot.clone();
        Ok(snapshot.map(|(meta, digest)| Snapshot { meta, snapshot: Box::new(digest) }))
    }
}
