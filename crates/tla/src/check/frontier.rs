//! States that wait to be expanded: their encodings, one after the other.
//!
//! They are kept in small segments. A segment is what a worker takes at a time, and what is given back to the allocator as
//! soon as its states are expanded, so that hardly more than one level is in memory at once.
//!
//! A worker takes the states that it has found itself first: it has their values at hand, and remembers what expressions gave for
//! them. Then it helps the others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::apart::Apart;
use crate::error::{Error, Result};

/// States in a segment. Workers wait for each other at the end of a level while somebody has a segment left: it should be short.
const STATES_MAX: usize = 16;

/// A list of encoded states with their numbers.
#[derive(Default)]
pub(crate) struct Segment {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    ids: Vec<u32>,
}

impl Segment {
    /// The states: their numbers and their encodings.
    pub(crate) fn states(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(self.ends.iter().copied());
        self.ids.iter().copied().zip(spans.map(|(start, end)| &self.bytes[start as usize..end as usize]))
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.len() + self.len() * 8
    }
}

/// The states of a level, by who found them.
#[derive(Default)]
pub(crate) struct Level {
    lanes: Vec<Apart<Lane>>,
}

/// What one worker has found for a level, and which segment of it comes next.
struct Lane {
    segments: Vec<Mutex<Segment>>,
    next: AtomicUsize,
}

impl Level {
    /// A level out of what each worker has found.
    pub(crate) fn new(found: Vec<Vec<Segment>>) -> Level {
        let lane = |segments: Vec<Segment>| {
            Apart(Lane {
                segments: segments.into_iter().map(Mutex::new).collect(),
                next: AtomicUsize::new(0),
            })
        };
        Level { lanes: found.into_iter().map(lane).collect() }
    }

    /// The next segment for a worker; none when all are taken.
    pub(crate) fn take(&self, worker: usize) -> Option<Segment> {
        let (before, from) = self.lanes.split_at(worker.min(self.lanes.len()));
        from.iter().chain(before).find_map(|lane| {
            let segment = lane.segments.get(lane.next.fetch_add(1, Ordering::Relaxed))?;
            Some(std::mem::take(&mut *segment.lock().unwrap_or_else(PoisonError::into_inner)))
        })
    }
}

/// The states that one worker has found for the next level.
#[derive(Default)]
pub(crate) struct Found {
    segments: Vec<Segment>,
    open: Segment,
    bytes: usize,
}

impl Found {
    /// Appends a state, written by the function; what that gives if it could not be encoded.
    pub(crate) fn push(
        &mut self,
        id: u32,
        write: impl FnOnce(&mut Vec<u8>) -> Result<Option<usize>>,
    ) -> Result<Option<usize>> {
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
        if open.ids.len() >= STATES_MAX {
            self.close();
        }
        Ok(None)
    }

    fn close(&mut self) {
        let mut segment = std::mem::take(&mut self.open);
        segment.bytes.shrink_to_fit();
        self.bytes += segment.heap_bytes();
        self.segments.push(segment);
    }

    /// All segments.
    pub(crate) fn take(&mut self) -> Vec<Segment> {
        if self.open.len() > 0 {
            self.close();
        }
        self.bytes = 0;
        std::mem::take(&mut self.segments)
    }

    /// How many bytes the states take.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes + self.open.bytes.capacity()
    }
}
