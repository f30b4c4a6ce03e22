//! Sorted files of fingerprints.
//!
//! Each file is strictly ascending. An index in memory has the first fingerprint of each block, so that a few
//! questions read a few blocks, and many read the file once. A new file is merged with the one before when
//! that is less than twice as large: there are at most some thirty.

use std::io;

use super::file::Stream;
use super::{Folder, damaged};

/// Fingerprints in a block.
const BLOCK_WORDS: usize = 1 << 11;
const BLOCK_BYTES: usize = BLOCK_WORDS * 8;

/// A sorted file.
pub(super) struct Run {
    pub stream: Stream,
    firsts: Vec<u64>,
}

impl Run {
    pub(super) fn words(&self) -> u64 {
        self.stream.bytes / 8
    }

    /// A file that is there.
    pub(super) fn reopen(folder: &dyn Folder, name: &str, bytes: u64, sum: u64) -> io::Result<Run> {
        let mut firsts = Vec::new();
        let mut last = 0;
        let mut at = 0usize;
        let mut sorted = bytes.is_multiple_of(8);
        let stream = Stream::reopen(folder, name, bytes, sum, |part| {
            for word in part.as_chunks::<8>().0 {
                let word = u64::from_le_bytes(*word);
                sorted &= word > last;
                last = word;
                if at.is_multiple_of(BLOCK_WORDS) {
                    firsts.push(word);
                }
                at += 1;
            }
        })?;
        if !sorted {
            return Err(damaged(name, "it is not sorted"));
        }
        Ok(Run { stream, firsts })
    }
}

/// Writes a sorted file.
pub(super) struct RunWriter<'f> {
    folder: &'f dyn Folder,
    run: Run,
    buffer: Vec<u8>,
    words: usize,
}

impl<'f> RunWriter<'f> {
    pub(super) fn new(folder: &'f dyn Folder, name: String) -> RunWriter<'f> {
        let run = Run { stream: Stream::new(name), firsts: Vec::new() };
        RunWriter { folder, run, buffer: Vec::with_capacity(BLOCK_BYTES), words: 0 }
    }

    /// Appends a fingerprint that is larger than all before.
    pub(super) fn push(&mut self, word: u64) -> io::Result<()> {
        if self.words.is_multiple_of(BLOCK_WORDS) {
            self.run.firsts.push(word);
        }
        self.words += 1;
        self.buffer.extend_from_slice(&word.to_le_bytes());
        if self.buffer.len() == BLOCK_BYTES {
            self.run.stream.append(self.folder, &self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// The file; none if it has no fingerprint.
    pub(super) fn finish(mut self) -> io::Result<Option<Run>> {
        if self.words == 0 {
            return Ok(None);
        }
        self.run.stream.append(self.folder, &self.buffer)?;
        Ok(Some(self.run))
    }
}

/// Reads a sorted file from front to back, blocks that nobody needs left out.
pub(super) struct RunReader<'r> {
    folder: &'r dyn Folder,
    run: &'r Run,
    /// The block that is in memory.
    block: Option<usize>,
    bytes: Vec<u8>,
    words: Vec<u64>,
    position: usize,
}

impl<'r> RunReader<'r> {
    pub(super) fn new(folder: &'r dyn Folder, run: &'r Run) -> RunReader<'r> {
        RunReader { folder, run, block: None, bytes: Vec::new(), words: Vec::new(), position: 0 }
    }

    /// Whether the file has a fingerprint. They are asked for in ascending order.
    pub(super) fn contains(&mut self, word: u64) -> io::Result<bool> {
        let firsts = &self.run.firsts;
        let from = self.block.unwrap_or(0);
        let stays = self.block.is_some() && firsts.get(from + 1).is_none_or(|first| word < *first);
        if !stays {
            let before = firsts[from..].partition_point(|first| *first <= word);
            let Some(block) = (from + before).checked_sub(1) else { return Ok(false) };
            if self.block != Some(block) {
                self.load(block)?;
            }
        }
        let rest = &self.words[self.position..];
        let (Ok(steps) | Err(steps)) = rest.binary_search(&word);
        let found = rest.get(steps) == Some(&word);
        self.position += steps;
        Ok(found)
    }

    /// The next fingerprint, if all are wanted.
    fn next(&mut self) -> io::Result<Option<u64>> {
        if self.position == self.words.len() {
            let block = self.block.map_or(0, |block| block + 1);
            if block >= self.run.firsts.len() {
                return Ok(None);
            }
            self.load(block)?;
        }
        self.position += 1;
        Ok(Some(self.words[self.position - 1]))
    }

    fn load(&mut self, block: usize) -> io::Result<()> {
        let start = block as u64 * BLOCK_BYTES as u64;
        let bytes = (self.run.stream.bytes - start).min(BLOCK_BYTES as u64) as usize;
        self.bytes.resize(bytes, 0);
        self.folder.read_at(&self.run.stream.name, start, &mut self.bytes)?;
        self.words.clear();
        self.words.extend(self.bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        self.block = Some(block);
        self.position = 0;
        Ok(())
    }
}

/// One file out of two that have no fingerprint in common.
pub(super) fn merged(folder: &dyn Folder, name: String, first: &Run, second: &Run) -> io::Result<Run> {
    let mut writer = RunWriter::new(folder, name);
    let (mut left, mut right) = (RunReader::new(folder, first), RunReader::new(folder, second));
    let (mut a, mut b) = (left.next()?, right.next()?);
    loop {
        let word = match (a, b) {
            (None, None) => break,
            (Some(word), None) => {
                a = left.next()?;
                word
            }
            (Some(word), Some(other)) if word < other => {
                a = left.next()?;
                word
            }
            (_, Some(word)) => {
                b = right.next()?;
                word
            }
        };
        writer.push(word)?;
    }
    writer.finish()?.ok_or_else(|| damaged(&first.stream.name, "it is empty"))
}
