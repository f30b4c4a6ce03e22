//! As much of HTTP as the controlled walk needs: a request with a body on a connection, and its answer.
//!
//! Everything is bounded: the head, the body, and how long a peer may take.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longest head of a request, in bytes.
const HEAD_BYTES_MAX: u64 = 16 << 10;
/// How long a peer may keep the server waiting.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A request.
pub(super) struct Request {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
pub(super) struct Answer {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
}

impl Answer {
    pub fn json(body: String) -> Answer {
        Answer { status: 200, content_type: "application/json", body }
    }

    /// An error: its reason is a line of text.
    pub fn error(status: u16, reason: impl Into<String>) -> Answer {
        Answer { status, content_type: "text/plain; charset=utf-8", body: format!("{}\n", reason.into()) }
    }
}

/// Reads the request of a connection; what is wrong is an answer, or nothing if there is nobody to answer.
pub(super) fn read(stream: &TcpStream, body_bytes_max: usize) -> Result<Request, Option<Answer>> {
    let gone = |_: std::io::Error| None;
    stream.set_read_timeout(Some(TIMEOUT)).map_err(gone)?;
    stream.set_write_timeout(Some(TIMEOUT)).map_err(gone)?;
    let mut reader = BufReader::new(stream);
    let mut head = (&mut reader).take(HEAD_BYTES_MAX);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        head.read_until(b'\n', &mut line).map_err(gone)?;
        if line.is_empty() {
            let reason =
                if head.limit() == 0 { Some(Answer::error(431, "the head is too long")) } else { None };
            return Err(reason);
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_string();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let bad = |reason: &str| Some(Answer::error(400, reason));
    let first = lines.first().ok_or_else(|| bad("there is no request"))?;
    let mut words = first.split(' ');
    let (method, target) = match (words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some(version)) if version.starts_with("HTTP/1.") => (method, target),
        _ => return Err(bad("this is no HTTP/1 request")),
    };
    let header = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_string()))
    };
    let headers: Option<Vec<(String, String)>> = lines[1..].iter().map(header).collect();
    let headers = headers.ok_or_else(|| bad("a header has no colon"))?;
    let path = target.split('?').next().unwrap_or(target).to_string();
    let mut request = Request { method: method.to_string(), path, headers, body: Vec::new() };
    if request.header("transfer-encoding").is_some() {
        return Err(Some(Answer::error(411, "a body needs a Content-Length")));
    }
    let length = match request.header("content-length") {
        None => 0,
        Some(text) => text.parse::<usize>().map_err(|_| bad("Content-Length is no number"))?,
    };
    if length > body_bytes_max {
        return Err(Some(Answer::error(413, format!("a body has at most {body_bytes_max} bytes"))));
    }
    if request.header("expect").is_some_and(|what| what.eq_ignore_ascii_case("100-continue")) {
        let mut writer = stream;
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(gone)?;
    }
    let mut body = Vec::new();
    reader.take(length as u64).read_to_end(&mut body).map_err(gone)?;
    if body.len() < length {
        return Err(None);
    }
    request.body = body;
    Ok(request)
}

/// Writes an answer; a peer that has gone needs none.
pub(super) fn write(mut stream: &TcpStream, answer: &Answer) {
    let Answer { status, content_type, body } = answer;
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()))
        .and_then(|()| stream.flush());
}
