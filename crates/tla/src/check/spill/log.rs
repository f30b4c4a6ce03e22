//! The log for counterexamples: each state's fingerprint, and the number of the state that it was reached
//! from.

use std::io;

use super::Folder;
use super::file::Stream;

/// What a logged state takes.
pub(crate) const LOG_BYTES: usize = 12;

/// The states that one worker has logged.
#[derive(Default)]
pub(crate) struct Log {
    /// How many are on disk only.
    base: usize,
    prints: Vec<u64>,
    parents: Vec<u32>,
    /// The file; it may hold states that are in memory too.
    pub(super) stream: Option<Stream>,
}

impl Log {
    /// The log that a file holds.
    pub(super) fn of_file(stream: Stream) -> Log {
        Log { base: (stream.bytes / LOG_BYTES as u64) as usize, stream: Some(stream), ..Log::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.base + self.prints.len()
    }

    /// What the log takes of the memory.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.prints.len() * LOG_BYTES
    }

    #[inline]
    pub(crate) fn push(&mut self, print: u64, parent: u32) {
        self.prints.push(print);
        self.parents.push(parent);
    }

    /// A state that is in memory, or in the folder.
    pub(crate) fn get(&self, index: usize, folder: Option<&dyn Folder>) -> Option<(u64, u32)> {
        if let Some(in_memory) = index.checked_sub(self.base) {
            return Some((*self.prints.get(in_memory)?, self.parents[in_memory]));
        }
        let mut bytes = [0; LOG_BYTES];
        let position = index as u64 * LOG_BYTES as u64;
        folder?.read_at(&self.stream.as_ref()?.name, position, &mut bytes).ok()?;
        let (print, parent) = bytes.split_at(8);
        Some((u64::from_le_bytes(print.try_into().ok()?), u32::from_le_bytes(parent.try_into().ok()?)))
    }

    /// Writes to the file what is not there.
    pub(super) fn write(&mut self, folder: &dyn Folder, name: impl FnOnce() -> String) -> io::Result<()> {
        let written = self.stream.as_ref().map_or(0, |stream| (stream.bytes / LOG_BYTES as u64) as usize);
        if written == self.len() {
            return Ok(());
        }
        let written = written - self.base;
        let stream = self.stream.get_or_insert_with(|| Stream::new(name()));
        let rows = self.prints[written..].iter().zip(&self.parents[written..]);
        let mut buffer = Vec::with_capacity(1 << 16);
        for (print, parent) in rows {
            buffer.extend_from_slice(&print.to_le_bytes());
            buffer.extend_from_slice(&parent.to_le_bytes());
            if buffer.len() + LOG_BYTES > 1 << 16 {
                stream.append(folder, &buffer)?;
                buffer.clear();
            }
        }
        if buffer.is_empty() { Ok(()) } else { stream.append(folder, &buffer) }
    }

    /// Takes everything that is on disk out of the memory, once all is written.
    pub(super) fn release(&mut self) {
        self.base = self.len();
        self.prints = Vec::new();
        self.parents = Vec::new();
    }
}
