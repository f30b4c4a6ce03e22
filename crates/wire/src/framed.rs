//! A decoder made of a framer: buffers, limits and places in errors, once for all protocols.

use serde_json::{Map, Value};

use crate::{Decoder, End, Fault, Frame, Handling, LostFrame, Stop};

/// How large things may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The greatest length of a frame in bytes. A decoder keeps at most this much and what it is fed at once.
    pub frame_bytes_max: usize,
}

impl Default for Limits {
    /// 8 MiB: eight times what ZooKeeper allows, and more than etcd's 1.5 MiB a request with its copies.
    fn default() -> Self {
        Self { frame_bytes_max: 8 << 20 }
    }
}

/// The first frame of a slice.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// How many bytes it takes.
    pub length: usize,
    /// The kind of message.
    pub kind: String,
    /// Its contents.
    pub fields: Map<String, Value>,
    /// What a proxy may do with it.
    pub handling: Handling,
    /// Other bytes to forward in its place.
    pub instead: Option<Vec<u8>>,
}

impl Cut {
    /// A frame of so many bytes without contents.
    pub fn new(length: usize, kind: impl Into<String>, handling: Handling) -> Self {
        Self { length, kind: kind.into(), fields: Map::new(), handling, instead: None }
    }

    /// The same frame with a field.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }
}

/// Cuts frames: what differs between protocols.
pub trait Framer: Send {
    /// The name of the protocol.
    const PROTOCOL: &'static str;

    /// The first frame of the bytes of an end that no earlier cut took. A framer may remember what it has
    /// cut; a call that fails changes nothing.
    ///
    /// # Errors
    ///
    /// The first frame is not there in full, or cannot be one.
    fn cut(&mut self, from: End, bytes: &[u8]) -> Result<Cut, Stop>;
}

/// The bytes of one end that are in no frame yet.
#[derive(Default, Debug)]
struct Stream {
    bytes: Vec<u8>,
    /// How many bytes were cut off before.
    offset: u64,
}

/// The decoder that a framer makes.
#[derive(Debug)]
pub struct Framed<F> {
    framer: F,
    limits: Limits,
    streams: [Stream; 2],
    failed: Option<LostFrame>,
}

impl<F: Framer> Framed<F> {
    /// A decoder for a new connection.
    pub fn new(framer: F, limits: Limits) -> Self {
        Self { framer, limits, streams: Default::default(), failed: None }
    }

    /// Cuts the frames that are whole.
    fn cut_all(&mut self, from: End, frames: &mut Vec<Frame>) -> Result<(), LostFrame> {
        let stream = &mut self.streams[from.index()];
        let limit = self.limits.frame_bytes_max;
        let mut at = 0;
        let stop = loop {
            // A framer never sees more than a frame may have, so what comes of bytes does not depend on how
            // many are there.
            let bytes = &stream.bytes[at..];
            let bytes = &bytes[..bytes.len().min(limit)];
            if bytes.is_empty() {
                break Stop::Incomplete;
            }
            let cut = match self.framer.cut(from, bytes) {
                Ok(cut) => cut,
                Err(stop) => break stop,
            };
            assert!(cut.length > 0 && cut.length <= bytes.len(), "a framer cuts what is there");
            frames.push(Frame {
                from,
                offset: stream.offset + at as u64,
                bytes: cut.instead.unwrap_or_else(|| bytes[..cut.length].to_vec()),
                kind: cut.kind,
                fields: cut.fields,
                handling: cut.handling,
            });
            at += cut.length;
        };
        stream.bytes.drain(..at);
        stream.offset += at as u64;
        let fault = match stop {
            Stop::Fault(fault) => fault,
            Stop::Incomplete if stream.bytes.len() > limit => Fault::Endless { limit: limit as u64 },
            Stop::Incomplete => return Ok(()),
        };
        Err(LostFrame { protocol: F::PROTOCOL, from, offset: stream.offset, fault })
    }
}

impl<F: Framer> Decoder for Framed<F> {
    fn protocol(&self) -> &'static str {
        F::PROTOCOL
    }

    fn decode(&mut self, from: End, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), LostFrame> {
        self.streams[from.index()].bytes.extend_from_slice(bytes);
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.cut_all(from, frames).inspect_err(|error| self.failed = Some(error.clone()))
    }

    fn pending(&self, from: End) -> usize {
        self.streams[from.index()].bytes.len()
    }

    fn take_pending(&mut self, from: End) -> Vec<u8> {
        let stream = &mut self.streams[from.index()];
        stream.offset += stream.bytes.len() as u64;
        std::mem::take(&mut stream.bytes)
    }
}
