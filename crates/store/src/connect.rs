//! Opening the database of a folder, and finding out whether it is one of ours.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::StoreError;
use crate::folder::{database, log_size, was_begun};
use crate::reading::VERSION_1;
use crate::sql_error::sql_error;

/// What SQLite's header holds as the program that the file belongs to: "shak".
pub(crate) const APPLICATION: i32 = 0x7368_616b;
/// The version of the schema.
pub(crate) const VERSION: i32 = 2;
/// How long to wait for another process that reads or writes.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest write-ahead log of a store of version 1 that was killed before its schema was there. One
/// without a schema and with a larger log has lost its contents.
const UNBORN_LOG_MAX: u64 = 64 << 10;
/// The write-ahead log goes into the database after so many pages: what is only in the log is lost if the log
/// is damaged.
const LOG_PAGES_MAX: u32 = 64;

/// The database of a folder with the version of its schema.
pub(crate) fn connect(folder: &Path, flags: OpenFlags) -> Result<(Connection, i32), StoreError> {
    let path = database(folder);
    let connection = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|source| sql_error(&path, source))?;
    connection.busy_timeout(PATIENCE).map_err(|source| sql_error(&path, source))?;
    let version = version_of(folder, &path, &connection)?;
    prepare(&connection).map_err(|source| sql_error(&path, source))?;
    Ok((connection, version))
}

/// The same to be looked at only, also where nothing can be written.
pub(crate) fn connect_to_look(folder: &Path) -> Result<(Connection, i32), StoreError> {
    // A database in write-ahead mode can only be read by a process that may write beside it, or knows that
    // nothing changes.
    match connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Err(StoreError::Sql { source, path }) if cannot_write_beside(&source) => {
            if log_size(&path) > 0 {
                return Err(StoreError::ReadOnly { path });
            }
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let connection = Connection::open_with_flags(unchanging(&path), flags)
                .map_err(|source| sql_error(&path, source))?;
            let version = version_of(folder, &path, &connection)?;
            Ok((connection, version))
        }
        other => other,
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // A process that is killed loses nothing that was committed; a machine that is may lose the last commits.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX)
}

/// Whether a folder has a file in which there may be campaigns, and which must not be overwritten.
pub(crate) fn is_taken(folder: &Path) -> Result<bool, StoreError> {
    if fs::metadata(database(folder)).map_or(0, |file| file.len()) == 0 {
        return Ok(false);
    }
    match connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Ok(_) | Err(StoreError::Foreign { .. } | StoreError::Damaged { .. }) => Ok(true),
        Err(StoreError::NotBegun { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The error for a folder without a store.
pub(crate) fn nothing_in(folder: &Path) -> StoreError {
    let folder = folder.to_owned();
    if was_begun(&folder) { StoreError::NotBegun { folder } } else { StoreError::Nothing { folder } }
}

fn cannot_write_beside(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The version of a store that has campaigns.
fn version_of(folder: &Path, path: &Path, connection: &Connection) -> Result<i32, StoreError> {
    let foreign = |reason: String| StoreError::Foreign { path: path.into(), reason };
    let number = |query: &str| {
        connection.query_row(query, [], |row| row.get::<_, i32>(0)).map_err(|error| {
            if cannot_write_beside(&error) { sql_error(path, error) } else { foreign(error.to_string()) }
        })
    };
    let application = number("PRAGMA application_id")?;
    if application == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 {
        // Version 1 made its tables in place, so there may be a file without any.
        return Err(match log_size(path) {
            ..=UNBORN_LOG_MAX => StoreError::NotBegun { folder: folder.into() },
            _ => StoreError::Damaged { path: path.into(), what: "its write-ahead log".to_owned() },
        });
    }
    if application != APPLICATION {
        return Err(foreign("it was not written by Shakedown".to_owned()));
    }
    let version = number("PRAGMA user_version")?;
    if !(VERSION_1..=VERSION).contains(&version) {
        return Err(foreign(format!(
            "it has version {version}, this one reads versions {VERSION_1} to {VERSION}"
        )));
    }
    // A plan that was lost leaves its standing behind, and that is damage.
    if number("SELECT (SELECT count(*) FROM campaign) + (SELECT count(*) FROM standing)")? == 0 {
        return Err(StoreError::NotBegun { folder: folder.into() });
    }
    Ok(version)
}

/// The address of a database that no process changes, so that SQLite needs no files beside it.
fn unchanging(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02x}");
        }
    }
    address + "?immutable=1"
}
