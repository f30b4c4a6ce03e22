//! Checkpoints: a manifest that names the files of a check at the end of a level.
//!
//! The files are persisted first, then the manifest is written under another name and renamed, so there is
//! always a whole one. What the checkpoint before needed is removed after that.

use std::io;
use std::sync::atomic::Ordering;

use serde_json::{Value as Json, json};

use super::file::Sum;
use super::pending::Bits;
use super::runs::RunWriter;
use super::{Disk, Stream};
use crate::check::book::Book;
use crate::check::shared::{Shared, locked};
use crate::check::visited::Visited;
use crate::symbol::Symbol;

/// The manifest, and what it is called while it is written.
pub(super) const MANIFEST: &str = "checkpoint.json";
const UNFINISHED: &str = "checkpoint.new";
/// What the manifest is a version of.
pub(super) const FORMAT: &str = "shakedown-tla-checkpoint-1";

/// What stands below the manifest.
pub(super) fn sum_of(text: &str) -> String {
    let mut sum = Sum::default();
    sum.add(text.as_bytes());
    sum.value().to_string()
}

/// What a worker hands over at the end of a level, for checkpoints.
#[derive(Default)]
pub(crate) struct Snapshot {
    log: Option<Stream>,
    pub(super) coverage: Vec<(u64, u64)>,
    pub(super) possible: Vec<u64>,
}

/// Where a check stands between two levels.
pub(crate) struct Standing<'s> {
    /// The queues of the next level with what is new in them.
    pub lanes: Vec<(&'s Stream, &'s Bits)>,
    pub distinct_before: u64,
    pub initial: i64,
}

impl Disk {
    /// Whether a checkpoint is to be written now.
    pub(crate) fn is_due(&self) -> bool {
        self.due.as_ref().is_some_and(|due| due())
    }

    /// Takes what a worker hands over. Its log is in its file then.
    pub(crate) fn take_snapshot(&self, worker: usize, book: &mut Book<'_>) -> io::Result<()> {
        self.write_log(&mut book.log, true)?;
        *locked(&self.snapshots[worker]) = Snapshot {
            log: book.log.stream.clone(),
            coverage: book.coverage.clone(),
            possible: book.possible.clone(),
        };
        Ok(())
    }

    /// Writes a checkpoint, with what the first worker's book has of the actions. No other worker runs
    /// meanwhile.
    pub(crate) fn write_checkpoint(
        &self,
        shared: &Shared<'_>,
        standing: &Standing<'_>,
        coverage: &[(u64, u64)],
    ) -> io::Result<()> {
        locked(&self.snapshots[0]).coverage = coverage.to_vec();
        let copy = self.copy_known(&shared.visited)?;
        let mut lanes = Vec::new();
        let mut fresh = Vec::new();
        for (stream, bits) in &standing.lanes {
            let bytes: Vec<u8> = bits.0.iter().flat_map(|word| word.to_le_bytes()).collect();
            let new = self.whole("new", &bytes)?;
            lanes.push(json!({ "states": self.facts(stream)?, "new": self.facts(&new)? }));
            fresh.push(new.name);
        }
        let mut words = Vec::new();
        for text in shared.dictionary.texts() {
            words.extend_from_slice(&(text.len() as u32).to_le_bytes());
            words.extend_from_slice(&text);
        }
        let words = self.whole("words", &words)?;
        let runs = locked(&self.runs);
        let known = runs.iter().map(|run| &run.stream).chain(&copy);
        let known: Vec<Json> = known.map(|stream| self.facts(stream)).collect::<io::Result<_>>()?;
        let manifest = json!({
            "format": FORMAT,
            "digest": self.digest.to_string(),
            "next": self.next.load(Ordering::Relaxed),
            "level": shared.level.load(Ordering::Relaxed),
            "left": shared.left.load(Ordering::Relaxed),
            "generated": shared.counts.generated.load(Ordering::Relaxed),
            "distinct": shared.counts.distinct.load(Ordering::Relaxed),
            "distinct_before": standing.distinct_before,
            "initial": standing.initial,
            "known": known,
            "queues": lanes,
            "logs": self.logs()?,
            "words": self.facts(&words)?,
            "coverage": self.coverage(),
            "possible": self.possible(),
            "output": &*locked(&self.output),
            "symbols": Symbol::texts(),
        });
        self.folder.remove(UNFINISHED)?;
        let text = manifest.to_string();
        self.folder.append(UNFINISHED, format!("{text}\n{}", sum_of(&text)).as_bytes())?;
        self.folder.persist(UNFINISHED)?;
        self.folder.replace(UNFINISHED, MANIFEST)?;
        self.sweep()?;
        // These are written anew by the next one.
        fresh.push(words.name);
        fresh.into_iter().try_for_each(|name| self.discard(name))?;
        let last = std::mem::replace(&mut *locked(&self.copy), copy);
        last.map_or(Ok(()), |last| self.folder.remove(&last.name))
    }

    /// A check in memory copies its known states.
    fn copy_known(&self, visited: &Visited) -> io::Result<Option<Stream>> {
        if visited.is_partial() {
            return Ok(None);
        }
        let mut writer = RunWriter::new(&*self.folder, self.name("known"));
        visited.sorted(&mut |word| writer.push(word))?;
        Ok(writer.finish()?.map(|run| run.stream))
    }

    fn whole(&self, kind: &str, bytes: &[u8]) -> io::Result<Stream> {
        let mut stream = Stream::new(self.name(kind));
        stream.append(&*self.folder, bytes)?;
        Ok(stream)
    }

    /// A file as the manifest names it. It survives a crash then.
    fn facts(&self, stream: &Stream) -> io::Result<Json> {
        self.folder.persist(&stream.name)?;
        Ok(json!({ "name": stream.name, "bytes": stream.bytes, "sum": stream.sum().to_string() }))
    }

    /// The logs of all workers, those of before included.
    fn logs(&self) -> io::Result<Vec<Json>> {
        let others = locked(&self.logs);
        let workers = self.snapshots.len().max(others.len());
        let facts = |worker: usize| {
            let own = self.snapshots.get(worker).and_then(|snapshot| locked(snapshot).log.clone());
            let log = own.or_else(|| others.get(worker)?.as_ref()?.stream.clone());
            log.map_or(Ok(Json::Null), |log| self.facts(&log))
        };
        (0..workers).map(facts).collect()
    }

    fn coverage(&self) -> Vec<(u64, u64)> {
        let mut sums: Vec<(u64, u64)> = Vec::new();
        for snapshot in &self.snapshots {
            let coverage = &locked(snapshot).coverage;
            sums.resize(sums.len().max(coverage.len()), (0, 0));
            for (sum, (generated, distinct)) in sums.iter_mut().zip(coverage) {
                *sum = (sum.0 + generated, sum.1 + distinct);
            }
        }
        sums
    }

    fn possible(&self) -> Vec<u64> {
        let mut all: Vec<u64> = Vec::new();
        for snapshot in &self.snapshots {
            let possible = &locked(snapshot).possible;
            all.resize(all.len().max(possible.len()), 0);
            all.iter_mut().zip(possible).for_each(|(all, one)| *all += one);
        }
        all
    }
}
