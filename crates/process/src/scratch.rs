//! Folders that this program makes for the servers that it starts. Each holds a mark, and only what holds the
//! mark is deleted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::reaper;

/// The file by which this program knows its own folders.
pub const MARK: &str = ".shakedown-scratch";
/// How many names are tried.
const TRIES: u64 = 100;

/// A folder of its own, deleted when this is dropped. If this program is killed before, the reaper deletes
/// it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder for one execution, in the one folder that this program has among the temporary files.
    pub fn new() -> io::Result<Scratch> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let root = root()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = root.join(format!("{number}"));
        make_marked(&path)?;
        Ok(Scratch(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be deleted now is deleted by the reaper, when this program ends.
        let _ = delete_marked(&self.0);
    }
}

/// The one folder of this program, made when it is first needed.
fn root() -> io::Result<PathBuf> {
    static ROOT: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut root = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(root) = root.as_ref() {
        return Ok(root.clone());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::from(time.subsec_nanos()));
    for number in 0..TRIES {
        let name = format!("shakedown-{}-{:x}", std::process::id(), now.wrapping_add(number));
        let path = std::env::temp_dir().join(name);
        match make_marked(&path) {
            Ok(()) => {
                let text = path.to_str().filter(|text| !text.contains('\n'));
                let text =
                    text.ok_or_else(|| io::Error::other("the folder of temporary files has no plain name"))?;
                reaper::prepare();
                reaper::set_folder(text);
                return Ok(root.insert(path).clone());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there is no free name for a folder among the temporary files"))
}

/// A folder that was not there before, with the mark in it.
fn make_marked(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    fs::write(path.join(MARK), "")
}

/// Deletes a folder, if it holds the mark.
fn delete_marked(path: &Path) -> io::Result<()> {
    if !path.join(MARK).is_file() {
        return Err(io::Error::other(format!("{} has no mark of this program", path.display())));
    }
    fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner() {
        let scratch = Scratch::new().expect("there is room");
        let path = scratch.path().to_owned();
        fs::write(path.join("data"), "x").expect("it can be written to");
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_without_the_mark_is_never_deleted() {
        let folder = tempfile::tempdir().expect("there is room");
        fs::write(folder.path().join("precious"), "x").expect("it can be written to");
        assert!(delete_marked(folder.path()).is_err());
        assert!(folder.path().join("precious").exists());
    }
}
