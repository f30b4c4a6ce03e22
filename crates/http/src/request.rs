//! Requests.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::Answer;

/// How much a peer may send, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest head of a request, in bytes.
    pub head_bytes_max: u64,
    /// The most headers.
    pub headers_max: usize,
    /// The longest body, in bytes.
    pub body_bytes_max: usize,
    /// How long it may take until the whole request is there, however slowly it drips.
    pub time_max: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head_bytes_max: 16 << 10,
            headers_max: 100,
            body_bytes_max: 0,
            time_max: Duration::from_secs(10),
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`, `POST`, ….
    pub method: String,
    /// The path, as it was sent: nothing in it is decoded.
    pub path: String,
    /// What follows the question mark, as it was sent; empty if there is none.
    pub query: String,
    headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads the request of a connection. If something is wrong, there is an answer for it, or nothing if no
    /// peer is left to read one.
    pub fn read(stream: &TcpStream, limits: &Limits) -> Result<Request, Option<Answer>> {
        let bad = |reason: &str| Some(Answer::error(400, reason));
        stream.set_write_timeout(Some(limits.time_max)).map_err(gone)?;
        let mut reader = BufReader::new(Timed { stream, until: Instant::now() + limits.time_max });
        let lines = head(&mut reader, limits)?;
        let (first, rest) = lines.split_first().ok_or_else(|| bad("there is no request"))?;
        let words: Vec<&str> = first.split(' ').collect();
        let (method, target) = match words[..] {
            [method, target, version] if version.starts_with("HTTP/1.") => (method, target),
            _ => return Err(bad("this is no HTTP/1 request")),
        };
        let header = |line: &String| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: Option<Vec<_>> = rest.iter().map(header).collect();
        let headers = headers.ok_or_else(|| bad("a header has no colon"))?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        let mut request = Request { method, path, query, headers, body: Vec::new() };
        let length = request.length(limits)?;
        if request.header("expect").is_some_and(|what| what.eq_ignore_ascii_case("100-continue")) {
            let mut writer = stream;
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(gone)?;
        }
        reader.take(length as u64).read_to_end(&mut request.body).map_err(late)?;
        if request.body.len() < length {
            return Err(None);
        }
        Ok(request)
    }

    /// A header by its name in lower case: the first one, if there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn length(&self, limits: &Limits) -> Result<usize, Option<Answer>> {
        if self.header("transfer-encoding").is_some() {
            return Err(Some(Answer::error(411, "a body needs a Content-Length")));
        }
        let Some(text) = self.header("content-length") else { return Ok(0) };
        let length = text.parse().map_err(|_| Some(Answer::error(400, "Content-Length is no number")))?;
        if length > limits.body_bytes_max {
            let most = limits.body_bytes_max;
            return Err(Some(Answer::error(413, format!("a body has at most {most} bytes"))));
        }
        Ok(length)
    }
}

/// The lines of a head, without the empty one at its end.
fn head(reader: &mut impl BufRead, limits: &Limits) -> Result<Vec<String>, Option<Answer>> {
    let too_long = || Some(Answer::error(431, "the head of the request is too long"));
    let mut head = reader.take(limits.head_bytes_max);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        head.read_until(b'\n', &mut line).map_err(late)?;
        if !line.ends_with(b"\n") {
            return Err(if head.limit() == 0 { too_long() } else { None });
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if line.is_empty() {
            return Ok(lines);
        }
        // The first line is no header.
        if lines.len() > limits.headers_max {
            return Err(too_long());
        }
        lines.push(line);
    }
}

fn gone(_: io::Error) -> Option<Answer> {
    None
}

fn late(error: io::Error) -> Option<Answer> {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
        .then(|| Answer::error(408, "the request took too long"))
}

/// Reads until a moment, and not longer, however little comes at a time.
struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}
