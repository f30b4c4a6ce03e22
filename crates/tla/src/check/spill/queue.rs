//! Waiting states in a file: segments, one after the other.

use std::io;

use super::file::Stream;
use super::{Folder, damaged};
use crate::check::frontier::Segment;

/// How much is read at a time.
const CHUNK_BYTES: usize = 1 << 17;

/// Appends a segment: the length of what follows, and what follows.
pub(super) fn put(segment: &Segment, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    segment.write(out);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Reads the segments of a file from front to back.
pub(crate) struct QueueFile {
    pub(super) stream: Stream,
    position: u64,
    buffer: Vec<u8>,
    at: usize,
}

impl QueueFile {
    pub(crate) fn new(stream: Stream) -> QueueFile {
        QueueFile { stream, position: 0, buffer: Vec::new(), at: 0 }
    }

    /// The next segment; none at the end.
    pub(crate) fn next(&mut self, folder: &dyn Folder) -> io::Result<Option<Segment>> {
        if !self.have(folder, 4)? {
            return Ok(None);
        }
        let length: [u8; 4] = self.buffer[self.at..self.at + 4].try_into().expect("four bytes are four");
        let length = u32::from_le_bytes(length) as usize;
        let whole = self.have(folder, 4 + length)?;
        let bytes = whole.then(|| &self.buffer[self.at + 4..self.at + 4 + length]);
        let segment = bytes
            .and_then(Segment::read)
            .ok_or_else(|| damaged(&self.stream.name, "a segment is not whole"))?;
        self.at += 4 + length;
        Ok(Some(segment))
    }

    /// Whether there are so many bytes more; they are in the buffer then.
    fn have(&mut self, folder: &dyn Folder, bytes: usize) -> io::Result<bool> {
        if self.buffer.len() - self.at >= bytes {
            return Ok(true);
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let left = self.stream.bytes - self.position;
        let wanted = bytes.max(CHUNK_BYTES) - self.buffer.len();
        let more = (wanted as u64).min(left) as usize;
        let start = self.buffer.len();
        if start + more < bytes {
            return Ok(false);
        }
        self.buffer.resize(start + more, 0);
        folder.read_at(&self.stream.name, self.position, &mut self.buffer[start..])?;
        self.position += more as u64;
        Ok(true)
    }
}
