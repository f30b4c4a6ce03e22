//! Frames as bytes: written into a buffer, read out of one, within limits.

use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::msgpack::check_value;
use crate::{Encoding, Value};

/// The largest frame, in bytes.
pub const FRAME_MAX: usize = 16 << 20;
/// How deep values may be nested.
pub const DEPTH_MAX: usize = 128;
/// The bytes that hold the length of a frame.
const LENGTH_BYTES: usize = 4;
/// How many bytes are read at once.
const CHUNK: usize = 16 << 10;

/// Why a frame cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BadFrame {
    /// There is no more input.
    #[error("closed its standard output{}", if *.0 { " in the middle of a frame" } else { "" })]
    End(bool),
    /// The pipe failed.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The frame is too large.
    #[error("wrote a frame of more than {FRAME_MAX} bytes{0}")]
    TooLarge(String),
    /// The frame is not what it should be.
    #[error("{0}")]
    Malformed(String),
}

/// Adds a frame to a buffer.
pub fn write_frame(encoding: Encoding, frame: &impl Serialize, buffer: &mut Vec<u8>) -> Result<(), String> {
    let start = buffer.len();
    match encoding {
        Encoding::Json => {
            serde_json::to_writer(&mut *buffer, frame).map_err(|error| error.to_string())?;
            buffer.push(b'\n');
        }
        Encoding::MsgPack => {
            buffer.extend_from_slice(&[0; LENGTH_BYTES]);
            let mut serializer = rmp_serde::Serializer::new(&mut *buffer).with_struct_map();
            frame.serialize(&mut serializer).map_err(|error| error.to_string())?;
            let length = (buffer.len() - start - LENGTH_BYTES) as u32;
            buffer[start..start + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
        }
    }
    Ok(())
}

/// Reads the contents of a frame.
pub fn decode<T: DeserializeOwned>(encoding: Encoding, frame: &[u8]) -> Result<T, String> {
    match encoding {
        Encoding::Json => serde_json::from_slice(frame).map_err(|error| error.to_string()),
        Encoding::MsgPack => {
            let value = unpack(frame)?;
            // Serde's reader makes bytes of a text that is not UTF-8, and leaves fields unread that no type
            // names.
            check_value(frame)?;
            Ok(value)
        }
    }
}

/// Reads MessagePack whose texts are known to be UTF-8.
pub(crate) fn unpack<T: DeserializeOwned>(frame: &[u8]) -> Result<T, String> {
    let mut rest = frame;
    let mut deserializer = rmp_serde::Deserializer::new(&mut rest);
    deserializer.set_max_depth(DEPTH_MAX);
    let value = T::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    if rest.is_empty() { Ok(value) } else { Err(format!("{} bytes follow the value", rest.len())) }
}

/// A frame as a value, whatever is in it.
pub fn show(encoding: Encoding, frame: &[u8]) -> Value {
    // The numbers in a broken frame are of one process; what is no frame at all is shown as it is.
    let is_map = frame.first().is_some_and(|byte| *byte == b'{' || *byte >= 0x80);
    let unreadable = || {
        if is_map { "a frame that is broken".to_owned() } else { String::from_utf8_lossy(frame).into_owned() }
    };
    decode(encoding, frame).unwrap_or_else(|_| Value::Text(unreadable()))
}

/// Takes frames out of a stream of bytes.
#[derive(Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    /// Where the next frame begins.
    start: usize,
    /// Where the bytes end that were read.
    end: usize,
}

impl FrameReader {
    /// How many bytes were read and belong to no frame that was taken.
    pub fn unread(&self) -> usize {
        self.end - self.start
    }

    /// The next frame, without its length or its line break.
    pub fn next(&mut self, encoding: Encoding, source: &mut impl Read) -> Result<&[u8], BadFrame> {
        let (from, to) = match encoding {
            Encoding::Json => self.next_line(source)?,
            Encoding::MsgPack => {
                self.fill(source, LENGTH_BYTES)?;
                let length = u32::from_be_bytes(
                    self.buffer[self.start..self.start + LENGTH_BYTES].try_into().unwrap_or_default(),
                ) as usize;
                if length > FRAME_MAX {
                    return Err(BadFrame::TooLarge(self.maybe_text(length)));
                }
                self.fill(source, LENGTH_BYTES + length)?;
                (self.start + LENGTH_BYTES, self.start + LENGTH_BYTES + length)
            }
        };
        self.start = to + usize::from(encoding == Encoding::Json);
        if self.start == self.end {
            // The bytes stay where they are until the next read.
            (self.start, self.end) = (0, 0);
        }
        Ok(&self.buffer[from..to])
    }

    fn next_line(&mut self, source: &mut impl Read) -> Result<(usize, usize), BadFrame> {
        let mut looked = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(place) = unread[looked..].iter().position(|byte| *byte == b'\n') {
                return Ok((self.start, self.start + looked + place));
            }
            looked = unread.len();
            if looked > FRAME_MAX {
                return Err(BadFrame::TooLarge(String::new()));
            }
            self.fill(source, looked + 1)?;
        }
    }

    /// Reads until at least this many bytes are unread.
    fn fill(&mut self, source: &mut impl Read, wanted: usize) -> Result<(), BadFrame> {
        while self.unread() < wanted {
            let room = (wanted - self.unread()).max(CHUNK);
            if self.buffer.len() - self.end < room {
                self.buffer.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.unread());
                // It grows with what arrives, not with what was promised.
                let grown = (self.end + room).min((2 * self.buffer.len()).max(2 * CHUNK));
                self.buffer.resize(grown.max(self.end + CHUNK), 0);
            }
            let read = match source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read == 0 {
                return Err(BadFrame::End(self.unread() > 0));
            }
            self.end += read;
        }
        Ok(())
    }

    /// A length that is no length is often a text that was printed by accident.
    fn maybe_text(&self, length: usize) -> String {
        let bytes = (length as u32).to_be_bytes();
        let unread: Vec<u8> = bytes.iter().chain(&self.buffer[self.start + 4..self.end]).copied().collect();
        let text: String = String::from_utf8_lossy(&unread).chars().take(60).collect();
        if bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
            format!(". It looks like printed text: {text:?}. Print to standard error")
        } else {
            String::new()
        }
    }
}
