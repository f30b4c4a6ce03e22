//! What a server does to the files of a folder, as it happens: a crash can then come between two writes of
//! it.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

/// How many bytes of changes are read at once: room for hundreds.
const CHUNK: usize = 16 << 10;

/// What has happened to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It was created, or something was written into it.
    Written,
    /// Its writer has closed it, or has given it this name: what stands in it is whole.
    Complete,
}

/// Sees every change to the files of one folder since it was made, but not those of folders in it.
#[derive(Debug)]
pub struct FileWatch(OwnedFd);

impl FileWatch {
    /// Watches a folder that is there.
    pub fn new(folder: &Path) -> io::Result<FileWatch> {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let flags = WatchFlags::CREATE | WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO;
        inotify::add_watch(&watch, folder, flags | WatchFlags::ONLYDIR)?;
        Ok(FileWatch(watch))
    }

    /// The changes since the last time, in their order. The kernel counts equal ones that follow each other
    /// as one.
    pub fn changes(&self) -> io::Result<Vec<(String, Change)>> {
        let mut chunk = [MaybeUninit::uninit(); CHUNK];
        let mut reader = Reader::new(&self.0, &mut chunk);
        let mut changes = Vec::new();
        loop {
            match reader.next() {
                Ok(event) => {
                    let is_complete = event.events().intersects(ReadFlags::CLOSE_WRITE | ReadFlags::MOVED_TO);
                    let change = if is_complete { Change::Complete } else { Change::Written };
                    if let Some(name) = event.file_name() {
                        changes.push((name.to_string_lossy().into_owned(), change));
                    }
                }
                Err(Errno::AGAIN) => return Ok(changes),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for FileWatch {
    /// It can be read when there are changes.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn changes_come_in_their_order_with_the_end_of_a_write() {
        let folder = tempfile::tempdir().expect("there is room");
        let watch = FileWatch::new(folder.path()).expect("the folder is there");
        assert_eq!(watch.changes().expect("it can be read"), []);
        fs::write(folder.path().join("a"), "x").expect("it can be written to");
        fs::rename(folder.path().join("a"), folder.path().join("b")).expect("it is there");
        let changes = watch.changes().expect("it can be read");
        let at = |name: &str, change| changes.iter().position(|one| *one == (name.to_owned(), change));
        let places = [at("a", Change::Written), at("a", Change::Complete), at("b", Change::Complete)];
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{changes:?}");
        assert_eq!(watch.changes().expect("it can be read"), []);
    }

    #[test]
    fn a_folder_that_is_not_there_cannot_be_watched() {
        let folder = tempfile::tempdir().expect("there is room");
        assert!(FileWatch::new(&folder.path().join("none")).is_err());
    }
}
