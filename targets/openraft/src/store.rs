//! Log and state machine, in memory and on the simulated disk.

use std::cell::RefCell;
use std::fmt::Debug;
use std::ops::RangeBounds;
use std::rc::Rc;

use openraft::storage::{LogFlushed, LogState, RaftLogStorage, RaftStateMachine, Snapshot};
use openraft::{EntryPayload, RaftLogReader, RaftSnapshotBuilder, StorageError, StoredMembership};
use shakedown::async_node::{Env, Mirror};
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
        EntryPayload::Membership(members) => Fingerprinter::of(members.get_joint_config()),
    }
}

/// Log and state machine of a node.
#[derive(Clone)]
pub struct Store {
    /// What is on the disk, or will be, and up to which entry the log is durable.
    pub disk: Mirror<OpenRaft>,
    /// What a snapshot would be now: the last entry that was applied, the membership, and a digest of what
    /// all entries led to.
    pub machine: Rc<RefCell<(Meta, u64)>>,
}

impl Store {
    /// What a node finds when it boots.
    pub fn new(disk: RaftDisk<Types>, env: Env<OpenRaft>) -> Store {
        let machine = disk.snapshot.clone().unwrap_or_default();
        Store { disk: Mirror::new(env, disk, RaftDisk::last), machine: Rc::new(RefCell::new(machine)) }
    }
}

impl RaftLogReader<Types> for Store {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug>(
        &mut self,
        range: R,
    ) -> Saved<Vec<Entry>> {
        let bounds = (range.start_bound().map(|index| index + 1), range.end_bound().map(|index| index + 1));
        Ok(self.disk.get().range(bounds).to_vec())
    }
}

impl RaftLogStorage<Types> for Store {
    type LogReader = Store;

    async fn get_log_state(&mut self) -> Saved<LogState<Types>> {
        let disk = self.disk.get();
        let last_log_id = disk.entries.last().map(|entry| entry.log_id).or(disk.purged);
        Ok(LogState { last_purged_log_id: disk.purged, last_log_id })
    }

    async fn get_log_reader(&mut self) -> Store {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Saved<()> {
        self.disk.save(RaftWrite::Vote(*vote)).await;
        Ok(())
    }

    async fn read_vote(&mut self) -> Saved<Option<Vote>> {
        Ok(self.disk.get().vote)
    }

    async fn append<I: IntoIterator<Item = Entry>>(
        &mut self,
        entries: I,
        done: LogFlushed<Types>,
    ) -> Saved<()> {
        self.disk.write(RaftWrite::Append(entries.into_iter().collect()));
        let flushed = self.disk.flush();
        self.disk.env().spawn(async move {
            flushed.await;
            done.log_io_completed(Ok(()));
        });
        Ok(())
    }

    async fn truncate(&mut self, from: LogId) -> Saved<()> {
        self.disk.write(RaftWrite::Truncate(from.index + 1));
        Ok(())
    }

    async fn purge(&mut self, upto: LogId) -> Saved<()> {
        self.disk.write(RaftWrite::Purge(upto.index + 1, upto));
        Ok(())
    }
}

impl RaftSnapshotBuilder<Types> for Store {
    async fn build_snapshot(&mut self) -> Saved<Snapshot<Types>> {
        let (mut meta, digest) = self.machine.borrow().clone();
        meta.snapshot_id = format!("{:?}", meta.last_log_id);
        self.disk.save(RaftWrite::Snapshot((meta.clone(), digest))).await;
        Ok(Snapshot { meta, snapshot: Box::new(digest) })
    }
}

impl RaftStateMachine<Types> for Store {
    type SnapshotBuilder = Store;

    async fn applied_state(&mut self) -> Saved<(Option<LogId>, Members)> {
        let (meta, _) = &*self.machine.borrow();
        Ok((meta.last_log_id, meta.last_membership.clone()))
    }

    async fn apply<I: IntoIterator<Item = Entry>>(&mut self, entries: I) -> Saved<Vec<()>> {
        let (meta, state) = &mut *self.machine.borrow_mut();
        let apply = |entry: Entry| {
            let (number, (term, _)) = place_of(&entry.log_id);
            self.disk.env().emit(Fact::new("commit").with("index", number).with("term", term));
            (meta.last_log_id, *state) = (Some(entry.log_id), derive_seed(*state, digest(&entry)));
            if let EntryPayload::Membership(members) = entry.payload {
                meta.last_membership = Members::new(Some(entry.log_id), members);
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
        *self.machine.borrow_mut() = (meta.clone(), *snapshot);
        self.disk.save(RaftWrite::Snapshot((meta.clone(), *snapshot))).await;
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> Saved<Option<Snapshot<Types>>> {
        let snapshot = self.disk.get().snapshot.clone();
        Ok(snapshot.map(|(meta, digest)| Snapshot { meta, snapshot: Box::new(digest) }))
    }
}
