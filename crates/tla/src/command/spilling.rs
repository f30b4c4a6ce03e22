//! Options of `check` for states beyond memory.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;

use super::files::CommandError;
use super::folder::DiskFolder;
use crate::check::{Due, Spill};

/// What a process takes besides states: with one worker, and for each.
const BASE_BYTES: usize = 24 << 20;
const WORKER_BYTES: usize = 10 << 20;
/// Less memory than this is not left to states.
const STATES_BYTES_MIN: usize = 4 << 20;

/// Where states go that do not fit into memory.
#[derive(Args)]
pub(super) struct Spilling {
    /// Move states to this folder when they take more than about half of the memory; they are removed in the
    /// end
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// The same, and write checkpoints there, from which `--recover` continues
    #[arg(long, value_name = "DIR", conflicts_with = "spill")]
    checkpoint: Option<PathBuf>,
    /// How long at least from one checkpoint to the next, which is written at the end of a level
    #[arg(long, default_value_t = 300, value_name = "SECONDS", requires = "checkpoint")]
    checkpoint_every: u64,
    /// Continue from the last checkpoint
    #[arg(long, requires = "checkpoint")]
    recover: bool,
}

impl Spilling {
    /// What the engine needs for it.
    pub(super) fn spill(&self, mebibytes: usize, workers: usize) -> Result<Option<Spill>, CommandError> {
        let Some(path) = self.spill.as_ref().or(self.checkpoint.as_ref()) else { return Ok(None) };
        let folder = Arc::new(DiskFolder::take(path, self.recover)?);
        let taken = BASE_BYTES.saturating_add(WORKER_BYTES.saturating_mul(workers));
        let free = mebibytes.saturating_mul(1 << 20).saturating_sub(taken);
        let checkpoints =
            self.checkpoint.is_some().then(|| every(Duration::from_secs(self.checkpoint_every)));
        let memory_bytes = (free / 2).max(STATES_BYTES_MIN);
        Ok(Some(Spill { folder, memory_bytes, checkpoints, recover: self.recover }))
    }
}

/// True once in so much time.
fn every(time: Duration) -> Due {
    let last = Mutex::new(Instant::now());
    Arc::new(move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.elapsed() >= time;
        if due {
            *last = Instant::now();
        }
        due
    })
}
