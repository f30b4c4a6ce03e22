//! Continuing from a checkpoint. Everything in the folder is hostile until it is parsed: lengths and sums are
//! compared, and numbers have limits.

use std::io;
use std::sync::atomic::Ordering;

use serde_json::Value as Json;

use super::checkpoint::{FORMAT, MANIFEST, sum_of};
use super::runs::Run;
use super::{Bits, Disk, Log, QueueFile, Stream, damaged};
use crate::check::frontier::{Found, Level};
use crate::check::shared::{Shared, WORKERS_MAX, locked};
use crate::error::Error;
use crate::symbol::Symbol;
use crate::value::dictionary::{Dictionary, Encoder};
use crate::value::encode::{Decoder, encode_all};

/// The longest manifest.
const MANIFEST_BYTES_MAX: u64 = 1 << 30;
/// The longest lists of numbered values and of candidates.
const LIST_BYTES_MAX: u64 = 1 << 28;

/// What the first worker takes over from a checkpoint.
pub(crate) struct Recovered {
    pub generated: u64,
    pub distinct_before: u64,
    pub initial: i64,
    pub coverage: Vec<(u64, u64)>,
    pub possible: Vec<u64>,
}

/// The manifest, with errors that name it.
struct Manifest(Json);

impl Manifest {
    fn number(&self, key: &str) -> io::Result<u64> {
        self.0[key].as_u64().ok_or_else(|| damaged(MANIFEST, &format!("`{key}` is no number")))
    }

    fn list(&self, key: &str) -> io::Result<&[Json]> {
        let list = self.0[key].as_array().ok_or_else(|| damaged(MANIFEST, &format!("`{key}` is no list")))?;
        Ok(list)
    }
}

/// A file that the manifest names: its name, its length and its sum.
fn facts(json: &Json) -> io::Result<(&str, u64, u64)> {
    let name = json["name"].as_str().filter(|name| is_plain(name));
    let sum = json["sum"].as_str().and_then(|sum| sum.parse().ok());
    match (name, json["bytes"].as_u64(), sum) {
        (Some(name), Some(bytes), Some(sum)) => Ok((name, bytes, sum)),
        _ => Err(damaged(MANIFEST, "a file has no name, length or sum")),
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Disk {
    /// Makes the check what it was at the checkpoint, and removes what came after it.
    pub(crate) fn recover(&self, shared: &Shared<'_>, variables: usize) -> io::Result<Recovered> {
        let manifest = self.manifest()?;
        self.next.store(manifest.number("next")?, Ordering::Relaxed);
        self.remove_later_files(&manifest)?;
        let mut runs = Vec::new();
        for file in manifest.list("known")? {
            let (name, bytes, sum) = facts(file)?;
            runs.push(Run::reopen(&*self.folder, name, bytes, sum)?);
        }
        runs.sort_by_key(|run| std::cmp::Reverse(run.words()));
        *locked(&self.runs) = runs;
        shared.visited.move_out(self.memory_bytes / 2, &mut |_| Ok(()))?;
        *locked(&self.logs) = self.read_logs(&manifest)?;
        let output = manifest.list("output")?.iter().filter_map(|line| line.as_str().map(String::from));
        *locked(&self.output) = output.collect();
        self.read_queues(&manifest, shared, variables)?;
        shared.level.store(manifest.number("level")?, Ordering::Relaxed);
        shared.left.store(manifest.number("left")?, Ordering::Relaxed);
        shared.counts.generated.store(manifest.number("generated")?, Ordering::Relaxed);
        shared.counts.distinct.store(manifest.number("distinct")?, Ordering::Relaxed);
        let pair = |pair: &Json| Some((pair[0].as_u64()?, pair[1].as_u64()?));
        Ok(Recovered {
            generated: manifest.number("generated")?,
            distinct_before: manifest.number("distinct_before")?,
            initial: manifest.number("initial")? as i64,
            coverage: manifest.list("coverage")?.iter().filter_map(pair).collect(),
            possible: manifest.list("possible")?.iter().filter_map(Json::as_u64).collect(),
        })
    }

    fn manifest(&self) -> io::Result<Manifest> {
        let length = self.folder.length(MANIFEST).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::new(error.kind(), "it has no checkpoint"),
            _ => error,
        })?;
        let bytes = self.read_whole(MANIFEST, length, MANIFEST_BYTES_MAX)?;
        let text = std::str::from_utf8(&bytes).ok().and_then(|text| text.rsplit_once('\n'));
        let text = text.filter(|(text, sum)| sum_of(text) == *sum);
        let (text, _) = text.ok_or_else(|| damaged(MANIFEST, "its sum differs"))?;
        let json: Json = serde_json::from_str(text).map_err(|error| damaged(MANIFEST, &error.to_string()))?;
        if json["format"] != FORMAT {
            return Err(damaged(MANIFEST, "it is of another version"));
        }
        if json["digest"].as_str() != Some(&self.digest.to_string()) {
            let what = "the checkpoint belongs to another specification, configuration, or seed";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(Manifest(json))
    }

    /// Removes what was written after the checkpoint.
    fn remove_later_files(&self, manifest: &Manifest) -> io::Result<()> {
        let mut named = vec![MANIFEST];
        let queues = manifest.list("queues")?.iter().flat_map(|queue| [&queue["states"], &queue["new"]]);
        let logs = manifest.list("logs")?.iter().filter(|log| !log.is_null());
        for file in manifest.list("known")?.iter().chain(logs).chain(queues).chain([&manifest.0["words"]]) {
            named.push(facts(file)?.0);
        }
        let names = self.folder.names()?;
        let later = names.iter().filter(|name| !named.contains(&name.as_str()));
        later.into_iter().try_for_each(|name| self.folder.remove(name))
    }

    fn read_whole(&self, name: &str, length: u64, most: u64) -> io::Result<Vec<u8>> {
        if length > most {
            return Err(damaged(name, "it is too long"));
        }
        let mut bytes = vec![0; length as usize];
        self.folder.read_at(name, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// The contents of a file that the manifest names.
    fn contents(&self, file: &Json) -> io::Result<Vec<u8>> {
        let (name, bytes, sum) = facts(file)?;
        let mut contents = Vec::new();
        if bytes > LIST_BYTES_MAX {
            return Err(damaged(name, "it is too long"));
        }
        Stream::reopen(&*self.folder, name, bytes, sum, |part| contents.extend_from_slice(part))?;
        self.discard(name.to_string())?;
        Ok(contents)
    }

    fn read_logs(&self, manifest: &Manifest) -> io::Result<Vec<Option<Log>>> {
        let mut logs = Vec::new();
        for file in manifest.list("logs")?.iter().take(WORKERS_MAX) {
            if file.is_null() {
                logs.push(None);
                continue;
            }
            let (name, bytes, sum) = facts(file)?;
            logs.push(Some(Log::of_file(Stream::reopen(&*self.folder, name, bytes, sum, |_| {})?)));
        }
        Ok(logs)
    }

    /// Reads the queues, and writes those of their states that are new with the names and numbers of this
    /// process.
    fn read_queues(&self, manifest: &Manifest, shared: &Shared<'_>, variables: usize) -> io::Result<()> {
        let symbols = manifest.list("symbols")?.iter().map(|text| Symbol::new(text.as_str().unwrap_or("")));
        let words = Dictionary::of_words(&self.contents(&manifest.0["words"])?)
            .ok_or_else(|| damaged(MANIFEST, "the numbered values cannot be read"))?;
        let mut decoder = Decoder::foreign(&words, symbols.collect());
        let mut encoder = Encoder::new(&shared.dictionary);
        let mut allowance = crate::budget::Allowance::new(&crate::Budget::default());
        let mut found = Found::default();
        for queue in manifest.list("queues")? {
            let new = self.contents(&queue["new"])?;
            let new = new.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
            let new = Bits(new.collect());
            let (name, bytes, sum) = facts(&queue["states"])?;
            let stream = Stream::reopen(&*self.folder, name, bytes, sum, |_| {})?;
            let mut file = QueueFile::new(stream);
            while let Some(segment) = file.next(&*self.folder)? {
                for waiting in segment.states() {
                    if waiting.mark.is_some_and(|mark| !new.has(mark.number)) {
                        continue;
                    }
                    let mut bytes = waiting.bytes;
                    let values =
                        (0..variables).map(|_| decoder.decode(&mut bytes)).collect::<Option<Vec<_>>>();
                    let values = values.ok_or_else(|| damaged(name, "a state cannot be decoded"))?;
                    found
                        .push(waiting.id, waiting.mark, |out| {
                            encode_all(&values, out, Some(&mut encoder), &mut allowance)
                        })
                        .map_err(|error: Box<Error>| io::Error::other(error.to_string()))?;
                }
                if found.heap_bytes() > self.memory_bytes / 4 {
                    found.spill(self)?;
                }
            }
            self.discard(name.to_string())?;
        }
        let mut lane = found.take();
        lane.all_new = true;
        *shared.frontier.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Level::new(vec![lane]);
        Ok(())
    }
}
