//! Files that are written as a whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most symbolic links that are followed one after another.
const LINKS_MAX: usize = 40;

/// Writes a file as a whole or not at all, in a folder that is made if need be. If there is one already, its
/// mode stays; if the path is a symbolic link, the file is written that it leads to.
pub(crate) fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let path = &followed(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let before = fs::metadata(path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        // A pipe or a device: there is nothing that a draft could take the place of.
        return fs::write(path, contents);
    }
    // Another thread or process may be writing the same file.
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
    let draft = path.with_extension(format!("json.{process}-{number}.tmp"));
    let write = || {
        let mut file = fs::File::create(&draft)?;
        file.write_all(contents)?;
        if let Some(before) = &before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().inspect_err(|_| {
        // A draft that is left over would be in the way of nobody, but of no use either.
        let _ = fs::remove_file(&draft);
    })
}

/// Where a path leads if it is a symbolic link, also if nothing is there yet.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        // What cannot be opened by its name, such as a pipe behind a descriptor, is written through the link.
        let Ok(next) = fs::read_link(&path) else { break };
        let next = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
        if fs::symlink_metadata(&next).is_err() && fs::metadata(&path).is_ok() {
            break;
        }
        path = next;
    }
    path
}
