//! A body in chunks, read across their borders.

use crate::{Fault, Stop};

/// The longest line that says how long a chunk is.
const LINE_MAX: usize = 32;

/// Where in its chunks a reader is. It is a copy until a cut succeeds, so a cut that fails changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Chunks {
    /// How much is left of the chunk.
    left: usize,
    /// Whether the end of the chunk before is still to be read.
    is_ending: bool,
}

/// Bytes of a body that are passed on as they are.
pub(super) struct Piece {
    pub length: usize,
    pub is_last: bool,
}

impl Chunks {
    /// So many bytes of the body, from `at` on, which is moved behind them.
    pub fn take(&mut self, bytes: &[u8], at: &mut usize, length: usize) -> Result<Vec<u8>, Stop> {
        let mut taken = Vec::with_capacity(length.min(bytes.len()));
        while taken.len() < length {
            if self.left == 0 && self.enter(bytes, at)? == 0 {
                return Err(Fault::Unexpected {
                    what: "the end of a stream",
                    found: "inside of a message".to_owned(),
                }
                .into());
            }
            let part = self.left.min(length - taken.len());
            let end = at.saturating_add(part);
            let part = bytes.get(*at..end.min(bytes.len())).ok_or(Stop::Incomplete)?;
            if end > bytes.len() {
                return Err(Stop::Incomplete);
            }
            taken.extend_from_slice(part);
            *at = end;
            self.left -= part.len();
            self.is_ending = self.left == 0;
        }
        Ok(taken)
    }

    /// A number of eight bytes.
    pub fn number(&mut self, bytes: &[u8], at: &mut usize) -> Result<u64, Stop> {
        let eight = self.take(bytes, at, 8)?;
        Ok(eight.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Whether the body ends here; then `at` is moved behind its end.
    pub fn is_over(&mut self, bytes: &[u8], at: &mut usize) -> Result<bool, Stop> {
        if self.left > 0 {
            return Ok(false);
        }
        if self.enter(bytes, at)? > 0 {
            return Ok(false);
        }
        self.line_end(bytes, at)?;
        Ok(true)
    }

    /// The next bytes, to be passed on as they are: what is left of a chunk, or the line before one.
    pub fn pass(&mut self, bytes: &[u8]) -> Result<Piece, Stop> {
        if self.left > 0 {
            let length = self.left.min(bytes.len());
            self.left -= length;
            self.is_ending = self.left == 0;
            return Ok(Piece { length, is_last: false });
        }
        let mut at = 0;
        let is_last = self.enter(bytes, &mut at)? == 0;
        if is_last {
            self.line_end(bytes, &mut at)?;
        }
        Ok(Piece { length: at, is_last })
    }

    /// Reads the line before a chunk. Gives how long the chunk is.
    fn enter(&mut self, bytes: &[u8], at: &mut usize) -> Result<usize, Stop> {
        if self.is_ending {
            self.line_end(bytes, at)?;
            self.is_ending = false;
        }
        let rest = bytes.get(*at..).unwrap_or_default();
        let window = &rest[..rest.len().min(LINE_MAX)];
        let unexpected = |found: &[u8]| Fault::Unexpected {
            what: "the length of a chunk",
            found: found.escape_ascii().to_string(),
        };
        let Some(end) = window.windows(2).position(|two| two == b"\r\n") else {
            return Err(if window.len() == LINE_MAX { unexpected(window).into() } else { Stop::Incomplete });
        };
        let line = std::str::from_utf8(&window[..end]).map_err(|_| unexpected(&window[..end]))?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(digits, 16).map_err(|_| unexpected(line.as_bytes()))?;
        *at += end + 2;
        self.left = length;
        Ok(length)
    }

    fn line_end(&self, bytes: &[u8], at: &mut usize) -> Result<(), Stop> {
        let end = bytes.get(*at..*at + 2).ok_or(Stop::Incomplete)?;
        if end != b"\r\n" {
            let found = end.escape_ascii().to_string();
            return Err(Fault::Unexpected { what: "the end of a chunk", found }.into());
        }
        *at += 2;
        Ok(())
    }
}

/// These bytes as a chunk.
pub(super) fn chunk(data: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", data.len()).into_bytes();
    chunk.extend_from_slice(data);
    chunk.extend_from_slice(b"\r\n");
    chunk
}
