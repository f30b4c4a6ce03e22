//! A folder on disk for the states of a check.
//!
//! Only a folder that is empty, or that an earlier check has marked, is used; and only by one check at a
//! time.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::CommandError;
use crate::check::Folder;

/// The file that marks a folder, and that is locked while it is used.
const MARK: &str = "shakedown-tla.lock";
/// The manifest of a checkpoint.
const CHECKPOINT: &str = "checkpoint.json";

/// A folder with a mark.
pub(super) struct DiskFolder {
    path: PathBuf,
    open: Mutex<HashMap<String, Arc<Mutex<File>>>>,
    /// Held as long as the folder is used.
    _mark: File,
}

impl DiskFolder {
    /// Takes a folder, which is made if there is none. What a check that was ended has left is removed,
    /// unless it is to be continued.
    pub(super) fn take(path: &Path, recover: bool) -> Result<DiskFolder, CommandError> {
        let wrong = |error: io::Error| CommandError::usage(format!("{}: {error}", path.display()));
        let refused = |what: &str| CommandError::usage(format!("{} {what}", path.display()));
        std::fs::create_dir_all(path).map_err(wrong)?;
        let is_marked = path.join(MARK).is_file();
        if !is_marked && std::fs::read_dir(path).map_err(wrong)?.next().is_some() {
            return Err(refused("is not empty, and no check has made it: name another folder"));
        }
        let mark = OpenOptions::new().create(true).append(true).open(path.join(MARK)).map_err(wrong)?;
        match mark.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(refused("is used by another check")),
            Err(TryLockError::Error(error)) => return Err(wrong(error)),
        }
        let folder = DiskFolder { path: path.to_path_buf(), open: Mutex::default(), _mark: mark };
        match (path.join(CHECKPOINT).is_file(), recover) {
            (true, false) => {
                Err(refused("has a checkpoint: continue it with --recover, or remove the folder"))
            }
            (false, true) => Err(refused("has no checkpoint")),
            (true, true) => Ok(folder),
            (false, false) => {
                let names = folder.names().map_err(wrong)?;
                names.iter().try_for_each(|name| folder.remove(name)).map_err(wrong)?;
                Ok(folder)
            }
        }
    }

    fn file(&self, name: &str, create: bool) -> io::Result<Arc<Mutex<File>>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(name) {
            return Ok(file.clone());
        }
        let path = self.path.join(name);
        let file = OpenOptions::new().read(true).write(true).create(create).truncate(false).open(path)?;
        let file = Arc::new(Mutex::new(file));
        open.insert(name.to_string(), file.clone());
        Ok(file)
    }

    fn close(&self, name: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

fn with<T>(file: &Mutex<File>, use_it: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    use_it(&mut file.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Folder for DiskFolder {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        with(&*self.file(name, true)?, |file| {
            file.seek(SeekFrom::End(0))?;
            file.write_all(bytes)
        })
    }

    fn read_at(&self, name: &str, position: u64, bytes: &mut [u8]) -> io::Result<()> {
        with(&*self.file(name, false)?, |file| {
            file.seek(SeekFrom::Start(position))?;
            file.read_exact(bytes)
        })
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        with(&*self.file(name, false)?, |file| Ok(file.metadata()?.len()))
    }

    fn cut(&self, name: &str, length: u64) -> io::Result<()> {
        with(&*self.file(name, false)?, |file| file.set_len(length))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.close(name);
        match std::fs::remove_file(self.path.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }

    fn persist(&self, name: &str) -> io::Result<()> {
        with(&*self.file(name, false)?, |file| file.sync_data())
    }

    fn replace(&self, from: &str, to: &str) -> io::Result<()> {
        self.close(from);
        self.close(to);
        std::fs::rename(self.path.join(from), self.path.join(to))?;
        // The names of new files are in the folder itself.
        if cfg!(unix) { File::open(&self.path)?.sync_all() } else { Ok(()) }
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != MARK && entry.file_type()?.is_file() {
                names.push(name);
            }
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_its_own_is_taken_and_by_one_check_at_a_time() {
        let path = std::env::temp_dir().join(format!("shakedown-tla-folder-{}", std::process::id()));
        let refusal = |recover| DiskFolder::take(&path, recover).map(|_| ()).unwrap_err().message;
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("letter"), "mine").unwrap();
        assert!(refusal(false).ends_with("name another folder"));
        std::fs::remove_file(path.join("letter")).unwrap();
        let folder = DiskFolder::take(&path, false).unwrap_or_else(|error| panic!("{}", error.message));
        assert!(refusal(false).ends_with("is used by another check"));
        folder.append("known-1", b"left").unwrap();
        drop(folder);
        assert!(refusal(true).ends_with("has no checkpoint"));
        let folder = DiskFolder::take(&path, false).unwrap_or_else(|error| panic!("{}", error.message));
        assert!(folder.names().unwrap().is_empty(), "what an ended check left is removed");
        folder.append(CHECKPOINT, b"{}").unwrap();
        drop(folder);
        assert!(refusal(false).contains("continue it with --recover"));
        assert!(DiskFolder::take(&path, true).is_ok());
        std::fs::remove_dir_all(&path).unwrap();
    }
}
