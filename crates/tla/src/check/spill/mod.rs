//! States beyond memory: files in a folder that the caller hands in.
//!
//! As long as everything fits, a check works in memory. Once states take more than [`Spill::memory_bytes`],
//! the known fingerprints move to a sorted file (`runs`), and the table in memory becomes a cache of recent
//! ones: a state that is not in it may be new. Such a state waits in the queue and is noted as a candidate
//! (`pending`). At the end of a level the candidates are sorted and compared with the files, all read from
//! front to back, and those that turn out to be known are skipped when the queue is read. The queue (`queue`)
//! and the log for counterexamples (`log`) are files too. The order of states is the one that a check in
//! memory has, so counts, verdicts and traces are the same.
//!
//! A checkpoint (`checkpoint`) is written at the end of a level: a manifest that names the files, their
//! lengths and sums.

mod checkpoint;
mod disk;
mod file;
mod log;
mod pending;
mod queue;
mod recover;
mod runs;

use std::fmt;
use std::io;
use std::sync::Arc;

pub(super) use checkpoint::{Snapshot, Standing};
pub(super) use disk::Disk;
pub(super) use file::Stream;
pub(super) use log::Log;
pub(super) use pending::{Bits, Candidate};
pub(super) use queue::QueueFile;

/// A folder for files of a check. Names are plain: letters, digits, `-` and `.`.
pub trait Folder: Send + Sync {
    /// Appends to a file, which is made if there is none.
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Fills the buffer from a position of a file; an error if the file ends before.
    fn read_at(&self, name: &str, position: u64, bytes: &mut [u8]) -> io::Result<()>;
    /// The length of a file in bytes.
    fn length(&self, name: &str) -> io::Result<u64>;
    /// Cuts a file to a length.
    fn cut(&self, name: &str, length: u64) -> io::Result<()>;
    /// Removes a file; nothing happens if there is none.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Returns once what was written to a file survives a crash.
    fn persist(&self, name: &str) -> io::Result<()>;
    /// Gives a file another name, in place of the file that has it; survives a crash once it returns.
    fn replace(&self, from: &str, to: &str) -> io::Result<()>;
    /// The names of all files.
    fn names(&self) -> io::Result<Vec<String>>;
}

/// Decides whether a checkpoint is to be written; asked at the end of each level.
pub type Due = Arc<dyn Fn() -> bool + Send + Sync>;

/// Where states go when they take too much memory.
#[derive(Clone)]
pub struct Spill {
    /// The folder. No other check may use it meanwhile.
    pub folder: Arc<dyn Folder>,
    /// How much memory states may take before they move to the folder, in bytes.
    pub memory_bytes: usize,
    /// Whether checkpoints are written, and when.
    pub checkpoints: Option<Due>,
    /// Continue from the checkpoint in the folder.
    pub recover: bool,
}

impl fmt::Debug for Spill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spill")
            .field("memory_bytes", &self.memory_bytes)
            .field("checkpoints", &self.checkpoints.is_some())
            .field("recover", &self.recover)
            .finish_non_exhaustive()
    }
}

/// That a file is not what was written.
fn damaged(name: &str, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name} is damaged: {what}"))
}
