//! The folder of a campaign: its files, who works on it, and what a process that was killed left in it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::StoreError;

/// The database.
const FILE: &str = "campaign.sqlite";
/// The database while it is being made. A store is renamed when it is whole, so there is never half of one.
const DRAFT: &str = "campaign.sqlite.draft.tmp";
/// The file whose lock shows that a process works on the folder.
const LOCK: &str = "campaign.lock";
/// How often, and how long apart, a lock is asked for before the folder counts as in use: a process that only
/// looks whether the lock is held holds it itself for a moment.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// What SQLite appends to the name of a database for the files beside it.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The path of the database.
pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// The path of the database while it is being made.
pub(crate) fn draft(folder: &Path) -> PathBuf {
    folder.join(DRAFT)
}

/// Where a campaign in a folder puts its failure files.
pub fn failures_in(folder: &Path) -> PathBuf {
    folder.join("failures")
}

/// Whether a process has begun to make a store here.
pub(crate) fn was_begun(folder: &Path) -> bool {
    [FILE, DRAFT, LOCK].iter().any(|name| folder.join(name).exists())
}

/// Keeps other processes from working on the folder as long as the file is open, whatever ends this process.
pub(crate) fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let io = |source| StoreError::Io { path: path.clone(), source };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(io)?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
    }
    Err(StoreError::InUse { folder: folder.into() })
}

/// Whether a process works on the folder now: it runs the campaign, or changes what is stored.
pub fn is_worked_on(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(LOCK)) else { return false };
    // Whoever works on it holds the lock alone. What is taken here is given back at once.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// When the database of a folder was changed last, and how large it and its log are: as long as this stays
/// the same and is not of this moment, so does what is stored. Nothing if there is no database.
pub fn last_change(folder: &Path) -> Option<(SystemTime, u64)> {
    let path = database(folder);
    // A link may lead anywhere.
    let files = [path.clone(), beside(&path, "-wal")].map(|path| fs::symlink_metadata(path).ok());
    if !files[0].as_ref()?.is_file() {
        return None;
    }
    let files = files.iter().flatten().filter(|file| file.is_file());
    files
        .map(|file| (file.modified().unwrap_or(SystemTime::UNIX_EPOCH), file.len()))
        .reduce(|(latest, all), (changed, length)| (latest.max(changed), all.wrapping_add(length)))
}

/// Removes a database and what SQLite puts beside it. Files that are not there are no error.
pub(crate) fn remove_database(path: &Path) {
    let _ = fs::remove_file(path);
    for suffix in BESIDE {
        let _ = fs::remove_file(beside(path, suffix));
    }
}

/// The size of a database's write-ahead log in bytes.
pub(crate) fn log_size(path: &Path) -> u64 {
    fs::metadata(beside(path, "-wal")).map_or(0, |log| log.len())
}

/// Makes a name durable: a rename is only on disk when its folder is.
pub(crate) fn sync(folder: &Path) {
    // Not every system can sync a folder. The rename happened in any case.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Removes drafts that a killed process left: that of the store, and those of failure files. The caller holds
/// the folder's lock. Files with other names are never touched.
pub(crate) fn sweep(folder: &Path) {
    remove_database(&draft(folder));
    let Ok(entries) = fs::read_dir(failures_in(folder)) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(is_draft_of_a_failure) {
            // One that cannot be removed takes up room, and does no other harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file is a failure file that was never finished: `NAME.json.PROCESS-NUMBER.tmp`.
fn is_draft_of_a_failure(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = name.strip_suffix(".tmp").and_then(|name| name.rsplit_once(".json."));
    rest.and_then(|(_, writer)| writer.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drafts_of_failure_files_are_taken_for_drafts() {
        assert!(is_draft_of_a_failure("raft-log-matching-1a2b.json.4711-0.tmp"));
        for other in
            ["notes.tmp", "a.json", "a.json.tmp", "a.json.12.tmp", "a.json.x-1.tmp", "a.json.1-2.bak"]
        {
            assert!(!is_draft_of_a_failure(other), "{other}");
        }
    }
}
