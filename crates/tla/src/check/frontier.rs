//! States that wait to be expanded: their encodings, one after the other.
//!
//! They are kept in small segments. A segment is what a worker takes at a time, and what is given back to the
//! allocator as soon as its states are expanded, so that hardly more than one level is in memory at once.
//! Segments may also wait in a file (`spill`); those come first, for they were found first.
//!
//! A worker takes the states that it has found itself first: it has their values at hand, and remembers what
//! expressions gave for them. Then it helps the others.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::apart::Apart;
use super::spill::{Bits, Disk, QueueFile, Stream};
use crate::error::{Error, Result};

/// States in a segment. Workers wait for each other at the end of a level while somebody has a segment left:
/// it should be short.
const STATES_MAX: usize = 16;

/// What marks a state that may be known: its fingerprint, and which candidate of its worker it is.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub print: u64,
    pub number: u32,
}

/// A waiting state.
pub(crate) struct Waiting<'s> {
    /// Its number in the log; with a mark, that of the state it was reached from.
    pub id: u32,
    pub mark: Option<Mark>,
    pub bytes: &'s [u8],
}

/// A list of encoded states with their numbers.
#[derive(Default)]
pub(crate) struct Segment {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    ids: Vec<u32>,
    /// For all states, or for none.
    marks: Vec<Mark>,
}

impl Segment {
    /// The states.
    pub(crate) fn states(&self) -> impl Iterator<Item = Waiting<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(self.ends.iter().copied());
        let states = self.ids.iter().zip(spans).enumerate();
        states.map(|(index, (id, (start, end)))| Waiting {
            id: *id,
            mark: self.marks.get(index).copied(),
            bytes: &self.bytes[start as usize..end as usize],
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.len() + self.len() * 8 + self.marks.len() * size_of::<Mark>()
    }

    /// Appends the segment as it stands in a file.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.len() as u32).to_le_bytes());
        out.extend_from_slice(&(self.marks.len() as u32).to_le_bytes());
        for number in self.ends.iter().chain(&self.ids) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for mark in &self.marks {
            out.extend_from_slice(&mark.print.to_le_bytes());
            out.extend_from_slice(&mark.number.to_le_bytes());
        }
        out.extend_from_slice(&self.bytes);
    }

    /// The segment that was written; none if the bytes are not one.
    pub(super) fn read(mut bytes: &[u8]) -> Option<Segment> {
        let states = number(&mut bytes)? as usize;
        let marks = number(&mut bytes)? as usize;
        if states > STATES_MAX || (marks != 0 && marks != states) {
            return None;
        }
        let mut numbers = |n| (0..n).map(|_| number(&mut bytes)).collect::<Option<Vec<u32>>>();
        let (ends, ids) = (numbers(states)?, numbers(states)?);
        let marks = numbers(marks * 3)?;
        let mark =
            |mark: &[u32; 3]| Mark { print: u64::from(mark[0]) | u64::from(mark[1]) << 32, number: mark[2] };
        let marks = marks.as_chunks::<3>().0.iter().map(mark).collect();
        let ascending = ends.is_sorted() && ends.last().is_none_or(|end| *end as usize == bytes.len());
        ascending.then(|| Segment { bytes: bytes.to_vec(), ends, ids, marks })
    }
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*first))
}

/// The states of a level, by who found them.
#[derive(Default)]
pub(crate) struct Level {
    lanes: Vec<Apart<Lane>>,
}

/// What one worker has found for a level, and which segment of it comes next.
struct Lane {
    file: Option<Mutex<QueueFile>>,
    segments: Vec<Mutex<Segment>>,
    next: AtomicUsize,
    /// Which of the marked states are new; all if none.
    new: Option<Bits>,
}

/// A segment that a worker has taken, and which of its marked states are new.
pub(crate) struct Taken<'l> {
    pub segment: Segment,
    new: Option<&'l Bits>,
}

impl Taken<'_> {
    /// Whether a state is to be expanded.
    pub(crate) fn is_new(&self, mark: Mark) -> bool {
        self.new.is_none_or(|new| new.has(mark.number))
    }
}

impl Level {
    /// A level out of what each worker has found.
    pub(crate) fn new(found: Vec<FoundStates>) -> Level {
        let lane = |found: FoundStates| {
            Apart(Lane {
                file: found.stream.map(QueueFile::new).map(Mutex::new),
                segments: found.segments.into_iter().map(Mutex::new).collect(),
                next: AtomicUsize::new(0),
                new: (!found.all_new).then_some(found.new),
            })
        };
        Level { lanes: found.into_iter().map(lane).collect() }
    }

    /// The next segment for a worker; none when all are taken.
    pub(crate) fn take(&self, worker: usize, disk: Option<&Disk>) -> io::Result<Option<Taken<'_>>> {
        let (before, from) = self.lanes.split_at(worker.min(self.lanes.len()));
        for lane in from.iter().chain(before) {
            if let (Some(file), Some(disk)) = (&lane.file, disk) {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(segment) = file.next(&*disk.folder)? {
                    return Ok(Some(Taken { segment, new: lane.new.as_ref() }));
                }
            }
            if let Some(segment) = lane.segments.get(lane.next.fetch_add(1, Ordering::Relaxed)) {
                let segment = std::mem::take(&mut *segment.lock().unwrap_or_else(PoisonError::into_inner));
                return Ok(Some(Taken { segment, new: lane.new.as_ref() }));
            }
        }
        Ok(None)
    }

    /// The files that the level was read from.
    pub(crate) fn discard(self, disk: &Disk) -> io::Result<()> {
        let files = self.lanes.into_iter().filter_map(|lane| lane.0.file);
        files
            .map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner))
            .try_for_each(|file| disk.discard_queue(&file))
    }
}

/// What one worker has found for the next level.
#[derive(Default)]
pub(crate) struct FoundStates {
    pub segments: Vec<Segment>,
    /// What was found before these.
    pub stream: Option<Stream>,
    /// How many states wait, and how many of them may be known.
    pub states: u64,
    pub marked: u64,
    /// How many states that may be known were found, those included that do not wait.
    pub noted: u64,
    /// Which of the marked states are new, or that all are.
    pub new: Bits,
    pub all_new: bool,
}

impl FoundStates {
    pub(crate) fn heap_bytes(&self) -> usize {
        self.segments.iter().map(Segment::heap_bytes).sum::<usize>() + self.new.heap_bytes()
    }

    /// Moves the states to the file.
    pub(crate) fn spill(&mut self, disk: &Disk) -> io::Result<()> {
        let segments = std::mem::take(&mut self.segments);
        if segments.is_empty() { Ok(()) } else { disk.write_queue(&mut self.stream, &segments) }
    }
}

/// The states that one worker is finding for the next level.
#[derive(Default)]
pub(crate) struct Found {
    closed: FoundStates,
    open: Segment,
    bytes: usize,
}

impl Found {
    /// Appends a state, written by the function; what that gives if it could not be encoded.
    pub(crate) fn push(
        &mut self,
        id: u32,
        mark: Option<Mark>,
        write: impl FnOnce(&mut Vec<u8>) -> Result<Option<usize>>,
    ) -> Result<Option<usize>> {
        if self.open.len() > 0 && self.open.marks.is_empty() != mark.is_none() {
            self.close();
        }
        let open = &mut self.open;
        let start = open.bytes.len();
        let written = write(&mut open.bytes);
        if !matches!(written, Ok(None)) {
            open.bytes.truncate(start);
            return written;
        }
        if open.bytes.len() > u32::MAX as usize {
            open.bytes.truncate(start);
            let message = format!("states take more than {} bytes each", u32::MAX as usize / STATES_MAX);
            return Err(Box::new(Error::Limit { message }));
        }
        open.ends.push(open.bytes.len() as u32);
        open.ids.push(id);
        open.marks.extend(mark);
        if open.ids.len() >= STATES_MAX {
            self.close();
        }
        Ok(None)
    }

    /// The number of a state that may be known: how many of them were found before.
    pub(crate) fn note(&mut self) -> u32 {
        self.closed.noted += 1;
        (self.closed.noted - 1) as u32
    }

    fn close(&mut self) {
        let mut segment = std::mem::take(&mut self.open);
        segment.bytes.shrink_to_fit();
        self.bytes += segment.heap_bytes();
        self.closed.states += segment.len() as u64;
        self.closed.marked += segment.marks.len() as u64;
        self.closed.segments.push(segment);
    }

    /// Everything that was found.
    pub(crate) fn take(&mut self) -> FoundStates {
        if self.open.len() > 0 {
            self.close();
        }
        self.bytes = 0;
        std::mem::take(&mut self.closed)
    }

    /// Moves the states that were found to a file.
    pub(crate) fn spill(&mut self, disk: &Disk) -> io::Result<()> {
        if self.open.len() > 0 {
            self.close();
        }
        self.bytes = 0;
        self.closed.spill(disk)
    }

    /// How many bytes the states take.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes + self.open.bytes.capacity()
    }
}
