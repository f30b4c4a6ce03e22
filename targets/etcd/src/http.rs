//! As much of HTTP as a client of etcd's gateway needs: one request at a time on a connection that stays.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The longest answer, in bytes.
const BODY_MAX: usize = 8 << 20;
/// The most lines of a head.
const LINES_MAX: usize = 100;
/// The longest line.
const LINE_MAX: u64 = 16 << 10;

/// An answer.
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// A connection to a server.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects, before this time.
    pub fn open(server: SocketAddr, until: Instant) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&server, left(until)?)?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream: BufReader::new(stream) })
    }

    /// Posts a body and reads the answer, before this time. After an error the connection is of no use.
    pub fn post(&mut self, path: &str, body: &str, until: Instant) -> io::Result<Answer> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.stream.get_ref().set_write_timeout(Some(left(until)?))?;
        self.stream.get_mut().write_all(format!("{head}{body}").as_bytes())?;
        self.stream.get_ref().set_read_timeout(Some(left(until)?))?;
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(malformed)?;
        let (mut length, mut is_chunked) = (0, false);
        for _ in 0..LINES_MAX {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(':') {
                None => break,
                Some(("content-length", value)) => length = value.trim().parse().map_err(|_| malformed())?,
                Some(("transfer-encoding", value)) => is_chunked = value.trim() == "chunked",
                Some(_) => {}
            }
        }
        let body = if is_chunked { self.chunks()? } else { self.bytes(length)? };
        Ok(Answer { status, body })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        (&mut self.stream).take(LINE_MAX).read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        }
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > BODY_MAX {
            return Err(malformed());
        }
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(self.line()?.trim(), 16).map_err(|_| malformed())?;
            if body.len().saturating_add(length) > BODY_MAX {
                return Err(malformed());
            }
            body.extend(self.bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }
}

fn malformed() -> io::Error {
    io::Error::other("the answer is no HTTP")
}

/// How much time is left.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::Error::from(io::ErrorKind::TimedOut)) } else { Ok(left) }
}
