//! The connection of one server: lines out of bytes, and bytes that wait to be written.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use super::said::Given;

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;
/// How many bytes are read before their lines are taken out.
const READ_MAX: usize = 2 * super::LINE_MAX;
/// The most bytes that wait to be written.
const OUTPUT_MAX: usize = 64 << 20;

/// Why there are no more lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The other end closed the connection, or it failed.
    Closed,
    /// A line is longer than it may be.
    TooLong,
}

/// See the module's text.
pub(crate) struct Channel {
    stream: TcpStream,
    input: Vec<u8>,
    /// Where the next line begins, and how far there is no line break.
    start: usize,
    looked: usize,
    has_ended: bool,
    output: Vec<u8>,
    written: usize,
}

impl Channel {
    pub fn new(stream: TcpStream) -> io::Result<Channel> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (input, output) = (Vec::new(), Vec::new());
        Ok(Channel { stream, input, start: 0, looked: 0, has_ended: false, output, written: 0 })
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Reads what there is. Whether there was anything.
    pub fn read(&mut self) -> bool {
        self.input.drain(..self.start);
        (self.looked, self.start) = (self.looked - self.start, 0);
        let before = self.input.len();
        let mut chunk = [0; CHUNK];
        while !self.has_ended && self.input.len() < READ_MAX {
            match self.stream.read(&mut chunk) {
                Ok(0) => self.has_ended = true,
                Ok(read) => self.input.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.has_ended = true,
            }
        }
        self.input.len() > before
    }

    /// The next line that was read, without its line break.
    pub fn line(&mut self, length_max: usize) -> Result<Option<Vec<u8>>, Bad> {
        let rest = &self.input[self.looked..];
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
            self.looked = self.input.len();
            return match self.looked - self.start {
                unread if unread > length_max => Err(Bad::TooLong),
                _ if self.has_ended => Err(Bad::Closed),
                _ => Ok(None),
            };
        };
        let line = &self.input[self.start..self.looked + length];
        if line.len() > length_max {
            return Err(Bad::TooLong);
        }
        let line = line.to_vec();
        self.looked += length + 1;
        self.start = self.looked;
        Ok(Some(line))
    }

    /// Adds a line to what is to be written.
    pub fn give(&mut self, given: &Given<'_>) {
        // Maps with keys that are texts, numbers and texts: there is nothing in them that JSON cannot hold.
        if serde_json::to_writer(&mut self.output, given).is_ok() {
            self.output.push(b'\n');
        }
    }

    /// Writes as much as is possible at once. Whether anything moved.
    pub fn write(&mut self) -> bool {
        let before = self.written;
        while self.has_output() {
            match self.stream.write(&self.output[self.written..]) {
                Ok(written) => self.written += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A connection that has failed is found out when it is read.
                Err(_) => break,
            }
        }
        let has_moved = self.written > before;
        if !self.has_output() {
            self.output.clear();
            self.written = 0;
        }
        has_moved
    }

    /// Whether something waits to be written.
    pub fn has_output(&self) -> bool {
        self.written < self.output.len()
    }

    /// Whether too much waits to be written.
    pub fn is_full(&self) -> bool {
        self.output.len() - self.written > OUTPUT_MAX
    }
}
