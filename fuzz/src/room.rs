//! The folder that a reader works in, and the command line that it calls.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::Outcome;

/// Exit codes that refuse an input: ours, and those of TLC for specifications and configurations.
const REFUSALS: &[u8] = &[2, 150, 151, 152];

/// A folder of its own for one reader, emptied before every input.
pub struct Room {
    folder: tempfile::TempDir,
}

impl Room {
    /// An empty one, in memory where the system has a folder for that.
    pub fn new() -> std::io::Result<Room> {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        folder.or_else(|_| tempfile::tempdir()).map(|folder| Room { folder })
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file into it, and the folders on the way.
    pub fn put(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("a folder below our own can be made");
        }
        fs::write(&path, bytes).expect("a file in our own folder can be written");
        self.name(name)
    }

    /// The same, as text.
    pub fn name(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Takes everything out of it.
    pub fn clear(&self) {
        for entry in fs::read_dir(self.folder.path()).into_iter().flatten().flatten() {
            let path = entry.path();
            let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            gone.expect("our own folder can be emptied");
        }
    }

    /// Calls the command line in this process.
    pub fn command(&self, arguments: &[impl AsRef<str>]) -> Outcome {
        let arguments = arguments.iter().map(AsRef::as_ref);
        let program = std::iter::once("shakedown").chain(arguments).map(OsString::from);
        let code = shakedown::main_with(targets(), program);
        if REFUSALS.iter().any(|refusal| code == ExitCode::from(*refusal)) {
            Outcome::Refused
        } else {
            Outcome::Taken
        }
    }
}

fn targets() -> Vec<Box<dyn shakedown::prelude::AnyTarget>> {
    vec![
        Box::new(shakedown_planted_raft::target()),
        Box::new(shakedown_figure1::target()),
        Box::new(shakedown_raft::target()),
        Box::new(shakedown_lwt::target()),
        Box::new(shakedown_appmaster::target()),
    ]
}
