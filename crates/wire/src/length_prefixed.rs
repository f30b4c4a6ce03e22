//! Frames that begin with their length: for protocols of users.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Cut, End, Fault, Framer, Handling, Limits, Loss, Stop};

/// How many contents a frame shows, in bytes.
const SHOWN_BYTES_MAX: usize = 64;

/// Which byte of a length comes first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByteOrder {
    /// The most significant one, as on most networks.
    #[default]
    Big,
    /// The least significant one.
    Little,
}

/// Where the length of a frame is and what it counts.
///
/// The length is a number of `width` bytes behind the first `offset` bytes of the frame. It counts the bytes
/// behind it, and those before it and its own as well if `whole` is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layout {
    /// How many bytes the length takes: 1 to 8.
    pub width: usize,
    /// Which of them comes first.
    pub order: ByteOrder,
    /// How many bytes of a frame come before its length.
    pub offset: usize,
    /// Whether the length counts the whole frame.
    pub whole: bool,
}

impl Default for Layout {
    /// Four bytes, the most significant first, at the start of a frame.
    fn default() -> Self {
        Self { width: 4, order: ByteOrder::Big, offset: 0, whole: false }
    }
}

impl Layout {
    /// What is wrong with the layout itself, if something is.
    pub fn trouble(&self) -> Option<String> {
        if !(1..=8).contains(&self.width) {
            return Some(format!("a length takes 1 to 8 bytes, not {}", self.width));
        }
        (self.offset > 4096)
            .then(|| format!("a length is in the first 4096 bytes, not behind {}", self.offset))
    }

    /// The number that these bytes are.
    fn number(&self, bytes: &[u8]) -> u64 {
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self.order {
            ByteOrder::Big => bytes.iter().fold(0, join),
            ByteOrder::Little => bytes.iter().rev().fold(0, join),
        }
    }
}

/// Cuts frames that begin with their length. Every frame is a message that is lost only with its connection.
#[derive(Clone, Debug)]
pub struct LengthPrefixed {
    layout: Layout,
    limit: usize,
}

impl LengthPrefixed {
    /// A framer for a layout in which [`Layout::trouble`] finds nothing wrong.
    pub fn new(layout: Layout, limits: Limits) -> Self {
        Self { layout, limit: limits.frame_bytes_max }
    }
}

impl Framer for LengthPrefixed {
    const PROTOCOL: &'static str = "length-prefixed";

    fn cut(&mut self, _: End, bytes: &[u8]) -> Result<Cut, Stop> {
        let head = self.layout.offset + self.layout.width;
        let written = bytes.get(self.layout.offset..head).ok_or(Stop::Incomplete)?;
        let number = self.layout.number(written);
        let length = if self.layout.whole { number } else { number.saturating_add(head as u64) };
        if length < head as u64 {
            return Err(
                Fault::Unexpected { what: "the length of a whole frame", found: length.to_string() }.into()
            );
        }
        if length > self.limit as u64 {
            return Err(Fault::TooLong { what: "a frame", length, limit: self.limit as u64 }.into());
        }
        let length = usize::try_from(length).expect("at most the limit");
        let body = bytes.get(head..length).ok_or(Stop::Incomplete)?;
        let shown = &body[..body.len().min(SHOWN_BYTES_MAX)];
        let cut = Cut::new(length, "Frame", Handling::Message(Loss::WithConnection)).with("length", length);
        Ok(cut.with("start", Value::from(shown.escape_ascii().to_string())))
    }
}
