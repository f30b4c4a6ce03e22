//! The store of a folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use shakedown_campaign::{
    Campaign, CampaignError, Checkpoint, Failure, Ledger, LedgerError, Plan, Progress, Room, Standing,
    Summary, Trial,
};

use crate::connect::{APPLICATION, VERSION, connect, connect_to_look, is_taken, nothing_in};
use crate::folder::{database, draft, failures_in, lock, remove_database, sweep, sync};
use crate::parts::{check_apart, join_all};
use crate::reading::{Reader, VERSION_1};
use crate::sql_error::sql_error;
use crate::{CampaignId, Kept, Overview, StoreError, writing};

/// Campaigns in a folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The database: in the folder, under its own name or that of a draft.
    path: PathBuf,
    connection: Mutex<Connection>,
    /// The version of its schema.
    version: i32,
    /// The most bytes that the file may have.
    disk_max: Option<u64>,
    /// Held as long as the store is open for writing.
    _lock: Option<File>,
}

impl Store {
    /// A new store with campaigns that are to be run, in a folder, which is made if it is not there. Either
    /// all of them are in it, or the folder counts as new.
    pub fn create(folder: &Path, plans: &[Plan]) -> Result<(Store, Vec<CampaignId>), StoreError> {
        Store::made(folder, |store| {
            let mut connection = store.connection();
            let transaction = store.write(&mut connection)?;
            let ids = plans.iter().map(|plan| store.enter(&transaction, plan)).collect::<Result<_, _>>()?;
            store.commit(transaction)?;
            Ok(ids)
        })
    }

    /// A new store with all campaigns of other ones. Of two copies of a campaign, the one that came further
    /// is taken.
    pub fn merge(stores: &[Store], into: &Path) -> Result<Store, StoreError> {
        let plans = stores.iter().map(Store::plans).collect::<Result<Vec<_>, _>>()?;
        check_apart(&plans.concat())?;
        let merge = |merged: &Store| stores.iter().try_for_each(|store| merged.take_all_of(store));
        Ok(Store::made(into, merge)?.0)
    }

    /// A new store that is filled before it gets its name.
    fn made<T>(
        folder: &Path,
        fill: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<(Store, T), StoreError> {
        fs::create_dir_all(folder).map_err(|source| StoreError::Io { path: folder.into(), source })?;
        let lock = lock(folder)?;
        if is_taken(folder)? {
            return Err(StoreError::Taken { folder: folder.into() });
        }
        sweep(folder);
        let made = Store::drafted(folder).and_then(|store| {
            let filled = fill(&store)?;
            store.publish()?;
            Ok(filled)
        });
        let filled = made.inspect_err(|_| remove_database(&draft(folder)))?;
        let (connection, version) = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Ok((Store::of(folder, database(folder), connection, version, Some(lock)), filled))
    }

    /// An empty store under the name of a draft.
    fn drafted(folder: &Path) -> Result<Store, StoreError> {
        let path = draft(folder);
        let begin = || {
            let mut connection = Connection::open(&path)?;
            // A draft that is not finished is thrown away, so nothing has to be undone or synced before its
            // end.
            connection.pragma_update(None, "journal_mode", "memory")?;
            connection.pragma_update(None, "synchronous", "off")?;
            let transaction = connection.transaction()?;
            transaction.execute_batch(include_str!("schema.sql"))?;
            writing::upgrade(&transaction)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.commit()?;
            Ok(connection)
        };
        let connection = begin().map_err(|error| sql_error(&path, error))?;
        Ok(Store::of(folder, path, connection, VERSION, None))
    }

    /// Gives a draft its name, when all of it is on disk and it is in write-ahead mode.
    fn publish(self) -> Result<(), StoreError> {
        let Store { folder, path, connection, .. } = self;
        let connection = connection.into_inner().unwrap_or_else(PoisonError::into_inner);
        connection
            .pragma_update(None, "journal_mode", "wal")
            .and_then(|()| connection.close().map_err(|(_, error)| error))
            .map_err(|error| sql_error(&path, error))?;
        let io = |source| StoreError::Io { path: path.clone(), source };
        File::open(&path).and_then(|file| file.sync_all()).map_err(io)?;
        // What is there has no campaign, and its log must not be taken for that of the new file.
        remove_database(&database(&folder));
        fs::rename(&path, database(&folder)).map_err(io)?;
        sync(&folder);
        Ok(())
    }

    /// The store of a folder, to go on with its campaigns. Drafts that a killed process left are removed.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        Store::check_is_in(folder)?;
        let lock = lock(folder)?;
        let (connection, version) = connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        sweep(folder);
        let mut store = Store::of(folder, database(folder), connection, version, Some(lock));
        if version == VERSION_1 {
            store.upgrade()?;
            store.version = VERSION;
        }
        Ok(store)
    }

    /// The store of a folder, to be looked at, also while a process works on it, and also where nothing can
    /// be written.
    pub fn look_at(folder: &Path) -> Result<Store, StoreError> {
        Store::check_is_in(folder)?;
        let (connection, version) = connect_to_look(folder)?;
        Ok(Store::of(folder, database(folder), connection, version, None))
    }

    /// Whether a folder holds a file of a store.
    pub fn is_in(folder: &Path) -> bool {
        // Version 1 left an empty file if its process ended before the store was made.
        fs::metadata(database(folder)).is_ok_and(|file| file.len() > 0)
    }

    fn check_is_in(folder: &Path) -> Result<(), StoreError> {
        if Store::is_in(folder) { Ok(()) } else { Err(nothing_in(folder)) }
    }

    fn of(folder: &Path, path: PathBuf, connection: Connection, version: i32, lock: Option<File>) -> Store {
        let connection = Mutex::new(connection);
        Store { folder: folder.into(), path, connection, version, disk_max: None, _lock: lock }
    }

    /// The same store, which may have at most this many bytes; campaigns that come to more are cut short.
    #[must_use]
    pub fn with_disk_max(mut self, bytes: Option<u64>) -> Store {
        self.disk_max = bytes;
        self
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The size of its file in bytes, without what is still to be written into it.
    pub fn size(&self) -> Result<u64, StoreError> {
        let connection = self.connection();
        let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
        let pages = number("page_count").map_err(|source| self.sql(source))?;
        Ok(pages * number("page_size").map_err(|source| self.sql(source))?)
    }

    /// Every campaign, in the order in which they were entered, as they were stored last. Parts are campaigns
    /// of their own here.
    pub fn campaigns(&self) -> Result<Vec<Kept>, StoreError> {
        self.read(|reader| reader.all())
    }

    /// Every campaign, with the parts of each joined: what they came to is what the undivided campaign would
    /// have.
    pub fn joined_campaigns(&self) -> Result<Vec<Kept>, StoreError> {
        join_all(self.campaigns()?)
    }

    /// Every campaign at a glance, in the order in which they were entered. What was covered is counted, and
    /// not read: it takes the same short time however long a campaign runs.
    pub fn overviews(&self) -> Result<Vec<Overview>, StoreError> {
        self.read(|reader| reader.ids()?.into_iter().map(|id| reader.overview(id)).collect())
    }

    /// Every campaign at a glance, with the parts of each joined. Only where there are parts, what they
    /// covered is read, for it has to be joined.
    pub fn joined_overviews(&self) -> Result<Vec<Overview>, StoreError> {
        let overviews = self.overviews()?;
        let is_part = |(number, overview): (usize, &Overview)| {
            overviews[..number].iter().any(|other| other.plan.is_part_like(&overview.plan))
        };
        if !overviews.iter().enumerate().any(is_part) {
            return Ok(overviews);
        }
        Ok(self.joined_campaigns()?.into_iter().map(Kept::overview).collect())
    }

    /// A campaign as it was stored last.
    pub fn campaign(&self, id: CampaignId) -> Result<Kept, StoreError> {
        self.read(|reader| reader.campaign(id))
    }

    fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.read(|reader| reader.plans())
    }

    /// Reads in one transaction: everything is of one moment.
    fn read<T>(&self, read: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let transaction = connection.transaction().map_err(|source| self.sql(source))?;
        read(&self.reader(&transaction))
    }

    fn reader<'a>(&'a self, connection: &'a Connection) -> Reader<'a> {
        Reader { connection, path: &self.path, version: self.version }
    }

    /// A transaction that writes. It is undone unless it is committed.
    fn write<'a>(&self, connection: &'a mut Connection) -> Result<Transaction<'a>, StoreError> {
        connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|source| self.sql(source))
    }

    fn commit(&self, transaction: Transaction<'_>) -> Result<(), StoreError> {
        transaction.commit().map_err(|source| self.sql(source))
    }

    fn enter(&self, connection: &Connection, plan: &Plan) -> Result<CampaignId, StoreError> {
        let text = serde_json::to_string(plan).map_err(|error| self.foreign(error.to_string()))?;
        writing::enter(connection, &text).map_err(|source| self.sql(source))
    }

    fn upgrade(&self) -> Result<(), StoreError> {
        let mut connection = self.connection();
        let transaction = self.write(&mut connection)?;
        let campaigns = self.reader(&transaction).ids()?;
        let mut covered = Vec::new();
        for id in campaigns {
            let record = self.reader(&transaction).whole_campaign(id)?.record;
            covered.push((id, record.covered.iter().map(|items| items.len() as u64).collect::<Vec<_>>()));
        }
        let upgrade = || {
            writing::upgrade(&transaction)?;
            covered.iter().try_for_each(|(id, covered)| writing::seal(&transaction, *id, covered))?;
            transaction.pragma_update(None, "user_version", VERSION)
        };
        upgrade().map_err(|source| self.sql(source))?;
        self.commit(transaction)
    }

    /// Takes in all campaigns of another store that are not here yet, or have not come as far here: those of
    /// one moment, in one transaction.
    fn take_all_of(&self, other: &Store) -> Result<(), StoreError> {
        let mut mine = self.connection();
        let transaction = self.write(&mut mine)?;
        other.read(|reader| {
            for id in reader.ids()? {
                let kept = reader.whole_campaign(id)?;
                self.take(&transaction, kept)?;
            }
            Ok(())
        })?;
        self.commit(transaction)
    }

    fn take(&self, transaction: &Transaction<'_>, mut kept: Kept) -> Result<(), StoreError> {
        let id = self.enter(transaction, &kept.plan)?;
        let here = self.reader(transaction).campaign(id)?;
        if kept.progress() <= here.progress() {
            return Ok(());
        }
        let Some(standing) = &mut kept.standing else { return Ok(()) };
        self.take_failures(standing);
        writing::forget(transaction, id).map_err(|source| self.sql(source))?;
        let checkpoint = Checkpoint {
            standing,
            fresh: &kept.record.covered,
            journal: &kept.record.journal,
            learned: &kept.learned,
            is_over: kept.is_over,
        };
        self.put(transaction, id, &checkpoint)
    }

    /// Failure files are written here, too: the folder that a campaign was run in may be on another machine.
    fn take_failures(&self, standing: &mut Standing) {
        for finding in &mut standing.findings {
            let Some(path) = &mut finding.path else { continue };
            let here = failures_in(&self.folder).join(finding.failure.file_name());
            match finding.failure.write(&here) {
                Ok(()) => *path = here,
                Err(error) => finding.file_error = Some(error.to_string()),
            }
        }
    }

    /// Runs a campaign from where it stands to its end, or until a limit cuts it short. The campaign must be
    /// that of the plan that was entered; what never changes a result, such as the number of jobs, may be
    /// different.
    pub fn go_on(
        &self,
        id: CampaignId,
        campaign: &Campaign<'_>,
        progress: &dyn Progress,
    ) -> Result<Summary, CampaignError> {
        let kept = self.campaign(id).map_err(LedgerError::from)?;
        let mut explorer = campaign.explorer()?;
        let guides = campaign.guides(explorer.as_ref());
        let standing = match kept.standing {
            None => Standing::new(&guides),
            Some(standing) => {
                let known: Vec<_> = standing.coverage.iter().map(|coverage| &coverage.guide).collect();
                if !known.into_iter().eq(&guides) {
                    let reason = "the guides of the campaign are not those that it was kept with".to_owned();
                    return Err(CampaignError::Ledger(self.foreign(reason).into()));
                }
                explorer.load(&kept.learned).map_err(|reason| {
                    LedgerError::from(self.foreign(format!("what the strategy had learned: {reason}")))
                })?;
                standing
            }
        };
        let mut entry = Entry { store: self, id, is_in_the_file: false };
        campaign.go_on(standing, explorer.as_mut(), &mut entry, progress)
    }

    /// Takes in what came of a whole campaign elsewhere.
    pub fn take_trial(&self, id: CampaignId, trial: &Trial) -> Result<Room, LedgerError> {
        trial.keep(&mut Entry { store: self, id, is_in_the_file: false })
    }

    /// Gives a campaign this many executions in all, so that it goes on from where it stands. Gives its plan.
    pub fn extend(&self, id: CampaignId, executions: u64) -> Result<Plan, StoreError> {
        let mut connection = self.connection();
        let transaction = self.write(&mut connection)?;
        let kept = self.reader(&transaction).whole_campaign(id)?;
        let plan = Plan { executions, ..kept.plan };
        let text = serde_json::to_string(&plan).map_err(|error| self.foreign(error.to_string()))?;
        writing::replan(&transaction, id, &text).map_err(|source| self.sql(source))?;
        if let Some(standing) = &kept.standing {
            let is_over = standing.executions >= executions;
            let learned = &kept.learned[..];
            let checkpoint = Checkpoint { standing, fresh: &[], journal: &[], learned, is_over };
            self.put(&transaction, id, &checkpoint)?;
        }
        self.commit(transaction)?;
        Ok(plan)
    }

    /// Replaces the failure of a finding by a better schedule of it, and its file by one of the right name.
    /// Gives the path of that file; nothing if no finding of a campaign here has this failure.
    pub fn replace_failure(&self, old: &Failure, new: &Failure) -> Result<Option<PathBuf>, StoreError> {
        let path = failures_in(&self.folder).join(new.file_name());
        let mut is_here = false;
        {
            let mut connection = self.connection();
            let transaction = self.write(&mut connection)?;
            for id in self.reader(&transaction).ids()? {
                let mut kept = self.reader(&transaction).whole_campaign(id)?;
                let Some(standing) = &mut kept.standing else { continue };
                let mut findings = standing.findings.iter_mut().filter(|finding| finding.failure == *old);
                let Some(finding) = findings.next() else { continue };
                if !kept.is_over {
                    return Err(StoreError::NotOver { folder: self.folder.clone() });
                }
                new.write(&path).map_err(|error| StoreError::Failure(Box::new(error)))?;
                (finding.failure, finding.path, finding.file_error) = (new.clone(), Some(path.clone()), None);
                let (learned, is_over) = (&kept.learned[..], kept.is_over);
                let checkpoint = Checkpoint { standing, fresh: &[], journal: &[], learned, is_over };
                self.put(&transaction, id, &checkpoint)?;
                is_here = true;
            }
            self.commit(transaction)?;
        }
        let before = failures_in(&self.folder).join(old.file_name());
        if is_here && before != path {
            // The former file may stay if it cannot be removed: it fails as well.
            let _ = fs::remove_file(before);
        }
        Ok(is_here.then_some(path))
    }

    fn keep(&self, id: CampaignId, checkpoint: &Checkpoint<'_>) -> Result<Room, StoreError> {
        {
            let mut connection = self.connection();
            let transaction = self.write(&mut connection)?;
            self.put(&transaction, id, checkpoint)?;
            self.commit(transaction)?;
        }
        match self.disk_max {
            Some(most) if self.size()? > most => Ok(Room::Full),
            _ => Ok(Room::Enough),
        }
    }

    fn put(
        &self,
        transaction: &Transaction<'_>,
        id: CampaignId,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<(), StoreError> {
        let text =
            serde_json::to_string(checkpoint.standing).map_err(|error| self.foreign(error.to_string()))?;
        writing::checkpoint(transaction, id, checkpoint, &text).map_err(|source| self.sql(source))
    }

    /// Moves what is in the write-ahead log into the file itself, as far as no reader is in the way.
    fn move_log_into_file(&self) {
        // It is stored either way: if this fails, it is done later.
        let _ = self.connection().execute_batch("PRAGMA wal_checkpoint(PASSIVE)");
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sql(&self, source: rusqlite::Error) -> StoreError {
        sql_error(&self.path, source)
    }

    fn foreign(&self, reason: String) -> StoreError {
        StoreError::Foreign { path: self.path.clone(), reason }
    }
}

/// The place of one campaign in the store.
struct Entry<'a> {
    store: &'a Store,
    id: CampaignId,
    /// Whether a checkpoint has been moved from the log into the file. The first one is at once: a young log
    /// that is damaged must not take everything with it.
    is_in_the_file: bool,
}

impl Ledger for Entry<'_> {
    fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
        let room = self.store.keep(self.id, checkpoint)?;
        if !self.is_in_the_file {
            self.store.move_log_into_file();
            self.is_in_the_file = true;
        }
        Ok(room)
    }
}
