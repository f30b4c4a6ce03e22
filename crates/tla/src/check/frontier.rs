//! States that wait to be expanded: their encodings, one after the other.

/// A list of encoded states with their numbers.
#[derive(Default)]
pub(crate) struct Segment {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    ids: Vec<u32>,
}

impl Segment {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Appends a state, written by the function; false if it could not be encoded.
    pub(crate) fn push(&mut self, id: u32, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> bool {
        let start = self.bytes.len();
        if write(&mut self.bytes).is_none() {
            self.bytes.truncate(start);
            return false;
        }
        self.ends.push(self.bytes.len());
        self.ids.push(id);
        true
    }

    pub(crate) fn get(&self, index: usize) -> (u32, &[u8]) {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        (self.ids[index], &self.bytes[start..self.ends[index]])
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 8 + self.ids.capacity() * 4
    }
}
