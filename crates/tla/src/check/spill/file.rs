//! Files that are written from front to back, with their length and their sum.

use std::io;

use super::{Folder, damaged};
use crate::value::hash::mix;

/// How much of a file is read at a time when it is verified.
const CHUNK_BYTES: usize = 1 << 18;

/// A sum over bytes that does not depend on how they are divided among calls.
#[derive(Clone, Default)]
pub(super) struct Sum {
    state: u64,
    rest: [u8; 8],
    rest_bytes: usize,
}

impl Sum {
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        if self.rest_bytes > 0 {
            let taken = bytes.len().min(8 - self.rest_bytes);
            self.rest[self.rest_bytes..self.rest_bytes + taken].copy_from_slice(&bytes[..taken]);
            self.rest_bytes += taken;
            bytes = &bytes[taken..];
            if self.rest_bytes < 8 {
                return;
            }
            self.state = mix(self.state, u64::from_le_bytes(self.rest));
            self.rest_bytes = 0;
        }
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let word: [u8; 8] = word.try_into().expect("chunks have eight bytes");
            self.state = mix(self.state, u64::from_le_bytes(word));
        }
        let rest = words.remainder();
        self.rest[..rest.len()].copy_from_slice(rest);
        self.rest_bytes = rest.len();
    }

    pub(super) fn value(&self) -> u64 {
        let mut state = mix(self.state, self.rest_bytes as u64);
        for byte in &self.rest[..self.rest_bytes] {
            state = mix(state, u64::from(*byte));
        }
        state
    }
}

/// A file that is written, or has been.
#[derive(Clone)]
pub(crate) struct Stream {
    pub name: String,
    pub bytes: u64,
    sum: Sum,
}

impl Stream {
    pub(super) fn new(name: String) -> Stream {
        Stream { name, bytes: 0, sum: Sum::default() }
    }

    pub(super) fn append(&mut self, folder: &dyn Folder, bytes: &[u8]) -> io::Result<()> {
        folder.append(&self.name, bytes)?;
        self.sum.add(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// The sum of all bytes.
    pub(super) fn sum(&self) -> u64 {
        self.sum.value()
    }

    /// A file that is there, with a length and a sum that it must have; what was appended later is cut off.
    /// The function sees all bytes, in order.
    pub(super) fn reopen(
        folder: &dyn Folder,
        name: &str,
        bytes: u64,
        sum: u64,
        mut see: impl FnMut(&[u8]),
    ) -> io::Result<Stream> {
        let length = folder.length(name)?;
        if length < bytes {
            return Err(damaged(name, "it is too short"));
        }
        if length > bytes {
            folder.cut(name, bytes)?;
        }
        let mut stream = Stream::new(name.to_string());
        let mut buffer = vec![0; CHUNK_BYTES];
        while stream.bytes < bytes {
            let part = &mut buffer[..(bytes - stream.bytes).min(CHUNK_BYTES as u64) as usize];
            folder.read_at(name, stream.bytes, part)?;
            see(part);
            stream.sum.add(part);
            stream.bytes += part.len() as u64;
        }
        if stream.sum() != sum {
            return Err(damaged(name, "its sum differs"));
        }
        Ok(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_does_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..1_000u32).map(|n| (n * 7) as u8).collect();
        let mut whole = Sum::default();
        whole.add(&bytes);
        for size in [1, 3, 8, 13, 200] {
            let mut pieces = Sum::default();
            bytes.chunks(size).for_each(|piece| pieces.add(piece));
            assert_eq!(pieces.value(), whole.value(), "pieces of {size}");
        }
        let mut shorter = Sum::default();
        shorter.add(&bytes[..999]);
        assert_ne!(shorter.value(), whole.value());
    }
}
