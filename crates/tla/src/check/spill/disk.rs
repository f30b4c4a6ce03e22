//! What the workers share of the folder.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::pending::{PARTS, Pending, worker_of};
use super::runs::{Run, RunReader, RunWriter, merged};
use super::{Bits, Candidate, Due, Folder, Log, Snapshot, Spill, Stream};
use crate::check::book::LOOK_STATES;
use crate::check::frontier::Segment;
use crate::check::shared::locked;
use crate::check::visited::Visited;

/// The folder, and what is in it.
pub(crate) struct Disk {
    pub folder: Arc<dyn Folder>,
    pub memory_bytes: usize,
    /// What the specification and the options come to: a checkpoint belongs to them.
    pub(super) digest: u64,
    pub(super) due: Option<Due>,
    pub(super) next: AtomicU64,
    pub(super) runs: Mutex<Vec<Run>>,
    pub(super) snapshots: Vec<Mutex<Snapshot>>,
    /// What specifications print, if there are checkpoints.
    pub output: Mutex<Vec<String>>,
    /// Logs of workers that this check does not have, from the checkpoint.
    pub logs: Mutex<Vec<Option<Log>>>,
    /// The known states of the last checkpoint of a check in memory.
    pub(super) copy: Mutex<Option<Stream>>,
    /// Files that the last checkpoint names and nobody else needs.
    unneeded: Mutex<Vec<String>>,
    pending: Pending,
}

/// Which candidates of a level are new.
pub(crate) struct Resolved {
    /// For each worker.
    pub new: Vec<Bits>,
    /// How many there are.
    pub states: u64,
    /// How many each action led to.
    pub labels: Vec<u64>,
}

impl Disk {
    pub(crate) fn new(spill: &Spill, workers: usize, digest: u64) -> Disk {
        Disk {
            folder: spill.folder.clone(),
            memory_bytes: spill.memory_bytes,
            digest,
            due: spill.checkpoints.clone(),
            next: AtomicU64::new(0),
            runs: Mutex::default(),
            snapshots: (0..workers).map(|_| Mutex::default()).collect(),
            output: Mutex::default(),
            logs: Mutex::default(),
            copy: Mutex::default(),
            unneeded: Mutex::default(),
            pending: Pending::new(spill.memory_bytes),
        }
    }

    /// How many workers there are.
    pub(crate) fn workers(&self) -> usize {
        self.snapshots.len()
    }

    /// A worker looks at the memory at least once in so many new states.
    pub(crate) fn look_states(&self) -> u64 {
        (self.cached_max() as u64 / 8).clamp(1, LOOK_STATES)
    }

    /// Whether checkpoints are written.
    pub(crate) fn has_checkpoints(&self) -> bool {
        self.due.is_some()
    }

    /// A name that no file has yet.
    pub(super) fn name(&self, kind: &str) -> String {
        format!("{kind}-{}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Removes a file, but only after the next checkpoint if there are any.
    pub(super) fn discard(&self, name: String) -> io::Result<()> {
        if self.has_checkpoints() {
            locked(&self.unneeded).push(name);
            return Ok(());
        }
        self.folder.remove(&name)
    }

    /// Removes what only the checkpoint before needed.
    pub(super) fn sweep(&self) -> io::Result<()> {
        locked(&self.unneeded).drain(..).try_for_each(|name| self.folder.remove(&name))
    }

    /// How many fingerprints the table may have once the known ones are on disk.
    pub(crate) fn cached_max(&self) -> usize {
        (self.memory_bytes / 2 / 8).max(64) / 10 * 7
    }

    /// Moves the known states to a file, unless they are there already.
    pub(crate) fn move_known(&self, visited: &Visited) -> io::Result<()> {
        let mut runs = locked(&self.runs);
        let mut writer = RunWriter::new(&*self.folder, self.name("known"));
        if visited.move_out(self.memory_bytes / 2, &mut |word| writer.push(word))? {
            runs.extend(writer.finish()?);
        }
        Ok(())
    }

    /// Notes a candidate.
    pub(crate) fn note(&self, row: Candidate) -> io::Result<()> {
        self.pending.push(&*self.folder, row, |part| self.name(&format!("pending-{part}")))
    }

    /// Finds out which candidates are new. No other worker runs meanwhile.
    pub(crate) fn resolve(&self) -> io::Result<Resolved> {
        let mut resolved =
            Resolved { new: vec![Bits::default(); self.snapshots.len()], states: 0, labels: Vec::new() };
        let folder = &*self.folder;
        let mut runs = locked(&self.runs);
        let mut writer = RunWriter::new(folder, self.name("known"));
        let mut readers: Vec<_> = runs.iter().map(|run| RunReader::new(folder, run)).collect();
        for part in 0..PARTS {
            'rows: for row in self.pending.take(folder, part)? {
                for reader in &mut readers {
                    if reader.contains(row.word)? {
                        continue 'rows;
                    }
                }
                writer.push(row.word)?;
                let (worker, number) = worker_of(row.number);
                resolved.new[worker].add(number);
                resolved.count(row.label);
            }
        }
        drop(readers);
        runs.extend(writer.finish()?);
        self.merge(&mut runs)?;
        Ok(resolved)
    }

    /// Merges the last files as long as they are about as large.
    fn merge(&self, runs: &mut Vec<Run>) -> io::Result<()> {
        while let [.., first, second] = runs.as_slice()
            && first.words() < 2 * second.words()
        {
            let run = merged(&*self.folder, self.name("known"), first, second)?;
            for old in runs.drain(runs.len() - 2..) {
                self.discard(old.stream.name)?;
            }
            runs.push(run);
        }
        Ok(())
    }

    /// Appends segments to a file.
    pub(crate) fn write_queue(&self, stream: &mut Option<Stream>, segments: &[Segment]) -> io::Result<()> {
        let stream = stream.get_or_insert_with(|| Stream::new(self.name("queue")));
        let mut bytes = Vec::with_capacity(1 << 16);
        for segment in segments {
            super::queue::put(segment, &mut bytes);
            if bytes.len() > 1 << 16 {
                stream.append(&*self.folder, &bytes)?;
                bytes.clear();
            }
        }
        stream.append(&*self.folder, &bytes)
    }

    /// Forgets a queue that has been read.
    pub(crate) fn discard_queue(&self, queue: &super::QueueFile) -> io::Result<()> {
        self.discard(queue.stream.name.clone())
    }

    /// Writes a worker's log, and takes it out of the memory unless it is to stay there.
    pub(crate) fn write_log(&self, log: &mut Log, stays: bool) -> io::Result<()> {
        log.write(&*self.folder, || self.name("log"))?;
        if !stays {
            log.release();
        }
        Ok(())
    }

    /// Takes the log of the checkpoint that a worker continues.
    pub(crate) fn log_of(&self, worker: usize) -> Log {
        locked(&self.logs).get_mut(worker).and_then(Option::take).unwrap_or_default()
    }

    /// Removes all files.
    pub(crate) fn clean(&self) -> io::Result<()> {
        self.folder.names()?.iter().try_for_each(|name| self.folder.remove(name))
    }
}

impl Resolved {
    fn count(&mut self, label: u32) {
        self.states += 1;
        let label = label as usize;
        if label < 1 << 20 {
            if self.labels.len() <= label {
                self.labels.resize(label + 1, 0);
            }
            self.labels[label] += 1;
        }
    }
}
