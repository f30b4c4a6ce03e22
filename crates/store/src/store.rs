//! The store of a folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use shakedown_campaign::{
    Campaign, CampaignError, Checkpoint, Ledger, LedgerError, Plan, Progress, Room, Standing, Summary,
};

use crate::StoreError;

/// The file in a campaign's folder.
const FILE: &str = "campaign.sqlite";
/// The file that says whether somebody is at work.
const LOCK: &str = "campaign.lock";
/// What SQLite's header says of whose file it is: "shak".
const APPLICATION: i32 = 0x7368_616b;
/// The version of the schema.
const VERSION: i32 = 1;
/// How long to wait for somebody who reads or writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of a campaign in its store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CampaignId(i64);

/// A campaign as it was kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its number.
    pub id: CampaignId,
    /// What it was to do.
    pub plan: Plan,
    /// Where it stands; nothing if it has not begun. What was covered is there, too.
    pub standing: Option<Standing>,
    /// Whether it has come to its end.
    pub is_over: bool,
}

impl Kept {
    /// How far it has come: whether it is over, and after how many executions.
    fn progress(&self) -> (bool, Option<u64>) {
        (self.is_over, self.standing.as_ref().map(|standing| standing.executions))
    }
}

/// Campaigns in a folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    connection: Mutex<Connection>,
    /// The most bytes that the file may have.
    disk_max: Option<u64>,
    /// Held as long as the store is open for writing.
    _lock: Option<File>,
}

impl Store {
    /// A new store in a folder, which is made if it is not there.
    pub fn create(folder: &Path) -> Result<Store, StoreError> {
        fs::create_dir_all(folder).map_err(|source| StoreError::Io { path: folder.into(), source })?;
        let lock = lock(folder)?;
        if Store::is_in(folder) {
            return Err(StoreError::Taken { folder: folder.into() });
        }
        let path = folder.join(FILE);
        let sql = |source| StoreError::Sql { path: path.clone(), source };
        let mut connection = Connection::open(&path).map_err(sql)?;
        connection.pragma_update(None, "journal_mode", "wal").map_err(sql)?;
        let transaction = connection.transaction().map_err(sql)?;
        transaction.execute_batch(include_str!("schema.sql")).map_err(sql)?;
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(sql)?;
        transaction.pragma_update(None, "user_version", VERSION).map_err(sql)?;
        transaction.commit().map_err(sql)?;
        Store::prepared(folder, connection, Some(lock))
    }

    /// The store of a folder, to go on with its campaigns.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        Store::check_is_in(folder)?;
        let lock = lock(folder)?;
        let connection = Store::connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Store::prepared(folder, connection, Some(lock))
    }

    /// The store of a folder, to be looked at, also while somebody is at work on it.
    pub fn look_at(folder: &Path) -> Result<Store, StoreError> {
        Store::check_is_in(folder)?;
        // A file in write-ahead mode can only be read by somebody who may write beside it.
        let connection = Store::connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Store::prepared(folder, connection, None)
    }

    /// Whether a folder holds a store.
    pub fn is_in(folder: &Path) -> bool {
        // A process that ended before its store was made leaves an empty file.
        fs::metadata(folder.join(FILE)).is_ok_and(|file| file.len() > 0)
    }

    fn check_is_in(folder: &Path) -> Result<(), StoreError> {
        if Store::is_in(folder) { Ok(()) } else { Err(StoreError::Nothing { folder: folder.into() }) }
    }

    fn connect(folder: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
        let path = folder.join(FILE);
        let foreign = |reason: String| StoreError::Foreign { path: path.clone(), reason };
        let connection = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|source| StoreError::Sql { path: path.clone(), source })?;
        let number = |pragma: &str| {
            connection
                .pragma_query_value(None, pragma, |row| row.get::<_, i32>(0))
                .map_err(|error| foreign(error.to_string()))
        };
        if number("application_id")? != APPLICATION {
            return Err(foreign("it was not written by Shakedown".to_owned()));
        }
        match number("user_version")? {
            VERSION => {}
            other => {
                return Err(foreign(format!("it has version {other}, this one reads version {VERSION}")));
            }
        }
        Ok(connection)
    }

    fn prepared(folder: &Path, connection: Connection, lock: Option<File>) -> Result<Store, StoreError> {
        let store =
            Store { folder: folder.into(), connection: Mutex::new(connection), disk_max: None, _lock: lock };
        {
            let connection = store.connection();
            connection.busy_timeout(PATIENCE).map_err(|source| store.sql(source))?;
            // A process that is killed loses nothing that was committed; a machine that is may lose the last commits.
            connection.pragma_update(None, "synchronous", "normal").map_err(|source| store.sql(source))?;
        }
        Ok(store)
    }

    /// The same store, which may have at most so many bytes; campaigns that come to more are cut short.
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

    /// Enters a campaign that is to be run.
    pub fn enter(&self, plan: &Plan) -> Result<CampaignId, StoreError> {
        let text = serde_json::to_string(plan).map_err(|error| self.foreign(error.to_string()))?;
        let connection = self.connection();
        let known = connection
            .query_row("SELECT id FROM campaign WHERE plan = ?1", [&text], |row| row.get(0))
            .optional()
            .map_err(|source| self.sql(source))?;
        if let Some(id) = known {
            return Ok(CampaignId(id));
        }
        connection
            .execute("INSERT INTO campaign (plan) VALUES (?1)", [&text])
            .map_err(|source| self.sql(source))?;
        Ok(CampaignId(connection.last_insert_rowid()))
    }

    /// Every campaign, in the order in which they were entered, as it was kept last.
    pub fn campaigns(&self) -> Result<Vec<Kept>, StoreError> {
        let ids = {
            let connection = self.connection();
            let mut statement = connection
                .prepare_cached("SELECT id FROM campaign ORDER BY id")
                .map_err(|source| self.sql(source))?;
            let rows = statement.query_map([], |row| row.get(0)).map_err(|source| self.sql(source))?;
            rows.collect::<Result<Vec<i64>, _>>().map_err(|source| self.sql(source))?
        };
        ids.into_iter().map(|id| self.campaign(CampaignId(id))).collect()
    }

    /// A campaign as it was kept last.
    pub fn campaign(&self, id: CampaignId) -> Result<Kept, StoreError> {
        let connection = self.connection();
        let (plan, standing, is_over): (String, Option<String>, Option<bool>) = connection
            .query_row(
                "SELECT plan, standing, is_over FROM campaign LEFT JOIN standing ON campaign = id WHERE id = ?1",
                [id.0],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .map_err(|source| self.sql(source))?;
        let plan = serde_json::from_str(&plan).map_err(|error| self.foreign(format!("a plan: {error}")))?;
        let standing = match standing {
            None => None,
            Some(text) => {
                let mut standing: Standing = serde_json::from_str(&text)
                    .map_err(|error| self.foreign(format!("a standing: {error}")))?;
                for (guide, coverage) in standing.coverage.iter_mut().enumerate() {
                    coverage.take_up(self.covered(&connection, id, guide)?);
                }
                Some(standing)
            }
        };
        Ok(Kept { id, plan, standing, is_over: is_over.unwrap_or(false) })
    }

    fn covered(&self, connection: &Connection, id: CampaignId, guide: usize) -> Result<Vec<u64>, StoreError> {
        let mut statement = connection
            .prepare_cached("SELECT items FROM covered WHERE campaign = ?1 AND guide = ?2")
            .map_err(|source| self.sql(source))?;
        let mut rows = statement.query(params![id.0, guide]).map_err(|source| self.sql(source))?;
        let mut items = Vec::new();
        while let Some(row) = rows.next().map_err(|source| self.sql(source))? {
            let bytes = row.get_ref(0).and_then(|value| Ok(value.as_blob()?));
            let bytes = bytes.map_err(|source| self.sql(source))?;
            let (words, rest) = bytes.as_chunks();
            if !rest.is_empty() {
                return Err(self.foreign("what was covered is not a row of 64-bit numbers".to_owned()));
            }
            items.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Ok(items)
    }

    /// What the strategy of a campaign has learned, in its own form; nothing if it has not begun.
    pub fn learned(&self, id: CampaignId) -> Result<Vec<u8>, StoreError> {
        let connection = self.connection();
        let learned =
            connection
                .query_row("SELECT learned FROM standing WHERE campaign = ?1", [id.0], |row| row.get(0));
        Ok(learned.optional().map_err(|source| self.sql(source))?.unwrap_or_default())
    }

    /// Takes in all campaigns of another store that are not here yet, or have not come as far here.
    pub fn take_all_of(&self, other: &Store) -> Result<(), StoreError> {
        for kept in other.campaigns()? {
            let id = self.enter(&kept.plan)?;
            let here = self.campaign(id)?;
            if kept.progress() <= here.progress() {
                continue;
            }
            let Some(standing) = kept.standing else { continue };
            self.forget_covered(id)?;
            let fresh = {
                let connection = other.connection();
                let guides = 0..standing.coverage.len();
                guides
                    .map(|guide| other.covered(&connection, kept.id, guide))
                    .collect::<Result<Vec<_>, _>>()?
            };
            let learned = other.learned(kept.id)?;
            let (standing, is_over) = (&standing, kept.is_over);
            self.keep(id, &Checkpoint { standing, fresh: &fresh, learned: &learned, is_over })?;
        }
        Ok(())
    }

    /// What was covered is only ever added to, so it must go before another standing takes its place.
    fn forget_covered(&self, id: CampaignId) -> Result<(), StoreError> {
        let connection = self.connection();
        let deleted = connection.execute("DELETE FROM covered WHERE campaign = ?1", [id.0]);
        deleted.map(drop).map_err(|source| self.sql(source))
    }

    /// Runs a campaign from where it stands to its end, or until a limit cuts it short. The campaign must be that of the
    /// plan that was entered; what never changes a result, such as the number of jobs, may be different.
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
                let learned = self.learned(id).map_err(LedgerError::from)?;
                explorer.load(&learned).map_err(|reason| {
                    LedgerError::from(self.foreign(format!("what the strategy had learned: {reason}")))
                })?;
                standing
            }
        };
        campaign.go_on(standing, explorer.as_mut(), &mut Entry { store: self, id }, progress)
    }

    fn keep(&self, id: CampaignId, checkpoint: &Checkpoint<'_>) -> Result<Room, StoreError> {
        let Checkpoint { standing, fresh, learned, is_over } = checkpoint;
        let text = serde_json::to_string(standing).map_err(|error| self.foreign(error.to_string()))?;
        {
            let mut connection = self.connection();
            let sql = |source| self.sql(source);
            let transaction = connection.transaction().map_err(sql)?;
            transaction
                .prepare_cached("INSERT OR REPLACE INTO standing VALUES (?1, ?2, ?3, ?4, ?5)")
                .and_then(|mut insert| {
                    insert.execute(params![id.0, standing.executions, is_over, text, learned])
                })
                .map_err(sql)?;
            for (guide, fresh) in fresh.iter().enumerate().filter(|(_, fresh)| !fresh.is_empty()) {
                let items: Vec<u8> = fresh.iter().flat_map(|item| item.to_le_bytes()).collect();
                transaction
                    .prepare_cached("INSERT INTO covered VALUES (?1, ?2, ?3, ?4)")
                    .and_then(|mut insert| insert.execute(params![id.0, guide, standing.executions, items]))
                    .map_err(sql)?;
            }
            transaction.commit().map_err(sql)?;
        }
        match self.disk_max {
            Some(most) if self.size()? > most => Ok(Room::Full),
            _ => Ok(Room::Enough),
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sql(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Sql { path: self.folder.join(FILE), source }
    }

    fn foreign(&self, reason: String) -> StoreError {
        StoreError::Foreign { path: self.folder.join(FILE), reason }
    }
}

/// Keeps others from working on the folder as long as the file is open, whatever ends this process.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let io = |source| StoreError::Io { path: path.clone(), source };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { folder: folder.into() }),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// The place of one campaign in the store.
struct Entry<'a> {
    store: &'a Store,
    id: CampaignId,
}

impl Ledger for Entry<'_> {
    fn keep(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Room, LedgerError> {
        Ok(self.store.keep(self.id, checkpoint)?)
    }
}
