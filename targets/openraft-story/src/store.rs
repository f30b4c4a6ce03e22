//! A log and a state machine in memory. The log is on a disk that may be slow.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Cursor;
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openraft::storage::{LogFlushed, LogState, RaftLogStorage, RaftStateMachine, Snapshot};
use openraft::{
    EntryPayload, RaftLogReader, RaftSnapshotBuilder, SnapshotMeta, StorageError, StoredMembership,
};

use crate::{Entry, LogId, Types, Vote};

type Saved<T> = Result<T, StorageError<u64>>;
type Meta = SnapshotMeta<u64, ()>;

#[derive(Default)]
struct Contents {
    vote: Option<Vote>,
    log: BTreeMap<u64, Entry>,
    purged: Option<LogId>,
    applied: Option<LogId>,
    membership: StoredMembership<u64, ()>,
    snapshot: Option<Meta>,
    flush_time: Duration,
}

/// Everything that a node stores.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<Contents>>);

impl Store {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on it takes this long until an append is durable.
    pub fn flush_takes(&self, time: Duration) {
        self.lock().flush_time = time;
    }

    fn snapshot(&self) -> Option<Snapshot<Types>> {
        let meta = self.lock().snapshot.clone()?;
        Some(Snapshot { meta, snapshot: Box::new(Cursor::new(Vec::new())) })
    }
}

impl RaftLogReader<Types> for Store {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug + Send>(
        &mut self,
        range: R,
    ) -> Saved<Vec<Entry>> {
        Ok(self.lock().log.range(range).map(|(_, entry)| entry.clone()).collect())
    }
}

impl RaftLogStorage<Types> for Store {
    type LogReader = Store;

    async fn get_log_state(&mut self) -> Saved<LogState<Types>> {
        let contents = self.lock();
        let last = contents.log.values().next_back().map(|entry| entry.log_id);
        Ok(LogState { last_purged_log_id: contents.purged, last_log_id: last.or(contents.purged) })
    }

    async fn get_log_reader(&mut self) -> Store {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Saved<()> {
        self.lock().vote = Some(*vote);
        Ok(())
    }

    async fn read_vote(&mut self) -> Saved<Option<Vote>> {
        Ok(self.lock().vote)
    }

    async fn append<I: IntoIterator<Item = Entry> + Send>(
        &mut self,
        entries: I,
        done: LogFlushed<Types>,
    ) -> Saved<()>
    where
        I::IntoIter: Send,
    {
        let flush_time = {
            let mut contents = self.lock();
            contents.log.extend(entries.into_iter().map(|entry| (entry.log_id.index, entry)));
            contents.flush_time
        };
        tokio::spawn(async move {
            tokio::time::sleep(flush_time).await;
            done.log_io_completed(Ok(()));
        });
        Ok(())
    }

    async fn truncate(&mut self, from: LogId) -> Saved<()> {
        self.lock().log.split_off(&from.index);
        Ok(())
    }

    async fn purge(&mut self, upto: LogId) -> Saved<()> {
        let mut contents = self.lock();
        contents.log = contents.log.split_off(&(upto.index + 1));
        contents.purged = Some(upto);
        Ok(())
    }
}

impl RaftSnapshotBuilder<Types> for Store {
    async fn build_snapshot(&mut self) -> Saved<Snapshot<Types>> {
        {
            let mut contents = self.lock();
            let snapshot_id = format!("{:?}", contents.applied);
            let (last_log_id, last_membership) = (contents.applied, contents.membership.clone());
            contents.snapshot = Some(Meta { last_log_id, last_membership, snapshot_id });
        }
        Ok(self.snapshot().expect("it has just been made"))
    }
}

impl RaftStateMachine<Types> for Store {
    type SnapshotBuilder = Store;

    async fn applied_state(&mut self) -> Saved<(Option<LogId>, StoredMembership<u64, ()>)> {
        let contents = self.lock();
        Ok((contents.applied, contents.membership.clone()))
    }

    async fn apply<I: IntoIterator<Item = Entry> + Send>(&mut self, entries: I) -> Saved<Vec<()>>
    where
        I::IntoIter: Send,
    {
        let mut contents = self.lock();
        let apply = |entry: Entry| {
            contents.applied = Some(entry.log_id);
            if let EntryPayload::Membership(members) = entry.payload {
                contents.membership = StoredMembership::new(Some(entry.log_id), members);
            }
        };
        Ok(entries.into_iter().map(apply).collect())
    }

    async fn get_snapshot_builder(&mut self) -> Store {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Saved<Box<Cursor<Vec<u8>>>> {
        Ok(Box::default())
    }

    async fn install_snapshot(&mut self, meta: &Meta, _: Box<Cursor<Vec<u8>>>) -> Saved<()> {
        let mut contents = self.lock();
        (contents.applied, contents.membership) = (meta.last_log_id, meta.last_membership.clone());
        contents.snapshot = Some(meta.clone());
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> Saved<Option<Snapshot<Types>>> {
        Ok(self.snapshot())
    }
}
