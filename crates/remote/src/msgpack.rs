//! MessagePack, head by head, for what is read so often that serde's way shows: the messages and states of
//! nodes in a shared library. It accepts what [`crate::decode`] accepts; a property test holds it to that.

use crate::wire::unpack;
use crate::{DEPTH_MAX, Value};

/// A value, or the beginning of one that has parts.
pub enum Head<'a> {
    /// A value without parts: null, a truth value or a number.
    Scalar(Value),
    /// A text: bytes that are UTF-8.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
    /// This many values follow.
    List(usize),
    /// This many keys and values follow.
    Map(usize),
}

/// Reads from bytes.
pub struct Reader<'a> {
    rest: &'a [u8],
}

const ENDS_EARLY: &str = "a value ends early";

/// Values are not nested deeper than the protocol allows.
pub fn check_depth(depth: usize) -> Result<(), String> {
    if depth < DEPTH_MAX { Ok(()) } else { Err(format!("a value is nested deeper than {DEPTH_MAX}")) }
}

/// Whether the bytes begin with a value: nested as the protocol allows, with texts that are UTF-8 and keys
/// that are texts.
pub fn check_value(bytes: &[u8]) -> Result<(), String> {
    Reader::new(bytes).skip(0)
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// How many bytes have not been read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ENDS_EARLY)?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number of this many bytes, the most significant first.
    #[inline]
    fn number(&mut self, bytes: usize) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A length in this many bytes. Every part has a byte at least, so that no length promises more than
    /// there is.
    fn length(&mut self, bytes: usize) -> Result<usize, String> {
        let length = self.number(bytes)?;
        usize::try_from(length)
            .ok()
            .filter(|length| *length <= self.rest.len())
            .ok_or_else(|| ENDS_EARLY.to_owned())
    }

    #[inline]
    fn text(&mut self, length: usize) -> Result<Head<'a>, String> {
        let bytes = self.take(length)?;
        // Most texts are names of fields: short and plain.
        let is_plain = bytes.len() <= 32 && bytes.iter().fold(0, |all, byte| all | byte) < 0x80;
        if !is_plain && str::from_utf8(bytes).is_err() {
            return Err("a text is not UTF-8".to_owned());
        }
        Ok(Head::Text(bytes))
    }

    /// The next value, or its beginning.
    #[inline]
    pub fn next(&mut self) -> Result<Head<'a>, String> {
        let unsigned = |number: u64| i64::try_from(number).map_or(Value::Large(number), Value::Integer);
        let marker = self.take(1)?[0];
        let scalar = match marker {
            0x00..=0x7f => Value::Integer(marker.into()),
            0x80..=0x8f => return Ok(Head::Map((marker & 0x0f).into())),
            0x90..=0x9f => return Ok(Head::List((marker & 0x0f).into())),
            0xa0..=0xbf => return self.text((marker & 0x1f).into()),
            0xc0 => Value::Null,
            0xc2 | 0xc3 => Value::Truth(marker == 0xc3),
            0xc4..=0xc6 => {
                let length = self.length(1 << (marker - 0xc4))?;
                return Ok(Head::Bytes(self.take(length)?));
            }
            0xca => Value::Float(f32::from_bits(self.number(4)? as u32).into()),
            0xcb => Value::Float(f64::from_bits(self.number(8)?)),
            0xcc..=0xcf => unsigned(self.number(1 << (marker - 0xcc))?),
            0xd0 => Value::Integer((self.number(1)? as i8).into()),
            0xd1 => Value::Integer((self.number(2)? as i16).into()),
            0xd2 => Value::Integer((self.number(4)? as i32).into()),
            0xd3 => Value::Integer(self.number(8)? as i64),
            0xd9..=0xdb => {
                let length = self.length(1 << (marker - 0xd9))?;
                return self.text(length);
            }
            0xdc | 0xdd => return Ok(Head::List(self.length(2 << (marker - 0xdc))?)),
            0xde | 0xdf => return Ok(Head::Map(self.length(2 << (marker - 0xde))?)),
            0xe0..=0xff => Value::Integer((marker as i8).into()),
            0xc1 | 0xc7..=0xc9 | 0xd4..=0xd8 => {
                return Err(format!("the byte {marker:#04x} begins no value"));
            }
        };
        Ok(Head::Scalar(scalar))
    }

    /// The key of a map: bytes that are UTF-8.
    #[inline]
    pub fn key(&mut self) -> Result<&'a [u8], String> {
        match self.next()? {
            Head::Text(text) => Ok(text),
            _ => Err("a key of a map is not a text".to_owned()),
        }
    }

    /// The next value, whole.
    pub fn value(&mut self) -> Result<Value, String> {
        let before = self.rest;
        match self.next()? {
            Head::Scalar(value) => Ok(value),
            Head::Text(text) => Ok(Value::Text(String::from_utf8_lossy(text).into_owned())),
            Head::Bytes(bytes) => Ok(Value::Bytes(bytes.to_owned())),
            Head::List(_) | Head::Map(_) => {
                self.rest = before;
                self.skip(0)?;
                unpack(&before[..before.len() - self.rest.len()])
            }
        }
    }

    fn skip(&mut self, depth: usize) -> Result<(), String> {
        check_depth(depth)?;
        match self.next()? {
            Head::List(length) => (0..length).try_for_each(|_| self.skip(depth + 1)),
            Head::Map(length) => (0..length).try_for_each(|_| {
                self.key()?;
                self.skip(depth + 1)
            }),
            Head::Scalar(_) | Head::Text(_) | Head::Bytes(_) => Ok(()),
        }
    }
}
