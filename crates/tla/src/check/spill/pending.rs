//! Candidates: states that were not in the table of a check whose known states are on disk too.

use std::io;
use std::sync::Mutex;

use super::Folder;
use super::file::Stream;
use crate::check::shared::{WORKER_SHIFT, locked};

/// Fingerprints are divided among parts by their upper bits.
const PART_BITS: u32 = 6;
/// How many parts there are.
pub(super) const PARTS: usize = 1 << PART_BITS;
/// What a candidate takes in a file.
const ROW_BYTES: usize = 16;

/// How much of a file is read at a time.
const CHUNK_BYTES: usize = ROW_BYTES << 13;

/// A state that may be new.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    pub word: u64,
    /// The worker in the upper bits, and how many candidates it had found before in this level.
    pub number: u32,
    /// The action that led to it.
    pub label: u32,
}

#[derive(Default)]
struct Part {
    rows: Vec<Candidate>,
    stream: Option<Stream>,
}

/// The candidates of a level.
pub(super) struct Pending {
    parts: Vec<Mutex<Part>>,
    /// A part with more rows is written.
    rows_max: usize,
}

impl Pending {
    pub(super) fn new(memory_bytes: usize) -> Pending {
        let rows_max = (memory_bytes / 8 / PARTS / ROW_BYTES).clamp(4, 1 << 16);
        Pending { parts: (0..PARTS).map(|_| Mutex::default()).collect(), rows_max }
    }

    /// Notes a candidate. The name is that of a file for its part.
    pub(super) fn push(
        &self,
        folder: &dyn Folder,
        row: Candidate,
        name: impl FnOnce(usize) -> String,
    ) -> io::Result<()> {
        let number = (row.word >> (64 - PART_BITS)) as usize;
        let part = &mut *locked(&self.parts[number]);
        part.rows.push(row);
        if part.rows.len() < self.rows_max {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(part.rows.len() * ROW_BYTES);
        for row in part.rows.drain(..) {
            bytes.extend_from_slice(&row.word.to_le_bytes());
            bytes.extend_from_slice(&row.number.to_le_bytes());
            bytes.extend_from_slice(&row.label.to_le_bytes());
        }
        part.stream.get_or_insert_with(|| Stream::new(name(number))).append(folder, &bytes)
    }

    /// Takes a part: of each fingerprint the first candidate, in the order of fingerprints.
    pub(super) fn take(&self, folder: &dyn Folder, number: usize) -> io::Result<Vec<Candidate>> {
        let part = &mut *locked(&self.parts[number]);
        let mut rows = std::mem::take(&mut part.rows);
        if let Some(stream) = part.stream.take() {
            rows.reserve_exact(stream.bytes as usize / ROW_BYTES);
            let mut bytes = vec![0; CHUNK_BYTES];
            let mut position = 0;
            while position < stream.bytes {
                let part = &mut bytes[..(stream.bytes - position).min(CHUNK_BYTES as u64) as usize];
                folder.read_at(&stream.name, position, part)?;
                rows.extend(part.as_chunks::<ROW_BYTES>().0.iter().map(row_of));
                position += part.len() as u64;
            }
            folder.remove(&stream.name)?;
        }
        rows.sort_unstable();
        rows.dedup_by_key(|row| row.word);
        Ok(rows)
    }
}

fn row_of(bytes: &[u8; ROW_BYTES]) -> Candidate {
    let number = u128::from_le_bytes(*bytes);
    Candidate { word: number as u64, number: (number >> 64) as u32, label: (number >> 96) as u32 }
}

/// A set of numbers: which candidates of a worker are new.
#[derive(Clone, Default)]
pub(crate) struct Bits(pub(super) Vec<u64>);

impl Bits {
    pub(super) fn add(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.len() * 8
    }
}

/// The worker and the number of a candidate.
pub(super) fn worker_of(number: u32) -> (usize, u32) {
    ((number >> WORKER_SHIFT) as usize, number & ((1 << WORKER_SHIFT) - 1))
}
